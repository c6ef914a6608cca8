"""A stand-in for PostHog's ingestion on loopback: keeps the events that a real client puts on the wire.

It answers `/batch/`, `/i/v0/ai/batch/` and `/i/v1/analytics/events` as posthog 7.21 to 7.91 expects, and everything
else (flags, decide, remote config) with an answer that holds nothing.
"""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MOST_BYTES = 256 * 1024 * 1024
"""How much a sink keeps; what comes after it counts as unread."""

_NOTHING = b'{"status": 1, "results": {}, "flags": {}, "featureFlags": {}, "featureFlagPayloads": {}}'


class Sink:
    """A running server on a port of its own. `close` ends it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[dict[str, Any]] = []
        self._left = MOST_BYTES
        self.unread = 0
        """Bodies that held no events in a form that is known: what they carried was not looked at."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            # The default polls twice a second, and closing waits for one poll.
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.02},
            name="scrubber-testing-sink",
            daemon=True,
        )
        self._thread.start()

    @property
    def address(self) -> str:
        """The host to give a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of every body, in order of arrival."""
        with self._lock:
            return list(self._events)

    def keep(self, path: str, encoding: str, body: bytes) -> None:
        """Take one request's body in. Bodies of other endpoints than the ingestion's are not events."""
        if not body or not any(part in path for part in ("/batch", "/analytics/events", "/capture", "/i/v0/e")):
            return
        with self._lock:
            self._left -= len(body)
            events = _events_of(encoding, body) if self._left >= 0 else None
            if events is None:
                self.unread += 1
            else:
                self._events += events

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def _events_of(encoding: str, body: bytes) -> list[dict[str, Any]] | None:
    """The events in a body, or None where it cannot be read."""
    try:
        if encoding == "gzip" or body[:2] == b"\x1f\x8b":
            body = gzip.decompress(body)
        elif encoding == "deflate":
            body = zlib.decompress(body)
        content = json.loads(body)
    except (ValueError, OSError, EOFError, zlib.error):
        return None
    batch = content.get("batch", [content]) if isinstance(content, dict) else content
    return batch if isinstance(batch, list) and all(isinstance(one, dict) for one in batch) else None


def _handler(sink: Sink) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        # Connections are kept open, as the real ingestion does.
        protocol_version = "HTTP/1.1"
        timeout = 30

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            sink.keep(self.path, (self.headers.get("content-encoding") or "").lower(), body)
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(_NOTHING)))
            self.end_headers()
            self.wfile.write(_NOTHING)

        def log_message(self, *_: Any) -> None:
            """Say nothing: a line of the log would hold the path of a request."""

    return Handler
