"""Looking a tool up: what is remembered and for how long, which version is meant, and where fastmcp 2 would go.

Of fastmcp 2 only what its mounted servers have is read, so a stand-in with the same attributes is used for them.
"""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from scrubber.guard.lookup import Lookup

pytest.importorskip("fastmcp")

from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware
from fastmcp.tools import Tool

pytestmark = [pytest.mark.live]
HAS_PROVIDERS = hasattr(FastMCP("farm"), "providers")
from_3_on = pytest.mark.skipif(not HAS_PROVIDERS, reason="fastmcp 2 has no providers")


def add(a: int) -> str:
    return str(a)


def other(a: str) -> str:
    return a


def asks(name: str = "add", **meta: Any) -> Any:
    """A call's message; `meta` is what fastmcp reads in `_meta`."""
    return SimpleNamespace(name=name, meta={"fastmcp": meta} if meta else None)


def server_of(*functions: Any) -> Any:
    server = FastMCP("farm")
    for function in functions:
        server.add_tool(Tool.from_function(function))
    return server


def found(lookup: Lookup, server: Any, message: Any, request: Any = None) -> Any:
    return asyncio.run(lookup.find(server, message, request))


@from_3_on
def test_a_tool_that_was_found_is_known_by_its_server_and_its_name() -> None:
    lookup, server = Lookup(), server_of(add, other)
    tool = found(lookup, server, asks())
    assert tool.name == "add"
    assert lookup.known(server, asks(), None) is tool
    assert lookup.known(server, asks("other"), None) is None
    assert lookup.known(server_of(add), asks(), None) is None


@from_3_on
def test_what_was_remembered_of_another_server_at_the_same_place_is_not_known() -> None:
    lookup, server, second = Lookup(), server_of(add), server_of(other)
    found(lookup, server, asks())
    lookup._known[id(second), "add"] = lookup._known[id(server), "add"]
    assert lookup.known(second, asks(), None) is None


@from_3_on
@pytest.mark.parametrize(
    "change", ["another tool", "another of its name", "a transform", "of its provider", "a provider"]
)
def test_a_tool_is_not_known_any_more_when_something_around_it_changed(change: str) -> None:
    from fastmcp.server.transforms import Namespace

    lookup, server = Lookup(), server_of(add)
    assert found(lookup, server, asks()) is lookup.known(server, asks(), None)
    if change == "another tool":
        server.add_tool(Tool.from_function(other))
    elif change == "another of its name":
        provider = server.providers[0]
        (key,) = provider._components
        provider._components[key] = Tool.from_function(other, name="add")
    elif change == "a transform":
        server.add_transform(Namespace("kid"))
    elif change == "of its provider":
        server.providers[0].add_transform(Namespace("kid"))
    else:
        server.mount(server_of(other))
    assert lookup.known(server, asks(), None) is None


@from_3_on
def test_with_several_providers_a_tool_is_known_until_one_of_them_changes() -> None:
    from fastmcp.server.transforms import Namespace

    lookup, server = Lookup(), server_of(add)
    server.mount(server_of(other), namespace="kid")
    assert len(server.providers) > 1
    tool = found(lookup, server, asks())
    assert lookup.known(server, asks(), None) is tool
    server.providers[1].add_transform(Namespace("more"))
    assert lookup.known(server, asks(), None) is None


@from_3_on
def test_a_tool_of_a_mounted_server_is_not_remembered() -> None:
    lookup, server = Lookup(), server_of(add)
    server.mount(server_of(other), namespace="kid")
    assert found(lookup, server, asks("kid_other")) is not None
    assert lookup.known(server, asks("kid_other"), None) is None


def test_a_tool_that_is_not_there_is_not_found() -> None:
    assert found(Lookup(), server_of(add), asks("none")) is None


def versioned() -> Any:
    """Two versions of one tool. The decorator marks the functions, so they are this server's own."""

    def old(a: int) -> str:
        return str(a)

    def new(a: str) -> str:
        return a

    server = FastMCP("farm")
    server.tool(name="add", version="1.0")(old)
    server.tool(name="add", version="2.0")(new)
    return server


class Meta(SimpleNamespace):
    """As the SDK's models keep what they do not declare."""


@from_3_on
@pytest.mark.parametrize(
    "message, request_, version",
    [
        (asks(version="1.0"), None, "1.0"),
        (asks(version={"eq": "1.0"}), None, "1.0"),
        (asks(version={"lt": "2.0"}), None, "1.0"),
        (asks(), SimpleNamespace(meta={"fastmcp": {"version": "1.0"}}), "1.0"),
        (SimpleNamespace(name="add"), SimpleNamespace(meta={"fastmcp": {"version": "1.0"}}), "1.0"),
        (asks(version="1.0"), SimpleNamespace(meta={"fastmcp": {"version": "2.0"}}), "1.0"),
        (SimpleNamespace(name="add", meta=Meta(model_extra={"fastmcp": {"version": "1.0"}})), None, "1.0"),
        (SimpleNamespace(name="add", meta=Meta(model_extra=None)), None, "2.0"),
        (SimpleNamespace(name="add", meta=Meta()), None, "2.0"),
        (SimpleNamespace(name="add", meta={"fastmcp": "1.0"}), None, "2.0"),
        (asks(version=1), None, "2.0"),
        (asks(other=1), SimpleNamespace(), "2.0"),
        (asks(), None, "2.0"),
    ],
)
def test_the_version_that_a_call_asks_for_is_found_and_only_the_newest_remembered(
    message: Any, request_: Any, version: str
) -> None:
    lookup, server = Lookup(), versioned()
    assert found(lookup, server, message, request_).version == version
    newest = found(lookup, server, asks())
    assert newest.version == "2.0"
    assert lookup.known(server, asks(), None) is newest
    assert lookup.known(server, message, request_) is (newest if version == "2.0" else None)


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
