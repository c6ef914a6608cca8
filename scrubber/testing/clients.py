"""The in-memory client of each SDK, for whatever server a test hands over. Nothing here opens a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module, metadata
from typing import Any, NamedTuple

from scrubber.testing.errors import TestingError

_MOST_PAGES = 100


class Tool(NamedTuple):
    """A tool as the server lists it."""

    name: str
    schema: dict[str, Any]


class Client:
    """A connected client: lists the tools and calls them."""

    def __init__(self, session: Any, is_standalone: bool) -> None:
        self._session = session
        self._is_standalone = is_standalone

    async def tools(self) -> list[Tool]:
        """Every tool, page by page."""
        if self._is_standalone:
            return [_tool(one) for one in await self._session.list_tools()]
        found: list[Tool] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await (self._session.list_tools(cursor=cursor) if cursor else self._session.list_tools())
            found += [_tool(one) for one in page.tools]
            cursor = _either(page, "next_cursor", "nextCursor")
            if not cursor:
                break
        return found

    async def call(self, name: str, arguments: dict[str, Any]) -> bool:
        """Call a tool. Returns whether it succeeded; a protocol error raises as the SDK does."""
        call = self._session.call_tool_mcp if self._is_standalone else self._session.call_tool
        result = await call(name, arguments)
        return not _either(result, "is_error", "isError")


def check_server(server: Any) -> None:
    """Raise `TestingError` for what is no server that a client here can be connected to."""
    if not (_is_standalone(server) or _is_sdk(server)):
        raise TestingError(
            f"leak_check: {type(server).__module__}.{type(server).__name__} is no MCP server; give a FastMCP, an "
            "MCPServer, a low-level Server, or a function without arguments that makes one"
        )


@asynccontextmanager
async def connected(server: Any) -> AsyncIterator[Client]:
    """A client of a server: of mcp 1.26 to 2.3 (high or low level), or of fastmcp 2.14 to 4.2.

    Raises `TestingError` for anything else.
    """
    check_server(server)
    if _is_standalone(server):
        connecting = import_module("fastmcp").Client(server)
    elif metadata.version("mcp").startswith("1."):
        # The client of mcp 1.x speaks to the low-level server only.
        memory = import_module("mcp.shared.memory")
        connecting = memory.create_connected_server_and_client_session(getattr(server, "_mcp_server", server))
    else:
        connecting = import_module("mcp").Client(server)
    async with connecting as session:
        yield Client(session, _is_standalone(server))


def _is_standalone(server: Any) -> bool:
    return "fastmcp" in _roots(server) and hasattr(server, "add_middleware")


def _is_sdk(server: Any) -> bool:
    # The one is of a low-level server, the other of a high-level one.
    return "mcp" in _roots(server) and (
        hasattr(server, "create_initialization_options") or hasattr(server, "list_tools")
    )


def _roots(server: Any) -> set[str]:
    return {base.__module__.partition(".")[0] for base in type(server).__mro__}


def _tool(listed: Any) -> Tool:
    return Tool(listed.name, dict(_either(listed, "input_schema", "inputSchema") or {}))


def _either(of: Any, *names: str) -> Any:
    """The first of several attributes: mcp 2.x renamed the camel-cased ones."""
    fields = getattr(type(of), "model_fields", {})
    name = next((one for one in names if one in fields), names[0])
    return getattr(of, name, None)
