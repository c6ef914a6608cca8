"""The whole reply, word by word: what the model reads of bad, missing and unknown arguments, alone and together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from scrubber.guard.calls import TOGETHER, Call, Fault, Refusal
from scrubber.guard.words import UNKNOWN_CODE, refusal

SCHEMA: Any = {
    "properties": {
        "path": {"type": "string"},
        "limit": {"type": "integer"},
        "grades": {"type": "array", "items": {"type": "integer"}},
    }
}
LIMIT = Fault("int_parsing", ("limit",))
PATH = Fault("missing", ("path",))


def told(faults: Sequence[Fault], unknown: Sequence[str] = (), allowed: Sequence[str] = (), tool: str = "t") -> Refusal:
    return refusal(Call(tool, SCHEMA, {}, unknown, allowed), faults)


def unknown(*names: str, allowed: list[str]) -> str:
    return told([], list(names), allowed).text


def test_what_is_missing_is_said_beside_the_unknown_name_and_what_is_wrong_before_it() -> None:
    made = told([PATH, LIMIT], ["vi_path"], ["path", "limit"])
    assert made.text == (
        "Error executing tool 't': limit must be a whole number. Unknown parameter 'vi_path' for tool 't'. "
        "Did you mean: path? path is required. Allowed parameters: path, limit."
    )
    assert (made.code, made.field, made.paths) == ("missing", "path", ("path", "limit", "*"))


def test_without_an_unknown_name_what_is_missing_is_an_error_like_any_other() -> None:
    made = told([PATH, LIMIT], [], ["path", "limit"])
    assert made.text == "Error executing tool 't': path is required. limit must be a whole number."
    assert (made.code, made.paths) == ("missing", ("path", "limit"))


def test_what_is_missing_inside_an_argument_is_not_what_the_unknown_name_was_meant_for() -> None:
    made = told([Fault("missing", ("grades", 0))], ["grade"], ["grades"])
    assert made.text == (
        "Error executing tool 't': grades[0] is required. Unknown parameter 'grade' for tool 't'. "
        "Did you mean: grades? Allowed parameters: grades."
    )


def test_an_unknown_name_alone_has_a_code_and_no_field() -> None:
    made = told([], ["zebra"], ["path"])
    assert made == Refusal(
        "t",
        "Unknown parameter 'zebra' for tool 't'. Allowed parameters: path.",
        UNKNOWN_CODE,
        "",
        ("*",),
    )


@pytest.mark.parametrize("code, kept", [("int_parsing", "int_parsing"), (TOGETHER, TOGETHER), ("mine", "custom")])
def test_analytics_get_the_codes_that_are_known(code: str, kept: str) -> None:
    assert told([Fault(code, ("limit",))]).code == kept


def test_a_fault_of_all_arguments_is_logged_under_their_name() -> None:
    made = told([Fault("int_type", ())])
    assert (made.paths, made.field) == (("arguments",), "")


@pytest.mark.parametrize(
    "number, more",
    [
        (10, ""),
        (11, " There is 1 more fault."),
        (12, " There are 2 more faults."),
        (300, " There are 290 more faults."),
    ],
)
def test_ten_faults_are_told_and_the_others_counted(number: int, more: str) -> None:
    made = told([Fault("int_parsing", ("grades", at)) for at in range(number)])
    ten = " ".join(f"grades[{at}] must be a whole number." for at in range(10))
    assert made.text == f"Error executing tool 't': {ten}{more}"
    assert made.paths == tuple(f"grades[{at}]" for at in range(min(number, 11)))


def test_a_text_of_2000_characters_is_whole_and_a_longer_one_ends_at_a_word() -> None:
    frame = len("Error executing tool '': limit must be a whole number.")
    tool = "t" * (2000 - frame)
    assert told([LIMIT], tool=tool).text == f"Error executing tool '{tool}': limit must be a whole number."
    tool = "t" * 1963
    whole = f"Error executing tool '{tool}': path is required."
    assert (len(whole), whole[1995]) == (2005, " ")
    assert told([PATH], tool=tool).text == f"Error executing tool '{tool}': path is ..."
    assert told([LIMIT], tool=tool).text == f"Error executing tool '{tool}': limit ..."


@pytest.mark.parametrize(
    "names, says",
    [
        (["zzzz"], "Unknown parameter 'zzzz'"),
        (["a b"], "Unknown parameter"),
        (["a b", "c d"], "2 unknown parameters"),
        (["zzzz", "yyyy"], "Unknown parameters 'zzzz', 'yyyy'"),
        (["zzzz", "a b"], "Unknown parameters 'zzzz' and 1 more"),
        (
            [f"zzz{at}" for at in range(7)],
            "Unknown parameters 'zzz0', 'zzz1', 'zzz2', 'zzz3', 'zzz4' and 2 more",
        ),
    ],
)
def test_unknown_names_are_printed_where_they_are_plain_and_counted_otherwise(names: list[str], says: str) -> None:
    assert unknown(*names, allowed=[]) == f"{says} for tool 't'. The tool takes no parameters."


def test_forty_allowed_names_or_900_characters_of_them_are_listed() -> None:
    begins = "Unknown parameter 'zz' for tool 't'. Allowed parameters: "
    many = [f"parameter{at}" for at in range(41)]
    assert unknown("zz", allowed=many[:40]) == f"{begins}{', '.join(many[:40])}."
    assert unknown("zz", allowed=many) == f"{begins}{', '.join(many[:40])} and 1 more."
    long = ["a" * 448, "b" * 448]
    assert unknown("zz", allowed=long) == f"{begins}{long[0]}, {long[1]}."
    assert unknown("zz", allowed=[long[0], long[1] + "b"]) == f"{begins}{long[0]} and 1 more."


def hints(*names: str, allowed: Sequence[str], missing: Sequence[str] = ()) -> str:
    call = Call("t", {"properties": {name: {} for name in allowed}}, {}, names, allowed)
    text = refusal(call, [Fault("missing", (name,)) for name in missing]).text
    return text.partition("Did you mean: ")[2].partition("?")[0]


def test_one_unknown_name_has_up_to_three_hints_the_nearest_first() -> None:
    assert hints("nam", allowed=["zam", "nab", "nams", "nama"]) == "zam, nab, nams"
    assert hints("nam", allowed=["nab", "name1", "nam_"]) == "nam_, nab, name1"


def test_each_of_several_unknown_names_has_its_nearest_hint() -> None:
    allowed = ["name1", "name2", "title1", "title2"]
    assert hints("nam", "titl", allowed=allowed) == "name1, title1"


def test_what_is_missing_is_the_first_hint() -> None:
    assert hints("nam", allowed=["name1", "name2"]) == "name1, name2"
    assert hints("nam", allowed=["name1", "name2"], missing=["name2"]) == "name2, name1"
