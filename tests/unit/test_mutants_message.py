"""Reading pydantic's text on its edges: first lines, last lines, blocks without an end, and long texts."""

from __future__ import annotations

import pytest

from scrubber.words import message
from scrubber.words.message import LONGEST, argument_function, field_of, header, is_argument_title, parse, shape
from scrubber.words.quickly import first

LINK = "\n    For further information visit https://errors.pydantic.dev/2.14/v/int_type"


def block(location: str, code: str = "int_type", said: str = "Input should be valid", value: str = "'x'") -> str:
    return f"\n{location}\n  {said} [type={code}, input_value={value}, input_type=str]"


def text_of(*blocks: str, title: str = "call[find]", count: int | None = None) -> str:
    return f"{len(blocks) if count is None else count} validation errors for {title}" + "".join(blocks)


def parsed(text: str) -> message.Refusal:
    found = parse(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "line, expected",
    [
        ("1 validation error for Row", ("", 1, "Row")),
        ("12 validation errors for call[a]", ("", 12, "call[a]")),
        ("Error executing tool a: 3 validation errors for aArguments", ("Error executing tool a", 3, "aArguments")),
        ("a: b: 3 validation errors for c: d", ("a: b", 3, "c: d")),
        ("1 validation error for Row\nx\n  2 validation errors for Other", ("", 1, "Row")),
        ("0 validation errors for Row", None),
        ("validation error for Row", None),
        ("1 validation error for ", None),
        ("x\n1 validation error for Row", None),
        ("", None),
    ],
)
def test_the_first_line_says_how_many_errors_of_what(line: str, expected: tuple[str, int, str] | None) -> None:
    assert header(line) == expected


def test_the_quick_look_reads_title_location_code_and_message() -> None:
    found = first(text_of(block("number") + LINK, block("name", "missing", "Field required") + LINK))
    assert found is not None
    title, problem = found
    assert title == "call[find]"
    assert (problem.location, problem.code, problem.text, problem.input) == (
        "number",
        "int_type",
        "Input should be valid",
        "'x'",
    )
    titled = first(text_of(block("n"), title="a for b"))
    assert titled is not None
    assert titled[0] == "a for b"
    empty = first(text_of(block("")))
    assert empty is not None
    assert (empty[1].location, empty[1].text) == ("", "Input should be valid")


@pytest.mark.parametrize(
    "text",
    [
        text_of(block("number"), count=2),
        text_of(block("number"), block("name"), count=1),
        text_of(block("number")) + "...",
        text_of(block("number", "jane_doe")),
        text_of(block("number", said="one\ntwo")),
        text_of(block("number", value="'[type=x, input_value=1'")),
        "Error executing tool find: " + text_of(block("number")),
        text_of("\n  Value error, no [type=value_error, input_value={}, input_type=dict]"),
        text_of("\nnumber\n no margin [type=int_type, input_value='x', input_type=str]"),
        text_of("\nnumber\n  hidden [type=int_type]"),
        text_of(block("number"))[:60],
        text_of(block("number", value="'" + "x" * LONGEST + "'")),
        text_of(block("number")).replace("1 validation", "123456 validation"),
        text_of(block("number")).replace("1 validation errors", "one validation errors"),
        text_of(block("number")).replace(" validation errors for", " errors for"),
        "\n" + text_of(block("number")),
        text_of(*["\n  Value error, no [type=value_error, input_value={}, input_type=dict]"] * 2),
    ],
    ids=range(17),
)
def test_the_quick_look_leaves_what_is_not_plain_to_the_whole_reading(text: str) -> None:
    assert first(text) is None


def test_blocks_are_counted_and_links_between_them_passed_over() -> None:
    found = parsed(text_of(block("a") + LINK, block("b", "missing", "Field required") + LINK, block("c") + LINK))
    assert found.complete
    assert [(one.location, one.code, one.text, one.input) for one in found.problems] == [
        ("a", "int_type", "Input should be valid", "'x'"),
        ("b", "missing", "Field required", "'x'"),
        ("c", "int_type", "Input should be valid", "'x'"),
    ]


def test_a_refusal_says_what_its_first_line_says() -> None:
    found = parsed("Error executing tool find: " + text_of(block("a"), block("b")))
    assert (found.prefix, found.count, found.title) == ("Error executing tool find", 2, "call[find]")


def test_a_link_before_any_block_is_no_location_of_one() -> None:
    found = parsed("1 validation error for call[find]" + LINK + block("a"))
    assert found.problems[0].location == ""
    assert "a" not in shape(found).split(": ")


def test_what_follows_the_last_block_means_not_understood() -> None:
    whole = text_of(block("a"))
    assert parsed(whole).complete
    assert not parsed(whole + "\nmore").complete
    assert not parsed(whole + "\n").complete
    assert not parsed(whole + "...").complete
    assert not parsed(text_of(block("a"), count=2)).complete
    assert not parsed(text_of(block("a"), block("b"), count=1)).complete


def test_a_message_of_several_lines_is_one_message() -> None:
    found = parsed(text_of(block("a", "value_error", "Value error, one\ntwo\n  three")))
    assert found.complete
    assert found.problems[0].text == "Value error, one\ntwo\n  three"
    root = parsed(text_of("\n  Value error, no [type=value_error, input_value={}, input_type=dict]"))
    assert (root.problems[0].location, root.problems[0].text) == ("", "Value error, no")


def test_a_block_without_an_end_is_not_read_for_ever() -> None:
    short, long = "\nline" * 400, "\nline" * 600
    assert parsed(text_of(block("a", said="one" + short))).complete
    found = parsed(text_of(block("a", said="one" + long), block("b")))
    assert not found.complete
    assert found.problems == ()


def test_a_text_longer_than_what_is_looked_at_is_not_whole() -> None:
    padded = text_of(block("a", said="x" * (LONGEST - 200)))
    assert len(padded) < LONGEST
    assert parsed(padded).complete
    assert not parsed(padded + LINK + "x" * 400).complete


def test_a_conversation_id_behind_the_text_is_passed_over_and_other_json_is_not() -> None:
    whole = text_of(block("a"))
    assert parsed(whole + '\n{"conversation_id": "01a22c07-6c87-7d18-ab71-a25aa3773c9f"}').complete
    assert parsed(whole + ' {"conversation_id":"01a22c07-6c87-7d18-ab71-a25aa3773c9f"}').complete
    assert not parsed(whole + '\n{"other": "01a22c07-6c87-7d18-ab71-a25aa3773c9f"}').complete


def test_a_line_with_two_tails_is_read_in_both_ways() -> None:
    found = parsed(text_of(block("a", said="echo [type=missing, input_value=1, input_type=int]", value="'y'")))
    problem = found.problems[0]
    assert found.counted
    assert not found.complete
    assert problem.ambiguous
    assert message.readings(problem)[-1] == ("int_type", "'y'")
    assert len(message.readings(problem)) == 2
    assert message.readings(parsed(text_of(block("a"))).problems[0]) == [("int_type", "'x'")]


@pytest.mark.parametrize(
    "title, function",
    [
        ("call[find]", "find"),
        ("call[]", ""),
        ("findArguments", "find"),
        ("Arguments", None),
        ("call[find", None),
        ("recall[find]", None),
        ("Row", None),
        ("findArgumentsRow", None),
    ],
)
def test_an_argument_title_names_its_function(title: str, function: str | None) -> None:
    assert argument_function(title) == function
    assert is_argument_title(title) is (function is not None)


@pytest.mark.parametrize(
    "location, code, said, field",
    [
        ("", "int_type", "x", ""),
        ("a", "int_type", "x", "a"),
        ("a", "unexpected_keyword_argument", "x", ""),
        ("a.b", "int_type", "x", "a.*"),
        ("a.0.b", "int_type", "x", "a.N.*"),
        ("a.0.b", "missing", "Field required", "a.N.b"),
        ("a.b", "missing", "another text", "a.*"),
        ("a.b", "extra_forbidden", "x", "a.*"),
        ("7", "int_type", "x", ""),
        ("a b.c", "int_type", "x", ""),
        ("a.b c", "missing", "Field required", "a.*"),
        (".".join(["a"] * 20), "int_type", "x", ".".join(["a"] + ["*"] * 15)),
    ],
)
def test_a_field_names_only_what_was_declared(location: str, code: str, said: str, field: str) -> None:
    assert field_of(message.Problem(location, code, said, None), True) == field


def test_without_a_tools_title_only_a_missing_name_is_declared() -> None:
    assert field_of(message.Problem("a", "int_type", "x", None), False) == ""
    assert field_of(message.Problem("a.b", "missing", "Field required", None), False) == "*.b"


def test_a_shape_holds_each_part_once_and_at_most_twenty() -> None:
    assert shape(parsed(text_of(*[block("a.1"), block("a.2"), block("b")]))) == "a.N: int_type; b: int_type"
    twenty = [block(f"f{at}") for at in range(20)]
    assert shape(parsed(text_of(*twenty))).endswith("f19: int_type")
    assert shape(parsed(text_of(*twenty, block("f20")))).endswith("f19: int_type; ...")
    unsure = text_of(block("a"), block("b"), block("c", "missing"), block("d", "jane_doe"), count=9)
    assert shape(parsed(unsure)) == "int_type; missing"
