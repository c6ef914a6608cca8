"""Looking a tool up: what is remembered and for how long, and which version is meant."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from scrubber.guard.lookup import Lookup

pytest.importorskip("fastmcp")

from fastmcp import FastMCP
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
