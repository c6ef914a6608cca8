"""Judging a recording: what the hook would have done, however the recording is cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubber import Scrubber, Settings, Verdict
from scrubber.audit.judging import NEAR, Judge, Judged
from scrubber.audit.records import Fate, Row
from scrubber.rules.drops import CORROBORATION_RULE, REFUSAL_RULE

from ..support import call, recorded, refusal

EVENTS = [(one.file, one.event) for one in recorded()]
SETTINGS = [
    Settings(),
    Settings(profile="strict"),
    Settings(corroborate=False),
    Settings(drop_argument_rejections=False, error_messages={}),
    Settings(error_messages={"ValidationError": "shape"}, annotate=True, block=["$os"], allow=["$mcp_intent"]),
    Settings(expected_exceptions=["KeyError"], drop_refusals=True, source_lines="remove"),
]
NAMES = ["default", "strict", "alone", "sends all", "shapes", "drops more"]


def rows(events: list[tuple[str, dict[str, Any]]]) -> list[Row]:
    """Rows with the lines that they have in their files."""
    lines: dict[str, int] = {}
    out = []
    for file, event in events:
        lines[file] = lines.get(file, 0) + 1
        out.append(Row(event, file, lines[file], 100))
    return out


def contradicted() -> tuple[dict[str, Any], dict[str, Any]]:
    """A failed call, and an exception whose text quotes another value than the call sent."""
    text = refusal("another")["properties"]["$exception_list"][1]["value"]
    return call(text, **{"$mcp_conversation_id": None}), refusal("another")


@pytest.mark.promise("audit:same-engine")
@pytest.mark.parametrize("policy", SETTINGS, ids=NAMES)
def test_every_recorded_event_is_judged_as_the_hook_decides_it(policy: Settings) -> None:
    judge, hook = Judge(policy), Scrubber(policy)
    for row in rows(EVENTS):
        judged, decision = judge.judge(row), hook.decide(row.event)
        assert (judged.verdict, judged.event, judged.findings) == (
            decision.verdict,
            decision.event,
            decision.findings,
        ), row.line


def test_a_stored_exception_that_its_call_contradicts_is_sent() -> None:
    failed, fault = contradicted()
    judge = Judge(Settings())
    judge.judge(Row(failed, "a", 1, 1))
    judged = judge.judge(Row(fault, "a", 2, 1))
    assert judged.verdict is Verdict.REDACT
    assert CORROBORATION_RULE in judged.fired


@pytest.mark.parametrize("between, verdict", [(NEAR - 1, Verdict.REDACT), (NEAR, Verdict.DROP)])
def test_a_call_is_near_for_sixty_four_rows(between: int, verdict: Verdict) -> None:
    failed, fault = contradicted()
    other = call()
    judge = Judge(Settings())
    judge.judge(Row(failed, "a", 1, 1))
    for at in range(between):
        judge.judge(Row(other, "a", 2 + at, 1))
    assert judge.judge(Row(fault, "a", 2 + between, 1)).verdict is verdict


@pytest.mark.parametrize("line, verdict", [(1 + NEAR, Verdict.REDACT), (2 + NEAR, Verdict.DROP)])
def test_lines_that_hold_no_event_count_too(line: int, verdict: Verdict) -> None:
    failed, fault = contradicted()
    judge = Judge(Settings())
    judge.judge(Row(failed, "a", 1, 1))
    assert judge.judge(Row(fault, "a", line, 1)).verdict is verdict


def test_a_call_of_another_file_is_no_evidence() -> None:
    failed, fault = contradicted()
    judge = Judge(Settings())
    judge.judge(Row(failed, "a", 1, 1))
    assert judge.judge(Row(fault, "b", 2, 1)).verdict is Verdict.DROP


def test_a_call_in_the_lead_is_evidence_and_one_before_begin_is_not() -> None:
    failed, fault = contradicted()
    judge = Judge(Settings())
    judge.begin([Row(failed, "a", 1, 1)])
    assert judge.judge(Row(fault, "a", 2, 1)).verdict is Verdict.REDACT
    judge.judge(Row(failed, "a", 3, 1))
    judge.begin()
    assert judge.judge(Row(fault, "a", 4, 1)).verdict is Verdict.DROP


def test_several_rows_of_one_line_are_one_stream() -> None:
    failed, fault = contradicted()
    judge = Judge(Settings())
    judge.judge(Row(failed, "a", 7, 1))
    assert judge.judge(Row(fault, "a", 7, 1)).verdict is Verdict.REDACT


ROWS = rows(EVENTS)
WHOLE: list[Judged] = []


def whole() -> list[Judged]:
    if not WHOLE:
        judge = Judge(Settings())
        WHOLE.extend(judge.judge(row) for row in ROWS)
    return WHOLE


@settings(max_examples=5, deadline=None)
@given(st.lists(st.integers(1, 700), min_size=1, max_size=40))
def test_wherever_a_recording_is_cut_it_is_judged_alike(sizes: list[int]) -> None:
    judge = Judge(Settings())
    at = 0
    for size in [*sizes, len(ROWS)]:
        batch = ROWS[at : at + size]
        if not batch:
            break
        judge.begin(row for row in ROWS[max(0, at - NEAR) : at] if row.file == batch[0].file)
        for row, expected in zip(batch, islice(whole(), at, None), strict=False):
            assert judge.judge(row) == expected
        at += size


def test_fates_tell_each_property() -> None:
    event = call("no", "KeyError", **{"$mcp_new": 1, "$mcp_listed_tool_names": ["find", "a b c d e f"], "plan": "x"})
    fates = Judge(Settings()).judge(Row(event, "a", 1, 1)).fates
    assert fates["$mcp_parameters"] is Fate.REMOVED
    assert fates["$mcp_error_message"] is Fate.REMOVED
    assert fates["$mcp_new"] is Fate.UNKNOWN
    assert fates["$mcp_listed_tool_names"] is Fate.REDACTED
    assert fates["plan"] is fates["$mcp_tool_name"] is Fate.PASSES
    assert Judge(Settings(profile="strict")).judge(Row(event, "a", 1, 1)).fates["plan"] is Fate.UNKNOWN
    assert Judge(Settings(block=["plan"])).judge(Row(event, "a", 1, 1)).fates["plan"] is Fate.REMOVED


def test_all_properties_of_a_dropped_event_are_removed() -> None:
    judged = Judge(Settings()).judge(Row(refusal(), "a", 1, 1))
    assert judged.verdict is Verdict.DROP
    assert judged.fired == (REFUSAL_RULE,)
    assert set(judged.fates.values()) == {Fate.REMOVED}


class Broken(Mapping[str, Any]):
    """A value that no rule can read."""

    def __getitem__(self, key: str) -> Any:
        raise KeyError("secret-9")

    def __iter__(self) -> Iterator[str]:
        raise ValueError("secret-9")

    def __len__(self) -> int:
        return 1


def test_an_event_for_which_a_rule_fails_is_dropped_and_the_rule_named() -> None:
    judged = Judge(Settings()).judge(Row({"event": "x", "properties": {"plan": Broken()}}, "a", 1, 1))
    assert judged.failed
    assert judged.verdict is Verdict.DROP
    assert judged.event is None
    assert judged.fired == ("closing",)
    assert "secret-9" not in repr(judged.findings)
