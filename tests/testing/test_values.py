"""What is made from a tool's schema: valid where it should be, wrong where it should be, and with canaries in it."""

from __future__ import annotations

from typing import Any

import pytest

jsonschema = pytest.importorskip("jsonschema")

from scrubber.testing import find_leaks
from scrubber.testing.calls import MOST_CALLS, calls_of
from scrubber.testing.mint import Mint
from scrubber.testing.values import Values

LEAF: list[tuple[dict[str, Any], int]] = [
    ({"type": "string"}, 1),
    ({}, 1),
    ({"type": "string", "maxLength": 6}, 1),
    ({"type": "string", "minLength": 60}, 1),
    ({"type": "string", "maxLength": 2}, 0),
    ({"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}, 1),
    ({"type": "string", "pattern": "^[a-z]+$"}, 1),
    ({"type": "string", "pattern": r"^\d{8}$"}, 1),
    ({"type": "string", "format": "date"}, 1),
    ({"type": "string", "format": "date-time"}, 1),
    ({"type": "string", "format": "time"}, 0),
    ({"type": "string", "format": "duration"}, 0),
    ({"type": "string", "format": "uuid"}, 1),
    ({"type": "string", "format": "email"}, 1),
    ({"type": "string", "format": "uri"}, 1),
    ({"type": "string", "format": "hostname"}, 1),
    ({"type": "string", "format": "ipv4"}, 1),
    ({"type": "string", "format": "ipv6"}, 1),
    ({"type": "string", "contentMediaType": "application/json"}, 1),
    ({"type": "string", "format": "json-string"}, 1),
    ({"type": "string", "contentEncoding": "base64"}, 1),
    ({"type": "integer"}, 1),
    ({"type": "integer", "minimum": 1, "maximum": 100}, 0),
    ({"type": "integer", "minimum": 10**11}, 1),
    ({"type": "integer", "maximum": -(10**9)}, 1),
    ({"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 7}, 0),
    ({"type": "integer", "multipleOf": 1000}, 1),
    ({"type": "number"}, 1),
    ({"type": "number", "minimum": 0, "exclusiveMaximum": 1}, 0),
    ({"type": "boolean"}, 0),
    ({"type": "null"}, 0),
    ({"enum": ["a", "b"]}, 0),
    ({"const": 7}, 0),
    ({"type": ["null", "string"]}, 1),
    ({"anyOf": [{"type": "null"}, {"type": "string"}]}, 1),
    ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, 1),
    ({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"required": ["a"]}]}, 1),
    ({"type": "array", "items": {"type": "string"}}, 1),
    ({"type": "array", "items": {"type": "string"}, "minItems": 3, "uniqueItems": True}, 3),
    ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False}, 2),
    ({"type": "array", "maxItems": 0}, 0),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, 2),
    ({"type": "object"}, 2),
    ({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "additionalProperties": False}, 1),
    ({"$ref": "#/$defs/Node"}, 7),
]
DEFS = {
    "A": {"type": "string"},
    "Node": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}},
        "required": ["name"],
        "additionalProperties": False,
    },
}


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("node, canaries", LEAF, ids=[str(node)[:60] for node, _ in LEAF])
def test_a_value_fits_its_schema_and_holds_canaries(node: dict[str, Any], canaries: int, seed: int) -> None:
    mint = Mint(seed)
    root = {"$defs": DEFS}
    value = Values(mint, root, "t").good(node, "a")
    jsonschema.Draft202012Validator(
        {**node, **root}, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    ).validate(value)
    assert len(mint.planted) == canaries
    if canaries:
        found = find_leaks([{"v": value}], [planted.value for planted in mint.planted])
        assert {place.canary for place in found} == set(range(canaries)), "each is found where it was planted"


def test_a_place_without_a_canary_is_told_with_its_reason() -> None:
    values = Values(Mint(), {}, "t")
    values.good({"type": "integer", "maximum": 9, "minimum": 1}, "limit")
    values.good({"type": "string", "format": "time"}, "at")
    values.good({"type": "string", "pattern": "(?<!unclosed"}, "code")
    assert list(values.unwatched) == ["limit", "at", "code"]
    assert "arguments=" in values.unwatched["code"]


def test_a_pattern_that_no_usual_spelling_fits_is_found_by_hypothesis() -> None:
    pytest.importorskip("hypothesis")
    schema = {"type": "string", "pattern": r"^[0-9]{3}-[0-9]{10}/[a-f]{4}$"}
    mint = Mint()
    jsonschema.validate(Values(mint, {}, "t").good(schema, "isbn"), schema)
    assert len(mint.planted) == 1


def test_canaries_are_all_different_and_the_same_for_a_seed() -> None:
    schema = {"type": "object", "properties": {f"a{n}": node for n, (node, _) in enumerate(LEAF)}, "$defs": DEFS}

    def made(seed: int) -> list[Any]:
        mint = Mint(seed)
        calls_of("t", schema, mint)
        return [planted.value for planted in mint.planted]

    values = made(0)
    assert len(set(map(str, values))) == len(values) > 60
    assert made(0) == values
    assert not set(map(str, made(1))) & set(map(str, values))


SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "maxLength": 40},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 5},
        "mode": {"enum": ["fast", "slow"]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
        "book": {
            "type": "object",
            "properties": {"title": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
            "required": ["title"],
        },
    },
    "required": ["query", "book"],
}


def test_good_calls_are_valid_and_bad_ones_are_not() -> None:
    calls = calls_of("find", {**SCHEMA, "additionalProperties": False}, Mint()).calls
    validator = jsonschema.Draft202012Validator({**SCHEMA, "additionalProperties": False})
    for call in calls:
        assert validator.is_valid(call.arguments) == call.is_good, call.what
    assert [call.what for call in calls if call.is_good] == [
        "all arguments",
        "required arguments",
        "either, alternative 2",
    ]


def test_every_argument_is_wrong_in_turn_missing_and_one_is_unknown() -> None:
    whats = {call.what for call in calls_of("find", SCHEMA, Mint()).calls}
    assert {
        "wrong: query",
        "wrong: query out of shape",
        "wrong: limit",
        "wrong: limit out of range",
        "wrong: mode",
        "wrong: either",
        "wrong: book",
        "wrong: book.title",
        "wrong: book.tags",
        "wrong: book.tags[0]",
        "missing: query",
        "missing: book",
        "an unknown argument",
    } <= whats


def test_arguments_of_the_users_own_stand_in_place_of_the_made_ones() -> None:
    calls = calls_of("find", SCHEMA, Mint(), [{"query": "mine"}, {"query": "other"}]).calls
    good = [call.arguments["query"] for call in calls if call.is_good]
    assert good == ["mine", "other", "mine", "mine"]
    assert all(call.arguments["query"] == "mine" for call in calls if call.what == "wrong: limit")


def test_a_tool_without_arguments_is_called() -> None:
    for schema in ({}, {"type": "object", "properties": {}}, {"type": "object"}):
        calls = calls_of("ping", schema, Mint()).calls
        assert [call.what for call in calls] == ["all arguments", "an unknown argument"]


def test_calls_are_bounded_and_those_left_out_are_counted() -> None:
    schema = {"type": "object", "properties": {f"a{n}": {"type": "string"} for n in range(100)}}
    made = calls_of("wide", schema, Mint())
    assert (len(made.calls), made.left_out) == (MOST_CALLS, 103 - MOST_CALLS)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/nowhere"},
        {"properties": {"a": {"$ref": "#/properties/a"}}},
        {"properties": []},
        {
            "properties": {
                "a": True,
                "b": False,
                "c": None,
                "d": {"type": "no such"},
                "e": {"enum": []},
                "f": {"anyOf": []},
            }
        },
        {"required": "a", "properties": {"a": {"minimum": "x", "type": "integer"}}},
        {"properties": {"a": {"type": "array", "items": {"$ref": "#"}}}},
    ],
    ids=range(7),
)
def test_an_odd_schema_still_makes_calls(schema: dict[str, Any]) -> None:
    assert calls_of("odd", schema, Mint()).calls
