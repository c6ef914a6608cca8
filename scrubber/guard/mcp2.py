"""The fitting of mcp 2.x: `mcp.server.mcpserver.MCPServer` (read and run on 2.0, 2.1 and 2.3)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from scrubber.guard import tool_manager
from scrubber.guard.core import Guard


def install(server: Any, guard: Guard) -> None:
    """Guard the server's tools, those that are added later too."""
    types = import_module("mcp_types")

    def error_result(text: str) -> Any:
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)

    tool_manager.install(server, guard, error_result, "mcp.server.mcpserver.MCPServer")
