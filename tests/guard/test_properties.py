"""Generated tools and arguments: the guard refuses if and only if the SDK would, and lets no value out.

Mutations that turn a test here red: a guard that binds with other rules than the SDK's (strict, without the SDK's
reading of JSON in strings), one that prints a key, a label or a message of pydantic's.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from scrubber.guard import guard_arguments

from ..live.families import Family
from . import kit
from .kit import families, needs_sdk

hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")
pytestmark = [pytest.mark.live, pytest.mark.slow, needs_sdk]


class Inner(BaseModel):
    quantity: int
    label: str = ""


class Other(BaseModel):
    code: UUID


LEAVES = [
    int,
    float,
    bool,
    str,
    date,
    datetime,
    UUID,
    Literal["red", "green"],
    Annotated[int, Field(ge=0, le=9)],
    Annotated[str, Field(max_length=3)],
    Decimal,
    IPv4Address,
    int | list[int | dict[str, Inner]],
    Inner,
]


@st.composite
def types(draw: Any) -> Any:
    leaf = draw(st.sampled_from(LEAVES))
    shape = draw(st.sampled_from(["leaf", "list", "map", "optional", "union", "nested"]))
    if shape == "list":
        return list[leaf]
    if shape == "map":
        return dict[str, leaf]
    if shape == "optional":
        return leaf | None if not isinstance(leaf, str) else leaf
    if shape == "union":
        return leaf | list[Inner] | Other
    return list[dict[str, leaf]] if shape == "nested" else leaf


canaries = st.integers(0, 99).map(lambda number: f"CANARY {number}")
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 2**40), st.floats(allow_nan=False, width=32), canaries)
    | st.sampled_from(
        ["2", "2026-11-30", "red", '{"quantity": 1}', "[1, 2]", "true", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.one_of(canaries, st.sampled_from(["quantity", "label", "code"])), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def calls(draw: Any) -> Any:
    names = ["alpha", "beta", "gamma"][: draw(st.integers(1, 3))]
    declared = {name: (draw(types()), draw(st.booleans())) for name in names}
    arguments = draw(st.lists(st.dictionaries(st.sampled_from(names), values), min_size=1, max_size=4))
    return declared, arguments


def tool_of(declared: dict[str, Any], ran: list[int]) -> Any:
    required = [name for name, (_, needed) in declared.items() if needed]
    optional = [name for name in declared if name not in required]
    head = ", ".join([*required, *(f"{name}=None" for name in optional)])
    space: dict[str, Any] = {"ran": ran}
    exec(f"def tool({head}):\n    ran.append(1)\n    return 'ran'\n", space)
    tool = space["tool"]
    tool.__annotations__ = {name: type_ for name, (type_, _) in declared.items()} | {"return": str}
    tool.__module__ = __name__
    return tool


async def answers(family: Family, server: Any, arguments: Any) -> list[kit.Answer]:
    async with family.connect(server) as client:
        await family.list_tools(client)
        return [await kit.ask(family, client, ("tool", given)) for given in arguments]


@families
@pytest.mark.promise("guard:same-refusals")
def test_it_refuses_exactly_what_the_sdk_refuses(family: Family) -> None:
    @hypothesis.settings(max_examples=60, deadline=None, database=None)
    @hypothesis.given(calls())
    def check(drawn: Any) -> None:
        declared, arguments = drawn
        ran: list[int] = []
        plain = family.make("farm")
        family.add_tool(plain, tool_of(declared, ran), "tool")
        before = asyncio.run(answers(family, plain, arguments))
        runs = len(ran)
        guarded = family.make("farm")
        family.add_tool(guarded, tool_of(declared, ran), "tool")
        guard_arguments(guarded)
        after = asyncio.run(answers(family, guarded, arguments))
        assert [answer.is_error for answer in after] == [answer.is_error for answer in before]
        assert len(ran) == 2 * runs
        for answer in after:
            assert bool(answer.guard_lines) is answer.is_error
            if answer.is_error:
                assert answer.text.startswith("Error executing tool 'tool': ")
                assert len(answer.text) <= 2000
                assert "CANARY" not in answer.text
                assert kit.leaks(answer, "CANARY") == []
                assert not answer.loud

    with suppress(AttributeError):
        # Warnings of the generated types are the SDK's, one for each example.
        logging.captureWarnings(True)
    try:
        check()
    finally:
        logging.captureWarnings(False)


LOW: Any = st.recursive(
    st.sampled_from(
        [
            {"type": "integer"},
            {"type": "string", "maxLength": 3},
            {"type": "boolean"},
            {"enum": ["red", "green"]},
            {"type": ["integer", "null"]},
            {"type": "number", "exclusiveMinimum": 0},
            {"const": 4},
            {"not": {"type": "string"}},
        ]
    ),
    lambda inner: st.one_of(
        inner.map(lambda item: {"type": "array", "items": item, "maxItems": 2}),
        inner.map(lambda item: {"type": "object", "additionalProperties": item}),
        inner.map(lambda item: {"type": "object", "properties": {"quantity": item}, "required": ["quantity"]}),
        st.tuples(inner, inner).map(lambda pair: {"anyOf": list(pair)}),
    ),
    max_leaves=4,
)


@pytest.mark.skipif(not kit.MCP1, reason="only mcp 1.x checks a low-level server's arguments itself")
def test_low_level_servers_of_mcp_1() -> None:
    family = kit.LowLevel()

    @hypothesis.settings(max_examples=60, deadline=None, database=None)
    @hypothesis.given(LOW, LOW, st.lists(st.dictionaries(st.sampled_from(["a", "b"]), values), min_size=1, max_size=4))
    def check(first: Any, second: Any, arguments: Any) -> None:
        schema = {"type": "object", "properties": {"a": first, "b": second}, "required": ["a"]}
        plain = family.make("low", schemas={"tool": schema})
        before = asyncio.run(answers(family, plain, arguments))
        guarded = family.make("low", schemas={"tool": schema})
        guard_arguments(guarded)
        after = asyncio.run(answers(family, guarded, arguments))
        assert [answer.is_error for answer in after] == [answer.is_error for answer in before]
        assert not any("CANARY" in answer.text for answer in after)

    check()
