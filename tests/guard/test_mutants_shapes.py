"""The words for a value, from each word of a schema that is read, at the bounds of each."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber.guard.shapes import choices_of, words

WHOLE: Any = {"type": "integer"}
NUMBER: Any = {"type": "number"}
MATCHING: Any = {"type": "string", "pattern": "^x$"}


def said(*leaves: Any, code: str = "any_code") -> str | None:
    return words(leaves, code)


def test_choices_are_written_as_in_json() -> None:
    assert choices_of({"enum": [None, True, False, 1, 2.5, "a", [1], {}]}) == ["null", "true", "false", "1", "2.5", "a"]
    assert choices_of({"const": None}) == ["null"]
    assert choices_of({"const": [1]}) == choices_of({"enum": "ab"}) == choices_of({}) == []


@pytest.mark.parametrize("number, more", [(24, ""), (25, " and 1 more")])
def test_24_choices_are_listed(number: int, more: str) -> None:
    listed = ", ".join(f"v{at}" for at in range(24))
    values = [f"v{at}" for at in range(number)]
    assert said({"enum": values}) == f"one of: {listed}{more}"
    assert said({"enum": values[:12]}, {"enum": values[12:]}) == f"one of: {listed}{more}"


def test_one_choice_is_written_if_it_is_no_longer_than_200_characters() -> None:
    assert said({"const": "x" * 200}) == f"exactly {'x' * 200}"
    assert said({"enum": ["x" * 201]}) == "the one allowed value"


def test_a_decimal_is_said_as_the_number_that_people_mean() -> None:
    assert said({"type": "number", "minimum": 3}, MATCHING, code="decimal_parsing") == "a number of at least 3"
    assert said(MATCHING, code="decimal_parsing") == "a number"
    assert said(code="decimal_parsing") == "a number"


def test_the_pattern_of_a_decimals_text_is_left_out_beside_its_number_alone() -> None:
    assert said(NUMBER, MATCHING) == "a number"
    assert said(WHOLE, MATCHING) == "a whole number or text that matches ^x$"
    assert said(NUMBER, MATCHING, {"type": "array"}) == "a number or text that matches ^x$ or a list"


@pytest.mark.parametrize(
    "leaf, says",
    [
        ({"type": ["integer", "null", "string"]}, "a whole number or text"),
        ({"type": ["null", "integer"]}, "a whole number"),
        ({"type": "null"}, None),
        ({"properties": {}}, "an object"),
        ({"additionalProperties": {}}, "an object"),
        ({"type": "strange", "properties": {}}, None),
        ({"title": "X"}, None),
        ({"type": "boolean"}, "true or false"),
    ],
)
def test_types(leaf: Any, says: str | None) -> None:
    assert said(leaf) == says


@pytest.mark.parametrize(
    "more, says",
    [
        ({}, "text"),
        ({"format": "uuid"}, "an id"),
        ({"format": "color"}, "text"),
        ({"format": ["uuid"]}, "text"),
        ({"contentMediaType": "application/json"}, "text that holds JSON"),
        ({"contentMediaType": "image/png"}, "text"),
        ({"pattern": "a" * 80}, f"text that matches {'a' * 80}"),
        ({"pattern": "a" * 81}, "text that matches the declared pattern"),
        ({"pattern": 3}, "text"),
        ({"minLength": 0}, "text"),
        ({"minLength": 1}, "text of at least 1 character"),
        ({"minLength": "3", "maxLength": "4"}, "text"),
        ({"minLength": 4, "maxLength": 4}, "text of 4 characters"),
        ({"minLength": 2, "pattern": "x"}, "text of at least 2 characters that matches x"),
    ],
)
def test_texts(more: Any, says: str) -> None:
    assert said({"type": "string", **more}) == says


@pytest.mark.parametrize(
    "more, says",
    [
        ({"type": "array", "minItems": 2}, "a list of at least 2 items"),
        ({"type": "array", "minItems": 1, "maxItems": 2}, "a list of 1 to 2 items"),
        ({"type": "object", "minProperties": 1}, "an object of at least 1 entry"),
        ({"type": "object", "maxProperties": 3}, "an object of at most 3 entries"),
        ({"type": "object", "minProperties": 1, "maxProperties": 1}, "an object of 1 entry"),
    ],
)
def test_sizes(more: Any, says: str) -> None:
    assert said(more) == says


@pytest.mark.parametrize("bound", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])
def test_of_a_union_only_what_has_a_range_can_be_out_of_it(bound: str) -> None:
    words_ = said({"type": "number", bound: 2}, {"type": "string"}, code="greater_than")
    assert words_ is not None
    assert words_.startswith("a number ")
    assert "text" not in words_


@pytest.mark.parametrize(
    "more, says",
    [
        ({"minimum": 5, "exclusiveMinimum": 1}, " of at least 5"),
        ({"minimum": 1, "exclusiveMinimum": 5}, " of at least 6"),
        ({"maximum": 5, "exclusiveMaximum": 9}, " of at most 5"),
        ({"maximum": 9, "exclusiveMaximum": 5}, " of at most 4"),
        ({"minimum": 1.5, "exclusiveMinimum": 5}, " of at least 6"),
        ({"minimum": "x"}, ""),
        ({"minimum": True}, ""),
        ({"multipleOf": 2}, ", a multiple of 2"),
        ({"multipleOf": 1}, ""),
        ({"minimum": 107.0}, " of at least 107"),
        ({"minimum": 2.0**53 - 1}, " of at least 9007199254740991"),
        ({"minimum": 2.0**53}, " of at least 9007199254740992.0"),
        ({"minimum": 2**1024 - 1}, f" of at least {2**1024 - 1}"),
        ({"minimum": 2**1024}, " of at least a very large number"),
    ],
)
def test_ranges_of_whole_numbers(more: Any, says: str) -> None:
    assert said({**WHOLE, **more}) == f"a whole number{says}"
