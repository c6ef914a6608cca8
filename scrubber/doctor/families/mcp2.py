"""`mcp.server.mcpserver.MCPServer` of mcp 2.x."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any

from scrubber.doctor.families.base import SdkFamily


class Mcp2(SdkFamily):
    """mcp 2.x."""

    key = "mcp2"
    title = "mcp 2.x"
    major = "2"
    module = "mcp.server.mcpserver"
    server_class = "MCPServer"

    def connect(self, server: Any) -> AbstractAsyncContextManager[Any]:
        return import_module("mcp").Client(server)  # type: ignore[no-any-return]
