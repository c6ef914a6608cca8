"""Traces that were seen before leave as they did the first time, under every policy."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import strategies as st

from scrubber import Scrubber, Settings

from ..support import frame, texts
from .property_kit import CANARY, given
from .test_mutants_exceptions import fault, framed, one

POLICIES: list[dict[str, Any]] = [
    {},
    {"profile": "strict"},
    {"source_lines": "remove"},
    {"paths": "relative"},
    {"profile": "strict", "source_lines": "keep"},
]
LINE = "    return row(id)"


def trace(*numbers: int, **changes: Any) -> dict[str, Any]:
    """A fault with a frame for each number, under a home of somebody's."""
    return fault(
        framed(
            *[
                {
                    **frame(f"app.m{number}", "load", LINE, lineno=number),
                    "abs_path": f"/home/somebody/srv/app/m{number}.py",
                    **changes,
                }
                for number in numbers
            ]
        )
    )


def hook(**policy: Any) -> Scrubber:
    return Scrubber(Settings(**policy))


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_a_trace_is_looked_at_once_and_leaves_the_same_each_time(
    policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = hook(**policy)
    rule = seen._pipeline._closing._exception
    looked: list[Any] = []
    look = rule._look
    monkeypatch.setattr(rule, "_look", lambda *given: looked.append(1) or look(*given))
    first = seen(trace(1, 2, 3))
    for _ in range(3):
        assert seen(trace(1, 2, 3)) == first
    assert len(looked) == 1
    again = seen.decide(trace(1, 2, 3))
    fresh = hook(**policy).decide(trace(1, 2, 3))
    assert (again.findings, again.verdict, again.event) == (fresh.findings, fresh.verdict, fresh.event)


def test_what_a_policy_closes_stays_closed_the_second_time() -> None:
    for policy in POLICIES:
        seen = hook(**policy)
        for _ in range(3):
            out = texts(seen(trace(1, 2)))
            closed = policy.get("source_lines") == "remove" or policy == {"profile": "strict"}
            assert (LINE in out) is not closed
            assert ("somebody" in out) is (policy.get("profile") != "strict" and "paths" not in policy)


def test_where_nothing_had_to_be_closed_nothing_is_said_to_be() -> None:
    plain = fault(framed({"module": "app.db", "function": "load", "filename": "app/db.py", "lineno": 3}))
    seen = hook(profile="strict")
    for _ in range(3):
        paths = {finding.path for finding in seen.decide(copy.deepcopy(plain)).findings}
        assert paths == {"properties.$exception_list[0].value"}


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_what_somebody_puts_into_a_sent_event_is_not_in_the_next(policy: dict[str, Any]) -> None:
    seen = hook(**policy)
    for _ in range(3):
        out = seen(trace(1, 2))
        assert out is not None
        assert CANARY not in texts(out)
        (found,) = out["properties"]["$exception_list"]
        found["stacktrace"]["note"] = CANARY
        found["stacktrace"]["frames"].append(CANARY)
        for each in found["stacktrace"]["frames"][:2]:
            each["function"] = CANARY
            each.get("pre_context", []).append(CANARY)


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize(
    "odd",
    [{"code_variables": {"x": CANARY}}, {"context_line": [CANARY]}, {"pre_context": [1]}, {"function": CANARY}],
    ids=str,
)
def test_a_trace_with_anything_unlisted_is_not_remembered(policy: dict[str, Any], odd: dict[str, Any]) -> None:
    seen = hook(**policy)
    for _ in range(3):
        assert CANARY not in texts(seen(trace(1, 2, **odd)))
    assert not seen._pipeline._closing._exception._known._known


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_alike_traces_are_each_closed_in_their_own_way(policy: dict[str, Any]) -> None:
    seen = hook(**policy)
    alike = [trace(1, 2, 3, function=name) for name in ("load", "store", "drop", "find", "count")]
    expected = [hook(**policy)(event) for event in alike]
    for _ in range(3):
        assert [seen(copy.deepcopy(event)) for event in alike] == expected


_ODD = st.sampled_from([{}, {}, {}, {"in_app": True}, {"code_variables": {"x": CANARY}}, {"function": CANARY}])
_EVENTS = st.lists(
    st.tuples(st.lists(st.integers(1, 3), min_size=1, max_size=3), _ODD).map(
        lambda drawn: trace(*drawn[0], **drawn[1])
    ),
    max_size=8,
)


@given(st.sampled_from(POLICIES), _EVENTS)
def test_memory_changes_no_event(policy: dict[str, Any], events: list[dict[str, Any]]) -> None:
    """Broken by: a `find` that compares less than the whole entry, or gives another trace's; a `remember` that is asked
    where something was taken away."""
    seen = hook(**policy)
    for event in events:
        expected = hook(**policy)(copy.deepcopy(event))
        assert seen(event) == expected
        assert CANARY not in texts(expected)


def test_an_entry_that_is_known_keeps_its_own_head() -> None:
    seen = hook(profile="strict")
    seen(fault(one()))
    other = fault(one(type="OtherError"))
    out = seen(other)
    assert out is not None
    assert out["properties"]["$exception_list"][0]["type"] == "OtherError"


def kept(seen: Scrubber) -> list[dict[str, Any]]:
    """Every frame in memory, in the order of its traces."""
    known = seen._pipeline._closing._exception._known._known
    return [found for alike, _ in known.values() for parts in alike for found in parts[3]["frames"]]


def test_traces_share_the_frames_that_they_have_in_common() -> None:
    seen = hook()
    seen(trace(1, 2))
    seen(trace(1, 3))
    first, second, shared, third = kept(seen)
    assert shared is first
    assert second is not third


def test_frames_of_one_place_that_differ_are_kept_each() -> None:
    seen = hook()
    for line in (LINE, "    other", LINE):
        seen(trace(1, 2, context_line=line))
        assert seen(trace(1, 2, context_line=line)) == hook()(trace(1, 2, context_line=line))
    assert {found["context_line"] for found in kept(seen)} == {LINE, "    other"}


def test_a_frame_in_memory_is_nobody_elses() -> None:
    seen = hook()
    event = trace(1, 2)
    seen(event)
    for mine in event["properties"]["$exception_list"][0]["stacktrace"]["frames"]:
        mine["function"] = CANARY
    assert CANARY not in texts(kept(seen))
    assert CANARY not in texts(seen(trace(1, 2)))


@pytest.mark.promise("hook:bounded")
def test_memory_starts_over_when_it_is_full() -> None:
    seen = hook()
    known = seen._pipeline._closing._exception._known
    for line in range(100):
        seen(trace(*range(line * 100, line * 100 + 100)))
        assert sum(map(len, ([*kept(seen)], known._shared))) <= 2 * 8192
    # 81 traces of 100 frames fill it; the nineteen after them are what is left.
    assert known._frames == len(kept(seen)) == len(known._shared) == 1900


@pytest.mark.parametrize("lineno", [None, "absent", [1]], ids=str)
def test_a_trace_that_cannot_be_told_by_its_lines_is_sent_each_time(lineno: Any) -> None:
    seen = hook()
    event = trace(1)
    (only,) = event["properties"]["$exception_list"][0]["stacktrace"]["frames"]
    if lineno == "absent":
        del only["lineno"]
    else:
        only["lineno"] = lineno
    first = seen(copy.deepcopy(event))
    assert first is not None
    for _ in range(2):
        assert seen(copy.deepcopy(event)) == first
    assert seen.counts()["failed"] == 0


def test_of_traces_that_are_alike_the_newest_four_are_known() -> None:
    seen = hook()
    known = seen._pipeline._closing._exception._known
    alike = [trace(1, function=f"f{at}") for at in range(6)]
    for event in alike:
        seen(event)
    ((parts, instead),) = known._known.values()
    assert [one[3]["frames"][0]["function"] for one in parts] == ["f5", "f4", "f3", "f2"]
    assert instead == (None,) * 4


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("stack", [{"type": "raw"}, {"frames": None}, {}, None, "[Object]"], ids=str)
def test_a_stack_trace_without_frames_is_sent_under_every_policy(policy: dict[str, Any], stack: Any) -> None:
    seen = hook(**policy)
    for _ in range(2):
        assert seen(fault(one(stacktrace=stack))) is not None
    assert seen.counts()["failed"] == 0


def test_of_a_frame_only_paths_are_shrunk() -> None:
    # As the ingestion resolves it: an id that looks like a path, and no file.
    resolved = {
        "raw_id": "0a3f91c2d4/1",
        "resolved_name": "load",
        "lineno": 3,
        "filename": None,
        "source": "/srv/x/db.py",
    }
    out = hook(profile="strict")(fault(framed(resolved)))
    assert out is not None
    (found,) = out["properties"]["$exception_list"][0]["stacktrace"]["frames"]
    assert found == resolved | {"source": "db.py"}
