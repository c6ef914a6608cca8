"""Nothing leaves the machine while the doctor works: every connection and look-up but loopback's is refused, and the
SDKs' logs, warnings and prints are swallowed, because they hold what was rejected."""

from __future__ import annotations

import io
import ipaddress
import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

_WATCHED = frozenset(
    {
        "socket.connect",
        "socket.sendto",
        "socket.sendmsg",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "socket.gethostbyaddr",
    }
)


class RefusedError(OSError):
    """A connection or a look-up that the doctor does not allow. An OSError, so that libraries take it for a network
    that is down."""


class _Guard:
    """The audit hook. Python has no way to remove one, so it stays behind and looks away while it is open."""

    def __init__(self) -> None:
        self.shut = 0
        self.refused = 0
        self._installed = False

    def close(self) -> None:
        if not self._installed:
            sys.addaudithook(self._audit)
            self._installed = True
        self.shut += 1

    def open(self) -> None:
        self.shut = max(0, self.shut - 1)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.shut or event not in _WATCHED:
            return
        host = _host(event, arguments)
        if host is not None and not _is_loopback(host):
            self.refused += 1
            raise RefusedError("scrubber doctor allows no network")


_guard = _Guard()


def _host(event: str, arguments: tuple[Any, ...]) -> Any:
    """The host an audited call speaks of; None for a call that has none (a Unix socket, a connected one)."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1] if len(arguments) > 1 else None
        return address[0] if isinstance(address, tuple) and address else None
    return arguments[0] if arguments else None


def _is_loopback(host: Any) -> bool:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    if name in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


def refused() -> int:
    """How often something tried to reach another machine since the process began."""
    return _guard.refused


def close_until_exit() -> None:
    """Refuse the network until the process ends: a client that was imported tries to send what it queued at exit."""
    _guard.close()


@contextmanager
def loopback_only() -> Iterator[None]:
    """Refuse every connection but loopback's inside the block."""
    _guard.close()
    try:
        yield
    finally:
        _guard.open()


def _sink() -> io.TextIOWrapper:
    """Text that goes nowhere. With a buffer, which a stdio server writes to."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace")


@contextmanager
def silence() -> Iterator[None]:
    """Swallow logs, warnings and prints inside the block."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stdout(_sink()), redirect_stderr(_sink()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
