"""Thin adapters: one way to speak to each MCP SDK a server can be written with.

In:  the packages that are installed.
Out: `installed_families()`; each `Family` makes servers, registers tools, and connects the SDK's own
     in-memory client. Nothing here opens a socket.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module, metadata
from typing import Any

Proceed = Callable[[str, dict[str, Any]], Awaitable[Any]]
Around = Callable[[str, dict[str, Any], Proceed], Awaitable[Any]]


def version_of(package: str) -> str | None:
    """In: a distribution's name. Out: its installed version, or None."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


class Family:
    """What the scenarios need of an SDK."""

    name: str
    package: str
    server_module: str
    server_class: str

    @property
    def version(self) -> str:
        """The installed version of the family's package."""
        return metadata.version(self.package)

    @property
    def context_type(self) -> Any:
        """The class a tool annotates to be given the request's context."""
        return getattr(import_module(self.server_module), "Context")  # noqa: B009 - read of a loaded module

    @property
    def tool_error(self) -> type[Exception]:
        """The exception a tool raises to report a failure on purpose."""
        raise NotImplementedError

    def make(self, name: str, **options: Any) -> Any:
        """In: the server's name and constructor options. Out: a server without tools."""
        return getattr(import_module(self.server_module), self.server_class)(name, **options)

    def add_tool(self, server: Any, fn: Callable[..., Any], name: str | None, **options: Any) -> None:
        """Register `fn` on the server, under `name` or its own name."""
        server.tool(name=name, **options)(fn)

    def connect(self, server: Any) -> AbstractAsyncContextManager[Any]:
        """In: a server. Out: the SDK's in-memory client, as an async context manager."""
        raise NotImplementedError

    async def list_tools(self, client: Any) -> None:
        """Ask the client for the tools."""
        await client.list_tools()

    async def call_tool(self, client: Any, name: str, arguments: dict[str, Any]) -> Any:
        """In: a tool's name and arguments. Out: its result; an error result does not raise."""
        return await client.call_tool(name, arguments)

    async def read_resource(self, client: Any, uri: str) -> Any:
        """In: a resource's address. Out: its contents."""
        return await client.read_resource(uri)

    async def get_prompt(self, client: Any, name: str, arguments: dict[str, Any]) -> Any:
        """In: a prompt's name and arguments. Out: its messages."""
        return await client.get_prompt(name, arguments)

    def inner_call(self, server: Any) -> Callable[..., Awaitable[Any]]:
        """Out: the server's own method that calls a tool by name from inside the process."""
        return server.call_tool  # type: ignore[no-any-return]

    async def find_tool(self, server: Any, name: str) -> Any:
        """In: a tool's name. Out: the SDK's tool object."""
        return await server.get_tool(name)

    def run_options(self, server: Any) -> dict[str, Any]:
        """Out: what the tool object's `run` needs beside the arguments."""
        return {}

    def around_calls(self, server: Any, around: Around) -> None:
        """Put `around(name, arguments, proceed)` between the SDK's dispatch and its tools."""
        raise NotImplementedError


class _Sdk(Family):
    package = "mcp"

    @property
    def tool_error(self) -> type[Exception]:
        return import_module(f"{self.server_module}.exceptions").ToolError  # type: ignore[no-any-return]

    async def find_tool(self, server: Any, name: str) -> Any:
        return server._tool_manager.get_tool(name)

    def around_calls(self, server: Any, around: Around) -> None:
        manager = server._tool_manager
        original = manager.call_tool

        async def call_tool(name: str, arguments: dict[str, Any], *rest: Any, **options: Any) -> Any:
            async def proceed(to_name: str, to_arguments: dict[str, Any]) -> Any:
                return await original(to_name, to_arguments, *rest, **options)

            return await around(name, arguments, proceed)

        manager.call_tool = call_tool


class Mcp1(_Sdk):
    """`mcp.server.fastmcp.FastMCP` of mcp 1.x."""

    name = "mcp1"
    server_module = "mcp.server.fastmcp"
    server_class = "FastMCP"

    def connect(self, server: Any) -> AbstractAsyncContextManager[Any]:
        memory = import_module("mcp.shared.memory")
        low_level = getattr(server, "_mcp_server", server)
        return memory.create_connected_server_and_client_session(low_level)  # type: ignore[no-any-return]


class Mcp2(_Sdk):
    """`mcp.server.mcpserver.MCPServer` of mcp 2.x."""

    name = "mcp2"
    server_module = "mcp.server.mcpserver"
    server_class = "MCPServer"

    def connect(self, server: Any) -> AbstractAsyncContextManager[Any]:
        return import_module("mcp").Client(server)  # type: ignore[no-any-return]

    def run_options(self, server: Any) -> dict[str, Any]:
        return {"context": self.context_type(mcp_server=server)}


class Standalone(Family):
    """The standalone `fastmcp` package; the major version is the end of the family's name."""

    package = "fastmcp"
    server_module = "fastmcp"
    server_class = "FastMCP"

    def __init__(self, major: str) -> None:
        self.name = f"fastmcp{major}"

    @property
    def tool_error(self) -> type[Exception]:
        return import_module("fastmcp.exceptions").ToolError  # type: ignore[no-any-return]

    def connect(self, server: Any) -> AbstractAsyncContextManager[Any]:
        return import_module("fastmcp").Client(server)  # type: ignore[no-any-return]

    async def call_tool(self, client: Any, name: str, arguments: dict[str, Any]) -> Any:
        return await client.call_tool_mcp(name, arguments)

    def inner_call(self, server: Any) -> Callable[..., Awaitable[Any]]:
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


def installed_families() -> list[Family]:
    """Out: a family for each SDK that is installed, the standalone package first."""
    families: list[Family] = []
    standalone = version_of("fastmcp")
    if standalone is not None:
        families.append(Standalone(standalone.split(".")[0]))
    sdk = version_of("mcp")
    if sdk is not None:
        families.append(Mcp1() if sdk.startswith("1.") else Mcp2())
    return families
