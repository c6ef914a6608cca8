"""`$mcp_error_message`, code and field on their edges: texts that were cut, hidden or seen before, and odd types."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Scrubber, Settings

from ..support import REFUSAL, call

TEXT = REFUSAL.format(value="secret-7")
SHAPE: dict[str, Any] = {"error_messages": {"ValidationError": "shape"}}
LINK = "\n    For further information visit https://errors.pydantic.dev/2.14/v/x"


def sent(event: dict[str, Any], **settings: Any) -> dict[str, Any]:
    out = Scrubber(Settings(**settings))(event)
    assert out is not None
    return out["properties"]


def said(event: dict[str, Any], **settings: Any) -> tuple[Any, Any, Any]:
    out = sent(event, **settings)
    return out.get("$mcp_error_message"), out.get("$mcp_error_code"), out.get("$mcp_error_field")


def block(location: str, code: str = "int_type") -> str:
    return f"\n{location}\n  Input should be valid [type={code}, input_value='secret', input_type=str]"


def refused(*blocks: str, count: int | None = None) -> str:
    number = len(blocks) if count is None else count
    return f"{number} validation error{'s' * (number > 1)} for find_bookArguments" + "".join(blocks)


def test_a_text_without_inputs_gives_code_and_field_too() -> None:
    hidden = "1 validation error for find_bookArguments\nnumber\n  Input should be a valid integer [type=int_type]"
    assert said(call(hidden), **SHAPE) == ("number: int_type", "int_type", "number")
    many = refused("\nlines.3\n  Input should be valid [type=int_type]", "\nname\n  Field required [type=missing]")
    assert said(call(many), **SHAPE) == ("lines.N: int_type; name: missing", "int_type", "lines.N")


def test_a_title_that_is_no_tools_gives_no_field() -> None:
    text = refused(block("number")).replace("find_bookArguments", "Row")
    assert said(call(text), **SHAPE) == ("int_type", "int_type", None)
    hidden = "1 validation error for Row\nnumber\n  Input should be a valid integer [type=int_type]"
    assert said(call(hidden), **SHAPE) == ("int_type", "int_type", None)


def test_of_a_text_that_was_cut_the_known_code_stays_and_no_field() -> None:
    text = refused(block("number", "jane_doe"), block("number", "int_type"), count=3)
    assert said(call(text), **SHAPE) == ("int_type", "int_type", None)
    unknown = refused(block("number", "jane_doe"), count=2)
    assert said(call(unknown), **SHAPE) == (None, None, None)


def test_an_authors_code_that_is_no_label_is_called_custom() -> None:
    text = refused(block("number", "Jane-Doe"))
    assert said(call(text), **SHAPE) == ("number: custom", "custom", "number")
    assert said(call("number: custom", **{"$mcp_error_code": "custom"}), **SHAPE)[0] == "number: custom"


def test_a_long_shape_ends_in_dots_and_is_known_again() -> None:
    hook = Scrubber(Settings(**SHAPE))
    once = hook(call(refused(*(block(f"field_{at}") for at in range(25)))))
    assert once is not None
    shape = once["properties"]["$mcp_error_message"]
    assert shape.startswith("field_0: int_type; field_1: int_type; ")
    assert shape.endswith("field_19: int_type; ...")
    assert hook(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "jane@home: int_parsing",
        "number: jane_doe",
        "number: int_parsing; jane_doe",
        "number: int_parsing ; number: missing",
        "number: int_parsing; ...; name: missing",
        "a b: int_parsing",
        ".number: int_parsing",
        "number.: int_parsing",
        "a" * 65 + ": int_parsing",
        ": int_parsing",
        "int_parsing ",
        "; ".join(["number: int_parsing"] * 500),
    ],
)
def test_what_only_looks_like_a_shape_is_removed(text: str) -> None:
    assert said(call(text, **{"$mcp_error_code": "int_parsing"}), **SHAPE)[0] is None


@pytest.mark.parametrize(
    "text", ["int_parsing", "a.N.*: int_parsing; *.sku: missing", "number: rate_limited; missing", "sku: custom"]
)
def test_what_is_a_shape_stays(text: str) -> None:
    assert said(call(text, **{"$mcp_error_code": "rate_limited"}), **SHAPE)[0] == text


def test_a_shape_without_its_code_beside_it_is_nobodys() -> None:
    for code in (None, "No code", 7):
        event = call("number: int_parsing")
        event["properties"]["$mcp_error_code"] = code
        assert said(event, **SHAPE)[0] is None


def test_a_refusal_without_a_type_gives_its_shape() -> None:
    event = call(TEXT)
    del event["properties"]["$mcp_error_type"]
    assert said(event) == ("number: int_parsing", "int_parsing", "number")
    event["properties"]["$mcp_error_type"] = ["ToolError"]
    assert said(event) == (None, None, None)


def test_a_type_of_the_authors_whose_shape_was_asked_for_is_read() -> None:
    assert said(call(TEXT, "Refused"), error_messages={"Refused": "shape"})[:2] == (
        "number: int_parsing",
        "int_parsing",
    )
    assert said(call(TEXT, "Refused"), error_messages={"Refused": "keep"}) == (TEXT, None, None)
    assert said(call(TEXT, "Refused")) == (None, None, None)


def test_a_text_that_is_kept_leaves_as_it_came_with_code_and_field_beside_it() -> None:
    assert said(call(TEXT + LINK)) == (TEXT + LINK, "int_parsing", "number")
    assert said(call("no refusal at all")) == ("no refusal at all", None, None)


def test_wrappers_show_the_shape_also_where_the_refusals_own_text_is_kept() -> None:
    assert said(call(f"x: {TEXT}", "ToolError"))[0] == "number: int_parsing"
    assert said(call(f"x: {TEXT}", "ToolError"), error_messages={})[0] is None
    assert said(call(f"x: {TEXT}", "ToolError"), error_messages={"TimeoutError": "keep"})[0] is None


def test_a_message_that_stays_as_it_is_is_no_finding() -> None:
    decision = Scrubber(Settings(**SHAPE)).decide(call("number: missing", **{"$mcp_error_code": "missing"}))
    assert "error_message" not in [finding.rule for finding in decision.findings]
    changed = Scrubber(Settings(**SHAPE)).decide(call(TEXT))
    assert ("error_message", "properties.$mcp_error_message") in [(one.rule, one.path) for one in changed.findings]


@pytest.mark.parametrize("type_", ["ToolError", "Error", None])
def test_code_and_field_are_given_also_where_no_refusal_is_shown(type_: Any) -> None:
    event = call(f"x: {TEXT}")
    event["properties"]["$mcp_error_type"] = type_
    for settings in ({"ValidationError": "remove"}, {"TimeoutError": "keep"}):
        assert said(event, error_messages=settings) == (None, "int_parsing", "number")


def test_words_about_a_validation_error_are_no_refusal() -> None:
    text = "there was a validation error somewhere"
    assert said(call(text)) == (text, None, None)
    assert said(call(text), **SHAPE) == (None, None, None)


@pytest.mark.parametrize(
    "value, type_, settings",
    [({"x": "secret"}, "ValidationError", {}), ("secret", "KeyError", {}), (TEXT, "ValidationError", SHAPE)],
    ids=["no text", "removed", "rewritten"],
)
def test_what_becomes_of_a_message_is_said(value: Any, type_: str, settings: dict[str, Any]) -> None:
    event = call(TEXT, type_)
    event["properties"]["$mcp_error_message"] = value
    findings = [one for one in Scrubber(Settings(**settings)).decide(event).findings if one.path.endswith("_message")]
    assert [(one.rule, one.path, bool(one.reason)) for one in findings] == [
        ("error_message", "properties.$mcp_error_message", True)
    ]


def test_a_code_that_came_and_may_not_leave_is_not_replaced_by_one_that_was_read() -> None:
    event = call(refused(block("number")), **{"$mcp_error_code": "own_code"})
    assert said(event, values={"$mcp_error_code": ["int_type"]}) == (refused(block("number")), None, None)
    assert said(event) == (refused(block("number")), "own_code", None)
