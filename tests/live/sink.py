"""A stand-in for PostHog's ingestion on loopback: keeps what a real client puts on the wire."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Sink:
    """The requests that came in: their raw bodies, unpacked, and the events in them."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.address = ""

    @property
    def wire(self) -> str:
        """Everything that came in, as text."""
        return "\n".join(body.decode("utf-8", "replace") for body in self.bodies)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of every batch, in order of arrival."""
        found: list[dict[str, Any]] = []
        for body in self.bodies:
            try:
                content = json.loads(body)
            except ValueError:
                continue
            found += content.get("batch", []) if isinstance(content, dict) else []
        return found


@contextmanager
def sink() -> Iterator[Sink]:
    """A running sink on a port of its own; it ends with the block."""
    kept = Sink()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.headers.get("content-encoding") == "gzip" or body[:2] == b"\x1f\x8b":
                body = gzip.decompress(body)
            kept.bodies.append(body)
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"status": 1}')

        do_GET = do_POST

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    kept.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
