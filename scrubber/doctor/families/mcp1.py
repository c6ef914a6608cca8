"""`mcp.server.fastmcp.FastMCP` of mcp 1.x."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any

from scrubber.doctor.families.base import SdkFamily


class Mcp1(SdkFamily):
    """mcp 1.x."""

    key = "mcp1"
    title = "mcp 1.x"
    major = "1"
    module = "mcp.server.fastmcp"
    server_class = "FastMCP"

    def connect(self, server: Any) -> AbstractAsyncContextManager[Any]:
        memory = import_module("mcp.shared.memory")
        return memory.create_connected_server_and_client_session(server._mcp_server)  # type: ignore[no-any-return]
