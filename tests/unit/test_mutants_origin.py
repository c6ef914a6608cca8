"""Origin on its edges: evidence of which only a part is there, and wrappers of wrappers."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Scrubber
from scrubber.rules.origin import judge
from scrubber.rules.structure import MALFORMED
from scrubber.words.verdict import Finding

from ..support import entry, refusal
from .test_refusal import chain, fastmcp_refusal, inner


def dropped(event: dict[str, Any]) -> bool:
    return Scrubber()(event) is None


def with_text(text: str) -> dict[str, Any]:
    event = fastmcp_refusal()
    for one in chain(event):
        one["value"] = text
    return event


def wrapped_twice() -> dict[str, Any]:
    """fastmcp's refusal as its error-handling middleware re-raises it."""
    event = fastmcp_refusal()
    outer, root = chain(event)
    protocol = entry("mcp.shared.exceptions", "McpError", f"Invalid params: {outer['value']}", [], exception_id=0)
    outer["mechanism"] |= {"exception_id": 1, "parent_id": 0, "source": "cause"}
    root["mechanism"] |= {"exception_id": 2, "parent_id": 1}
    event["properties"]["$exception_list"] = [protocol, outer, root]
    return event


def test_a_wrapper_whose_text_was_cut_behind_the_first_line_repeats_the_refusal() -> None:
    event = refusal()
    value = chain(event)[0]["value"]
    chain(event)[0]["value"] = value[: value.index("Input should") + 5] + "..."
    assert dropped(event)


def test_every_wrapper_must_repeat_the_refusal_not_only_the_outermost() -> None:
    assert dropped(wrapped_twice())
    event = wrapped_twice()
    chain(event)[1]["value"] = "1 validation error for call[other]\nx\n  Field required [type=missing]"
    assert not dropped(event)


def test_a_wrapper_without_a_text_does_not_excuse_the_next_one() -> None:
    event = wrapped_twice()
    chain(event)[0]["value"] = None
    assert dropped(event)
    chain(event)[1]["value"] = "1 validation error for call[other]\nx\n  Field required [type=missing]"
    assert not dropped(event)


@pytest.mark.parametrize("file", ["/tmp/generated.py", "func_metadata.py", "app/func_metadata.py"])
def test_code_under_the_sdks_name_in_another_file_is_no_site(file: str) -> None:
    event = refusal()
    inner(event)["stacktrace"]["frames"][-1].update(filename=file, abs_path=file)
    assert not dropped(event)


def test_the_sdks_file_is_recognised_on_windows() -> None:
    event = refusal()
    for one in chain(event):
        for each in one["stacktrace"]["frames"]:
            each["filename"] = each["filename"].replace("/", "\\")
    assert dropped(event)


NESTED = "Value error, row 7 is bad: 1 validation error for Row"
TAIL = "[type=value_error, input_value={input}, input_type=str]"


def test_a_nested_report_in_one_line_is_a_fault_of_the_server() -> None:
    said = f"1 validation error for call[find_book]\nnumber\n  {NESTED} " + TAIL
    assert not dropped(with_text(said.format(input="'x'")))
    assert dropped(with_text(said.format(input="'row 7 is bad: 1 validation error for Row'"))), "echoed"


def test_a_nested_report_by_an_error_of_the_authors_own_code_is_a_fault_too() -> None:
    said = f"1 validation error for call[find_book]\nnumber\n  {NESTED[13:]} " + TAIL.replace("value_error", "bad_row")
    assert not dropped(with_text(said.format(input="'x'")))


def test_what_a_nested_report_echoes_is_no_echo_of_the_caller() -> None:
    row = "sku\n  Input should be a valid integer [type=int_parsing, input_value='{0}', input_type=str]"
    said = f"1 validation error for call[find_book]\nnumber\n  Value error, 1 validation error for Row\n{row} " + TAIL
    assert not dropped(with_text(said.format("1 validation error for Other", input="'fine'")))


def test_a_callers_key_that_reads_like_a_report_is_the_callers() -> None:
    text = (
        "1 validation error for call[find_book]\nowners.k\n  1 validation error for Row\nx.zip\n"
        "  Field required [type=missing, input_value={}, input_type=dict]"
    )
    assert dropped(with_text(text))


@pytest.mark.parametrize("frames", [{"0": {}}, "frames", 7, {}, "", [7], ["frame"], [[]]])
def test_frames_of_any_other_shape_mean_send_and_fail_nothing(frames: Any) -> None:
    event = refusal()
    inner(event)["stacktrace"]["frames"] = frames
    hook = Scrubber()
    assert hook(event) is not None
    assert hook.counts()["failed"] == 0


@pytest.mark.parametrize("tool", [None, "", 7, ["find_book"], {"name": "find_book"}])
def test_without_a_tools_name_in_text_no_call_event_keeps_the_record(tool: Any) -> None:
    event = fastmcp_refusal()
    event["properties"]["$mcp_tool_name"] = tool
    assert not dropped(event)


def test_an_unexplained_refusal_is_said_at_the_list_of_exceptions() -> None:
    findings: list[Finding] = []
    outcome = Scrubber()._pipeline.run(refusal("rewritten"), findings, {"number": "as it was sent"})
    assert outcome.event is not None
    said = [finding for finding in findings if finding.rule == "corroboration"]
    assert [(finding.path, bool(finding.reason)) for finding in said] == [("properties.$exception_list", True)]


@pytest.mark.parametrize(
    "change, reason, site",
    [
        (lambda links: links[1].update(type="Other"), "no pydantic ValidationError in the chain", None),
        (lambda links: links[1]["mechanism"].update(exception_id=7), MALFORMED, None),
        (lambda links: links[1].update(value=None), "the text has no title of a tool's arguments", None),
        (
            lambda links: links[0].update(module="mine"),
            "a link above the root is not the SDK's wrapper for refused",
            "mcp",
        ),
        (lambda links: links[0].update(value="no"), "the SDK's wrapper repeats another refusal", "mcp"),
        (
            lambda links: links[1].update(value=links[1]["value"].replace("find_bookArguments", "call[find_book]")),
            "the title is another SDK's",
            "mcp",
        ),
    ],
    ids=range(6),
)
def test_a_judgement_says_why_and_at_which_site(change: Any, reason: str, site: str | None) -> None:
    event = refusal()
    change(chain(event))
    found = judge(event["properties"])
    assert found.refusal is False
    assert found.reason.startswith(reason)
    assert (found.site is not None and found.site.startswith(site)) if site else found.site is None
    assert (found.text, found.quick) == ("", None)
