"""Properties of the engine and of the hook around it: order, failure, memory, and that `decide` is the hook."""

from __future__ import annotations

import copy
import json
import logging
from typing import Any

import pytest
from hypothesis import strategies as st

from scrubber import Scrubber, Settings
from scrubber.hook import FAILED_REASON
from scrubber.plans import Plan
from scrubber.rules.closing import Closing
from scrubber.words.policy import Policy
from scrubber.words.verdict import Verdict

from ..support import call, refusal, texts
from .property_kit import CANARY, Hostile, given, json_values, objects, planted, text

POLICIES = (
    Settings(error_messages={"ValidationError": "shape"}),
    Settings(profile="strict", error_messages={"ValidationError": "shape"}, annotate=True),
    Settings(error_messages={}, drop_refusals=True, expected_exceptions=["KeyError"]),
)
policies = st.sampled_from(POLICIES)
CLOSED = (
    "$mcp_parameters $MCP_PARAMETERS $mcp_response $mcp_intent $mcp_client_name $mcp_unheard_of $mcp_error_message "
    "$exception_message $exception_unheard_of $exception_fingerprint $exception_types $ai_error"
).split()
changes = st.dictionaries(
    st.sampled_from([*CLOSED, "mine", "$lib", "$mcp_tool_name", "$mcp_error_type"]), json_values, max_size=4
)
bases = st.sampled_from([call(), call("1 validation error for fArguments\nx\n  y [type=missing]"), refusal()])


def event_of(base: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """A recorded event's copy with other properties."""
    return {**copy.deepcopy(base), "properties": {**copy.deepcopy(base["properties"]), **copy.deepcopy(more)}}


# -- any event


@given(policies, objects | st.builds(Hostile), objects | st.builds(Hostile))
def test_any_object_in_is_a_dict_or_none_out(policy: Settings, whole: Any, inner: Any) -> None:
    """Broken by: `except KeyError` for `except BaseException` in `_run`: a hostile mapping raises through."""
    hook = Scrubber(policy)
    for event in (
        whole,
        {"event": "mine", "properties": whole},
        {"event": inner, "properties": {"mine": inner}, "top": whole},
    ):
        assert isinstance(hook(event), (dict, type(None)))
    assert isinstance(hook.decide(whole).verdict, Verdict)


@given(policies, bases, changes)
def test_decide_is_the_hook_and_leaves_the_event_alone(
    policy: Settings, base: dict[str, Any], more: dict[str, Any]
) -> None:
    """Broken by: a plan whose closed names count for nothing (`view.fired |= plan.closed_rules` left out)."""
    event = event_of(base, more)
    before = copy.deepcopy(event)
    hook = Scrubber(policy)
    sent, decision = hook(event), hook.decide(event)
    assert event == before
    assert decision.event == sent
    assert (decision.verdict is Verdict.DROP) is (sent is None)
    assert (decision.verdict is Verdict.PASS) is (not decision.findings)
    assert decision.verdict is not Verdict.PASS or sent == event
    counts = hook.counts()
    assert (counts["failed"], counts["redacted"]) == (0, int(decision.verdict is Verdict.REDACT))


@given(policies, bases, changes)
def test_twice_is_once(policy: Settings, base: dict[str, Any], more: dict[str, Any]) -> None:
    """Broken by: a shape that is not known again (`_own_shape` not asked)."""
    for hook in (Scrubber(policy), Scrubber(policy, then=lambda event: event)):
        once = hook(event_of(base, more))
        if once is not None:
            assert hook(copy.deepcopy(once)) == once
            assert Scrubber(policy)(copy.deepcopy(once)) == once


@given(policies, bases, st.sampled_from(CLOSED), json_values, st.sampled_from(["plain", "inside", "in json", "beside"]))
def test_a_canary_in_a_closed_place_is_in_nothing_that_comes_out(
    policy: Settings, base: dict[str, Any], name: str, value: Any, how: str
) -> None:
    """Broken by: a finding with a value for its reason; a nested walk without the names; no rule for unlisted `$exception_*`."""
    hidden = [CANARY, planted(value)]
    event = event_of(base, {})
    if how == "beside" and name not in ("$mcp_error_message",):
        event[name] = hidden
    elif how == "inside":
        event["properties"]["mine"] = [{"deep": ({name: hidden},)}]
    else:
        event["properties"][name] = json.dumps(hidden) if how == "in json" else hidden
    hook = Scrubber(policy)
    sent, decision = hook(event), hook.decide(event)
    for out in (
        sent,
        decision.event,
        [(one.rule, one.path, one.reason) for one in decision.findings],
        hook.counts(),
        decision,
    ):
        assert CANARY not in texts(out)


# -- memory


@given(policies, bases, changes, changes)
def test_what_was_seen_before_changes_no_later_event(
    policy: Settings, base: dict[str, Any], first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Broken by: a remembered trace that is found by its key alone."""
    alone = policy.model_copy(update={"corroborate": False})
    warm, cold = Scrubber(alone), Scrubber(alone)
    warm(event_of(base, first))
    warm({**event_of(base, second), "event": "another"})
    event = event_of(base, second)
    if event["event"] == "$exception" and "$exception_list" not in second:
        event["properties"]["$exception_list"][0]["stacktrace"]["frames"][-1]["function"] = f"{CANARY}"
    assert warm(event) == cold(event)


@given(
    st.lists(st.sampled_from([*CLOSED, "mine", "$lib", "$exception_list"]) | text, max_size=8, unique=True), policies
)
def test_a_plan_handles_each_name_once(names: list[str], policy: Settings) -> None:
    """Broken by: a list of the plan that is left empty, or loses one: its names would pass unlooked at."""
    closing = Closing(policy.policy())
    plan = Plan([(name, closing.resolve(name, "mine")) for name in names])
    handled = [*(one for one, _ in plan.closed), *(one for one, _ in plan.known), *plan.open]
    handled += [one for one, *_ in plan.kinds] + [one for one, _ in plan.rules]
    assert sorted(handled) == sorted(names)


@given(st.integers(1, 200), text)
def test_a_plan_remembers_only_texts_and_not_without_bound(number: int, word: str) -> None:
    """Broken by: no `clear`; a `remember` of values that are no texts."""
    closing = Closing(Policy())
    plan = Plan([(name, closing.resolve(name, "mine")) for name in ("$mcp_tool_name", "$mcp_server_name")])
    for at in range(number):
        plan.remember((f"{word}{at}", word))
        plan.remember((word, at))
        plan.remember(("x" * 5000, "y"))
    assert len(plan._seen) <= 64
    assert all(type(part) is str and len(part) < 5000 for one in plan._seen for part in one)


# -- order and failure


def raising(event: Any) -> Any:
    raise ValueError(CANARY)


ANSWERS: dict[str, Any] = {
    "true": lambda event: True,
    "pass": lambda event: Verdict.PASS,
    "change": lambda event: {**event, "properties": {**event["properties"], "mine": 1}},
    "open": lambda event: {**event, "properties": {"$mcp_parameters": CANARY, "$mcp_intent": CANARY}},
    "none": lambda event: None,
    "false": lambda event: False,
    "drop": lambda event: Verdict.DROP,
    "raise": raising,
    "text": lambda event: CANARY,
    "mutate": lambda event: event["properties"].update({"$mcp_parameters": CANARY}) or True,
}
DROPS = {"none", "false", "drop", "raise", "text"}


@given(st.lists(st.sampled_from(sorted(ANSWERS)), min_size=1, max_size=5), bases)
def test_a_drop_wins_whatever_the_order_and_no_rule_opens_what_is_closed(
    order: list[str], base: dict[str, Any]
) -> None:
    """Broken by: a loop that goes on after a drop; an answer that is not closed again."""
    hook = Scrubber(POLICIES[0], rules=[ANSWERS[name] for name in order])
    sent = hook(copy.deepcopy(base))
    if Scrubber(POLICIES[0])(copy.deepcopy(base)) is None or DROPS & set(order):
        assert sent is None
    else:
        assert sent is not None
    assert CANARY not in texts(sent)


@given(st.permutations(["true", "change", "raise"]), st.sampled_from([KeyError, OSError, SystemExit, RecursionError]))
def test_a_rule_that_raises_drops_the_event_and_says_only_its_name(
    order: list[str], error: type[BaseException]
) -> None:
    """Broken by: `continue` for the raise in the loop; `exc_info` in the log line."""

    def mine(event: Any) -> Any:
        raise error(CANARY)

    rules = [mine if name == "raise" else ANSWERS[name] for name in order]
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(f"{record.getMessage()} {record.args} {record.exc_info}")  # type: ignore[method-assign]
    logger = logging.getLogger("scrubber")
    logger.addHandler(handler)
    try:
        hook = Scrubber(POLICIES[0], rules=rules)
        assert hook(call()) is None
        decision = hook.decide(call())
    finally:
        logger.removeHandler(handler)
    assert [one.reason for one in decision.findings] == [FAILED_REASON]
    assert hook.counts()["failed"] == 1
    assert len(lines) == 1
    assert error.__name__ in lines[0]
    assert CANARY not in texts([lines, [(one.rule, one.path) for one in decision.findings], hook.counts()])


def test_the_users_own_interrupt_is_no_failure() -> None:
    def mine(event: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Scrubber(POLICIES[0], rules=[mine])(call())
