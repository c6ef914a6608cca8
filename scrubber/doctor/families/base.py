"""What the provocations need of an SDK, and how an installed package is found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module, metadata
from typing import Any

from scrubber.doctor.records import Presence

Proceed = Callable[[str, dict[str, Any]], Awaitable[Any]]
Around = Callable[[str, dict[str, Any], Proceed], Awaitable[Any]]


class Family:
    """A way to speak to one SDK. No method opens a socket."""

    key: str
    """The name by which the provocations tell families apart."""
    title: str
    package: str
    module: str
    major: str
    server_class: str
    is_standalone = False

    @property
    def tool_error(self) -> type[Exception]:
        """The exception a tool raises to report a failure on purpose."""
        raise NotImplementedError

    def make(self, name: str) -> Any:
        """A server without tools."""
        return getattr(import_module(self.module), self.server_class)(name)

    def add_tool(self, server: Any, function: Callable[..., Any], name: str, **options: Any) -> None:
        """Register `function` on the server under `name`."""
        server.tool(name=name, **options)(function)

    def connect(self, server: Any) -> AbstractAsyncContextManager[Any]:
        """The SDK's own in-memory client, connected to the server."""
        raise NotImplementedError

    async def call_tool(self, client: Any, name: str, arguments: dict[str, Any]) -> Any:
        """The result of a tool; an error result does not raise."""
        return await client.call_tool(name, arguments)

    def inner_call(self, server: Any) -> Callable[[str, dict[str, Any]], Awaitable[Any]]:
        """The server's own method that calls a tool by name from inside the process."""
        return server.call_tool  # type: ignore[no-any-return]

    def around_calls(self, server: Any, around: Around) -> None:
        """Put `around(name, arguments, proceed)` between the SDK's dispatch and its tools."""
        raise NotImplementedError


class SdkFamily(Family):
    """What mcp 1.x and 2.x have in common."""

    package = "mcp"

    @property
    def tool_error(self) -> type[Exception]:
        return import_module(f"{self.module}.exceptions").ToolError  # type: ignore[no-any-return]

    def around_calls(self, server: Any, around: Around) -> None:
        manager = server._tool_manager
        original = manager.call_tool

        async def call_tool(name: str, arguments: dict[str, Any], *rest: Any, **options: Any) -> Any:
            async def proceed(to_name: str, to_arguments: dict[str, Any]) -> Any:
                return await original(to_name, to_arguments, *rest, **options)

            return await around(name, arguments, proceed)

        manager.call_tool = call_tool


def found(title: str, package: str, module: str, major: str | None = None) -> Presence:
    """Whether a package is there in the right major version and its module can be imported.

    Any failure of the import is the package's; its type is told, its text is not.
    """
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        return Presence(title, package)
    if major is not None and version.partition(".")[0] != major:
        return Presence(title, package)
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or "a module of its own"
        return Presence(title, package, version, f"has no {missing}" if error.name == module else f"needs {missing}")
    except Exception as error:
        return Presence(title, package, version, f"{module} cannot be imported ({type(error).__name__})")
    return Presence(title, package, version)
