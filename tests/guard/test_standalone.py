"""What only the standalone fastmcp has: mounted servers, transformed tools, versions, middleware.

Mutations that turn a test here red: overriding `on_call_tool`, raising a refusal, marking a mounted server's call as
nested, mapping a transformed tool's names the wrong way.
"""

from __future__ import annotations

import asyncio
import logging
from importlib import import_module
from typing import Annotated, Any

import pytest
from pydantic import Field

from scrubber.guard import guard_arguments

from ..live.families import Family
from . import kit
from .kit import FAMILIES, is_standalone

pytestmark = [pytest.mark.live]
STANDALONE = [family for family in FAMILIES if is_standalone(family)]
families = pytest.mark.parametrize("family", STANDALONE, ids=[family.name for family in STANDALONE])


def sub(a: int, b: int = 1) -> str:
    return str(a - b)


def mount(family: Family, parent: Any, child: Any, name: str) -> None:
    if family.name == "fastmcp2":
        parent.mount(child, prefix=name)
    else:
        parent.mount(child, namespace=name)


@families
@pytest.mark.parametrize("deep", [1, 2])
def test_mounted(family: Family, deep: int) -> None:
    """The client's name for the tool is the one in the reply and the log; the child needs no guard of its own."""
    server = kit.build(family, sub, guarded=False)
    name = "sub"
    for at in range(deep):
        parent = family.make(f"parent{at}")
        mount(family, parent, server, f"kid{at}")
        server, name = parent, f"kid{at}_{name}"
    guard_arguments(server)
    bad, unknown, good, again = kit.play(
        family,
        server,
        (name, {"a": "CANARY"}),
        (name, {"a": 1, "c": 2}),
        (name, {"a": 3}),
        (name, {"a": "CANARY"}),
    )
    for answer in (bad, again):
        kit.refused(answer, f"Error executing tool '{name}': a must be a whole number.", f"refused {name}: a")
    kit.refused(unknown, f"Unknown parameter 'c' for tool '{name}'. Allowed parameters: a, b.", f"refused {name}: *")
    assert good.text == "2"


def transformed(server: Any, tool: Any, **options: Any) -> None:
    base = import_module("fastmcp.tools").Tool
    server.add_tool(base.from_tool(tool, **options))


def search(query: str, limit: int = 3, region: str = "all") -> str:
    return f"{query} {limit} {region}"


@families
def test_transformed(family: Family) -> None:
    arg = import_module("fastmcp.tools.tool_transform").ArgTransform
    server = family.make("farm")
    parent = import_module("fastmcp.tools").Tool.from_function(search)
    changes = {"query": arg(name="text"), "limit": arg(name="most"), "region": arg(hide=True, default="north")}
    transformed(server, parent, name="find", transform_args=changes)
    guard_arguments(server)
    bad, missing, unknown, good = kit.play(
        family,
        server,
        ("find", {"text": "hens", "most": "many"}),
        ("find", {}),
        ("find", {"text": "hens", "region": "south"}),
        ("find", {"text": "hens", "most": "2"}),
    )
    kit.refused(bad, "Error executing tool 'find': most must be a whole number.", "refused find: most")
    kit.refused(missing, "Error executing tool 'find': text is required.", "refused find: text")
    kit.refused(
        unknown, "Unknown parameter 'region' for tool 'find'. Allowed parameters: text, most.", "refused find: *"
    )
    assert good.text == "hens 2 north"


@families
def test_transformed_with_a_function_of_its_own(family: Family) -> None:
    """Nothing binds there but Python itself: only unknown names are the guard's."""
    forward = import_module("fastmcp.tools.tool_transform").forward
    server = family.make("farm")
    parent = import_module("fastmcp.tools").Tool.from_function(search)

    async def louder(query: str, limit: int = 3, region: str = "all") -> Any:
        return await forward(query=query.upper(), limit=limit, region=region)

    transformed(server, parent, name="find", transform_fn=louder)
    guard_arguments(server)
    good, unknown = kit.play(family, server, ("find", {"query": "hens"}), ("find", {"query": "hens", "limt": 2}))
    assert good.text == "HENS 3 all"
    assert unknown.text.startswith("Unknown parameter 'limt' for tool 'find'. Did you mean: limit?")


@families
def test_other_middleware_sees_no_exception(family: Family) -> None:
    module = import_module("fastmcp.server.middleware.error_handling")
    server = kit.build(family, sub, guarded=False)
    server.add_middleware(module.ErrorHandlingMiddleware())
    guard_arguments(server)
    answer = kit.only(family, server, "sub", {"a": "CANARY"})
    kit.refused(answer, "Error executing tool 'sub': a must be a whole number.", "refused sub: a")


@families
def test_versions(family: Family) -> None:
    if family.name == "fastmcp2":
        pytest.skip("fastmcp 2 has no versions")
    server = family.make("farm")

    def old(a: int) -> str:
        return f"old {a}"

    def new(a: str) -> str:
        return f"new {a}"

    server.tool(name="t", version="1.0")(old)
    server.tool(name="t", version="2.0")(new)
    guard_arguments(server)

    async def run() -> list[Any]:
        async with family.connect(server) as client:
            found = []
            for version in ("1.0", "2.0"):
                with kit.recorded() as lines:
                    result = await client.call_tool("t", {"a": "x"}, version=version, raise_on_error=False)
                found.append((*kit.text_of_blocks(result), [one for one in lines if one.logger == "scrubber.guard"]))
            return found

    (first, _, lines), (second, _, none) = asyncio.run(run())
    assert first == "Error executing tool 't': a must be a whole number."
    assert [line.level for line in lines] == [logging.INFO]
    assert (second, none) == ("new x", [])


@families
def test_depends_and_described_parameters(family: Family) -> None:
    depends = import_module("fastmcp.dependencies").Depends

    def get_db() -> str:
        return "db"

    def query(n: Annotated[int, "how many"], size: Annotated[int, Field(ge=1)] = 1, db: str = depends(get_db)) -> str:
        return f"{db} {n}"

    query.__annotations__.update(n=Annotated[int, "how many"], size=Annotated[int, Field(ge=1)], db=str)
    server = kit.build(family, query)
    good, bad, injected = kit.play(
        family, server, ("query", {"n": 2}), ("query", {"n": 2, "size": 0}), ("query", {"n": 2, "db": "CANARY"})
    )
    assert good.text == "db 2"
    kit.refused(bad, "Error executing tool 'query': size must be a whole number of at least 1.", "refused query: size")
    assert injected.text == "Unknown parameter 'db' for tool 'query'. Allowed parameters: n, size."


@families
def test_a_tool_that_is_replaced(family: Family) -> None:
    """A tool that was found before is judged by again only while it stands where it stood."""
    server = kit.build(family, sub)

    def other(a: str) -> str:
        return f"other {a}"

    async def run() -> list[kit.Answer]:
        async with family.connect(server) as client:
            first = [await kit.ask(family, client, ("sub", {"a": "x"})) for _ in range(2)]
            (getattr(server, "remove_tool", None) or server.local_provider.remove_tool)("sub")
            server.tool(name="sub")(other)
            first += [await kit.ask(family, client, ("sub", {"a": "x"})) for _ in range(2)]
            (getattr(server, "remove_tool", None) or server.local_provider.remove_tool)("sub")
            server.tool(sub)
            return [*first, await kit.ask(family, client, ("sub", {"a": "x"}))]

    first, second, third, _, last = asyncio.run(run())
    kit.refused(last, "Error executing tool 'sub': a must be a whole number.", "refused sub: a")
    assert first.is_error
    assert second.is_error
    assert third.text == "other x"


@families
def test_a_tool_that_is_disabled(family: Family) -> None:
    server = kit.build(family, sub)

    async def run() -> list[kit.Answer]:
        async with family.connect(server) as client:
            before = await kit.ask(family, client, ("sub", {"a": 2}))
            if family.name == "fastmcp2":
                (await server.get_tool("sub")).disable()
            else:
                server.disable(names={"sub"})
            return [before, await kit.ask(family, client, ("sub", {"a": "x"}))]

    before, after = asyncio.run(run())
    assert before.text == "1"
    assert "Unknown tool" in after.text
    assert after.guard_lines == []


@families
def test_masked_errors(family: Family) -> None:
    """Two kinds of error, two policies: a refusal is said, a fault of the body is masked."""

    def read(n: int) -> str:
        raise RuntimeError("CANARY")

    server = kit.build(family, read, make={"mask_error_details": True})
    bad, fault = kit.play(family, server, ("read", {"n": "x"}), ("read", {"n": 1}))
    kit.refused(bad, "Error executing tool 'read': n must be a whole number.", "refused read: n")
    assert fault.is_error
    assert "CANARY" not in fault.text
