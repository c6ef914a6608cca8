"""The public reports on arguments (`call` in ../shared/cases), each on a real guarded server, reply and log both.

A case is a signature and arguments, and says in prose what must come of it; what that means is written here. A case that
nobody has written down here fails, so that none is passed over.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

from ..live.families import Family
from ..support import SHARED
from . import kit
from .kit import Answer, families, is_standalone, needs_sdk
from .test_leaves_alone import steady

CASES = SHARED / "cases"
pytestmark = [
    pytest.mark.live,
    needs_sdk,
    pytest.mark.skipif(not CASES.is_dir(), reason="no shared cases beside this checkout"),
]


def calls() -> Iterator[Any]:
    for path in sorted(CASES.glob("C*.json")) if CASES.is_dir() else ():
        case = json.loads(path.read_text("utf-8"))
        if "call" in case:
            yield pytest.param(case, id=case["id"])


def tool_of(case: dict[str, Any], body: Callable[..., Any] | None) -> Any:
    """A function with the case's signature; `body` is given its arguments by name."""
    signature = case["call"]["tool signature"].partition("#")[0].strip()
    space: dict[str, Any] = {"Literal": Literal, "body": body or (lambda **given: f"ran {sorted(given)}")}
    returned = signature.partition("->")[2].strip()
    signature = signature.replace(f"-> {returned}", "-> str")
    exec(f"def {signature}:\n    return body(**locals())\n", space)
    tool = space[signature.partition("(")[0]]
    tool.__module__ = __name__
    return tool


def bodies(family: Family) -> dict[str, Callable[..., Any]]:
    def masked(n: int) -> str:
        raise RuntimeError("CANARY-C89")

    def refuses(name: str) -> str:
        raise family.tool_error("not deployed")

    def breaks(x: int) -> str:
        try:
            raise OSError("https://farm.example/eggs?token=CANARY-C95")
        except OSError as error:
            raise ValueError("token=CANARY-C95") from error

    return {"C89": masked, "C93": refuses, "C95": breaks, "C91": lambda a, b: str(a + b)}


def says(answer: Answer, *texts: str) -> None:
    assert answer.is_error
    assert answer.raised is None, "a protocol error"
    for text in texts:
        assert text in answer.text, (text, answer.text)


def unknown_and_topic(family: Family, answers: list[Answer]) -> None:
    says(answers[0], "'path'", "topic")


def unknown_and_required(family: Family, answers: list[Answer]) -> None:
    says(answers[0], "Unknown parameter 'vi_path'", "path is required")


def allowed_values(family: Family, answers: list[Answer]) -> None:
    says(answers[0], "severity", "critical", "info", "warn")


def encoded_object(family: Family, answers: list[Answer]) -> None:
    if is_standalone(family):
        says(answers[0], "data", "object", "string")
    else:
        assert answers[0].text == "ran ['data']"


def field_at_fault(family: Family, answers: list[Answer]) -> None:
    says(answers[0], "a must be text")


def masked_server(family: Family, answers: list[Answer]) -> None:
    """The report asks for the word `integer`. The house's table says `a whole number`, word for word, for a reader that
    may be no programmer, and one kind of value has one name: that is kept, and this is the one known difference."""
    says(answers[0], "n must be a whole number")
    assert "integer" not in answers[0].text
    says(answers[1])
    if is_standalone(family):
        assert "CANARY-C89" not in answers[1].text


def ignored(family: Family, answers: list[Answer]) -> None:
    assert (answers[0].text, answers[0].is_error) == ("3", False)


def own_error(family: Family, answers: list[Answer]) -> None:
    """The tool's text, and what the SDK logs of it. fastmcp logs a tool's own error at ERROR, some releases with its
    traceback; the guard leaves it at that, because other faults are to log exactly as the SDK logs them."""
    says(answers[0], "not deployed")
    if not is_standalone(family):
        assert not [line for line in answers[0].lines if line.level >= logging.ERROR]
    assert answers[0].guard_lines == []


def own_log(family: Family, answers: list[Answer]) -> None:
    assert answers[0].is_error
    assert answers[0].guard_lines == []


def a_result(family: Family, answers: list[Answer]) -> None:
    says(answers[0], "a must be a whole number")


EXPECTED = {
    "C79": unknown_and_topic,
    "C81": unknown_and_required,
    "C83": allowed_values,
    "C85": encoded_object,
    "C87": field_at_fault,
    "C89": masked_server,
    "C91": ignored,
    "C93": own_error,
    "C95": own_log,
    "C99": a_result,
}
BODYS_OWN = {"C89", "C93", "C95"}
"""Cases of a fault in the body, which the guard leaves alone: the SDK's reply and log have what they have without it."""


def play(family: Family, case: dict[str, Any], *, guarded: bool) -> list[Answer]:
    given = case["call"]["arguments"]
    name = case["call"]["tool signature"].partition("(")[0]
    make = {"mask_error_details": True} if case["id"] == "C89" and is_standalone(family) else {}
    ignore = case["call"].get("config", {}).get("ignore_keys", [])
    tool = tool_of(case, bodies(family).get(case["id"]))
    options = {"ignore": ignore} if guarded else {}
    server = kit.build(family, tool, guarded=guarded, make=make, **options)
    return kit.play(family, server, *[(name, one) for one in (given if isinstance(given, list) else [given])])


@families
@pytest.mark.parametrize("case", calls())
def test_a_public_report_is_met(family: Family, case: dict[str, Any]) -> None:
    assert case["id"] in EXPECTED, f"nobody has written down what {case['id']} means: {case['expect']}"
    answers = play(family, case, guarded=True)
    EXPECTED[case["id"]](family, answers)
    for answer in answers:
        shown = [line.everything for line in answer.guard_lines]
        if case["id"] not in BODYS_OWN:
            shown += [answer.text, *(line.everything for line in answer.lines if line.level > logging.DEBUG)]
        for secret in case["secrets"]:
            assert not any(secret in text for text in shown), secret
    if case["id"] in BODYS_OWN:
        plain = play(family, case, guarded=False)
        assert answers[-1].text == plain[-1].text
        assert steady(answers[-1].sdk) == steady(plain[-1].sdk)


@families
def test_ignored_keys_are_named_without_the_list(family: Family) -> None:
    """The other half of C91: without the list, an error that names the keys and no value."""
    case = next((one.values[0] for one in calls() if one.id == "C91"), None)
    if case is None:
        pytest.skip("no C91")
    case = {**case, "call": {**case["call"], "config": {}}}
    answer = play(family, case, guarded=True)[0]
    says(answer, "sessionId", "chatInput", "toolCallId")
    assert "CANARY" not in answer.text
