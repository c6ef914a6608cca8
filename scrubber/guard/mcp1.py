"""The fitting of mcp 1.x: `mcp.server.fastmcp.FastMCP` (read and run on 1.26 and 1.30)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from scrubber.guard import tool_manager
from scrubber.guard.core import Guard


def install(server: Any, guard: Guard) -> None:
    """Guard the server's tools, those that are added later too."""
    types = import_module("mcp.types")

    def error_result(text: str) -> Any:
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], isError=True)

    tool_manager.install(server, guard, error_result, "mcp.server.fastmcp.FastMCP")
