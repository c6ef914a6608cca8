"""The engine on its edges: what is dropped and where that is said, what is made from other properties, and memory."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from scrubber import Scrubber, Settings, Verdict
from scrubber.pipeline import Pipeline, RuleError, rule_name
from scrubber.words.verdict import Finding

from ..support import REFUSAL, call, entry, refusal

TEXT = REFUSAL.format(value="secret-7")


def pipeline(*rules: Any, **settings: Any) -> Pipeline:
    return Scrubber(Settings(**settings), rules=rules)._pipeline


def said(engine: Pipeline, event: Any) -> list[tuple[str, str, bool]]:
    return [(one.rule, one.path, bool(one.reason)) for one in engine.decide(event).findings]


@pytest.mark.parametrize("event", [None, 7, "text", [], [("event", "x")]])
def test_what_is_no_event_is_dropped_and_said(event: Any) -> None:
    decision = pipeline().decide(event)
    assert (decision.verdict, decision.event) == (Verdict.DROP, None)
    assert said(pipeline(), event) == [("envelope", "", True)]


@pytest.mark.parametrize("event", [{}, {"event": "x"}, {"properties": None}, {"properties": []}, {"properties": "x"}])
def test_an_event_without_properties_is_dropped_and_said_at_its_place(event: Any) -> None:
    assert pipeline().decide(event).verdict is Verdict.DROP
    assert said(pipeline(), event) == [("envelope", "properties", True)]


def test_a_dropped_refusal_is_said_at_the_list_of_exceptions() -> None:
    assert said(pipeline(), refusal()) == [("argument_refusal", "properties.$exception_list", True)]
    outcome = pipeline().run(refusal())
    assert (outcome.verdict, outcome.event, tuple(outcome.fired)) == (Verdict.DROP, None, ("argument_refusal",))


def test_only_exception_events_are_dropped_as_refusals() -> None:
    assert pipeline().run(refusal() | {"event": "mine"}).event is not None


def test_what_was_sent_is_asked_for_exceptions_only_and_where_it_is_known() -> None:
    def called(**arguments: Any) -> Any:
        return {"request": {"params": {"arguments": arguments}}}, "find_book"

    assert pipeline().run(refusal(), None, called(number="secret-7")).event is None
    assert pipeline().run(refusal(), None, called(number=7)).event is not None
    assert pipeline().run(refusal(), None, None).event is None


def test_an_event_that_needs_no_change_passes_and_is_a_copy() -> None:
    event = {"event": "mine", "distinct_id": "u", "timestamp": "t", "uuid": "i", "properties": {"plan": "pro"}}
    outcome = pipeline().run(event)
    assert (outcome.verdict, outcome.event, list(outcome.fired)) == (Verdict.PASS, event, [])
    assert outcome.event is not event
    assert outcome.event is not None
    assert outcome.event["properties"] is not event["properties"]
    assert pipeline().run(call()).verdict is Verdict.REDACT


@pytest.mark.parametrize("more", [{}, {"mine": 1}, {"distinct_id": 7}, {"$set": {"a": 1}}])
def test_keys_leave_in_the_order_they_came(more: dict[str, Any]) -> None:
    event = {
        "properties": {"b": 1, "a": [2]},
        "uuid": "i",
        "event": "mine",
        "timestamp": "t",
        "distinct_id": "u",
        **more,
    }
    out = pipeline().run(event).event
    assert out == event
    assert list(out) == list(event)
    assert list(out["properties"]) == ["b", "a"]


def test_other_mappings_are_read_at_both_levels() -> None:
    event = MappingProxyType({"event": "mine", "properties": MappingProxyType({"plan": "pro", "$mcp_x": 1})})
    assert pipeline().run(event).event == {"event": "mine", "properties": {"plan": "pro"}}
    assert pipeline().run({"event": 7, "properties": {"plan": "pro"}}).event == {
        "event": 7,
        "properties": {"plan": "pro"},
    }


# -- made from others


def test_code_and_field_are_set_together_as_far_as_they_may_leave() -> None:
    def of(more: dict[str, Any], **settings: Any) -> tuple[Any, Any]:
        out = pipeline(**settings).run(call(TEXT, **more)).event
        assert out is not None
        return out["properties"].get("$mcp_error_code"), out["properties"].get("$mcp_error_field")

    assert of({}) == ("int_parsing", "number")
    assert of({"$mcp_error_code": "mine"}) == ("mine", None)
    assert of({"$mcp_error_field": "own"}) == ("int_parsing", "own")
    assert of({}, block=["$mcp_error_code"]) == (None, "number")
    assert of({}, block=["$mcp_error_field"]) == ("int_parsing", None)
    assert of({}, values={"$mcp_error_field": ["other"]}) == ("int_parsing", None)
    assert of({}, values={"$mcp_error_field": ["number"]}) == ("int_parsing", "number")


def test_what_was_made_from_others_counts_under_its_rule() -> None:
    assert "error_message" in set(pipeline().run(call(TEXT)).fired)
    bare = {"event": "$exception", "properties": {"$exception_list": [entry(None, "E", "[redacted]", None)]}}
    assert "fingerprint" in set(pipeline().run(bare).fired)
    assert "fingerprint" not in set(pipeline().run(refusal() | {"event": "x"}).fired)


def test_annotation_joins_what_an_earlier_look_removed() -> None:
    event = call(**{"$scrubber_removed": ["$mcp_intent", "*"], "$mcp_new": 1})
    out = pipeline(annotate=True).run(event).event
    assert out is not None
    gone = {"$mcp_intent", "$mcp_new", "$mcp_parameters", "$mcp_response", "*"}
    assert out["properties"]["$scrubber_removed"] == sorted(gone)
    clean = {"event": "mine", "properties": {"plan": "pro"}}
    assert pipeline(annotate=True).run(clean).event == clean
    blocked = pipeline(annotate=True, block=["$scrubber_removed"]).run(call()).event
    assert blocked is not None
    assert "$scrubber_removed" not in blocked["properties"]
    assert "$scrubber_removed" not in (pipeline().run(call()).event or {})["properties"]


# -- user rules


@pytest.mark.parametrize("answer", [True, Verdict.PASS])
def test_a_rule_of_the_users_may_let_pass(answer: Any) -> None:
    engine = pipeline(lambda event: answer)
    assert engine.run(call()).event == pipeline().run(call()).event
    assert "user_rule" not in set(engine.run(call()).fired)


@pytest.mark.parametrize("answer", [None, False, Verdict.DROP])
def test_a_rule_of_the_users_may_drop_and_that_is_said_under_its_name(answer: Any) -> None:
    def no_more(event: Any) -> Any:
        return answer

    engine = pipeline(no_more)
    assert engine.run(call()).event is None
    assert ("no_more", "", True) in said(engine, call())
    assert list(engine.run(call()).fired) == ["no_more"]


@pytest.mark.parametrize("answer", [7, "x", [], Verdict.REDACT])
def test_any_other_answer_is_a_failure_under_its_name(answer: Any) -> None:
    def odd(event: Any) -> Any:
        return answer

    with pytest.raises(RuleError) as caught:
        pipeline(odd).run(call())
    assert (caught.value.rule, caught.value.error_type) == ("odd", "TypeError")


def test_rules_of_the_users_see_each_others_changes_and_what_changed_is_said_once() -> None:
    seen: list[Any] = []

    def first(event: Any) -> Any:
        return {**event, "properties": {**event["properties"], "a": 1, "$mcp_parameters": "secret-7"}}

    def second(event: Any) -> Any:
        seen.append(event["properties"].get("a"))
        return True

    engine = pipeline(first, second)
    findings: list[Finding] = []
    outcome = engine.run(call(), findings)
    assert outcome.event is not None
    assert seen == [1]
    assert outcome.event["properties"]["a"] == 1
    assert "$mcp_parameters" not in outcome.event["properties"]
    assert [(one.path, bool(one.reason)) for one in findings if one.rule == "user_rule"] == [("", True)]
    assert {"user_rule", "mcp_parameters", "mcp_closed"} <= set(outcome.fired)


def test_a_rule_of_the_users_that_leaves_no_event_behind_drops_it() -> None:
    engine = pipeline(lambda event: {"event": "x"})
    assert engine.run(call()).event is None
    assert ("envelope", "properties", True) in said(engine, call())
    assert engine.again({"event": "x"}).verdict is Verdict.DROP


def test_an_event_that_user_code_had_is_closed_again() -> None:
    outcome = pipeline().again({"event": "x", "properties": {"$mcp_parameters": 1, "a": 2}})
    assert (outcome.verdict, outcome.event) == (Verdict.REDACT, {"event": "x", "properties": {"a": 2}})
    clean = {"event": "x", "properties": {"a": 2}}
    assert pipeline().again(clean) == (Verdict.PASS, clean, set())
    assert pipeline().again(refusal()).event is not None, "its text is gone: nothing to judge by"


class Named:
    name = "my_rule"

    def __call__(self, event: Any) -> Any:
        return True


class Plain:
    def __call__(self, event: Any) -> Any:
        return True


def test_a_rule_is_called_by_its_own_name_its_functions_or_its_class() -> None:
    def function_name(event: Any) -> Any:
        return True

    odd = Named()
    odd.name = "not a name"
    assert [rule_name(one) for one in (Named(), Plain(), function_name, odd)] == [
        "my_rule",
        "Plain",
        "function_name",
        "Named",
    ]
    assert rule_name(lambda event: True) == "user_rule"


# -- memory


def test_plans_are_bounded_in_number_and_size_and_each_event_gets_its_own() -> None:
    engine = pipeline(profile="strict", allow_on={"a": ["plan"]})
    for name, stays in (("a", True), ("b", False), ("a", True)):
        out = engine.run({"event": name, "properties": {"plan": "pro"}}).event
        assert out is not None
        assert ("plan" in out["properties"]) is stays
    for at in range(1200):
        engine.run({"event": "a", "properties": {f"k{at}": 1}})
    assert 0 < len(engine._plans) <= 512
    for at in range(600):
        engine.run({"event": f"e{at}", "properties": {"plan": 1}})
    assert len(engine._event_names) <= 256
    before = len(engine._plans)
    wide = {f"w{at}": at for at in range(300)}
    assert engine.run({"event": "a", "properties": wide | {"plan": 1}}).event == {
        "event": "a",
        "properties": {"plan": 1},
    }
    assert len(engine._plans) == before
