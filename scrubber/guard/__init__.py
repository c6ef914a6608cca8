"""The argument guard: tells the model which argument is wrong, refuses unknown ones, logs one quiet line.

from scrubber.guard import guard_arguments
guard_arguments(server)
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from scrubber.guard.analytics import analytics_options, guard_options
from scrubber.guard.core import Guard, GuardError, Unknown

__all__ = ["GuardError", "analytics_options", "guard_arguments", "guard_options"]

_FITTINGS = {
    ("mcp.server.fastmcp.server", "FastMCP"): "mcp1",
    ("mcp.server.mcpserver.server", "MCPServer"): "mcp2",
    ("fastmcp.server.server", "FastMCP"): "fastmcp",
    ("mcp.server.lowlevel.server", "Server"): "lowlevel",
}


def guard_arguments(server: Any, *, unknown: Unknown = "refuse", ignore: Iterable[str] = ()) -> None:
    """Name bad arguments, and refuse unknown ones, before the server's tools run.

    server: a FastMCP or low-level Server of mcp 1.x, an MCPServer or low-level Server of mcp 2.x, a FastMCP of
    fastmcp 2.14, 3.x or 4.x. unknown: what becomes of arguments that no parameter has: "refuse", or "allow" (they
    are dropped where the SDK would refuse them, and go where the SDK sends them otherwise).
    ignore: names of arguments that clients add of themselves; never reported.

    Raises GuardError where the guard cannot do its work, with what to do instead.
    """
    if unknown not in ("refuse", "allow"):
        raise GuardError('unknown must be "refuse" or "allow"')
    if isinstance(ignore, str):
        raise GuardError("ignore must be a list of names, not one text")
    names = tuple(ignore)
    if not all(isinstance(name, str) for name in names):
        raise GuardError("ignore must hold names of arguments, each a text")
    for class_ in type(server).__mro__:
        fitting = _FITTINGS.get((class_.__module__, class_.__name__))
        if fitting is not None:
            import_module(f"scrubber.guard.{fitting}").install(server, Guard(unknown, names))
            return
    raise GuardError(
        f"{type(server).__module__}.{type(server).__name__} is no server the guard knows: give it a FastMCP or Server "
        "of mcp 1.x, an MCPServer or Server of mcp 2.x, or a FastMCP of fastmcp 2.14, 3.x or 4.x"
    )
