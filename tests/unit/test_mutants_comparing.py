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


def printed_of(value: Any) -> str:
    """How pydantic prints a rejected value: 50 bytes of its repr, its middle cut out."""
    written = repr(value)
    return written if len(written) <= 50 else f"{written[:25]}...{written[-24:]}"


FAR = "alpha " * 50 + "omega"
"""So long that only its ends are compared."""


def test_of_a_very_long_text_both_ends_are_compared() -> None:
    assert comparing.plainly_shows(FAR, printed_of(FAR))
    assert explained(FAR, printed_of(FAR))
    for other in ("x" + FAR[1:], FAR[:-1] + "x", FAR + "x"):
        assert not explained(other, printed_of(FAR))
        assert not explained(FAR, printed_of(other))


def test_of_a_very_long_text_that_posthog_cut_the_start_is_compared() -> None:
    cut = FAR[:250] + "..."
    assert comparing.plainly_shows(cut, printed_of(FAR))
    assert explained(cut, printed_of(FAR))
    assert not explained("x" + cut[1:], printed_of(FAR))
    assert not explained(cut, printed_of([FAR]))
    assert not explained(cut, printed_of(7))


@pytest.mark.parametrize("value", ["it's " * 60, 'say "it" ' * 40, 'it\'s "it" ' * 40, "a\\b\n" * 60, "é" * 300])
def test_a_very_long_text_is_printed_with_its_own_marks(value: str) -> None:
    assert explained(value, printed_of(value))
    assert not explained(value[1:] + "x", printed_of(value))


SMALL = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 999) | st.floats() | st.text(max_size=60) | CUTS | CUTS.map(FAR.join),
    lambda inner: st.lists(inner, max_size=11) | st.dictionaries(st.text(max_size=9), inner, max_size=11),
    max_leaves=12,
)


@settings(max_examples=500, deadline=None)
@given(SMALL, SMALL, st.sampled_from([60, 110, 10_000]), st.booleans())
def test_the_cheap_look_at_a_value_says_no_more_than_the_whole_one(sent: Any, other: Any, cut: int, same: bool) -> None:
    """Broken by: an end that is not compared, a type that is not looked at, a cut that is taken for another."""
    shortened = sent[:cut] + "..." if isinstance(sent, str) and len(sent) > cut else sent
    printed = printed_of(sent if same else other)
    if comparing.plainly_shows(shortened, printed):
        assert comparing.shows(shortened, printed, str)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.lists(st.integers(0, 9) | st.text(max_size=9), max_size=9))
def test_the_cheap_look_knows_a_small_value_that_was_sent(sent: Any) -> None:
    printed = printed_of(sent)
    # Three dots of the value's own, or one right beside pydantic's cut, leave it to the whole look.
    unclear = "..." in repr(sent) or "...." in printed or "redacted" in printed
    assert comparing.plainly_shows(sent, printed) or (unclear and explained(sent, printed))


def test_a_text_that_holds_three_dots_is_no_long_one_cut() -> None:
    # Whole, because it is short: pydantic cuts nothing so short.
    assert not comparing.plainly_shows("aaa" + "x" * 300 + "bbb", "'aaa...bbb'")
    assert not explained("aaa" + "x" * 300 + "bbb", "'aaa...bbb'")


def test_nodes_are_counted_over_all_levels() -> None:
    inner: list[Any] = [0] * 2400
    for number, bounded in ((1, True), (2, False)):
        for _ in range(number):
            inner = [*[0] * 2399, inner]
        assert comparing.is_bounded(inner) is bounded


@pytest.mark.parametrize(
    "value, printed, differs",
    [
        (7, "8", True),
        (7, "7", False),
        (None, "'None'", True),
        (True, "1", True),
        ("x", "'y'", True),
        ("x", "'x'", False),
        ([7], "[8]", False),
        ({"a": 1}, "{'a': 2}", False),
        ("[1]", "[2]", False),
        (' {"a": 1}', "{'a': 2}", False),
        ("see [redacted] end", "'see hush end'", False),
        ("z" * 97 + "...", "'y'", False),
        ("see hush end", "'saw [redacted] end'", False),
        ("x" * 60, "'xxxxxxxxxxxxxxxxxxxxxxxx...yyyyyyyyyyyyyyyyyyyyyyy'", False),
        ("é" * 60, "'éééééééééééé...éééééééééééy'", False),
    ],
)
def test_only_a_whole_value_that_nothing_changes_on_the_way_is_plainly_another(
    value: Any, printed: str, differs: bool
) -> None:
    """False is no answer: the whole walk then tells."""
    assert comparing.plainly_differs(value, printed) is differs


@settings(max_examples=500, deadline=None)
@given(SMALL, SMALL)
def test_what_is_plainly_another_value_is_never_shown(sent: Any, other: Any) -> None:
    printed = printed_of(other)
    if comparing.plainly_differs(sent, printed):
        assert not comparing.shows(sent, printed, str)
        assert comparing.decoded(sent) is None if isinstance(sent, str) else True


@pytest.mark.parametrize(
    "sent, printed",
    [
        ({"a": 1, "b": "x"}, "{'a': 1, 'b': 'x'}"),
        ([1, "x", None], "[1, 'x', None]"),
        ({"a": "x" * 60}, printed_of({"a": "x" * 60})),
        (["x" * 60], printed_of(["x" * 60])),
        ("z" * 97 + "...", printed_of("z" * 97 + " and more of it")),
        ("z" * 60, printed_of("z" * 60)),
        ("it's " * 12, printed_of("it's " * 12)),
    ],
)
def test_the_cheap_look_knows_what_is_small_or_cut(sent: Any, printed: str) -> None:
    assert comparing.plainly_shows(sent, printed)
    assert not comparing.plainly_shows(7, printed)


def test_a_value_too_short_for_both_ends_is_not_the_one_that_was_cut() -> None:
    assert not explained("a" * 30, printed_of("a" * 80))
    assert not explained({"k": "a" * 25}, printed_of({"k": "a" * 25 + "a" * 25}))
