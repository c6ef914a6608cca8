"""The standalone `fastmcp` package, majors 2 to 4."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any

from scrubber.doctor.families.base import Around, Family


class Standalone(Family):
    """One major version of fastmcp."""

    package = "fastmcp"
    module = "fastmcp"
    server_class = "FastMCP"
    is_standalone = True

    def __init__(self, major: str) -> None:
        self.major = major
        self.key = f"fastmcp{major}"
        self.title = f"fastmcp {major}.x"

    @property
    def tool_error(self) -> type[Exception]:
        return import_module("fastmcp.exceptions").ToolError  # type: ignore[no-any-return]

    def connect(self, server: Any) -> AbstractAsyncContextManager[Any]:
        return import_module("fastmcp").Client(server)  # type: ignore[no-any-return]

    async def call_tool(self, client: Any, name: str, arguments: dict[str, Any]) -> Any:
        return await client.call_tool_mcp(name, arguments)

    def inner_call(self, server: Any) -> Callable[[str, dict[str, Any]], Awaitable[Any]]:
        if hasattr(server, "call_tool"):
            return server.call_tool  # type: ignore[no-any-return]
        return server._tool_manager.call_tool  # type: ignore[no-any-return]

    def around_calls(self, server: Any, around: Around) -> None:
        base = import_module("fastmcp.server.middleware").Middleware

        class AroundCalls(base):  # type: ignore[misc,valid-type]
            async def on_call_tool(self, context: Any, call_next: Any) -> Any:
                async def proceed(to_name: str, to_arguments: dict[str, Any]) -> Any:
                    message = context.message.model_copy(update={"name": to_name, "arguments": to_arguments})
                    return await call_next(context.copy(message=message))

                return await around(context.message.name, dict(context.message.arguments or {}), proceed)

        server.add_middleware(AroundCalls())
