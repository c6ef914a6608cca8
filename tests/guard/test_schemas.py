"""Tools whose schema is all there is: combinations, references that name themselves, names of any kind.

Mutations that turn a test here red: names that only a combination declares are refused, each missing name is counted
several times, a refusal that quotes the wrong branch, a line break from a schema in the log.
"""

from __future__ import annotations

from typing import Any

import pytest

from scrubber.guard.calls import Call, Fault
from scrubber.guard.core import Guard
from scrubber.guard.nodes import top_level
from scrubber.guard.schema_check import Checker
from scrubber.guard.walk import walk
from scrubber.guard.words import refusal

from . import kit
from .kit import needs_sdk

WHOLE = {"type": "integer"}
MANY = {
    "type": "object",
    "properties": {f"p{at}": WHOLE for at in range(30)},
    "required": [f"p{at}" for at in range(30)],
}
BRANCHES: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"type": "string"}},
    "oneOf": [
        {"properties": {"kind": {"const": "a"}, "x": WHOLE}, "required": ["x"]},
        {"properties": {"kind": {"const": "b"}, "y": {"$ref": "#/$defs/Y"}}, "required": ["y"]},
    ],
    "$defs": {"Y": WHOLE},
}
PARTS: dict[str, Any] = {
    "type": "object",
    "allOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": WHOLE}}],
    "unevaluatedProperties": False,
    "$defs": {"A": {"properties": {"a": {"type": "object", "properties": {"n": WHOLE}}}}},
}
CYCLE: dict[str, Any] = {"type": "object", "properties": {"t": {"$ref": "#"}, "n": WHOLE}}
IF: dict[str, Any] = {
    "type": "object",
    "properties": {"k": {"type": "string"}},
    "if": {"properties": {"k": {"const": "z"}}},
    "then": {"properties": {"zz": WHOLE}, "required": ["zz"]},
}
NEEDS: dict[str, Any] = {"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}}
NESTED: dict[str, Any] = {
    "type": "object",
    "properties": {"v": {"anyOf": [WHOLE, {"type": "array", "items": WHOLE}, {"type": "null"}]}, "c": {"$ref": "#"}},
}


def deep(levels: int) -> Any:
    value: Any = {"n": "CANARY"}
    for _ in range(levels):
        value = {"t": value}
    return value


ROWS: list[tuple[Any, dict[str, Any], str]] = [
    (BRANCHES, {"kind": "a", "x": "CANARY"}, "x must be a whole number."),
    (BRANCHES, {"kind": "b", "x": "CANARY"}, "y is required."),
    (BRANCHES, {"kind": "CANARY"}, "the arguments are invalid: kind, x, y do not fit together."),
    (PARTS, {"a": {"n": "CANARY"}}, "a.n must be a whole number."),
    (PARTS, {"b": "CANARY", "a": {}}, "b must be a whole number."),
    (CYCLE, deep(3), "t.t.t.n must be a whole number."),
    (CYCLE, deep(150), f"{'t.' * 63}t is not valid."),
    (IF, {"k": "z"}, "zz is required."),
    (IF, {"k": "z", "zz": "CANARY"}, "zz must be a whole number."),
    (NEEDS, {"a": "CANARY"}, "the arguments are invalid: a, b do not fit together."),
    (NESTED, {"v": ["CANARY"]}, "v[0] must be a whole number."),
    (NESTED, {"v": "CANARY"}, "v must be a whole number or a list."),
    (NESTED, {"c": {"v": True, "CANARY": 1}}, "c.v must be a whole number or a list."),
]


@pytest.mark.live
@needs_sdk
@pytest.mark.parametrize("schema, arguments, says", ROWS, ids=[row[2][:40] for row in ROWS])
def test_the_fault_that_was_meant_is_named(schema: Any, arguments: dict[str, Any], says: str) -> None:
    server = kit.LowLevel().make("low", schemas={"tool": schema})
    kit.guard_arguments(server)
    answer = kit.only(kit.LowLevel(), server, "tool", arguments)
    assert answer.text == f"Error executing tool 'tool': {says}"
    assert "CANARY" not in answer.text
    assert [line.text[:14] for line in answer.guard_lines] == ["refused tool: "]


@pytest.mark.live
@needs_sdk
@pytest.mark.parametrize(
    "schema, arguments",
    [
        (BRANCHES, {"kind": "a", "x": 1}),
        (PARTS, {"a": {"n": 1}, "b": 2}),
        (IF, {"k": "z", "zz": 1}),
        (NEEDS, {"a": 1, "b": 1}),
        (NESTED, {"v": [1], "c": {"v": 1}}),
    ],
)
def test_names_of_a_combination_are_no_strangers(schema: Any, arguments: dict[str, Any]) -> None:
    server = kit.LowLevel().make("low", schemas={"tool": schema})
    kit.guard_arguments(server)
    good, unknown = kit.play(
        kit.LowLevel(), server, ("tool", arguments), ("tool", {**arguments, "zebra_crossing": "CANARY"})
    )
    assert (good.text, good.guard_lines) == (f"ran {sorted(arguments)}", [])
    assert unknown.text.startswith("Unknown parameter 'zebra_crossing' for tool 'tool'.")


def test_the_very_value_is_no_hint() -> None:
    """It is allowed in another branch than the one that was tried."""
    schema = {"properties": {"x": {"anyOf": [{"const": "cat"}, {"const": "dog"}]}}}
    for given, hint in (("dog", ""), ("dogs", " (did you mean dog?)")):
        made = refusal(Call("t", schema, {"x": given}), [Fault("literal_error", ("x",))])
        assert made.text == f"Error executing tool 't': x must be one of: cat, dog{hint}."


def test_each_missing_name_is_counted_once() -> None:
    pytest.importorskip("jsonschema")
    faults = Checker().faults(MANY, {})
    assert faults == [Fault("missing", (f"p{at}",)) for at in range(30)]
    assert refusal(Call("t", MANY, {}), faults).text.endswith("p9 is required. There are 20 more faults.")


def test_a_schema_that_says_there_may_be_more() -> None:
    assert top_level({"properties": {"a": WHOLE}, "anyOf": [{"patternProperties": {"^x": {}}}]})[1] is False
    assert top_level({"properties": {"a": WHOLE}, "additionalProperties": WHOLE})[1] is False
    assert top_level({"allOf": [{"additionalProperties": True}]})[1] is False
    assert top_level({"$ref": "#"}) == ({}, False)
    assert top_level({"allOf": [3, None], "then": True, "dependencies": {"a": ["b"]}}) == ({}, True)


def test_a_name_with_two_shapes() -> None:
    schema = {"oneOf": [{"properties": {"x": WHOLE}}, {"properties": {"x": {"type": "boolean"}}}]}
    assert top_level(schema) == ({"x": {"anyOf": [WHOLE, {"type": "boolean"}]}}, True)


def test_names_of_a_schema_start_no_line() -> None:
    """A proxied server chooses the names; a log reads line by line."""
    schema = {"properties": {"a\nERROR b\x1b[31m": {"enum": ["x\u2028y", "z"]}}}
    made = refusal(Call("t\n2", schema, {}), [Fault("enum", ("a\nERROR b\x1b[31m",))])
    assert made.text == "Error executing tool 't 2': a ERROR b [31m must be one of: x y, z."
    assert (made.paths, made.field) == (("a ERROR b [31m",), "a ERROR b [31m")


def test_names_of_a_schema_fill_no_log() -> None:
    many: Any = {"n" * 100_000: {"enum": [f"value{at}" for at in range(100_000)]}}
    made = refusal(Call("t", {"properties": many}, {"n" * 100_000: "value"}), [Fault("enum", ("n" * 100_000,))])
    assert len(made.text) <= 2000
    assert (len(made.paths[0]), len(made.field)) == (200, 200)


def test_a_tools_name_starts_no_line() -> None:
    call = Call("t\nERROR" + "x" * 1000, CYCLE, {})
    with kit.recorded() as lines:
        Guard("refuse", ()).tell(call, [Fault("missing", ("n",))], None, str)
    assert [line.text for line in lines] == [f"refused t ERROR{'x' * 121}: n"]


def test_a_location_longer_than_is_walked() -> None:
    assert walk(CYCLE, ("t",) * 64).stopped is False
    assert walk(CYCLE, ("t",) * 65).stopped is True
