"""What the installed posthog does with an event when its hook raises: found out by trying, on loopback."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import Any

from scrubber.doctor.guard import loopback_only, silence
from scrubber.doctor.records import Level, Remark

PROBE = "scrubber_doctor_probe"


class Fate(str, Enum):
    """What became of the event."""

    SENT = "sends the original event"
    DROPPED = "drops the event"
    UNKNOWN = "unknown"


def probe(watcher: str) -> Fate:
    """Capture one event through a hook that raises and look whether it arrives at a sink on loopback. A first event,
    through a hook that does not raise, shows that the sink would see it. Never raises."""

    def passes(event: Any) -> Any:
        return event

    def raises(event: Any) -> Any:
        raise ValueError

    try:
        if not _arrives(watcher, passes):
            return Fate.UNKNOWN
        return Fate.SENT if _arrives(watcher, raises) else Fate.DROPPED
    except Exception:
        return Fate.UNKNOWN


def remark(watcher: str, version: str, fate: Fate) -> Remark:
    """The probe's answer in a sentence. A note: the Scrubber itself never raises."""
    about = f"{watcher} {version}"
    if fate is Fate.SENT:
        return Remark(
            Level.NOTE,
            about,
            "sends the ORIGINAL event when a before_send hook raises (tried)",
            "the Scrubber never raises; give hooks of your own to Scrubber(then=...), or upgrade posthog",
        )
    if fate is Fate.DROPPED:
        return Remark(Level.NOTE, about, "drops the event when a before_send hook raises (tried)")
    return Remark(Level.NOTE, about, "could not be tried with a hook that raises", "do not rely on either outcome")


def _arrives(watcher: str, hook: Callable[[Any], Any]) -> bool:
    with loopback_only(), silence(), _sink() as (address, bodies):
        client = import_module(watcher).Posthog(
            "phc_doctor", host=address, sync_mode=True, max_retries=0, timeout=3, before_send=hook
        )
        try:
            client.capture(PROBE, distinct_id="doctor")
        finally:
            client.shutdown()
        return any(PROBE.encode() in body for body in bodies)


@contextmanager
def _sink() -> Iterator[tuple[str, list[bytes]]]:
    """A stand-in for the ingestion on a port of its own: its address, and the bodies that came in."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            bodies.append(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"status": 1}')

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        with _without_proxy():
            yield f"http://127.0.0.1:{server.server_address[1]}", bodies
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@contextmanager
def _without_proxy() -> Iterator[None]:
    """A proxy in the environment would be asked for loopback too."""
    before = {name: os.environ.get(name) for name in ("NO_PROXY", "no_proxy")}
    os.environ.update(dict.fromkeys(before, "127.0.0.1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
