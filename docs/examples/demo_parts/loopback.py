"""The promise that the demo keeps: nothing of it goes to another machine."""

from __future__ import annotations

import ipaddress
import os
import sys
from typing import Any

_GOES_OUT = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "socket.gethostbyaddr": 0,
}
"""The interpreter's audit events of what reaches another machine, and where in them the address is."""


def stay_on_loopback() -> list[str]:
    """Refuse every connection of this process but to loopback.

    Forgets the environment's proxies, and its `SCRUBBER_*` so that the demo shows the defaults.
    Out: the addresses connected to, filled as it goes.
    """
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("SCRUBBER_"):
            del os.environ[name]
    os.environ["NO_PROXY"] = "*"
    met: list[str] = []

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event not in _GOES_OUT:
            return
        target = args[_GOES_OUT[event]]
        host = target[0] if isinstance(target, tuple) else target
        if isinstance(target, str | bytes) and event in ("socket.connect", "socket.sendto"):
            return  # the path of a Unix socket
        if not _is_loopback(host):
            raise ConnectionRefusedError("the demo stays on 127.0.0.1")
        if event == "socket.connect":
            met.append(str(host))

    sys.addaudithook(watch)
    return met


def _is_loopback(host: Any) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return bool(host == "localhost")
