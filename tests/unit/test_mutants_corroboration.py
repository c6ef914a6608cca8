"""What a caller wrote in the arguments, wherever it stands, and arguments that prove nothing."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest

from scrubber.rules.corroboration import TOO_LARGE, UNREADABLE, arguments_of

from .comparing_kit import contradiction

FORGED = "k\n  bad [type=int_type, input_value=1, input_type=int]\nsku"
HEAD = "1 validation error for call[find]\n"
SAID = "\n  Input should be a valid integer [type=int_parsing, input_value={!r}, input_type=str]"


def refused(location: str, value: Any) -> str:
    return HEAD + location + SAID.format(value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"rows": {FORGED: "x"}},
        {"rows": json.dumps({FORGED: "x"})},
        {"rows": "  " + json.dumps({FORGED: "x"})},
    ],
    ids=["sent as an object", "sent as JSON", "sent as JSON behind blanks"],
)
def test_a_forged_block_in_a_key_is_found_wherever_the_key_was_sent(arguments: dict[str, Any]) -> None:
    assert contradiction(refused(f"rows.{FORGED}", "x"), arguments, False) is None
    assert contradiction(refused(f"rows.{FORGED}", "y"), arguments, False) is not None


def test_a_forged_block_in_a_key_of_a_row_in_a_list_is_found() -> None:
    for rows in ([{FORGED: "x"}], json.dumps([{FORGED: "x"}]), [json.dumps({FORGED: "x"})]):
        assert contradiction(refused(f"rows.0.{FORGED}", "x"), {"rows": rows}, False) is None


def test_forged_lines_that_a_message_echoes_are_the_callers() -> None:
    value = "x [type=bad, input_value=1, input_type=int]"
    said = f"{HEAD}number\n  Value error, not a number:\n{value}\nTry again"
    said += f" [type=value_error, input_value={value!r}, input_type=str]"
    assert contradiction(said, {"number": value}, False) is None
    assert contradiction(said, {"number": "another"}, False) is not None


def test_a_long_value_beside_a_forged_one_is_still_compared_as_it_is() -> None:
    long = "a sentence that is longer than what pydantic prints of it, and plain"
    printed = "'a sentence that is longe...ydantic prints of it, and plain'"
    said = f"{HEAD}number\n  Input should be a valid integer [type=int_parsing, input_value={printed}, input_type=str]"
    assert contradiction(said, {"name": "one\ntwo", "number": long}, False) is None
    assert contradiction(said, {"name": "one\ntwo", "number": "b" + long}, False) is not None


def test_json_with_more_in_it_than_may_be_walked_proves_nothing() -> None:
    for many, explained in ((100, True), (6000, False)):
        rows = json.dumps({f"k{at}": at for at in range(many)} | {"bad": "x"})
        assert (contradiction(refused("rows.bad", "x"), {"rows": rows}, False) is None) is explained


def test_keys_count_as_text_that_is_too_large() -> None:
    said = refused("number", "x" * 10 + "...")
    assert contradiction(said, {"number": {"k" * 400_000: 1}}, False) == TOO_LARGE
    assert contradiction(said, {"number": [["k" * 200_000], ["k" * 200_000]]}, False) == TOO_LARGE
    assert contradiction(said, {"number": {"k" * 1000: 1}}, False) != TOO_LARGE


def test_a_text_with_fewer_errors_than_it_counts_is_read_only_if_it_was_cut() -> None:
    said = refused("number", "x").replace("1 validation error", "2 validation errors")
    assert contradiction(said, {"number": "x"}, False) == UNREADABLE
    assert contradiction(said + "\nother\n  Input should...", {"number": "x"}, False) is None
    long = refused("number", "x").replace("Input should be", "Input " + "really " * 300 + "should be")
    assert contradiction(long.replace("1 validation error", "2 validation errors"), {"number": "x"}, False) is None
    assert contradiction("something else", {"number": "x"}, False) == UNREADABLE


def test_the_common_case_agrees_with_the_walk_on_what_was_not_sent() -> None:
    missing = HEAD + "name\n  Field required [type=missing, input_value={'number': 1}, input_type=dict]"
    assert contradiction(missing, {"number": 1}, False) is None
    assert contradiction(missing, {"number": 1}, True) is not None, "a transformed tool's own parameter"
    assert contradiction(missing, {"number": 1, "name": "x"}, False) is not None, "it was sent"
    assert contradiction(missing, {"number": 2}, False) is not None, "another value"
    dotted = missing.replace("\nname\n", "\nname.of\n")
    assert contradiction(dotted, {"number": 1}, False) is not None, "not an argument's name"
    forged = missing.replace("Field required", "Something else")
    assert contradiction(forged, {"number": 1}, False) is None


def test_two_errors_are_both_asked_for_even_where_the_first_is_plain() -> None:
    two = refused("number", "x").replace("1 validation error", "2 validation errors") + "\nmode" + SAID.format("y")
    assert contradiction(two, {"number": "x", "mode": "y"}, False) is None
    assert contradiction(two, {"number": "x", "mode": "z"}, False) is not None


def test_a_value_that_was_lost_on_the_way_is_not_the_callers() -> None:
    assert contradiction(refused("number", None), {"number": None}, False) is None
    for sent in (7, "x", [None], "None "):
        assert contradiction(refused("number", None), {"number": sent}, False) is not None


def test_an_argument_that_was_not_sent_is_not_explained_by_all_the_others() -> None:
    said = HEAD + "number\n  Input should be valid [type=int_type, input_value={'name': 'x'}, input_type=dict]"
    assert contradiction(said, {"name": "x"}, False) is not None
    assert contradiction(said, {"number": {"name": "x"}}, False) is None


def test_a_missing_argument_is_missing_from_what_was_sent() -> None:
    said = HEAD + "name\n  Field required [type=missing, input_value={}, input_type=dict]"
    assert contradiction(said.replace("{}", "{'name': 'x'}"), {"name": "x"}, False) is not None, "it was sent"
    assert contradiction(said.replace("{}", "None"), {"number": 1}, False) is not None, "the arguments were lost"
    many = {f"k{at}": at for at in range(12)}
    assert (
        contradiction(said.replace("{}", "{'k0': 0, 'k1': 1, 'k2':...: 9, 'k10': 10, 'k11': 11}"), many, False) is None
    )
    assert contradiction(said, {}, False) is None


def test_what_is_too_large_is_counted_over_all_levels() -> None:
    said = refused("number", "x" * 10 + "...")
    for number in ([[1]] * 2700, [{"a": 1}] * 2700, [{"k" * 200_000: 1}, {"k" * 200_000: 1}], ["x" * 200_000] * 2):
        assert contradiction(said, {"number": number}, False) == TOO_LARGE
    for number in ([1] * 4000, [[1]] * 2000, {f"k{at}": at for at in range(4000)}, "x" * 200_000):
        assert contradiction(said, {"number": number}, False) != TOO_LARGE


@pytest.mark.parametrize(
    "location, printed, arguments, explained",
    [
        ("a.int", "{'b': 1}", {"a": {"b": 1}}, True),
        ("a.int", "'x'", {"a": "x"}, True),
        ("a.int", "'y'", {"a": "x"}, False),
        ("a.5", "[1]", {"a": [1]}, False),
        ("a.int", "'[redacted]'", {"a": "[redacted]"}, True),
        ("a.b", "'[redacted]'", {"a": "[redacted]"}, False),
        ("a", "{'b': 1}", {"b": 1}, False),
        ("a", "1", {"a": 2}, False),
        ("a", "1", {}, False),
        ("a", "'[1]'", {"a": "[1]"}, True),
        ("a", "[1]", {"a": "[1]"}, True),
        ("a.b.c.d.e.f.g.h.i.j", "1", {"a": 1}, True),
    ],
)
def test_a_last_step_that_leads_nowhere_is_a_label_below_what_was_sent(
    location: str, printed: str, arguments: dict[str, Any], explained: bool
) -> None:
    text = (
        f"1 validation error for call[f]\n{location}\n  Not valid [type=int_type, input_value={printed}, input_type=x]"
    )
    assert (contradiction(text, arguments, False) is None) is explained


@pytest.mark.parametrize(
    "sent, transformed, explained",
    [({}, False, True), ({"a": 1}, False, False), ({}, True, False), ({"b": 1}, False, False)],
)
def test_a_missing_argument_was_not_sent_and_the_tool_asked_the_caller_for_it(
    sent: dict[str, Any], transformed: bool, explained: bool
) -> None:
    text = "1 validation error for call[f]\na\n  Field required [type=missing, input_value={}, input_type=dict]"
    assert (contradiction(text, sent, transformed) is None) is explained


def test_of_several_errors_one_that_is_plainly_another_value_is_enough() -> None:
    block = "\n{}\n  Not valid [type=int_type, input_value={}, input_type=x]"
    text = (
        "3 validation errors for call[f]" + block.format("a", "1") + block.format("b.x", "2") + block.format("c", "3")
    )
    assert contradiction(text, {"a": 1, "b": {"x": 2}, "c": 3}, False) is None
    assert contradiction(text, {"a": 1, "b": {"y": 2}, "c": 4}, False) is not None
    assert contradiction(text, {"a": 0, "b": {"x": 2}, "c": 3}, False) is not None
    assert contradiction(text, {"a": 1, "b": '{"x": 2}', "c": 3}, False) is None


def test_what_was_not_sent_is_not_none() -> None:
    block = "1 validation error for call[f]\n{}\n  Not valid [type=int_type, input_value=None, input_type=NoneType]"
    assert contradiction(block.format("a"), {"a": None}, False) is None
    assert contradiction(block.format("a"), {}, False) is not None
    assert contradiction(block.format("a.0"), {"a": [None]}, False) is None
    assert contradiction(block.format("a.0"), {"a": [7]}, False) is not None
    assert contradiction(block.format("a.1"), {"a": [None]}, False) is not None


def test_a_name_that_is_missing_may_be_missing_above_a_label() -> None:
    text = "1 validation error for call[f]\na.c.b\n  Field required [type=missing, input_value={}, input_type=dict]"
    assert contradiction(text.replace("{}", "{'c': {'b': 1}}"), {"a": {"c": {"b": 1}}}, False) is None
    assert contradiction(text.replace("{}", "{'b': 1}"), {"a": {"c": {"b": 1}}}, False) is not None


@pytest.mark.parametrize("wrap", [dict, MappingProxyType])
def test_arguments_are_read_from_any_mapping(wrap: Any) -> None:
    parameters = wrap({"request": wrap({"params": wrap({"name": "t", "arguments": wrap({"a": 1})})})})
    assert arguments_of(parameters, "t") == {"a": 1}
    assert arguments_of(parameters, "other") is None


@pytest.mark.parametrize("parameters", [7, {"request": 7}, {"request": {"params": 7}}, {"request": {"params": [1]}}])
def test_what_is_no_mapping_holds_no_arguments(parameters: Any) -> None:
    assert arguments_of(parameters, "t") is None


def test_a_forged_block_is_found_among_all_that_is_suspicious() -> None:
    arguments = {"rows": {FORGED: "x"}, "a": "\\u2028", "b": "1 validation error for Row", "c": "\u2028"}
    assert contradiction(refused(f"rows.{FORGED}", "x"), arguments, False) is None
