"""Pydantic's text: read as a whole or not at all, with real texts of real models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter

from scrubber.words import message, quickly


class Address(BaseModel):
    zip: str
    lines: list[int] = []


class find_bookArguments(BaseModel):  # the title an SDK gives to a tool's arguments
    name: str
    number: int = 0
    lines: list[int] = []
    prices: dict[str, int] = {}
    owners: dict[str, Address] = {}
    either: int | list[int] = 0
    mode: Literal["a", "b"] = "a"
    small: Annotated[int, Field(le=10)] = 0
    model_config = {"extra": "forbid"}


def text_of(**arguments: Any) -> str:
    with pytest.raises(pydantic.ValidationError) as caught:
        find_bookArguments.model_validate(arguments)
    return str(caught.value)


def shape(text: str) -> str:
    parsed = message.parse(text)
    assert parsed is not None
    return message.shape(parsed)


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ({}, "name: missing"),
        ({"name": "x", "number": "ten"}, "number: int_parsing"),
        ({"lines": ["secret"]}, "name: missing; lines.N: int_parsing"),
        ({"name": "x", "prices": {"SECRET": "x"}}, "prices.*: int_parsing"),
        ({"name": "x", "owners": {"SECRET": {}}}, "owners.*.zip: missing"),
        ({"name": "x", "SECRET": 1}, "extra_forbidden"),
        ({"name": "x", "either": "x"}, "either.*: int_parsing; either.*: list_type"),
        ({"name": "x", "mode": "SECRET", "small": 11}, "mode: literal_error; small: less_than_equal"),
    ],
)
def test_the_shape_holds_no_value_and_no_name_of_the_clients(arguments: dict[str, Any], expected: str) -> None:
    text = text_of(**arguments)
    assert shape(text) == expected
    assert "SECRET" not in shape(text)


def test_the_shape_of_the_issue() -> None:
    assert shape(text_of(lines=[1, "x"])) == "name: missing; lines.N: int_parsing"


def test_a_models_own_fields_are_not_printed_where_they_may_be_keys() -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        TypeAdapter(dict[str, int]).validate_python({"SECRET": "x"})
    assert shape(str(caught.value)) == "int_parsing"
    with pytest.raises(pydantic.ValidationError) as caught:
        Address.model_validate({"lines": ["x"]})
    assert shape(str(caught.value)) == "zip: missing; int_parsing"


KEYS = [
    "SECRET",
    "a.SECRET",
    "SECRET\nx",
    "SECRET\n  x",
    "SECRET\n  Field required [type=missing, input_value=1, input_type=int]\nname",
    "k\n  bad [type=int_type, input_value=1, input_type=int]\n    For further information visit https://errors.pydantic.dev/2/v/x\nSECRET",
    "7\nSECRET",
    "  SECRET",
    "[type=SECRET, input_value=1, input_type=int]",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("owner", [{}, {"zip": "x", "lines": ["y"]}])
def test_a_key_cannot_write_itself_into_the_shape(key: str, owner: dict[str, Any]) -> None:
    assert "SECRET" not in shape(text_of(name="x", owners={key: owner}))
    assert "SECRET" not in shape(text_of(name="x", prices={key: "x"}))


@given(
    key=st.text(max_size=40),
    tail=st.sampled_from(["", "\n  Field required [type=missing", "\nname\n  x [type=missing, "]),
)
def test_no_key_is_ever_printed(key: str, tail: str) -> None:
    marked = f"zq{key}zq{tail}"
    assert "zq" not in shape(text_of(name="x", owners={marked: {}}))


@given(st.text(max_size=60))
def test_no_value_is_ever_printed(value: str) -> None:
    marked = f"zq{value}zq"
    assert "zq" not in shape(text_of(name="x", number=marked, lines=[marked], mode=marked))


@given(st.text(max_size=300))
def test_reading_anything_never_raises_and_finds_nothing_whole_in_noise(text: str) -> None:
    parsed = message.parse(text)
    assert parsed is None or not parsed.complete
    assert quickly.first(text) is None


def test_more_blocks_than_counted_means_only_known_codes() -> None:
    text = text_of(name="x", number="x").replace("1 validation error", "2 validation errors")
    assert shape(text) == "int_parsing"
    forged = text.replace("type=int_parsing", "type=jane_doe")
    assert shape(forged) == ""


def test_a_cut_text_is_not_whole() -> None:
    parsed = message.parse(text_of(name="x", number="x") + "...")
    assert parsed is not None
    assert not parsed.complete


def test_prefixes_and_the_sdks_own_suffix_are_read_around() -> None:
    text = text_of(name="x", number="x")
    assert shape(f"Error executing tool find_book: {text}") == "number: int_parsing"
    minted = text.rsplit("\n", 1)[0] + ' {"conversation_id": "01a22c07-6c87-7d18-ab71-a25aa3773c9f"}'
    assert shape(minted) == "number: int_parsing"


def test_texts_without_links_or_inputs_are_read() -> None:
    bare = "1 validation error for find_bookArguments\nnumber\n  Input should be a valid integer [type=int_type]"
    assert shape(bare) == "number: int_type"


def test_a_root_level_error_has_no_path() -> None:
    text = "1 validation error for call[find]\n  Value error, SECRET and more [type=value_error, input_value={}, input_type=dict]"
    assert shape(text) == "value_error"


def test_an_authors_code_is_printed_only_as_a_label() -> None:
    text = "1 validation error for call[find]\nsku\n  no such [type={code}, input_value='x', input_type=str]"
    assert shape(text.format(code="sku_unknown")) == "sku: sku_unknown"
    assert shape(text.format(code="Sku-Unknown")) == "sku: custom"


def test_the_quick_look_agrees_with_the_whole_reading() -> None:
    for arguments in (
        {},
        {"name": "x", "number": "ten"},
        {"name": "x", "lines": ["x", "y"]},
        {"name": "x", "SECRET": 1},
    ):
        text = text_of(**arguments)
        quick, whole = quickly.first(text), message.parse(text)
        assert quick is not None
        assert whole is not None
        assert (quick[0], quick[1].code, quick[1].location) == (
            whole.title,
            whole.problems[0].code,
            whole.problems[0].location,
        )


@pytest.mark.parametrize("key", KEYS)
def test_the_quick_look_is_not_fooled_by_keys(key: str) -> None:
    text = text_of(name="x", owners={key: {}})
    quick = quickly.first(text)
    if quick is not None:
        assert "SECRET" not in message.field_of(quick[1], True)


def test_known_codes_hold_every_code_of_the_installed_pydantic() -> None:
    from typing import get_args

    from pydantic_core.core_schema import ErrorType

    assert set(get_args(ErrorType)) <= message.KNOWN_CODES
