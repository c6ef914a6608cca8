"""The wire: a sink on 127.0.0.1 that stands in for PostHog, and a run of the clinic's calls against it.

A run gives what left for each call, read off the bytes of the requests, not off the hook.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import logging
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any

from posthog import Posthog
from posthog.mcp import instrument

from demo_parts.clinic import CALLS, SECRETS, Kind, connect, make_server

Event = dict[str, Any]
Hook = Callable[[Any], "Event | None"]
RUN_SECONDS = 30.0


@dataclass
class Sent:
    """What left in one run.

    by_call: the events of each call, in the order of `CALLS`. greeting: those before the first.
    body: all bytes that were posted, unpacked.
    """

    by_call: list[list[Event]] = field(default_factory=list)
    greeting: list[Event] = field(default_factory=list)
    body: bytes = b""

    @property
    def events(self) -> list[Event]:
        """Every event that left."""
        return [*self.greeting, *(event for events in self.by_call for event in events)]

    @property
    def size(self) -> int:
        """The bytes of the events as JSON, as posthog writes it, without the envelope around a batch."""
        return sum(len(json.dumps(event)) for event in self.events)

    @property
    def secrets(self) -> list[str]:
        """What of the planted content is in the bytes: the names of `SECRETS`."""
        return [name for name, words in SECRETS.items() if words.encode() in self.body]

    def event(self, kind: Kind, name: str) -> Event | None:
        """The event of that name that the call of that kind left, if one did."""
        index = [call.kind for call in CALLS].index(kind)
        return next((event for event in self.by_call[index] if event["event"] == name), None)


class Sink:
    """A stand-in for PostHog on a free port of 127.0.0.1. It keeps every body it is sent, unpacked."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        sink = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 5

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                sink.bodies.append(_unpacked(body, self.headers.get("Content-Encoding") or ""))
                self._answer()

            def do_GET(self) -> None:
                self._answer()

            def _answer(self) -> None:
                answer = b'{"status": 1, "featureFlags": {}, "results": {}}'
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Nothing: the requests are shown by the demo."""

        # Not http.server's own: it asks a name server for its name.
        self._server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Sink:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def events(self) -> list[Event]:
        """The events in the bodies so far."""
        read: list[Event] = []
        for body in self.bodies:
            batch = json.loads(body)
            read.extend(batch.get("batch") or [] if isinstance(batch, dict) else batch)
        return read


def _unpacked(body: bytes, encoding: str) -> bytes:
    if encoding == "gzip":
        return gzip.decompress(body)
    return zlib.decompress(body) if encoding == "deflate" else body


def run(before_send: Hook | None) -> Sent:
    """A fresh server, client and posthog, and the calls. Out: what left."""
    with Sink() as sink, _quiet():
        posthog = Posthog(
            "phc_demo",
            host=sink.url,
            before_send=before_send,
            gzip=True,
            flush_interval=0.1,
            enable_exception_autocapture=False,
        )
        try:
            marks = asyncio.run(asyncio.wait_for(_play(posthog, sink), RUN_SECONDS))
        finally:
            posthog.shutdown()
        events = sink.events()
        ends = [*marks[1:], len(events)]
        by_call = [events[start:end] for start, end in zip(marks, ends, strict=True)]
        return Sent(by_call, events[: marks[0]], b"\n".join(sink.bodies))


async def _play(posthog: Posthog, sink: Sink) -> list[int]:
    """Make the calls. Out: for each, how many events had left before it."""
    server = make_server()
    analytics = instrument(server, posthog)
    marks: list[int] = []
    async with connect(server) as client:
        await client.list_tools()
        for call in CALLS:
            await _delivered(analytics, posthog)
            marks.append(len(sink.events()))
            await client.call_tool(call.tool, call.arguments)
        await _delivered(analytics, posthog)
    return marks


async def _delivered(analytics: Any, posthog: Posthog) -> None:
    """Wait until what was captured so far is in the sink."""
    await analytics.flush()
    await asyncio.to_thread(posthog.flush)


@contextmanager
def _quiet() -> Iterator[None]:
    # The SDKs log each failed call with its traceback, and mcp 1.x a line for every request.
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(before)
