"""Sentences on the tag of a union: where its names stand in a schema, and what is said without any."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber.guard.calls import Call, Fault
from scrubber.guard.sentences import Said, sentences

from .test_mutants_sentences import one

CAT: Any = {"properties": {"kind": {"const": "cat"}}}
DOG: Any = {"properties": {"kind": {"$ref": "#/$defs/Kind"}}}
KIND: Any = {"enum": ["dog", "wolf"]}


def tagged(code: str, mapping: Any = None, **defs: Any) -> str:
    union: Any = {
        "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
        "discriminator": {"propertyName": "kind"} | ({"mapping": mapping} if mapping is not None else {}),
    }
    return one(union, code, "x", **({"Cat": CAT, "Dog": DOG, "Kind": KIND} | defs))


def test_tags_stand_in_the_mapping_or_in_the_branches() -> None:
    assert tagged("union_tag_invalid", {"a": "#/$defs/Cat", "b": "#/$defs/Dog"}) == "x.kind must be one of: a, b"
    for mapping in (None, {}, ["a"], 3):
        assert tagged("union_tag_invalid", mapping) == "x.kind must be one of: cat, dog, wolf"
        assert tagged("union_tag_not_found", mapping) == "x.kind is required, one of: cat, dog, wolf"


def test_without_any_tag_in_the_schema_the_name_of_the_field_is_all_there_is_to_say() -> None:
    assert tagged("union_tag_invalid", Cat={}, Dog={"properties": 3}) == "x.kind is not valid"
    assert tagged("union_tag_not_found", Cat={}, Dog={"properties": {}}) == "x.kind is required"


@pytest.mark.parametrize("discriminator", [{}, {"propertyName": 3}, "kind"])
def test_a_discriminator_without_a_name_says_nothing(discriminator: Any) -> None:
    assert one({"oneOf": [CAT, DOG], "discriminator": discriminator}, "union_tag_invalid", "x") == "x is not valid"


@pytest.mark.parametrize("number, more", [(24, ""), (25, " and 1 more")])
def test_24_tags_are_listed(number: int, more: str) -> None:
    mapping = {f"v{at}": "#/$defs/Cat" for at in range(number)}
    listed = ", ".join(list(mapping)[:24]) + more
    assert tagged("union_tag_invalid", mapping) == f"x.kind must be one of: {listed}"
    assert tagged("union_tag_not_found", mapping) == f"x.kind is required, one of: {listed}"


def test_a_tag_is_a_place_of_its_own() -> None:
    union = {"oneOf": [CAT, CAT], "discriminator": {"propertyName": "kind"}}
    root: Any = {"properties": {"x": {"type": "array", "items": union}}}
    code = "union_tag_invalid"
    assert sentences(Call("t", root, {}), [Fault(code, ("x", 0))]) == [
        Said("x[0].kind must be one of: cat", "x[0].kind", code, "x.N.kind")
    ]
    assert sentences(Call("t", union, {}), [Fault(code, ())]) == [
        Said("kind must be one of: cat", "kind", code, "kind")
    ]
