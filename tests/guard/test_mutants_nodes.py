"""Each word of a JSON schema that is read, alone: what a node becomes, what it is combined of, where reading stops."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber.guard.nodes import branches, is_list, item_of, leaves, open_of, resolve, target, top_level

WHOLE: Any = {"type": "integer"}
TEXT: Any = {"type": "string"}
NULL: Any = {"type": "null"}
ROOT: Any = {"$defs": {"A": {"type": "object", "properties": {"a": WHOLE}}, "W": WHOLE, "a/b~c": TEXT}}
A = {"$ref": "#/$defs/A"}


@pytest.mark.parametrize(
    "node, becomes",
    [
        ({"allOf": [A], "title": "t"}, {"type": "object", "properties": {"a": WHOLE}, "title": "t"}),
        (
            {"allOf": [A, {"properties": {"b": TEXT}}], "properties": {"c": NULL}},
            {"type": "object", "properties": {"a": WHOLE, "b": TEXT, "c": NULL}},
        ),
        ({"allOf": [WHOLE]}, WHOLE),
        ({"allOf": [{"$ref": "#/$defs/W"}]}, WHOLE),
        ({"allOf": [3]}, {}),
        ({"allOf": [{}] * 63 + [WHOLE]}, WHOLE),
        ({"allOf": [{}] * 64 + [WHOLE]}, {"allOf": [{}] * 64 + [WHOLE]}),
        ({"anyOf": [WHOLE, NULL], "title": "t"}, {"type": "integer", "title": "t"}),
        ({"oneOf": [NULL, WHOLE], "title": "t"}, {"type": "integer", "title": "t"}),
        ({"anyOf": [NULL]}, {"anyOf": [NULL]}),
        ({"anyOf": [WHOLE, TEXT]}, {"anyOf": [WHOLE, TEXT]}),
        (A, ROOT["$defs"]["A"]),
        ({**A, "type": "array"}, {"type": "array", "properties": {"a": WHOLE}}),
        (3, {}),
        (None, {}),
    ],
)
def test_a_node_with_its_references_and_combinations_resolved(node: Any, becomes: Any) -> None:
    assert resolve(ROOT, node) == becomes


@pytest.mark.parametrize(
    "reference, node",
    [
        ("#", ROOT),
        ("#/$defs/W", WHOLE),
        ("#/$defs/a~1b~0c", TEXT),
        ("#/$defs/none", {}),
        ("#/$defs/W/type", {}),
        ("#/$defs/W/type/x", {}),
        ("other.json#/$defs/W", {}),
    ],
)
def test_references_are_followed_inside_of_the_schema(reference: str, node: Any) -> None:
    assert target(ROOT, reference) == node


def test_branches_are_the_dicts_of_the_first_list_that_is_not_empty() -> None:
    assert branches({"anyOf": [], "oneOf": [WHOLE]}) == [WHOLE]
    assert branches({"anyOf": {"a": WHOLE}}) == []
    assert branches({"anyOf": [WHOLE, 3]}) == [WHOLE]
    assert len(branches({"anyOf": [WHOLE] * 65})) == 64


def test_names_of_every_part_that_a_schema_is_combined_of() -> None:
    def part(name: str) -> Any:
        return {"properties": {name: WHOLE}}

    schema = {
        "if": part("a"),
        "then": part("b"),
        "else": part("c"),
        "dependentSchemas": {"a": part("d")},
        "dependencies": {"a": part("e"), "b": ["a"]},
        "allOf": [part("f")],
        "anyOf": [part("g")],
        "oneOf": [part("h")],
        "$ref": "#/$defs/A",
        "$defs": {"A": part("i")},
    }
    found, closed = top_level(schema)
    assert found == dict.fromkeys("abcdefghi", WHOLE)
    assert closed is True


def test_a_schema_of_more_parts_than_are_read_may_have_other_names() -> None:
    part = {"properties": {"a": WHOLE}}
    assert top_level({"allOf": [part] * 254}) == ({"a": WHOLE}, True)
    assert top_level({"allOf": [part] * 255}) == ({}, False)


def test_alternatives_are_told_apart_and_null_is_none_of_them() -> None:
    assert leaves(ROOT, [{"anyOf": [WHOLE, TEXT, NULL]}, A]) == [WHOLE, TEXT, ROOT["$defs"]["A"]]
    assert leaves(ROOT, [{"anyOf": [A, {"oneOf": [TEXT, WHOLE]}]}]) == [ROOT["$defs"]["A"], TEXT, WHOLE]


def test_64_alternatives_are_read_and_256_nodes_looked_at() -> None:
    assert leaves({}, [WHOLE] * 70) == [WHOLE] * 64
    empty = {"anyOf": [NULL, NULL]}
    assert leaves({}, [*[empty] * 255, WHOLE]) == [WHOLE]
    assert leaves({}, [*[empty] * 256, WHOLE]) == []


@pytest.mark.parametrize(
    "leaf, values",
    [
        ({"patternProperties": {"^x": WHOLE}}, {"anyOf": [WHOLE]}),
        ({"patternProperties": {}, "properties": {"a": WHOLE}}, None),
        ({"patternProperties": [WHOLE]}, None),
        ({"additionalProperties": WHOLE}, WHOLE),
        ({"additionalProperties": True}, {}),
        ({"type": "object", "additionalProperties": False}, None),
        ({"type": "object"}, {}),
        ({"type": "object", "properties": {"a": WHOLE}}, None),
        ({"type": "array"}, None),
        ({}, None),
    ],
)
def test_which_nodes_take_names_that_they_do_not_declare(leaf: Any, values: Any) -> None:
    assert open_of(leaf) == values


@pytest.mark.parametrize(
    "leaf, expected",
    [
        ({"type": "array"}, True),
        ({"items": {}}, True),
        ({"prefixItems": []}, True),
        ({}, False),
        ({"type": "object"}, False),
    ],
)
def test_which_nodes_are_lists(leaf: Any, expected: bool) -> None:
    assert is_list(leaf) is expected


def test_the_node_of_an_item() -> None:
    leaf = {"prefixItems": [WHOLE, TEXT], "items": NULL}
    assert [item_of(leaf, at) for at in (-1, 0, 1, 2)] == [NULL, WHOLE, TEXT, NULL]
    assert item_of({"type": "array"}, 0) == {}
