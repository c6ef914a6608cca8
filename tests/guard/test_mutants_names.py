"""Hints and lists at their bounds: which names are near enough, in which order, and where a list is cut short."""

from __future__ import annotations

import pytest

from scrubber.guard.names import is_plain, listed, nearest


@pytest.mark.parametrize("name, plain", [("x" * 64, True), ("x" * 65, False), ("é", False), (7, False), (None, False)])
def test_a_name_of_64_letters_is_the_longest_that_is_printed(name: object, plain: bool) -> None:
    assert is_plain(name) is plain


@pytest.mark.parametrize(
    "name, choices, hints",
    [
        ("A", ["a"], ["a"]),
        ("", ["_"], []),
        ("x" * 64, ["x" * 64 + "y"], ["x" * 64 + "y"]),
        ("x" * 65, ["x" * 65], []),
    ],
)
def test_names_of_one_to_64_letters_have_hints(name: str, choices: list[str], hints: list[str]) -> None:
    assert nearest(name, choices) == hints


def test_a_choice_of_more_than_128_letters_is_passed_over_and_the_next_is_looked_at() -> None:
    longest, longer = "a" * 64 + "_" * 64, "a" * 64 + "_" * 65
    assert nearest("a" * 64, [longest]) == [longest]
    assert nearest("a" * 64, [longer]) == []
    assert nearest("a" * 64, [longer, longest]) == [longest]


def test_another_style_of_the_name_comes_before_what_is_an_edit_away() -> None:
    assert nearest("name", ["nam", "Name"]) == ["Name", "nam"]
    assert nearest("name", ["Name", "nam"]) == ["Name", "nam"]


@pytest.mark.parametrize("name, choice, near", [("abcd", "abxy", True), ("abcd", "axyz", False), ("abc", "abx", True)])
def test_half_of_the_letters_may_differ(name: str, choice: str, near: bool) -> None:
    assert nearest(name, [choice]) == [choice] * near


def test_a_list_of_exactly_400_characters_is_printed_whole() -> None:
    first, second = "a" * 198, "b" * 198
    assert listed([first, second], 5) == f"{first}, {second}"
    assert listed([first, second + "b"], 5) == f"{first} and 1 more"
    assert listed([first + second + "abc", "c"], 5) == "2 names"
