"""Events of one shape: what is said of each property, by its name on that event, and what leaked of each."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Settings
from scrubber.audit.reading import dumps
from scrubber.audit.records import Fate, LeakKind, PropertyUse, Report

from ..support import call, refusal
from .test_tally import leaks_of, report_of

BOUGHT = Settings(profile="strict", allow_on={"bought": ["a b"]})


def event(name: Any = "bought", **more: Any) -> dict[str, Any]:
    """An event with the usual envelope; `properties` and parts of the envelope by name."""
    envelope = {"distinct_id": "d", "timestamp": "2026-11-30T10:07:58+00:00", "uuid": "01a22bec"}
    return {"event": name, **envelope, "properties": {}, **more}


def use_of(report: Report, name: str) -> PropertyUse:
    (use,) = [use for use in report.properties if use.name == name]
    return use


def test_a_removed_property_has_the_rule_and_the_reason_of_its_handling() -> None:
    use = use_of(report_of(call("x"), call("y")), "$mcp_response")
    assert use.rules == {"mcp_closed": 2}
    assert use.reasons == {"content: closed until a setting opens it by name": 2}


def test_a_changed_property_has_the_rules_of_what_was_found_in_it_and_of_nothing_else() -> None:
    nested = {"x": {"$mcp_parameters": {"a": 1}}}
    report = report_of(event(properties={"a b": nested, "plan": nested, "$mcp_response": "x"}), policy=Settings())
    plan = use_of(report, "plan")
    assert (plan.rules, plan.fates) == ({"nested": 1}, {Fate.REDACTED: 1})
    assert plan.reasons == {"cut, or closed to the SDK's names inside": 1}
    assert set(use_of(report, "$mcp_response").rules) == {"mcp_closed"}


def test_each_of_several_changed_properties_has_the_rules_of_its_own() -> None:
    fault = refusal()
    fault["properties"]["$mcp_tool_name"] = None  # so that nothing says that it is a refusal
    fault["properties"]["$mcp_error_message"] = (
        "1 validation error for xArguments\nn\n  Input should be a valid integer [type=int_parsing, input_value='x', "
        "input_type=str]"
    )
    fault["properties"]["$mcp_input_keys"] = ["a", "jane@example.test"]
    report = report_of(fault)
    said = {use.name: (use.rules, use.reasons) for use in report.properties if Fate.REDACTED in use.fates}
    assert said == {
        "$exception_list": ({"exception": 1}, {"the text of an exception is content": 1}),
        "$mcp_error_message": ({"error_message": 1}, {"rewritten to its shape": 1}),
        "$mcp_input_keys": ({"mcp_closed": 1}, {"a name that is no identifier, replaced": 1}),
    }


def test_what_is_open_on_an_event_did_not_leak_where_the_event_is_dropped() -> None:
    fault = refusal()
    fault["properties"] |= {"a b": "x", "plan": "y"}
    found = leaks_of(report_of(fault, policy=Settings(profile="strict", allow_on={"$exception": ["a b"]})))
    assert {path for kind, path in found if kind is LeakKind.CLOSED} == {"properties.plan"}


@pytest.mark.parametrize("changed", ["plain", "nested"])
def test_a_name_that_is_open_on_one_event_is_shown_and_explained_on_that_event_alone(changed: str) -> None:
    value: Any = "for jane@example.test" if changed == "plain" else {"x": {"$mcp_parameters": {"a": "Ask"}}}
    report = report_of(event(properties={"a b": value}), event("sold", properties={"a b": value}), policy=BOUGHT)
    assert [use.name for use in report.properties] == ["*", "a b"]
    here, elsewhere = use_of(report, "a b"), use_of(report, "*")
    assert elsewhere.fates == {Fate.UNKNOWN: 1}
    if changed == "plain":
        assert here.fates == {Fate.PASSES: 1}
        assert leaks_of(report) == {(LeakKind.EMAIL, "properties.a b"): 1, (LeakKind.CLOSED, "properties.*"): 1}
    else:
        assert (here.fates, here.rules) == ({Fate.REDACTED: 1}, {"nested": 1})
        assert sum(here.reasons.values()) == 1


def test_what_leaves_of_a_name_that_is_open_on_one_event_stands_under_its_name() -> None:
    report = report_of(event(properties={"a b": 1}), event("sold", properties={"plan": 1}), policy=BOUGHT)
    assert use_of(report, "a b").fates == {Fate.PASSES: 1}


@pytest.mark.parametrize("name", [None, 7, ""])
def test_an_event_without_a_name_goes_by_the_mask(name: Any) -> None:
    assert [use.name for use in report_of(event(name, properties={"plan": 1})).events] == ["*"]


def test_a_value_that_repeats_leaks_where_the_policy_keeps_it_in() -> None:
    names = ["$lib", "$lib_version", "$mcp_server_name"]
    report = report_of(*[call("x")] * 2, policy=Settings(block=names))
    found = leaks_of(report)
    assert {path: count for (kind, path), count in found.items() if kind is LeakKind.CLOSED} == {
        **{f"properties.{name}": 2 for name in names},
        "properties.$mcp_parameters": 2,
        "properties.$mcp_response": 2,
    }


def test_texts_with_commas_are_measured_whole_in_the_envelope() -> None:
    one = event(distinct_id="a,b,c", uuid="d,e")
    (use,) = report_of(one, one).events
    assert (use.bytes_in, use.bytes_out) == (2 * len(dumps(one)), 2 * len(dumps(one)))


def test_of_the_envelope_only_the_id_of_the_person_is_searched_and_only_where_it_leaves() -> None:
    mail = "jane@example.test"
    sent = event(distinct_id=mail, timestamp=mail, uuid=mail)
    assert leaks_of(report_of(sent, sent)) == {(LeakKind.EMAIL, "distinct_id"): 2}
    dropped = refusal() | {"distinct_id": mail}
    assert {kind for kind, _ in leaks_of(report_of(dropped))} == {LeakKind.EXCEPTION}
