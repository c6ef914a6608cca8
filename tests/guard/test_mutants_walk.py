"""The walk, segment by segment: which are places, which are labels of a union's branches, and where it ends."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber.guard.walk import Place, walk

WHOLE: Any = {"type": "integer"}
NUMBER: Any = {"type": "number"}
TEXT: Any = {"type": "string"}
LIST: Any = {"type": "array", "items": TEXT}


def at(node: Any, *location: str | int, **defs: Any) -> Place:
    """The place of a location below the argument `x`, which has this schema."""
    return walk({"properties": {"x": node}, "$defs": defs}, ("x", *location))


def nodes(node: Any, *location: str | int, **defs: Any) -> list[Any]:
    return list(at(node, *location, **defs).nodes)


def test_a_place_says_where_it_is_and_what_stands_there() -> None:
    assert at(WHOLE) == Place("x", "x", (WHOLE,), (), 1, False, False)
    assert at(LIST, 3) == Place("x[3]", "x.N", (TEXT,), (), 2, False, False)
    assert at({"additionalProperties": LIST}, "CANARY", 0) == Place("x[*][0]", "x.*.N", (TEXT,), (), 3, False, False)


def test_the_walk_ends_at_a_key_whatever_follows() -> None:
    place = at({"additionalProperties": {"properties": {"b": WHOLE}}}, "CANARY", "[key]", "b")
    assert (place.path, place.key, place.stopped) == ("x[*]", True, False)


@pytest.mark.parametrize("location", [(0,), (0, "y"), ("CANARY", "y"), ("CANARY",)])
def test_the_walk_stops_at_what_is_not_declared_whatever_follows(location: Any) -> None:
    place = at({"type": "object", "properties": {"y": WHOLE}}, *location)
    assert (place.path, place.stopped) == ("x", True)


def test_a_declared_name_comes_before_any_name_and_before_another_style_of_it() -> None:
    assert at({"properties": {"a": WHOLE}, "additionalProperties": TEXT}, "a").path == "x.a"
    assert at({"properties": {"a": WHOLE}, "additionalProperties": TEXT}, "b").path == "x[*]"
    both = {"properties": {"aB": WHOLE, "a_b": TEXT}}
    assert (at(both, "a_b").path, nodes(both, "a_b")) == ("x.a_b", [TEXT])


@pytest.mark.parametrize("declared, segment", [("unitPrice", "unit_price"), ("unit-price", "unit_price")])
def test_a_fields_own_name_is_read_as_the_name_that_is_declared(declared: str, segment: str) -> None:
    inner = {"properties": {declared: {"properties": {"n": NUMBER}}}}
    place = at(inner, segment, "n")
    assert (place.path, place.field, place.nodes) == (f"x.{declared}.n", f"x.{declared}.n", (NUMBER,))
    place = walk(inner, (segment, "n"))
    assert (place.path, place.field, place.stopped) == (f"{declared}.n", f"{declared}.n", False)


def test_a_fields_own_name_that_may_be_two_declared_ones_is_neither() -> None:
    place = at({"properties": {"unitPrice": WHOLE, "unit-price": WHOLE}}, "unit_price")
    assert (place.path, place.stopped) == ("x", True)


def test_a_fields_own_name_is_looked_for_in_each_node_that_stands_there() -> None:
    here: Any = {"properties": {"y": {"properties": {"unitPrice": NUMBER}}}}
    other: Any = {"properties": {"y": {"properties": {"other": TEXT}}}}
    place = at({"anyOf": [other, here]}, "y", "unit_price")
    assert (place.path, place.nodes) == ("x.y.unitPrice", (NUMBER,))


def test_one_branch_is_no_union() -> None:
    place = at({"anyOf": [{"type": "null"}]}, "a")
    assert (place.unions, place.stopped) == ((), True)


UNION: Any = {"anyOf": [{"$ref": "#/$defs/List"}, WHOLE]}


def test_an_index_into_a_union_with_a_list_is_a_place() -> None:
    place = at(UNION, 0, List=LIST)
    assert (place.path, place.nodes, place.unions) == ("x[0]", (TEXT,), ())


def test_a_name_that_a_branch_declares_is_a_place() -> None:
    union = {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
    place = at(union, "a", A={"properties": {"a": WHOLE}}, B={"properties": {"a": TEXT, "b": TEXT}})
    assert (place.path, place.nodes, place.unions) == ("x.a", (WHOLE, TEXT), ())


def test_what_is_no_place_is_a_label_and_an_unknown_label_may_be_any_branch() -> None:
    place = at(UNION, "function-after[check(), list[str]]", 0, List=LIST)
    assert (place.path, place.unions) == ("x[0]", (("x", "function-after[check(), list[str]]"),))


def test_each_union_on_the_way_is_noted_with_its_path() -> None:
    inner = {"anyOf": [WHOLE, {"type": "boolean"}]}
    place = at({"anyOf": [{"type": "array", "items": inner}, TEXT]}, "list[union]", 0, "bool")
    assert place.unions == (("x", "list[union]"), ("x[0]", "bool"))
    assert place.nodes == ({"type": "boolean"},)


TAGGED: Any = {
    "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
    "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/$defs/Cat", "1": "#/$defs/Dog", "Cat": None}},
}
CAT: Any = {"title": "A cat", "properties": {"lives": WHOLE}}
DOG: Any = {"title": "A dog", "properties": {"age": WHOLE}}


@pytest.mark.parametrize(
    "label, branch",
    [("cat", [CAT]), ("1", [DOG]), (1, [DOG]), ("Cat", [CAT]), ("A dog", [DOG]), ("tagged", [CAT, DOG])],
)
def test_a_tag_is_the_label_of_its_branch(label: str | int, branch: list[Any]) -> None:
    place = at(TAGGED, label, Cat=CAT, Dog=DOG)
    assert (list(place.nodes), place.unions, place.path) == (branch, (("x", str(label)),), "x")


def test_a_mapping_of_any_shape_names_nothing() -> None:
    for discriminator in ("kind", {}, {"mapping": ["cat"]}):
        assert nodes({**TAGGED, "discriminator": discriminator}, "cat", Cat=CAT, Dog=DOG) == [CAT, DOG]


ENUM: Any = {"enum": ["a", "b"], "title": "Kind", "type": "string"}
CONST: Any = {"const": "z", "title": "Zed"}
TITLED: Any = {"title": "Thing"}
STRANGE: Any = {"type": "strange"}
SEVERAL: Any = {"type": ["integer", "null"]}


@pytest.mark.parametrize(
    "label, branch",
    [
        ("int", [WHOLE]),
        ("constrained-int", [WHOLE]),
        ("literal['z']", [ENUM, CONST]),
        ("enum", [ENUM, CONST]),
        ("Kind", [ENUM]),
        ("Zed", [CONST]),
        ("Thing", [TITLED]),
        ("list[list[int]]", [LIST]),
        ("list", [LIST]),
    ],
)
def test_a_branch_is_known_by_pydantics_label_of_its_type_or_by_its_title(label: str, branch: list[Any]) -> None:
    assert nodes({"anyOf": [WHOLE, ENUM, CONST, TITLED, STRANGE, SEVERAL, LIST]}, label) == branch


def test_a_branch_behind_a_reference_is_known_by_its_name_or_its_title() -> None:
    union = {"anyOf": [{"$ref": "#/$defs/pkg__Cat"}, {"$ref": "#/$defs/Dog"}, {"$ref": "#/$defs/none"}, {"$ref": "#"}]}
    defs = {"pkg__Cat": {**CAT, "title": "Cat"}, "Dog": {**DOG, "title": 3}}
    assert nodes(union, "Cat", **defs) == [defs["pkg__Cat"]]
    assert nodes(union, "pkg__Cat", **defs) == [defs["pkg__Cat"]]
    assert nodes(union, "Dog", **defs) == [defs["Dog"]]
