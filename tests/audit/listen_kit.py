"""A running listener for the tests, in this process, and what it heard."""

from __future__ import annotations

import json
import queue
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrubber.audit.listening.saving import Recording
from scrubber.audit.listening.serving import HOST, Listening
from scrubber.audit.listening.session import Note, Seen, Session
from scrubber.settings import Settings


class Heard:
    """A session, the address it listens on, and the file it saves to."""

    def __init__(self, session: Session, listening: Listening, saved: Path) -> None:
        self.session = session
        self.listening = listening
        self.address = listening.address
        self.saved = saved
        self._lines: list[Seen | Note] = []

    @property
    def lines(self) -> list[Seen | Note]:
        """Every line for the screen so far."""
        while True:
            try:
                self._lines.append(self.session.lines.get_nowait())
            except queue.Empty:
                return self._lines

    @property
    def seen(self) -> list[Seen]:
        """The lines about events."""
        return [line for line in self.lines if isinstance(line, Seen)]

    @property
    def notes(self) -> list[Note]:
        """The other lines."""
        return [line for line in self.lines if isinstance(line, Note)]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events in the saved file."""
        return [json.loads(line) for line in self.saved.read_text("utf-8").splitlines()]

    def send(self, request: bytes, timeout: float = 30.0) -> bytes:
        """Raw bytes to the port; the answer until it is closed."""
        with socket.create_connection((HOST, self.listening.port), timeout) as connection:
            connection.sendall(request)
            answer = b""
            while block := connection.recv(65536):
                answer += block
        return answer

    def post(self, path: str, body: bytes, **headers: str) -> tuple[int, Any]:
        """The status and the JSON of the answer to a POST."""
        lines = [f"POST {path} HTTP/1.1", "Host: x", "Connection: close", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        head, _, content = self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body).partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(content)


@contextmanager
def heard(folder: Path, **settings: Any) -> Iterator[Heard]:
    """A listener on a free port, until the end of the block."""
    saved = folder / "heard.jsonl"
    with Recording(saved) as recording, Listening() as listening:
        session = Session(Settings(**settings), recording)
        with listening.serve(session):
            yield Heard(session, listening, saved)
