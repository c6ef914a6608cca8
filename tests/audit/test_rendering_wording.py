"""Numbers, sizes, shares and names are written the same way everywhere, and never break a line."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubber.audit.rendering import wording
from scrubber.audit.rendering.outcome import saving

from .samples import HOSTILE

COUNTED = [
    (0, "event", "", "0 events"),
    (1, "event", "", "1 event"),
    (2, "event", "", "2 events"),
    (1_234_567, "event", "", "1,234,567 events"),
    (0, "property", "properties", "0 properties"),
    (1, "property", "properties", "1 property"),
    (2, "property", "properties", "2 properties"),
    (1, "file breaks off", "files break off", "1 file breaks off"),
    (21, "file breaks off", "files break off", "21 files break off"),
]
SIZES = [
    (0, "0 B"),
    (1, "1 B"),
    (999, "999 B"),
    (1_000, "1.0 kB"),
    (1_249, "1.2 kB"),
    (99_949, "99.9 kB"),
    (99_950, "100 kB"),
    (999_499, "999 kB"),
    (999_500, "1.0 MB"),
    (12_345_678, "12.3 MB"),
    (999_999_999, "1.0 GB"),
    (5 * 10**12, "5.0 TB"),
    (7 * 10**15, "7.0 PB"),
    (7 * 10**19, "70,000 PB"),
    (-1_500, "-1.5 kB"),
]
SHARES = [
    (0, 0, "0%"),
    (0, 10, "0%"),
    (10, 10, "100%"),
    (11, 10, "100%"),
    (-1, 10, "0%"),
    (1, 1_000_000, "<1%"),
    (999_999, 1_000_000, ">99%"),
    (1, 100, "1%"),
    (99, 100, "99%"),
    (1, 3, "33%"),
]
SAVINGS = [(0, 0, "0 B (0%)"), (1000, 400, "600 B (60%)"), (1000, 1000, "0 B (0%)"), (1000, 1012, "+12 B")]


@pytest.mark.parametrize("value, one, many, said", COUNTED)
def test_a_count_has_the_number_of_its_noun(value: int, one: str, many: str, said: str) -> None:
    assert wording.counted(value, one, many) == said


@pytest.mark.parametrize("value, said", SIZES)
def test_a_size_has_a_unit_that_keeps_it_short(value: int, said: str) -> None:
    assert wording.size(value) == said


@pytest.mark.parametrize("part, whole, said", SHARES)
def test_a_share_says_nothing_or_all_only_where_it_is_so(part: int, whole: int, said: str) -> None:
    assert wording.share(part, whole) == said


@pytest.mark.parametrize("came, leaves, said", SAVINGS)
def test_a_saving_says_when_more_leaves_than_came(came: int, leaves: int, said: str) -> None:
    assert saving(came, leaves) == said


@given(st.integers(1, 10**15), st.integers(1, 10**15))
def test_no_share_between_nothing_and_all_is_shown_as_either(part: int, more: int) -> None:
    assert wording.share(part, part + more) not in ("0%", "100%")


@given(st.text() | st.sampled_from(HOSTILE))
def test_a_printable_text_is_one_line_that_any_file_holds(text: str) -> None:
    shown = wording.printable(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(char)[0] == "C" for char in shown)


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_what_is_printable_stays_as_it_is(text: str) -> None:
    assert wording.printable(text) == text


def test_what_a_terminal_obeys_and_what_turns_a_line_round_is_written_out() -> None:
    assert wording.printable("\x1b[31m\n\x00\u202e\ud800é漢") == "\\x1b[31m\\n\\x00\\u202e\\ud800é漢"


def test_an_empty_name_is_said_to_be_empty() -> None:
    assert wording.named("") == "(empty)"
    assert wording.place("properties.") == "(empty)"
    assert wording.place("properties.$lib") == "$lib"
    assert wording.place("distinct_id") == "distinct_id"


def test_a_listing_names_the_first_and_counts_the_rest() -> None:
    assert wording.listing([], 2) == ""
    assert wording.listing(["a", "b"], 2) == "a, b"
    assert wording.listing(["a", "b", "c\n"], 2) == "a, b and 1 more"
