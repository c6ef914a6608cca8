"""What a hook remembers of traces: never what differs in anything, never what somebody changed, and not for ever."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from scrubber import Scrubber

from ..support import frame, texts
from .test_mutants_exceptions import LIST, SECRET, fault, framed, one


def test_a_trace_that_was_seen_is_sent_as_the_first_time_and_its_text_is_said() -> None:
    hook = Scrubber()
    first = hook(fault(one(value=SECRET)))
    for _ in range(3):
        assert hook(fault(one(value=SECRET))) == first
    decision = hook.decide(fault(one(value=SECRET)))
    assert [finding.path for finding in decision.findings] == [f"{LIST}[0].value"]
    assert hook.counts()["by_rule"]["exception"] == {"redacted": 4}


CHANGES: list[tuple[str, Any]] = [
    ("function", f"{SECRET} and more"),
    ("module", f"{SECRET} and more"),
    ("filename", f"see {SECRET}@host?x"),
    ("abs_path", f"see {SECRET}@host?x"),
    ("context_line", [SECRET]),
    ("pre_context", [[SECRET]]),
    ("platform", f"{SECRET} and more"),
]


@pytest.mark.parametrize("key, value", CHANGES)
@pytest.mark.parametrize("at", range(3))
def test_a_trace_that_differs_from_a_known_one_in_one_frame_is_looked_at(at: int, key: str, value: Any) -> None:
    hook = Scrubber()
    known = fault(framed(*[frame(f"app.m{number}", "load", "    x", lineno=number) for number in range(3)]))
    hook(known)
    other = copy.deepcopy(known)
    other["properties"]["$exception_list"][0]["stacktrace"]["frames"][at][key] = value
    for _ in range(2):
        assert SECRET not in texts(hook(other))


@pytest.mark.parametrize(
    "key, value", [("type", f"{SECRET} x"), ("module", f"{SECRET} x"), ("mechanism", {"d": SECRET})]
)
def test_a_known_trace_under_another_head_is_looked_at(key: str, value: Any) -> None:
    hook = Scrubber()
    hook(fault(one()))
    assert SECRET not in texts(hook(fault(one(**{key: value}))))
    assert SECRET not in texts(hook(fault({key: one()[key] for key in one() if key != "value"} | {"note": SECRET})))


def test_what_somebody_does_with_a_sent_event_is_not_remembered() -> None:
    hook = Scrubber()
    mine = hook(fault(one()))
    assert mine is not None
    bad = f"{SECRET} and more"
    mine["properties"]["$exception_list"][0]["stacktrace"]["frames"][0]["function"] = bad
    mine["properties"]["$exception_list"][0]["mechanism"]["type"] = bad
    leaky = copy.deepcopy(one())
    leaky["stacktrace"]["frames"][0]["function"] = bad
    leaky["mechanism"]["type"] = bad
    assert SECRET not in texts(hook(fault(leaky)))


@pytest.mark.parametrize("key", ["type", "module", "mechanism", "stacktrace", "value"])
def test_an_entry_that_lacks_a_part_is_sent_each_time(key: str) -> None:
    hook = Scrubber()
    lacking = {name: part for name, part in one().items() if name != key}
    for _ in range(3):
        assert hook(fault(lacking)) is not None
    assert hook.counts()["failed"] == 0


def test_what_is_remembered_of_traces_is_bounded_in_frames() -> None:
    hook = Scrubber()
    for at in range(60):
        hook(fault(framed(*[frame("app.db", "load", lineno=at)] * 200)))
    known = hook._pipeline._closing._exception._known._known
    assert 0 < sum(len(parts[3]["frames"]) for alike, _ in known.values() for parts in alike) <= 8192


def test_traces_that_are_alike_are_each_known_and_each_sent_as_it_is() -> None:
    hook = Scrubber()
    alike = [fault(framed(frame("app.db", f"f{at}", "    x"))) for at in range(8)]
    for _ in range(3):
        for event in alike:
            out = hook(event)
            assert out is not None
            (found,) = out["properties"]["$exception_list"]
            assert found["stacktrace"] == event["properties"]["$exception_list"][0]["stacktrace"]
