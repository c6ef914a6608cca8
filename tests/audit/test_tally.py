"""Counting: the fast way counts what the plain way counts, and tallies add up in any order."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubber import Settings, Verdict
from scrubber.audit import auditing
from scrubber.audit.auditing import Auditor
from scrubber.audit.column import kind_of
from scrubber.audit.judging import Judge
from scrubber.audit.names import Names
from scrubber.audit.reading import dumps
from scrubber.audit.records import Fate, LeakKind, Report, Row
from scrubber.audit.tally import Tally, add
from scrubber.words.properties import TOP_LEVEL

from ..support import call, entry, frame, recorded, refusal
from .test_judging import NAMES, SETTINGS, rows

EVENTS = [(one.file, one.event) for one in recorded()]
SOME = rows([pair for pair in EVENTS if "2.3.0" in pair[0]])


def tally_of(found: Sequence[Row], policy: Settings, reveal: bool = False) -> Tally:
    auditor = Auditor(policy, reveal)
    for row in found:
        auditor.add(row)
    return auditor.tally()


def report_of(*events: dict[str, Any], policy: Settings | None = None) -> Report:
    return tally_of(rows([("a", event) for event in events]), policy or Settings()).report()


def plainly(found: Sequence[Row], policy: Settings) -> Tally:
    """The counts of a tally, event by event and value by value, without refusals and leaks."""
    judge, names, tally = Judge(policy), Names(policy.policy()), Tally()
    for row in found:
        judged = judge.judge(row)
        name = row.event["event"]
        shown = names.shown_event(name)
        use = tally.event(shown)
        add(use.verdicts, judged.verdict, 1)
        use.bytes_in += len(dumps(row.event))
        use.bytes_out += len(dumps(judged.event)) if judged.event is not None else 0
        for rule in judged.fired:
            add(tally.rules.setdefault(rule, {}), judged.verdict, 1)
        for key, value in row.event["properties"].items():
            prop = tally.property(names.shown(key, name))
            add(prop.fates, judged.fates[key], 1)
            add(prop.events, shown, 1)
            add(prop.kinds, kind_of(value), 1)
            prop.bytes += len(dumps(value))
            prop.largest = max(prop.largest, len(dumps(value)))
        if judged.event is not None:
            tally.leaving.setdefault(shown, {})
            beside = {key: value for key, value in judged.event.items() if key not in (*TOP_LEVEL, "properties")}
            for key, value in (*judged.event["properties"].items(), *beside.items()):
                tally.leaves(shown, names.shown(key, name), kind_of(value), 1)
    return tally


def same(quick: Tally, plain: Tally) -> None:
    assert quick.events == plain.events
    assert quick.rules == plain.rules
    assert quick.leaving == plain.leaving
    assert set(quick.properties) == set(plain.properties)
    for name, use in quick.properties.items():
        other = plain.properties[name]
        assert (use.fates, use.events, use.kinds) == (other.fates, other.events, other.kinds), name
        assert (use.bytes, use.largest) == (other.bytes, other.largest), name


@pytest.mark.parametrize("policy", SETTINGS, ids=NAMES)
def test_the_recordings_are_counted_as_event_by_event(policy: Settings) -> None:
    same(tally_of(SOME, policy), plainly(SOME, policy))


SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(["find_book", "\u00e9", "jane@example.test", "1 validation error for x", "[redacted]", ""]),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "$mcp_parameters", "value", "type", "frames"]), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMED = st.sampled_from(
    [
        "$mcp_parameters",
        "$mcp_error_message",
        "$mcp_error_type",
        "$mcp_tool_name",
        "$mcp_resource_name",
        "$mcp_input_keys",
        "$mcp_new",
        "$exception_list",
        "$exception_fingerprint",
        "$exception_sources",
        "$exception_message",
        "$ai_error",
        "$groups",
        "$lib",
        "$set",
        "plan",
        "jane@example.test",
        "$feature/x",
        " $MCP_Parameters",
    ]
)
EVENT = st.fixed_dictionaries(
    {
        "event": st.sampled_from(["$exception", "$mcp_tool_call", "bought", "jane@example.test"]),
        "properties": st.dictionaries(NAMED, VALUES, max_size=6),
    },
    optional={
        "distinct_id": SCALARS,
        "timestamp": st.just("2026-11-30T10:07:58+00:00"),
        "uuid": st.just("01a22bec"),
        "$set": VALUES,
        "$mcp_intent": SCALARS,
    },
)


@settings(max_examples=80, deadline=None)
@given(st.lists(EVENT, min_size=1, max_size=8), st.sampled_from(SETTINGS))
def test_any_events_are_counted_as_event_by_event(events: list[dict[str, Any]], policy: Settings) -> None:
    # Each twice, so that a second one meets what was remembered of the first.
    found = rows([("a", event) for event in [*events, *copy.deepcopy(events)]])
    same(tally_of(found, policy), plainly(found, policy))


@settings(max_examples=40, deadline=None)
@given(st.lists(EVENT, min_size=1, max_size=8), st.sampled_from(SETTINGS))
def test_fates_add_up(events: list[dict[str, Any]], policy: Settings) -> None:
    report = report_of(*events, policy=policy)
    assert report.rows == len(events)
    assert sum(use.count for use in report.properties) == sum(len(event["properties"]) for event in events)
    for use in report.properties:
        assert sum(use.kinds.values()) == sum(use.events.values()) == use.count
        held = use.count - use.fates.get(Fate.PASSES, 0)
        assert bool(use.rules) == bool(use.reasons) == bool(held), use


@settings(max_examples=30, deadline=None)
@given(st.lists(EVENT, min_size=3, max_size=9), st.randoms(use_true_random=False))
def test_merging_is_free_of_order(events: list[dict[str, Any]], chance: random.Random) -> None:
    found = rows([("a", event) for event in events])
    whole = tally_of(found, Settings(corroborate=False))
    chance.shuffle(found)
    parts = [tally_of([row], Settings(corroborate=False)) for row in found]
    first, second = Tally(), Tally()
    for part in parts:
        first.merge(copy.deepcopy(part))
    half = Tally()
    for part in parts[1:]:
        half.merge(copy.deepcopy(part))
    second.merge(half)
    second.merge(parts[0])
    assert first == second == whole


def test_what_waits_is_measured_alike_however_much_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = tally_of(SOME, Settings()).report()
    for waiting, shapes in ((1, 512), (7, 2), (100_000, 3)):
        monkeypatch.setattr(auditing, "MOST_WAITING", waiting)
        monkeypatch.setattr(auditing, "MOST_SHAPES", shapes)
        assert tally_of(SOME, Settings()).report() == expected


def test_an_argument_refusal_is_counted_by_tool_field_and_code() -> None:
    report = report_of(call("x"), refusal(), refusal("other"))
    (one,) = report.refusals
    assert (one.tool, one.field, one.code, one.count) == ("find_book", "number", "int_parsing", 2)


def test_a_tool_that_is_named_like_content_is_masked() -> None:
    (one,) = report_of(refusal(tool="jane@example.test")).refusals
    assert one.tool == "*"


@pytest.mark.parametrize("name", ["jane@example.test", "id 7", "card_4111111111111111", "x" * 65, "\u00e9", ""])
def test_a_property_whose_name_may_be_content_goes_by_the_mask(name: str) -> None:
    report = report_of({"event": name, "properties": {name: 1}}, policy=Settings(profile="strict"))
    assert [use.name for use in report.properties] == ["*"]
    assert [use.name for use in report.events] == ["*"]
    assert report.leaks[0].path == "properties.*"
    if name:
        assert name not in repr(report)


def test_a_name_that_the_settings_list_is_shown() -> None:
    event = {"event": "bought", "properties": {"a b": 1, "plan": 1}}
    assert {use.name for use in report_of(event, policy=Settings(allow=["a b"])).properties} == {"a b", "plan"}


def leaks_of(report: Report) -> dict[tuple[LeakKind, str], int]:
    return {(leak.kind, leak.path): leak.count for leak in report.leaks}


def test_what_the_policy_closes_leaked() -> None:
    fault = refusal()
    fault["properties"]["$mcp_tool_name"] = None  # so that nothing says that it is a refusal
    fault["properties"]["$exception_message"] = "secret-7"
    fault["properties"]["$exception_list"][0]["stacktrace"]["frames"][0]["code_variables"] = {"x": "secret-7"}
    fault["properties"]["plan"] = {"$mcp_parameters": {"x": "secret-7"}}
    fault["$mcp_intent"] = "secret-7"
    assert leaks_of(report_of(fault)) == {
        (LeakKind.EXCEPTION, "properties.$exception_list[N].value"): 2,
        (LeakKind.EXCEPTION, "properties.$exception_message"): 1,
        (LeakKind.CLOSED, "properties.$exception_list[N].stacktrace.frames[N].code_variables"): 1,
        (LeakKind.CLOSED, "properties.plan.$mcp_parameters"): 1,
        (LeakKind.CLOSED, "properties.$mcp_resource_name"): 1,
        (LeakKind.CLOSED, "$mcp_intent"): 1,
    }


def test_what_a_dropped_event_said_leaked_too() -> None:
    fault = refusal()
    fault["properties"]["$mcp_response"] = "secret-7"
    assert leaks_of(report_of(fault)) == {
        (LeakKind.EXCEPTION, "properties.$exception_list[N].value"): 2,
        (LeakKind.CLOSED, "properties.$mcp_response"): 1,
    }


def test_nothing_is_no_leak() -> None:
    assert report_of(call(**{"$mcp_parameters": {}, "$mcp_response": None, "$mcp_intent": ""})).leaks == []


def test_shapes_of_secrets_in_what_passes_are_notices_with_a_path() -> None:
    line = "    client = Client('sk_live_51Habcdefgh1234')"
    fault = {
        "event": "$exception",
        "distinct_id": "jane@example.test",
        "properties": {
            "$exception_list": [entry("app", "KeyError", "x", [frame("app", "f", line)])],
            "plan": "for jane@example.test",
            "who": {"mail": ["jane@example.test"]},
        },
        "timestamp": "2026-11-30T10:07:58+00:00",
        "uuid": "01a22bec",
    }
    report = report_of(fault, copy.deepcopy(fault))
    assert leaks_of(report) == {
        (LeakKind.EXCEPTION, "properties.$exception_list[N].value"): 2,
        (LeakKind.CREDENTIAL, "properties.$exception_list[N].stacktrace.frames[N].context_line"): 2,
        (LeakKind.EMAIL, "properties.plan"): 2,
        (LeakKind.EMAIL, "properties.who.mail[N]"): 2,
        (LeakKind.EMAIL, "distinct_id"): 2,
    }
    assert "jane" not in repr(report)


def test_an_example_is_shown_only_when_it_is_asked_for() -> None:
    found = rows([("a", call(**{"$mcp_intent": "Ask for secret-7"}))])
    assert "secret-7" not in json.dumps([leak.example for leak in tally_of(found, Settings()).report().leaks])
    revealed = {leak.path: leak.revealed for leak in tally_of(found, Settings(), reveal=True).report().leaks}
    assert revealed["properties.$mcp_intent"] == "Ask for secret-7"


def test_the_example_is_the_first_in_the_file() -> None:
    events = [call(**{"$mcp_intent": text}) for text in ("Aa", "Bbb", "Cccc")]
    found = rows([("a", event) for event in events])
    late, early = tally_of(found[1:], Settings()), tally_of(found[:1], Settings())
    late.merge(early)
    assert [leak.example for leak in late.report().leaks if leak.path.endswith("intent")] == ["Xx"]


def test_a_failed_rule_counts_as_dropped() -> None:
    from .test_judging import Broken

    report = report_of({"event": "x", "properties": {"plan": Broken(), "$mcp_response": "secret-7"}})
    assert report.verdicts[Verdict.DROP] == 1
    assert report.rules == {"closing": {Verdict.DROP: 1}}
    assert leaks_of(report) == {(LeakKind.CLOSED, "properties.$mcp_response"): 1}


def test_names_that_never_end_are_counted_under_the_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    from scrubber.audit import tally as module

    monkeypatch.setattr(module, "MOST_NAMES", 3)
    report = report_of(*({"event": f"e{at}", "properties": {f"p{at}": 1}} for at in range(8)))
    assert [use.name for use in report.events] == ["*", "e0", "e1", "e2"]
    assert (report.properties[0].name, report.properties[0].count) == ("*", 5)


@pytest.mark.parametrize("value", ["\ud800", 2**70, ["\ud800"], {"\ud800": 2**70}])
def test_what_the_fast_encoder_does_not_write_is_counted_by_itself(value: Any) -> None:
    events = [
        call(**{"plan": item, "$mcp_intent": item}) for item in (value, "\u00e9" if type(value) is str else value)
    ]
    both, apart = report_of(*events), tally_of(rows([("a", events[0])]), Settings())
    apart.merge(tally_of([Row(events[1], "a", 2, 1)], Settings()))
    assert both == apart.report()


def test_pairs_of_names_that_never_end_are_counted_under_the_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    from scrubber.audit import tally as module

    monkeypatch.setattr(module, "MOST_PAIRS", 3)
    monkeypatch.setattr(module, "MOST_EVENTS", 2)
    events = [{"event": f"e{at}", "properties": {"a": 1, "b": 1}} for at in range(4)]
    report = report_of(*events)
    assert report.leaving["e3"] == {"*": {"number": 2}}
    assert sum(count for kinds in report.leaving.values() for by in kinds.values() for count in by.values()) == 8
    assert report.properties[0].events == {"e0": 1, "e1": 1, "*": 2}


def test_each_way_to_count_is_empty_for_nothing() -> None:
    assert tally_of([], Settings()).report().rows == 0
    assert tally_of([], Settings()) == Tally()
