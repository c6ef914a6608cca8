"""A real server for the stand-in: on 127.0.0.1 and nowhere else, in a thread of its own, with an end."""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import TracebackType
from typing import Any

from scrubber.words.errors import ScrubberError

HOST = "127.0.0.1"
"""The one address: what comes in is content, and only this machine's own programs may send and see it."""

_START_SECONDS = 20.0
_STOP_SECONDS = 5.0
_MOST_CONNECTIONS = 128

NOT_INSTALLED = "the listener needs a server: pip install 'posthog-scrubber[listen]'"


class ListenError(ScrubberError):
    """The listener could not start, or could not go on."""


class Listening:
    """A port of 127.0.0.1, taken when it is made and let go after the context.

    port: 0 takes a free one; `port` and `address` say which. Raises `ListenError` where it cannot be taken, or no
    server is installed.
    """

    def __init__(self, port: int = 0) -> None:
        if not all(map(find_spec, ("uvicorn", "starlette"))):
            raise ListenError(NOT_INSTALLED)
        self._socket = _bind(port)
        self.port: int = self._socket.getsockname()[1]
        self.address = f"http://{HOST}:{self.port}"

    def __enter__(self) -> Listening:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    @contextmanager
    def serve(self, taker: Any) -> Iterator[None]:
        """Serve inside the context; at its end, answer what came and stop.

        taker: what the events are handed to (`scrubber.audit.listening.app.Taker`). Raises `ListenError` where the
        server does not start.
        """
        server = _server(taker)
        # Outside the main thread it leaves the signals to us.
        thread = threading.Thread(target=server.run, args=([self._socket],), daemon=True)
        thread.start()
        try:
            began = time.monotonic()
            while not server.started:
                if not thread.is_alive() or time.monotonic() - began > _START_SECONDS:
                    raise ListenError(f"the server did not start on {self.address}; try another --port")
                time.sleep(0.01)
            yield
        finally:
            server.should_exit = True
            thread.join(_STOP_SECONDS * 2)


def _server(taker: Any) -> Any:
    import uvicorn  # noqa: PLC0415 - an extra

    from scrubber.audit.listening.app import make_app  # noqa: PLC0415 - needs starlette, of the same extra

    config = uvicorn.Config(
        make_app(taker),
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="off",
        # It logs requests and tracebacks, and both may hold content.
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=int(_STOP_SECONDS),
    )
    return uvicorn.Server(config)


def _bind(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":
        # Else a port that was in use a moment ago stays taken for a minute.
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        # Until somebody listens, another process that also said SO_REUSEADDR may bind the port too.
        found.listen(256)
    except (OSError, OverflowError) as error:
        found.close()
        raise ListenError(_why(port, error)) from None
    return found


def _why(port: int, error: Exception) -> str:
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.EADDRINUSE:
        who = f"netstat -ano | findstr :{port}" if os.name == "nt" else f"lsof -nP -iTCP:{port} -sTCP:LISTEN"
        return f"port {port} is in use ({who} says by whom); end that, or give another --port, or 0 for a free one"
    if code == errno.EACCES:
        return f"port {port} is for privileged programs; give a --port of 1024 or more, or 0 for a free one"
    return f"port {port} cannot be opened on {HOST}; give another --port, or 0 for a free one"
