"""Reading by position: what it reads is what the whole reading says, and where it cannot be sure it says nothing."""

from __future__ import annotations

import pytest

from scrubber.words import quickly
from scrubber.words.message import parse
from scrubber.words.quickly import certain, first

from .test_mutants_message import LINK, block, text_of


def problems(text: str) -> list[tuple[str, str, str, str | None]] | None:
    found = certain(text, first(text))
    return None if found is None else [(one.location, one.code, one.text, one.input) for one in found]


def whole(text: str) -> list[tuple[str, str, str, str | None]]:
    found = parse(text)
    assert found is not None
    return [(one.location, one.code, one.text, one.input) for one in found.problems]


@pytest.mark.parametrize(
    "text",
    [
        text_of(block("a"), title="call[f]", count=1),
        text_of(block("a") + LINK),
        text_of(block("a"), block("b.0.c", "missing", "Field required", "{'x': 1}")),
        text_of(block("a") + LINK, block("b") + LINK, block("c", value="', input_type=int]'") + LINK),
        text_of(block("a", value="', input_type=int'") + LINK, block("b")),
        text_of(block(" a") + LINK, block("b") + LINK, block(" c ")),
        "1 validation error for fArguments" + block("a", "value_error", "Value error, [x] is not y"),
    ],
)
def test_a_text_that_can_be_read_in_one_way_is_read_whole(text: str) -> None:
    assert problems(text) == whole(text)
    read, expected = quickly.parse(text), parse(text)
    assert read is not None
    assert expected is not None
    assert (read.prefix, read.count, read.title, read.complete) == ("", expected.count, expected.title, True)
    assert expected.complete
    assert [one[:4] for one in read.problems] == [one[:4] for one in expected.problems]


def test_the_whole_reading_is_only_asked_where_it_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrubber.words.message.parse", None)
    read = quickly.parse(text_of(block("a") + LINK, block("b")))
    assert read is not None
    assert [one.location for one in read.problems] == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        # A block more than is counted, or one less, though the tails are as many.
        "2 validation errors for call[f]" + block("a", value="'[type='"),
        "1 validation errors" + block("a"),
        "1 validation error XX for call[f]" + block("a"),
        text_of(block("a")) + "\n  more",
        text_of(block("a"), block("b")) + "\n",
        text_of(block("a"), block("b", "of_our_own")),
        text_of(block("a"), block("  b")),
        text_of(block("  a"), block("b")),
        text_of(block("a"), block("b\n  c")),
        text_of(block("a"), block("b", said="a [bracket]")),
        text_of(block("a"), block("b")).replace(", input_type=str]\nb", ", input_type=str] \nb"),
        "1 validation error for call[f]\na, input_type=b\n  Not valid [type=int_type, input_value=1]",
        "1 validation error for call[f]\na\n  Not valid [type=int_type, input_value=1]",
    ],
)
def test_a_text_that_may_be_read_otherwise_is_left_to_the_whole_reading(text: str) -> None:
    assert quickly.parse(text) == parse(text)
    found = problems(text)
    assert found is None or (text.startswith("1 ") and found == whole(text))


@pytest.mark.parametrize("text", ["1 validation errors" + block("a"), "1 validation error XX for call[f]" + block("a")])
def test_a_first_line_that_pydantic_does_not_write_is_none(text: str) -> None:
    assert first(text) is None


def test_what_was_printed_ends_at_the_last_type_in_its_line() -> None:
    found = first("1 validation error for call[f]" + block("a", value="', input_type=int]'") + LINK)
    assert found is not None
    assert found[1].input == "', input_type=int]'"
    assert first("1 validation error for f\na, input_type=b\n  Not valid [type=int_type, input_value=1]") is None
