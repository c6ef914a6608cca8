"""The engine where a rule fails, what it says then, and what it remembers of names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from scrubber import Scrubber, Settings, Verdict
from scrubber.pipeline import _LONGEST_PLAN, _MOST_EVENTS, _MOST_PLANS, Pipeline, RuleError, rule_name
from scrubber.rules import exceptions
from scrubber.words.properties import ANNOTATION

from ..support import call, refusal


def pipeline(*rules: Any, **settings: Any) -> Pipeline:
    return Scrubber(Settings(**settings), rules=rules)._pipeline


class Strange(dict[str, Any]):
    """A mapping that cannot be gone through."""

    def items(self) -> Any:
        raise ZeroDivisionError("secret")


class Broken(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise LookupError("secret")

    def __iter__(self) -> Any:
        raise LookupError("secret")

    def __len__(self) -> int:
        return 1


def failure(engine: Pipeline, event: Any) -> tuple[str, str, str]:
    with pytest.raises(RuleError) as caught:
        engine.run(event)
    return caught.value.rule, caught.value.error_type, str(caught.value)


def test_a_decision_holds_the_event_that_leaves() -> None:
    event = {"event": "mine", "properties": {"plan": "pro"}}
    assert pipeline().decide(event).event == event


def test_a_drop_rule_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(view: Any) -> str:
        raise ZeroDivisionError("secret")

    engine = pipeline()
    engine._drops = [("argument_refusal", fails)]
    said = ("argument_refusal", "ZeroDivisionError", "rule argument_refusal failed with ZeroDivisionError")
    assert failure(engine, refusal()) == said


def test_closing_that_fails_is_named() -> None:
    event = {"event": "mine", "properties": {"mine": Strange(a=1)}}
    assert failure(pipeline(), event) == ("closing", "ZeroDivisionError", "rule closing failed with ZeroDivisionError")


def test_a_failure_beside_the_properties_is_named_as_such() -> None:
    event = {"event": "mine", "properties": {}, "other": Strange(a=1)}
    assert failure(pipeline(), event)[:2] == ("top_level", "ZeroDivisionError")


def test_a_failure_of_closing_again_is_named() -> None:
    with pytest.raises(RuleError) as caught:
        pipeline().again({"event": "mine", "properties": {"mine": Strange(a=1)}})
    assert (caught.value.rule, caught.value.error_type) == ("closing", "ZeroDivisionError")


def test_an_event_that_cannot_be_read_is_no_rules_failure() -> None:
    # It is made a dict before any rule runs; the hook answers for it.
    assert Scrubber()({"event": "mine", "properties": Broken()}) is None


def test_a_users_rule_that_fails_is_named() -> None:
    def strict(event: Any) -> bool:
        raise KeyError("secret")

    assert failure(pipeline(strict), call()) == ("strict", "KeyError", "rule strict failed with KeyError")


def test_what_is_dropped_is_said_with_its_own_reason() -> None:
    def refuse(event: Any) -> bool:
        return False

    dropped = pipeline().decide(refusal()).findings[0].reason
    users = pipeline(refuse).decide({"event": "mine", "properties": {}}).findings[-1].reason
    assert dropped == "the SDK refused the tool's arguments before the body ran"
    assert pipeline().decide({}).findings[0].reason == "no event with a mapping of properties"
    assert users == "dropped by a rule of the user's"


def test_a_bound_method_is_called_by_its_own_name_and_never_by_its_kind() -> None:
    class Rules:
        def keep(self, event: Any) -> bool:
            return True

    assert rule_name(Rules().keep) == "keep"

    class Nameless:
        __name__ = "method"

        def __call__(self, event: Any) -> bool:
            return True

    assert rule_name(Nameless()) == "Nameless"


def test_an_event_name_that_is_no_text_is_no_name() -> None:
    for name in (7, None, ["$exception"]):
        event = {"event": name, "properties": {"plan": "pro"}}
        out = pipeline(allow_on={"7": ["plan"]}, profile="strict").run(event)
        assert out.event is not None
        assert "plan" not in out.event["properties"]
    seen: list[str] = []
    engine = pipeline()
    engine._closing.resolve = lambda name, event_name: seen.append(event_name)  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(RuleError):
        engine.run({"event": 7, "properties": {"plan": "pro"}})
    assert seen == [""]


# -- what is remembered of names


def test_the_plan_of_a_set_of_names_is_made_once() -> None:
    engine = pipeline()
    engine.run({"event": "mine", "properties": {"plan": "pro"}})
    engine._plan = None  # type: ignore[method-assign, assignment]
    engine.run({"event": "mine", "properties": {"plan": "free"}})
    assert set(engine._plans) == {(("plan",), "mine")}
    assert engine._event_names == {"mine"}


def test_values_that_were_found_to_be_names_together_are_looked_at_once() -> None:
    engine = pipeline()
    event = {"event": "$mcp_tool_call", "properties": {"$mcp_tool_name": "find", "$mcp_server_name": "shop"}}
    engine.run(event)
    looked: list[Any] = []
    engine._look = lambda *given: looked.append(given)  # type: ignore[method-assign, assignment]
    engine.run(event)
    assert looked == []
    engine.run({"event": "$mcp_tool_call", "properties": {"$mcp_tool_name": "sell", "$mcp_server_name": "shop"}})
    assert len(looked) == 1


def test_values_of_an_event_in_which_one_was_no_name_are_not_remembered() -> None:
    engine = pipeline()
    bad = {
        "event": "$mcp_tool_call",
        "properties": {"$mcp_tool_name": "find", "$mcp_server_name": "a b c d e f secret"},
    }
    for _ in range(2):
        out = engine.run(bad)
        assert out.event is not None
        assert out.event["properties"] == {"$mcp_tool_name": "find"}
        assert out.verdict is Verdict.REDACT


def test_what_is_remembered_of_names_is_bounded_to_the_one() -> None:
    engine = pipeline()
    for at in range(_MOST_PLANS + 1):
        engine.run({"event": "mine", "properties": {f"own_{at}": 1}})
        assert len(engine._plans) <= _MOST_PLANS
    assert len(engine._plans) == 1
    for size, kept in ((_LONGEST_PLAN, 1), (_LONGEST_PLAN + 1, 0)):
        fresh = pipeline()
        fresh.run({"event": "mine", "properties": {f"own_{at}": 1 for at in range(size)}})
        assert len(fresh._plans) == kept
    for at in range(_MOST_EVENTS + 5):
        engine.run({"event": f"mine {at}", "properties": {}})
    assert len(engine._event_names) == _MOST_EVENTS


# -- made from other properties, and the envelope


def test_nothing_is_annotated_unasked_even_where_something_else_is_made() -> None:
    event = call(
        "1 validation error for find_bookArguments\nnumber\n  Input should be x [type=int_parsing, input_value=1]"
    )
    out = pipeline().run(event)
    assert out.event is not None
    assert "$scrubber_removed" not in out.event["properties"]


@pytest.mark.parametrize("missing", ["distinct_id", "timestamp", "uuid"])
def test_an_envelope_of_the_usual_size_with_another_key_is_looked_at(missing: str) -> None:
    event = call()
    del event[missing]
    event["$mcp_intent"] = "secret"
    out = pipeline().run(event)
    assert out.event is not None
    assert "$mcp_intent" not in out.event


def test_a_usual_envelope_is_not_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = pipeline()
    engine._unusual_envelope = None  # type: ignore[method-assign, assignment]
    assert engine.run(call()).event is not None


# -- the rule of exceptions


def test_frames_are_counted_from_none() -> None:
    assert exceptions.ExceptionRule(Settings().policy())._known._frames == 0


def test_only_where_it_is_asked_for_is_it_said_what_went() -> None:
    event = refusal()
    event["properties"]["$exception_list"] = [{"type": "ValueError", "value": "x"}]
    event["properties"]["$exception_message"] = "x"
    for asked in (False, True):
        out = Scrubber(Settings(annotate=asked))(event)
        assert out is not None
        assert (ANNOTATION in out["properties"]) is asked


def test_every_finding_of_a_failed_call_has_a_reason() -> None:
    findings = Scrubber().decide(call(str(refusal()["properties"]["$exception_list"][-1]["value"]))).findings
    assert {one.path for one in findings} >= {"properties.$mcp_error_code", "properties.$mcp_error_field"}
    assert all(isinstance(one.reason, str) and one.reason for one in findings)
