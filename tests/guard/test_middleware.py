"""The guard among the middleware of the standalone fastmcp: next to the tool, whatever else there is and comes later.

Mutations that turn a test here red: a guard that stays where it was added, one that judges a mounted server's call before
that server's middleware, one that answers a mounted server's own clients.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any

import pytest

from scrubber.guard import GuardError, guard_arguments
from scrubber.guard.chain import Innermost

from ..live.families import Family
from . import kit
from .kit import FAMILIES, is_standalone
from .test_standalone import mount

pytestmark = [pytest.mark.live]
STANDALONE = [family for family in FAMILIES if is_standalone(family)]
families = pytest.mark.parametrize("family", STANDALONE, ids=[family.name for family in STANDALONE])


def order(count: int, tenant: str) -> str:
    return f"{tenant} {count}"


def changes() -> Any:
    """Middleware that knows the tenant, reads a number in words, and takes a key of its own out of the arguments."""
    base = import_module("fastmcp.server.middleware").Middleware

    class Changes(base):  # type: ignore[misc]
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            arguments = {**(context.message.arguments or {}), "tenant": "north"}
            arguments.pop("traceId", None)
            if arguments.get("count") == "two":
                arguments["count"] = 2
            return await call_next(
                context.copy(message=context.message.model_copy(update={"arguments": arguments})),
            )

    return Changes()


CALLS = ({"count": 2, "traceId": "CANARY"}, {"count": "CANARY"}, {"count": 2, "cuont": "CANARY"})


def check(family: Family, server: Any, name: str) -> None:
    good, bad, unknown = kit.play(family, server, *[(name, arguments) for arguments in CALLS])
    assert (good.text, good.is_error) == ("north 2", False)
    kit.refused(bad, f"Error executing tool '{name}': count must be a whole number.", f"refused {name}: count")
    said = f"Unknown parameter 'cuont' for tool '{name}'. Did you mean: count? Allowed parameters: count, tenant."
    kit.refused(unknown, said, f"refused {name}: *")


@families
@pytest.mark.parametrize("guard_first", [True, False], ids=["guard first", "guard after"])
def test_middleware_that_changes_arguments(family: Family, guard_first: bool) -> None:
    server = kit.build(family, order, guarded=guard_first)
    server.add_middleware(changes())
    if not guard_first:
        guard_arguments(server)
    check(family, server, "order")


@families
@pytest.mark.parametrize("own", [True, False], ids=["a guard of its own", "none of its own"])
def test_middleware_of_a_mounted_server(family: Family, own: bool) -> None:
    child, parent = kit.build(family, order, guarded=own), family.make("parent")
    child.add_middleware(changes())
    mount(family, parent, child, "kid")
    guard_arguments(parent)
    check(family, parent, "kid_order")


@families
def test_a_mounted_server_stays_as_it_is_for_its_own_clients(family: Family) -> None:
    """Mutation: what the parent's guard leaves in a child answers every call of the child's."""
    child, parent = kit.build(family, order, guarded=False), family.make("parent")
    plain = kit.only(family, child, "order", {"count": "x", "tenant": ""})
    mount(family, parent, child, "kid")
    guard_arguments(parent, ignore=["traceId"])
    through, ignored = kit.play(
        family,
        parent,
        ("kid_order", {"count": "x", "tenant": ""}),
        ("kid_order", {"count": 1, "tenant": "t", "traceId": "CANARY"}),
    )
    assert through.text == "Error executing tool 'kid_order': count must be a whole number."
    assert ignored.text == "t 1"
    own = kit.only(family, child, "order", {"count": "x", "tenant": ""})
    assert (own.text, own.guard_lines) == (plain.text, [])
    guard_arguments(child)
    with pytest.raises(GuardError, match="has a guard already"):
        guard_arguments(child)
    guarded = kit.only(family, child, "order", {"count": "x", "tenant": ""})
    assert guarded.text == "Error executing tool 'order': count must be a whole number."


@families
def test_one_of_several_mounted_servers(family: Family) -> None:
    """Each call is judged by the tool of the server that will run it; without a prefix the names may meet."""

    def text(count: str, tenant: str = "") -> str:
        return f"text {count}"

    first, second, parent = kit.build(family, order, guarded=False), family.make("second"), family.make("parent")
    family.add_tool(second, text, "text")
    parent.mount(first)
    parent.mount(second)
    guard_arguments(parent)
    bad, good, nobody = kit.play(
        family, parent, ("order", {"count": "x", "tenant": ""}), ("text", {"count": "x"}), ("none", {"count": "x"})
    )
    assert bad.text == "Error executing tool 'order': count must be a whole number."
    assert good.text == "text x"
    assert "Unknown tool" in nobody.text
    assert nobody.guard_lines == []


@families
def test_a_renamed_tool_of_a_mounted_server(family: Family) -> None:
    child, parent = kit.build(family, order, guarded=False), family.make("parent")
    try:
        parent.mount(child, tool_names={"order": "place"})
    except TypeError:
        pytest.skip("this release has no tool_names")
    guard_arguments(parent)
    answer = kit.only(family, parent, "place", {"count": "x", "tenant": ""})
    kit.refused(answer, "Error executing tool 'place': count must be a whole number.", "refused place: count")


@families
@pytest.mark.parametrize("changing", [False, True], ids=["plain", "behind middleware that changes arguments"])
def test_a_transformed_tool_of_a_mounted_server(family: Family, changing: bool) -> None:
    """It is bound as the tool behind it, unless middleware stands between them: then only names are looked at."""
    if family.name == "fastmcp2":
        pytest.skip("fastmcp 2 finds the mounted server's own tool")
    child, parent = kit.build(family, order, guarded=False), family.make("parent")
    if changing:
        child.add_middleware(changes())
    mount(family, parent, child, "kid")
    arg = import_module("fastmcp.tools.tool_transform").ArgTransform
    tool = import_module("fastmcp.tools").Tool

    async def found() -> Any:
        return await parent.get_tool("kid_order")

    changed = {"count": arg(name="number"), "tenant": arg(hide=True, default="south")}
    parent.add_tool(tool.from_tool(asyncio.run(found()), name="place", transform_args=changed))
    guard_arguments(parent)
    bad, missing, unknown, good, again, words = kit.play(
        family,
        parent,
        ("place", {"number": "CANARY"}),
        ("place", {}),
        ("place", {"count": 1}),
        ("place", {"number": 1}),
        ("place", {"number": "CANARY"}),
        ("place", {"number": "two"}),
    )
    assert words.is_error is not changing
    kit.refused(missing, "Error executing tool 'place': number is required.", "refused place: number")
    assert unknown.text.startswith("Unknown parameter 'count' for tool 'place'. ")
    assert good.text == ("north 1" if changing else "south 1")
    for answer in (bad, again):
        assert answer.is_error
        if not changing:
            said = "Error executing tool 'place': number must be a whole number."
            kit.refused(answer, said, "refused place: number")


@families
def test_a_cache_that_comes_later(family: Family) -> None:
    """A refusal that was stored is a refusal again; of fastmcp 2's cache, which forgets it, the guard stays outside."""
    server = kit.build(family, order)
    server.add_middleware(import_module("fastmcp.server.middleware.caching").ResponseCachingMiddleware())
    server.add_middleware(changes())
    call = ("order", {"count": "x", "tenant": "t"})
    first, second = kit.play(family, server, call, call)
    assert first.text == second.text == "Error executing tool 'order': count must be a whole number."
    assert first.is_error
    assert second.is_error


class ResponseCachingMiddleware:
    """Named as fastmcp's."""


def test_every_way_to_add_to_the_list() -> None:
    guard, cache = object(), ResponseCachingMiddleware()
    chain = Innermost(["a"], guard)
    chain.append("b")
    chain.extend(["c", "d"])
    chain.insert(0, "e")
    chain += ["f"]
    assert isinstance(chain, Innermost)
    assert chain == ["e", "a", "b", "c", "d", "f", guard]
    before = Innermost([], guard, before_cache=True)
    before.append(cache)
    before.append("b")
    assert before == [guard, cache, "b"]


@families
def test_a_call_in_process_of_a_mounted_tool_still_raises(family: Family) -> None:
    child, parent = kit.build(family, order, guarded=False), family.make("parent")
    mount(family, parent, child, "kid")
    guard_arguments(parent)
    kit.only(family, parent, "kid_order", {"count": 1, "tenant": ""})

    async def outside() -> Any:
        return await family.inner_call(parent)("kid_order", {"count": "x", "tenant": ""})

    with pytest.raises(Exception) as raised:
        asyncio.run(outside())
    assert not isinstance(raised.value, GuardError)
