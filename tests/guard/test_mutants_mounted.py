"""Tools of mounted servers: where fastmcp 2 would go, and what stands behind a tool from fastmcp 3 on.

Of fastmcp 2 only what its servers hold is read, so stand-ins with the same attributes are used for them.
"""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("fastmcp")

from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware

from scrubber.guard.lookup import Lookup

from .test_mutants_lookup import add, asks, found, from_3_on, server_of, versioned

pytestmark = [pytest.mark.live]


class Old:
    """A server of fastmcp 2: its tools by name, those that are disabled, and what is mounted in it."""

    def __init__(self, *tools: str, disabled: str = "", mounted: Any = ()) -> None:
        self.tools = {name: SimpleNamespace(name=name) for name in tools}
        self.disabled = disabled
        self._mounted_servers = list(mounted)

    async def get_tool(self, name: str) -> Any:
        return self.tools[name]

    def _should_enable_component(self, tool: Any) -> bool:
        return bool(tool.name != self.disabled)


def test_a_disabled_tool_of_fastmcp_2_is_not_found() -> None:
    server = Old("add", "other", disabled="add")
    assert found(Lookup(), server, asks()) is None
    assert found(Lookup(), server, asks("other")) is server.tools["other"]


def mounted(server: Any, prefix: str | None = None, names: Any = None) -> Any:
    return SimpleNamespace(server=server, prefix=prefix, tool_names=names)


@pytest.mark.parametrize(
    "name, child",
    [
        ("add", "plain"),
        ("kid_add", "kid"),
        ("kid_other", None),
        ("add_kid_", None),
        ("sum", "renamed"),
        ("both", "last"),
        ("gone", None),
        ("none", None),
        ("off", None),
    ],
)
def test_fastmcp_2_hands_a_call_to_the_last_mounted_server_that_has_the_tool(name: str, child: str | None) -> None:
    servers = {
        "plain": Old("add", "both", "off", "none_add"),
        "kid": Old("add"),
        "renamed": Old("plus", "minus"),
        "last": Old("both"),
    }
    server = Old(
        disabled="off",
        mounted=[
            mounted(servers["plain"]),
            mounted(servers["last"]),
            mounted(servers["renamed"], "re", {"minus": "take", "plus": "sum"}),
            mounted(servers["kid"], "kid"),
        ],
    )
    expected = servers[child] if child is not None else None
    assert asyncio.run(Lookup().child(server, name)) is expected


def test_a_server_without_mounted_ones_has_no_child() -> None:
    assert asyncio.run(Lookup().child(SimpleNamespace(), "add")) is None


def inside(server: Any, name: str) -> Any:
    async def run() -> Any:
        return await Lookup().inside(await server.get_tool(name))

    return asyncio.run(run())


def nested(middleware: Any = None, levels: int = 2) -> tuple[Any, str, list[Any]]:
    """A server mounted in a server; out: the outermost, the tool's name there, and the servers from outside."""
    server, name, servers = server_of(add), "add", []
    if middleware is not None:
        server.add_middleware(middleware)
    for at in range(levels):
        servers.insert(0, server)
        parent = FastMCP(f"parent{at}")
        parent.mount(server, namespace=f"kid{at}")
        server, name = parent, f"kid{at}_{name}"
    return server, name, servers


@from_3_on
def test_behind_a_tool_of_mounted_servers_stands_each_servers_own() -> None:
    server, name, servers = nested()
    behind = inside(server, name)
    assert [entry[2] for entry in behind.values()] == servers
    assert [key == id(entry[0]) for key, entry in behind.items()] == [True, True]
    assert [entry[1].name for entry in behind.values()] == ["kid0_add", "add"]
    assert inside(server_of(add), "add") == {}


@from_3_on
def test_a_tool_that_a_mounted_server_does_not_have_any_more_is_behind_nothing() -> None:
    server, name, servers = nested(levels=1)

    async def run() -> Any:
        tool = await server.get_tool(name)
        servers[0].local_provider.remove_tool("add")
        return await Lookup().inside(tool)

    assert asyncio.run(run()) is None


@from_3_on
def test_the_version_of_a_mounted_servers_tool_is_the_one_behind_it() -> None:
    child, parent = versioned(), FastMCP("parent")
    parent.mount(child, namespace="kid")

    async def run(version: str) -> Any:
        from fastmcp.utilities.versions import VersionSpec

        tool = await parent.get_tool("kid_add", version=VersionSpec(eq=version))
        return await Lookup().inside(tool)

    for version in ("1.0", "2.0"):
        ((_, behind, _),) = asyncio.run(run(version)).values()
        assert behind.version == version


class Lists(Middleware):
    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        return await call_next(context)


class Calls(Middleware):
    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        return await call_next(context)


class Requests(Middleware):
    async def on_request(self, context: Any, call_next: Any) -> Any:
        return await call_next(context)


class Messages(Middleware):
    async def on_message(self, context: Any, call_next: Any) -> Any:
        return await call_next(context)


class Everything(Middleware):
    async def __call__(self, context: Any, call_next: Any) -> Any:
        return await call_next(context)


class Guarding(Everything):
    scrubber_guard = None


@from_3_on
@pytest.mark.parametrize(
    "middleware, may_change",
    [(Lists, False), (Guarding, False), (Calls, True), (Requests, True), (Messages, True), (Everything, True)],
)
def test_middleware_that_may_change_the_arguments_hides_what_is_behind_it(middleware: Any, may_change: bool) -> None:
    server, name, _ = nested(middleware())
    assert (inside(server, name) is None) is may_change
