"""Comparing what was rejected with what was sent: cut and redacted on either side, or on both."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubber.rules import comparing

from .comparing_kit import contradiction

TEXT = "1 validation error for call[find]\nnumber\n  Input should be valid [type=bool_type, input_value={}, input_type=str]"


def explained(sent: Any, printed: str) -> bool:
    """Whether `sent` as the argument explains that pydantic rejected what it printed as `printed`."""
    return contradiction(TEXT.replace("{}", printed), {"number": sent}, False) is None


LONG = "alpha beta " * 12
"""Longer than pydantic prints whole."""


def test_a_copy_that_posthog_cut_fits_a_print_that_pydantic_cut() -> None:
    assert explained(LONG[:97] + "...", "'alpha beta alpha beta al...beta gamma delta and end'")
    assert not explained(LONG[:97] + "...", "'gamma beta alpha beta al...beta gamma delta and end'"), "another start"
    assert not explained([LONG[:97] + "..."], "'alpha beta alpha beta al...beta gamma delta and end'"), "another type"


def test_a_value_redacted_twice_is_compared_at_its_very_ends() -> None:
    sent = "first [redacted] middle [redacted] last words"
    assert explained(sent, "'first a@example.test midd...b@example.test last words'")
    assert not explained(sent, "'first a@example.test midd...b@example.test other word'")


def test_a_print_redacted_and_cut_is_compared_at_its_very_ends() -> None:
    sent = "token=[redacted] and much more of it, up to the last words"
    assert explained(sent, "'token=[redacted] and muc...[redacted] to the last words'")
    assert not explained(sent, "'token=[redacted] and muc...[redacted] to the next words'")


def test_a_print_with_two_cuts_fits_a_copy_that_posthog_cut() -> None:
    sent = "token=abc " + "x" * 95 + "..."
    assert explained(sent, "'token=[redacted] xxxxxxxxxx...yyyyyyyyyyyyyy the end'")
    assert not explained(sent, "'other=[redacted] xxxxxxxxxx...yyyyyyyyyyyyyy the end'")


def test_what_stands_before_a_redaction_may_be_shorter_on_either_side() -> None:
    printed = "'see password=hush and mor...of it until the very end'"
    assert explained("see [redacted] and more of it until the very end", printed)
    assert explained("see password=hush and more of [redacted] very end", printed)
    assert not explained("saw [redacted] and more of it until the very end", printed)
    assert not explained("see [redacted] and more of it until the very start", printed)


def test_a_short_print_is_whole_and_must_have_room_for_both_ends() -> None:
    assert explained("ab[redacted]ba", "'abcba'")
    assert not explained("ab[redacted]ba", "'aba'")


@pytest.mark.parametrize(
    "sent, printed",
    [
        ("ab...", "'abzz'"),
        ("x" * 50 + "..." + "y" * 50, "'x...y'"),
        ("x" * 40 + "...", "'" + "x" * 41 + "'"),
    ],
    ids=["short", "in the middle", "a sentence"],
)
def test_dots_that_the_caller_wrote_are_no_cut_of_posthogs(sent: str, printed: str) -> None:
    assert explained(sent, repr(sent))
    assert not explained(sent, printed)


def test_the_word_redacted_alone_marks_no_cut() -> None:
    assert explained("a redacted word", "'a redacted word'")
    assert not explained("another word", "'a redacted word'")
    assert not explained("a redacted word", "'another word'")


def test_a_print_of_the_full_length_without_a_cut_is_compared_whole() -> None:
    assert explained(["x" * 43], f"['{'x' * 43}']")
    assert not explained(["x" * 42 + "y"], f"['{'x' * 43}']")


def test_more_cuts_than_any_value_has_prove_nothing() -> None:
    assert not explained("[redacted] " * 40 + "end", "'a b c and the end'")


@pytest.mark.parametrize(
    "sent, printed, fits",
    [
        ("one [redacted] two [redacted] three", "'one AAA two BBB three'", True),
        ("one [redacted] two [redacted] three", "'one AAA tow BBB three'", False),
        ("one [redacted] two [redacted] three", "'one AAA two BBB there'", False),
        ("one [redacted] two [redacted] three", "'own AAA two BBB three'", False),
        ("one [redacted] 2 [redacted] 3 [redacted] end", "'one A 2 B 3 C end'", True),
        ("one [redacted] 2 [redacted] 3 [redacted] end", "'one A 3 B 2 C end'", False),
        ("one [redacted] 2 [redacted] 3 [redacted] end", "'one A 2 B 3 C 2 D end'", True),
        ("one [redacted] 2 [redacted] 3 [redacted] end", "'one A 3 2 C end'", False),
        ("a[redacted]b[redacted]b", "'axb'", False),
        ("ab[redacted]a[redacted]c", "'abxc'", False),
    ],
)
def test_what_stands_between_two_redactions_must_stand_there_in_the_print(sent: str, printed: str, fits: bool) -> None:
    assert explained(sent, printed) is fits


def test_a_short_print_that_posthog_redacted_fits_what_was_sent() -> None:
    assert explained("see hush end", "'see [redacted] end'")
    assert not explained("see hush end", "'saw [redacted] end'")


CUTS = st.lists(
    st.sampled_from(
        [
            "[",
            "]",
            "'",
            ", ",
            "...",
            ".",
            "redacted",
            "[redacted]",
            "[a b redacted: x]",
            "%5B",
            "%5Bredacted%5D",
            "é ",
            "A",
            ", '[MaxProperties ~]'",
            ", '...': '[MaxProperties ~]'",
            "[MaxProperties ~]",
            "'[Object]'",
            "'[Array]'",
            "b ",
        ]
    ),
    max_size=12,
).map("".join)


@settings(max_examples=500, deadline=None)
@given(CUTS)
def test_a_text_is_split_where_it_was_cut_wherever_the_search_starts(text: str) -> None:
    assert comparing._pieces(text) == comparing._CUT_PATTERN.split(text)
