"""Faults from a JSON schema alone: which code each word of it has, where the fault is, and which branch was meant."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from scrubber.guard.calls import MOST_FAULTS, TOGETHER, Fault
from scrubber.guard.core import GuardError
from scrubber.guard.schema_check import Checker

pytest.importorskip("jsonschema")

WHOLE: Any = {"type": "integer"}
TEXT: Any = {"type": "string"}


def faults(schema: Any, arguments: Any) -> list[tuple[str, tuple[Any, ...]]]:
    return [tuple(fault) for fault in Checker().faults(schema, arguments)]


def of(schema: Any, value: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """The faults of the argument `x`, with the locations inside of it."""
    found = faults({"properties": {"x": schema}}, {"x": value})
    assert all(loc[0] == "x" for _, loc in found)
    return [(code, loc[1:]) for code, loc in found]


@pytest.mark.parametrize(
    "schema, value, code",
    [
        (WHOLE, "x", "int_type"),
        ({"type": "number"}, "x", "float_type"),
        ({"type": "boolean"}, "x", "bool_type"),
        (TEXT, 1, "string_type"),
        ({"type": "array"}, 1, "list_type"),
        ({"type": "object"}, 1, "dict_type"),
        ({"type": "null"}, 1, "none_required"),
        ({"type": ["string", "null"]}, 1, "string_type"),
        ({"type": ["null", "array"]}, 1, "list_type"),
        ({"type": ["null"]}, 1, "none_required"),
        ({"minimum": 3}, 1, "greater_than_equal"),
        ({"enum": [1]}, 2, "enum"),
        ({"const": 1}, 2, "literal_error"),
        ({"uniqueItems": True}, [1, 1], "value_error"),
        ({"not": {}}, 1, TOGETHER),
        ({"minProperties": 1}, {}, TOGETHER),
        ({"additionalProperties": False}, {"a": 1}, "extra_forbidden"),
    ],
)
def test_each_word_of_a_schema_has_a_code(schema: Any, value: Any, code: str) -> None:
    assert of(schema, value) == [(code, ())]


def test_a_type_that_is_a_schema_as_in_the_third_draft_is_no_failure() -> None:
    third = {
        "$schema": "http://json-schema.org/draft-03/schema#",
        "properties": {"x": {"type": [{"enum": [1]}, "any"]}},
    }
    assert faults(third, {"x": 2}) == []
    third["properties"] = {"x": {"type": [{"enum": [1]}]}}
    assert faults(third, {"x": 2}) == [("is_instance_of", ("x",))]


def test_only_what_is_missing_is_required() -> None:
    schema = {"properties": {"a": WHOLE, "b": WHOLE}, "required": ["a", "b"]}
    assert faults(schema, {"a": 1}) == [("missing", ("b",))]
    assert of(schema, {"b": 1}) == [("missing", ("a",))]


def test_faults_come_in_the_order_of_the_declaration_after_those_of_all_arguments() -> None:
    schema = {
        "required": ["z", "a", "q"],
        "properties": {"a": WHOLE, "z": WHOLE, "k": WHOLE},
        "dependentRequired": {"k": ["m"]},
    }
    assert faults(schema, {"k": "x"}) == [
        ("missing", ("q",)),
        (TOGETHER, ()),
        ("missing", ("a",)),
        ("missing", ("z",)),
        ("int_type", ("k",)),
    ]


def test_no_more_faults_are_read_than_are_told() -> None:
    assert len(of({"items": WHOLE}, ["x"] * 300)) == MOST_FAULTS


def test_a_validator_is_made_once_for_each_schema_and_never_used_for_another() -> None:
    checker, first, second = Checker(), {"properties": {"x": WHOLE}}, {"properties": {"x": TEXT}}
    assert checker.faults(first, {"x": "a"}) == [Fault("int_type", ("x",))]
    known = checker._known[id(first)]
    assert checker.faults(first, {"x": "a"}) == [Fault("int_type", ("x",))]
    assert checker._known[id(first)] is known
    # As if the first were gone and the second stood where it was.
    checker._known[id(second)] = known
    assert checker.faults(second, {"x": "a"}) == []


def test_without_jsonschema_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema.validators", None)
    with pytest.raises(GuardError) as raised:
        Checker()
    assert str(raised.value) == "the guard of a low-level server needs jsonschema: pip install jsonschema"


CLOSED: Any = {"allOf": [{"properties": {"n": WHOLE}}], "unevaluatedProperties": False}


@pytest.mark.parametrize(
    "schema, value, expected",
    [
        # What is wrong counts as not evaluated too: that is an echo.
        (CLOSED, {"n": "x"}, [("int_type", ("n",))]),
        (CLOSED, {"k": 1}, [("extra_forbidden", ())]),
        # A fault elsewhere is no echo of it.
        (
            {"properties": {"a": CLOSED, "b": {"properties": {"c": {"properties": {"n": WHOLE}}}}}},
            {"a": {"k": 1}, "b": {"c": {"n": "x"}}},
            [("extra_forbidden", ("a",)), ("int_type", ("b", "c", "n"))],
        ),
        # Nor is one of the same place.
        (
            {"properties": {"n": {}}, "additionalProperties": False, "dependentRequired": {"n": ["m"]}},
            {"n": 1, "k": 2},
            [("extra_forbidden", ()), (TOGETHER, ())],
        ),
        # Nor is another unknown name, further down.
        (
            {"properties": {"a": {"additionalProperties": False}}, "additionalProperties": False},
            {"a": {"k": 1}, "j": 1},
            [("extra_forbidden", ("a",)), ("extra_forbidden", ())],
        ),
        # Only an unknown name can be an echo.
        (
            {"properties": {"n": WHOLE}, "dependentRequired": {"n": ["m"]}},
            {"n": "x"},
            [("int_type", ("n",)), (TOGETHER, ())],
        ),
    ],
)
def test_an_unknown_name_that_is_only_the_echo_of_another_fault_is_left_out(
    schema: Any, value: Any, expected: Any
) -> None:
    assert of(schema, value) == expected


A: Any = {"type": "object", "properties": {"kind": {"const": "a"}, "n": WHOLE, "m": WHOLE}, "required": ["n", "m"]}
B: Any = {"type": "object", "properties": {"kind": {"enum": ["b"]}, "t": TEXT}, "required": ["t"]}


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
@pytest.mark.parametrize(
    "branches, value, expected",
    [
        ([WHOLE, {"items": WHOLE, "type": "array"}], ["x"], [("int_type", (0,))]),
        ([WHOLE, {"items": WHOLE, "type": "array"}], "x", [("is_instance_of", ())]),
        # The tag says which: the fixed value of the other is missed.
        ([A, B], {"kind": "a"}, [("missing", ("n",)), ("missing", ("m",))]),
        ([A, B], {"kind": "b"}, [("missing", ("t",))]),
        ([A, B], {"kind": "c"}, [("is_instance_of", ())]),
        # Without a tag, the one that lacks the least.
        ([A, B], {}, [("missing", ("t",))]),
        ([B, A], {"n": 1, "m": "x", "t": ""}, []),
        ([B, B], {}, [("is_instance_of", ())]),
        # A branch that takes nothing was not meant.
        ([A, False, WHOLE], {"n": 1, "m": "x"}, [("int_type", ("m",))]),
        ([False, WHOLE], "x", [("is_instance_of", ())]),
    ],
)
def test_the_branch_that_was_meant(word: str, branches: list[Any], value: Any, expected: Any) -> None:
    assert list(dict.fromkeys(of({word: branches}, value))) == expected


def test_a_union_of_all_arguments_that_fits_nowhere_is_a_rule_over_them() -> None:
    assert faults({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}) == [(TOGETHER, ())]
