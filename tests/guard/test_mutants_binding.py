"""Binding as fastmcp binds: each kind of tool, asked directly, strictly and not."""

from __future__ import annotations

import asyncio
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from scrubber.guard.aliases import Parameter
from scrubber.guard.binding import Binder, is_strict
from scrubber.guard.calls import Fault

from .test_kinds import STANDALONE, from_openapi

if not STANDALONE:
    pytest.skip("fastmcp is not installed", allow_module_level=True)

from fastmcp.tools import FunctionTool, Tool
from fastmcp.tools.tool_transform import ArgTransform

pytestmark = [pytest.mark.live]


class Tree(BaseModel):
    value: int
    children: list[Tree] = []


class Own(Tool):
    """A tool with a body of its own: nobody knows what it binds."""


class Runs(FunctionTool):
    """A function's tool that somebody runs in another way."""

    async def run(self, arguments: dict[str, Any]) -> Any:
        return await super().run(arguments)


def take(count: int, day: date = date(2026, 1, 1), items: list[int] = []) -> str:  # noqa: B006
    return f"{count} {day} {items}"


def optional(count: int = 0, tree: Tree | None = None) -> str:
    return f"{count} {tree}"


def plant(tree: Tree, count: int) -> str:
    return f"{tree} {count}"


TAKE, OPTIONAL, PLANT = (Tool.from_function(one) for one in (take, optional, plant))
PARSING, TYPE = "int_parsing", "int_type"


def bound(tool: Any, arguments: dict[str, Any], *, strict: bool = False, inside: Any = None) -> list[Any]:
    return [tuple(fault) for fault in Binder().faults(tool, arguments, strict=strict, inside=inside or {})]


def test_a_function_is_bound_loosely_unless_its_server_is_strict() -> None:
    assert bound(TAKE, {"count": "1"}) == []
    assert bound(TAKE, {"count": "x"}) == [(PARSING, ("count",))]
    assert bound(TAKE, {"count": "1"}, strict=True) == [(TYPE, ("count",))]


def test_strictly_json_is_read_as_json_and_anything_else_as_python() -> None:
    assert bound(TAKE, {"count": 1, "items": (1,)}) == []
    assert bound(TAKE, {"count": 1, "items": (1,)}, strict=True) == [("list_type", ("items",))]
    json = bound(TAKE, {"count": "1", "day": "2026-02-01"}, strict=True)
    reads_json = hasattr(pytest.importorskip("fastmcp.tools.function_tool"), "_is_json_data")
    assert json == [(TYPE, ("count",)), *([] if reads_json else [("date_type", ("day",))])]


def test_a_model_that_holds_itself_is_bound() -> None:
    tree = {"value": 1, "children": [{"value": "x"}]}
    assert bound(PLANT, {"tree": tree, "count": 1}) == [(PARSING, ("tree", "children", 0, "value"))]


def test_a_validator_is_made_once_for_each_function_and_never_used_for_another() -> None:
    binder = Binder()
    assert binder.faults(TAKE, {"count": "x"}, strict=False, inside={}) == [Fault(PARSING, ("count",))]
    known = binder._known[id(TAKE.fn)]
    assert known[0] is TAKE.fn
    assert binder.faults(TAKE, {"count": "x"}, strict=False, inside={}) == [Fault(PARSING, ("count",))]
    assert binder._known[id(TAKE.fn)] is known
    # As if the first were gone and the second stood where it was.
    binder._known[id(OPTIONAL.fn)] = known
    assert binder.faults(OPTIONAL, {}, strict=False, inside={}) == []


def moved(parent: Any, **changes: Any) -> Any:
    return Tool.from_tool(parent, name="moved", transform_args=changes)


def test_a_transformed_tool_is_bound_as_its_parent_and_said_in_its_own_names() -> None:
    tool = moved(TAKE, count=ArgTransform(name="number"), items=ArgTransform(description="which"))
    assert bound(tool, {"number": "1"}) == []
    assert bound(tool, {"number": "1"}, strict=True) == [(TYPE, ("number",))]
    assert bound(tool, {"number": "x", "items": ["y"]}) == [(PARSING, ("number",)), (PARSING, ("items", 0))]
    assert bound(tool, {}) == [("missing_argument", ("number",))]


def test_what_is_missing_inside_an_argument_of_a_transformed_tool_is_said() -> None:
    tool = moved(PLANT, tree=ArgTransform(name="plant"))
    assert bound(tool, {"plant": {}, "count": 1}) == [("missing", ("plant", "value"))]
    tree = {"value": 1, "children": [{"value": "x"}]}
    assert bound(tool, {"plant": tree, "count": 1}) == [(PARSING, ("plant", "children", 0, "value"))]


def test_what_is_wrong_with_a_hidden_argument_is_no_fault_of_the_callers() -> None:
    tool = moved(TAKE, count=ArgTransform(hide=True, default=1))
    assert bound(tool, {"count": "x", "items": ["y"]}) == [(PARSING, ("items", 0))]


def test_a_transformed_tool_that_requires_nothing() -> None:
    tool = moved(OPTIONAL, count=ArgTransform(name="number"))
    tool.parameters.pop("required", None)
    assert bound(tool, {}) == []
    assert bound(tool, {"number": "x"}) == [(PARSING, ("number",))]


@pytest.mark.parametrize(
    "properties, faults",
    [
        ({"number": {"default": None}}, []),
        ({"number": {}}, [("missing_argument", ("number",))]),
        ({"number": True}, [("missing_argument", ("number",))]),
        ({}, [("missing_argument", ("number",))]),
        (None, [("missing_argument", ("number",))]),
    ],
)
def test_a_default_that_a_transformed_tool_shows_is_filled_in(properties: Any, faults: Any) -> None:
    tool = moved(TAKE, count=ArgTransform(name="number"))
    tool.parameters["properties"] = properties
    assert bound(tool, {}) == faults


@pytest.mark.parametrize("strict, faults", [(True, [(TYPE, ("count",))]), (False, [])])
def test_a_tool_of_a_mounted_server_is_bound_as_that_server_does(strict: bool, faults: Any) -> None:
    outer, middle = (Own(name=name, parameters={}) for name in ("outer", "middle"))
    server, other = SimpleNamespace(strict_input_validation=strict), SimpleNamespace(strict_input_validation=not strict)
    inside = {id(outer): (outer, middle, other), id(middle): (middle, TAKE, server)}
    assert bound(outer, {"count": "1"}, inside=inside) == faults
    assert bound(outer, {"count": "1"}, strict=True, inside=inside) == faults
    assert bound(outer, {"count": "1"}) == []


@pytest.mark.parametrize(
    "server, strict",
    [
        (SimpleNamespace(strict_input_validation=True), True),
        (SimpleNamespace(strict_input_validation=False), False),
        (SimpleNamespace(), False),
    ],
)
def test_a_server_is_strict_where_it_says_so(server: Any, strict: bool) -> None:
    assert is_strict(server) is strict


def test_which_tools_say_what_they_bind() -> None:
    binder = Binder()
    flocks = asyncio.run(from_openapi(STANDALONE[0], []).get_tool("flocks"))
    runs = Runs(fn=take, name="runs", parameters={})
    parameters = [Parameter((name,), ((name,),)) for name in ("count", "day", "items")]
    assert binder.parameters(TAKE) == parameters
    assert binder.parameters(runs) is binder.parameters(Own(name="own", parameters={})) is None
    assert binder.parameters(moved(TAKE)) is None
    assert binder.parameters(flocks) == [Parameter((name,), ((name,),)) for name in ("farm", "limit")]
    assert bound(runs, {}) == []
    tools = [TAKE, moved(TAKE), flocks, Own(name="own", parameters={})]
    assert [binder.is_open(tool) for tool in tools] == [False, False, False, True]
