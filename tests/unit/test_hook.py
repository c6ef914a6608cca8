"""The door: any object in, a dict or None out; counts; logs without content; threads, forks and chained hooks."""

from __future__ import annotations

import asyncio
import copy
import logging
import os
import pickle
import sys
import threading
from collections import UserDict
from datetime import datetime, timezone
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubber
from scrubber import Scrubber, Settings, SettingsError, Verdict
from scrubber.pipeline import Pipeline, RuleError, rule_name

from ..support import call, recorded, refusal, texts

SECRET = "canary-41f0"


class Hostile:
    """An object that fails wherever it is touched, with content in its text."""

    def _fail(self, *_: Any) -> Any:
        raise ValueError(SECRET)

    __eq__ = __hash__ = __len__ = __iter__ = __str__ = __repr__ = __bool__ = __getattr__ = _fail  # type: ignore[assignment]


class HostileDict(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        raise RuntimeError(SECRET)

    def copy(self) -> Any:
        raise RuntimeError(SECRET)

    def __iter__(self) -> Any:
        raise RuntimeError(SECRET)


class Fatal(BaseException):
    pass


def cyclic() -> dict[str, Any]:
    loop: dict[str, Any] = {"x": 1}
    loop["self"] = loop
    loop["list"] = [loop]
    return loop


def deep(levels: int = 5000) -> Any:
    value: Any = SECRET
    for _ in range(levels):
        value = {"n": value}
    return value


ODD: list[Any] = [
    None,
    7,
    "text",
    b"bytes",
    [],
    {},
    {"event": "x"},
    {"properties": None},
    {"properties": "text"},
    {"properties": [("a", 1)]},
    {"event": {}, "properties": {}},
    {"event": None, "properties": {"a": 1}},
    {1: 2, "properties": {3: 4, b"$mcp_parameters": SECRET, ("t",): SECRET}},
    object(),
    Hostile(),
    {"event": "$exception", "properties": Hostile()},
    {"event": Hostile(), "properties": {"$mcp_tool_name": Hostile(), "$exception_list": Hostile()}},
    {"event": "$exception", "properties": {"$mcp_tool_name": "t", "$exception_list": [Hostile()]}},
    {
        "event": "$mcp_tool_call",
        "properties": {"$mcp_client_name": Hostile(), "$mcp_input_keys": [Hostile()]},
    },
    {"event": "x", "properties": HostileDict(a=SECRET)},
    {"event": "x", "properties": {"mine": HostileDict(a=SECRET)}},
    HostileDict(event="x", properties={}),
    {"event": "x", "properties": cyclic()},
    {"event": "x", "properties": {"mine": cyclic(), "more": deep()}, "$set": cyclic()},
    {"event": "$exception", "properties": {"$exception_list": [cyclic(), deep()]}},
    {"event": "$exception", "properties": {"$exception_list": deep(), "$exception_fingerprint": cyclic()}},
]


@pytest.mark.promise("hook:never-raises")
@pytest.mark.parametrize("event", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("settings", [{}, {"profile": "strict", "annotate": True, "drop_refusals": True}])
def test_any_object_gives_a_dict_or_none(
    event: Any, settings: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    out = Scrubber(Settings(**settings))(event)
    assert out is None or type(out) is dict
    assert SECRET not in caplog.text


def test_properties_that_are_no_mapping_drop_the_event() -> None:
    for properties in (None, "x", 7, [1]):
        assert Scrubber()({"event": "x", "properties": properties}) is None


def test_other_mappings_are_read() -> None:
    event = UserDict(event="x", properties=MappingProxyType({"a": 1, "$mcp_parameters": SECRET}))
    assert Scrubber()(event) == {"event": "x", "properties": {"a": 1}}


def test_timestamps_and_ids_of_the_options_hook_pass() -> None:
    now, uuid = datetime.now(timezone.utc), UUID(int=7)
    out = Scrubber()({"event": "x", "distinct_id": 7, "properties": {}, "timestamp": now, "uuid": uuid})
    assert out == {"event": "x", "distinct_id": 7, "properties": {}, "timestamp": now, "uuid": uuid}
    assert Scrubber()({"event": "x", "distinct_id": {"mail": SECRET}, "properties": {}}) == {
        "event": "x",
        "properties": {},
    }


@pytest.mark.promise("hook:bounded")
def test_huge_values_are_bounded() -> None:
    event = {"event": "x", "properties": {"mine": [[0] * 300 for _ in range(300)], "deep": deep(100)}}
    out = Scrubber()(event)
    assert out is not None
    assert sum(len(row) for row in out["properties"]["mine"]) < 30_000
    assert SECRET not in texts(out)


class Failing:
    """A rule that fails with content in its exception."""

    name = "failing"

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, event: Any) -> Any:
        raise self.error


@pytest.mark.promise("hook:fails-closed")
@pytest.mark.parametrize("error", [ValueError(SECRET), RecursionError(SECRET), Fatal(SECRET), SystemExit(SECRET)])
def test_a_failing_rule_or_hook_drops_the_event(error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    for hook in (Scrubber(rules=[Failing(error)]), Scrubber(then=Failing(error))):
        assert hook(call()) is None
        assert hook.counts()["failed"] == hook.counts()["dropped"] == 1
        assert SECRET not in texts(hook.counts())
        decision = hook.decide(call())
        assert decision.verdict is Verdict.DROP
        assert SECRET not in texts(decision.findings)
    assert SECRET not in caplog.text


@pytest.mark.promise("hook:fails-closed")
def test_a_failing_rule_of_our_own_drops_the_event(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ValueError(SECRET)

    monkeypatch.setattr(Pipeline, "_close", broken)
    assert Scrubber()(call()) is None


@pytest.mark.promise("hook:fails-closed", "hook:says-no-value")
def test_a_failure_is_one_line_without_content_and_rate_limited(caplog: pytest.LogCaptureFixture) -> None:
    hook = Scrubber(then=Failing(ValueError(SECRET)))
    with caplog.at_level(logging.DEBUG):
        for _ in range(50):
            hook(call())
    records = [record for record in caplog.records if record.name == "scrubber"]
    assert [record.getMessage() for record in records] == [
        "scrubber: rule then failed with ValueError; the event was dropped"
    ]
    assert records[0].levelno == logging.WARNING
    assert records[0].exc_info is None
    assert hook.counts()["failed"] == 50


@pytest.mark.promise("hook:says-no-value")
def test_rule_errors_carry_no_text_and_no_cause() -> None:
    with pytest.raises(RuleError) as caught:
        Pipeline(Settings().policy(), [Failing(ValueError(SECRET))]).run(call())
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.promise("hook:never-raises")
def test_keyboard_interrupt_is_the_users() -> None:
    with pytest.raises(KeyboardInterrupt):
        Scrubber(then=Failing(KeyboardInterrupt()))(call())


@pytest.mark.promise("hook:yours-closed-again")
def test_then_sees_the_scrubbed_event_and_cannot_open_it() -> None:
    seen: list[Any] = []

    def mine(event: Any) -> Any:
        seen.append(copy.deepcopy(event))
        event["properties"]["$mcp_parameters"] = SECRET
        event["properties"]["$mcp_response"] = SECRET
        event["properties"]["mine"] = "added"
        return event

    hook = Scrubber(then=mine)
    out = hook(call())
    assert out is not None
    assert SECRET not in texts(out)
    assert out["properties"]["mine"] == "added"
    assert "$mcp_parameters" not in seen[0]["properties"]
    assert hook.counts()["by_rule"]["then"] == {"redacted": 1}


@pytest.mark.parametrize("answer", [7, "text", [], object()])
def test_then_must_answer_with_an_event(answer: Any) -> None:
    assert Scrubber(then=lambda _: answer)(call()) is None


def test_an_async_then_drops_the_event_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    async def mine(event: Any) -> Any:
        return event

    assert Scrubber(then=mine)(call()) is None
    assert not recwarn.list


class Named:
    name = "mine"

    def __call__(self, event: Any) -> Any:
        return event


def plain_rule(event: Any) -> Any:
    return event


class Nameless(Named):
    name = "jane@example.test"


@pytest.mark.parametrize(
    "rule, name",
    [(Named(), "mine"), (plain_rule, "plain_rule"), (lambda event: event, "user_rule"), (Nameless(), "Nameless")],
)
def test_a_rule_is_called_by_a_name_from_code(rule: Any, name: str) -> None:
    assert rule_name(rule) == name


def test_a_rule_that_answers_nonsense_drops_the_event_under_its_name() -> None:
    class Odd(Named):
        def __call__(self, event: Any) -> Any:
            return 7

    with pytest.raises(RuleError, match="rule mine failed with TypeError"):
        Pipeline(Settings().policy(), [Odd()]).run(call())


def test_rules_fired_before_a_users_rule_still_count() -> None:
    hook = Scrubber(rules=[plain_rule])
    assert hook.decide(call()).verdict is Verdict.REDACT
    hook(call())
    assert hook.counts()["by_rule"].keys() >= {"mcp_parameters", "mcp_closed"}
    untouched = {"event": "x", "properties": {"a": 1}}
    assert hook.decide(untouched).verdict is Verdict.PASS


def test_a_user_rule_that_takes_the_properties_away_drops_the_event() -> None:
    assert Scrubber(rules=[lambda _: {"event": "x"}])(call()) is None


def test_what_user_code_changes_is_said_and_counted() -> None:
    def in_place(event: Any) -> Any:
        event["properties"]["mine"] = 1
        return True

    plain = {"event": "x", "properties": {"a": 1}}
    for hook in (Scrubber(rules=[in_place]), Scrubber(then=lambda event: {**event, "properties": {"a": 2}})):
        decision = hook.decide(plain)
        assert decision.verdict is Verdict.REDACT
        assert len(decision.findings) == 1
    lambda_rule = Scrubber(rules=[lambda _: None])
    lambda_rule(plain)
    assert lambda_rule.counts()["by_rule"] == {"user_rule": {"dropped": 1}}


def test_then_may_drop() -> None:
    hook = Scrubber(then=lambda _: None)
    assert hook(call()) is None
    assert hook.counts()["failed"] == 0


def test_then_is_not_called_for_a_dropped_event() -> None:
    assert Scrubber(then=Failing(ValueError()))(refusal()) is None


@pytest.mark.promise("hook:yours-closed-again")
def test_user_rules_pass_drop_and_change() -> None:
    def keep(_: Any) -> Any:
        return Verdict.PASS

    def no_pings(event: Any) -> Any:
        return event["properties"].get("$mcp_tool_name") != "ping"

    hook = Scrubber(rules=[keep, no_pings])
    assert hook(call()) is not None
    assert hook(call(**{"$mcp_tool_name": "ping", "$mcp_resource_name": "ping"})) is None
    assert hook.counts()["by_rule"]["no_pings"] == {"dropped": 1}


@pytest.mark.promise("hook:input-untouched")
@pytest.mark.parametrize("where", ["rules", "then"])
def test_user_code_cannot_change_the_callers_event(where: str) -> None:
    def vandal(event: Any) -> Any:
        event["properties"]["$exception_list"][0]["stacktrace"]["frames"].clear()
        event["properties"]["$groups"]["x"] = 1
        event["properties"]["$exception_list"][0]["stacktrace"]["type"] = "gone"
        return event

    event = refusal()
    event["properties"]["$mcp_tool_name"] = "x y z a b c d"
    event["properties"]["$groups"] = {"a": 1}
    before = copy.deepcopy(event)
    Scrubber(**{where: [vandal] if where == "rules" else vandal})(copy.copy(event))
    assert event == before


def test_bad_parts_are_refused_when_the_hook_is_made() -> None:
    with pytest.raises(SettingsError, match="callables"):
        Scrubber(then=7)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="callables"):
        Scrubber(rules=["x"])  # type: ignore[list-item]
    with pytest.raises(SettingsError, match=r"Scrubber\(Settings"):
        Scrubber({"profile": "strict"})  # type: ignore[arg-type]


def test_decide_is_the_hooks_own_engine_and_counts_nothing() -> None:
    hook, twin = Scrubber(), Scrubber()
    for row in list(recorded())[:2000]:
        decision = hook.decide(row.event)
        assert decision.event == twin(row.event)
        assert (decision.verdict is Verdict.DROP) == (decision.event is None)
        assert (decision.verdict is Verdict.REDACT) == (decision.event is not None and decision.event != row.event)
        for secret in row.secrets:
            assert secret not in texts(decision.findings)
            assert secret not in repr(decision)
    assert hook.counts()["sent"] == 0


def test_a_copy_and_a_pickle_are_new_hooks_with_the_same_policy() -> None:
    hook = Scrubber(Settings(profile="strict", allow=["plan"]), then=plain_rule)
    hook(call())
    for other in (copy.deepcopy(hook), pickle.loads(pickle.dumps(hook))):
        assert other.settings == hook.settings
        assert other.counts()["sent"] == 0
        assert other(call(plan="pro", mine=1)) == hook(call(plan="pro", mine=1))


def test_counts_add_up() -> None:
    hook = Scrubber()
    hook(call())
    hook(refusal())
    hook({"event": "x", "properties": {"a": 1}})
    hook(None)
    counts = hook.counts()
    assert (counts["sent"], counts["dropped"], counts["redacted"], counts["failed"]) == (2, 2, 1, 0)
    assert counts["by_rule"]["argument_refusal"] == {"dropped": 1}
    assert counts["by_rule"]["envelope"] == {"dropped": 1}
    assert counts["by_rule"]["mcp_parameters"] == {"redacted": 1}


@pytest.mark.promise("hook:input-untouched")
@pytest.mark.parametrize("settings", [{}, {"profile": "strict", "annotate": True}])
def test_the_input_is_never_changed(settings: dict[str, Any]) -> None:
    hook = Scrubber(Settings(**settings))
    for row in recorded():
        before = copy.deepcopy(row.event)
        hook(row.event)
        assert row.event == before, row.id


@pytest.mark.promise("hook:threads")
def test_threads_share_one_hook() -> None:
    hook = Scrubber()
    events = [row.event for row in list(recorded())[:400]]
    alone = Scrubber()
    expected = [alone(event) for event in events]
    wrong: list[int] = []

    def work() -> None:
        for at, event in enumerate(events):
            if hook(event) != expected[at]:
                wrong.append(at)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    counts = hook.counts()
    assert counts["sent"] + counts["dropped"] == 8 * len(events)


@pytest.mark.promise("hook:threads")
def test_tasks_share_one_hook() -> None:
    hook = Scrubber()

    async def one() -> Any:
        await asyncio.sleep(0)
        return hook(call())

    async def all_() -> Any:
        return await asyncio.gather(*(one() for _ in range(20)))

    assert all(out is not None for out in asyncio.run(all_()))


@pytest.mark.promise("hook:threads")
@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_while_the_lock_is_held_does_not_hang_the_child() -> None:
    hook = Scrubber()
    with hook._lock:
        child = os.fork()
        if child == 0:
            # An alarm ends the child if the lock was not renewed.
            import signal

            signal.alarm(10)
            os._exit(0 if hook(call()) is not None else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_before_send_is_a_ready_hook_built_once() -> None:
    assert isinstance(scrubber.before_send, Scrubber)
    assert scrubber.before_send is scrubber.before_send
    assert scrubber.before_send(refusal()) is None


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="before_sent"):
        scrubber.before_sent  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.promise("hook:light")
def test_importing_the_package_loads_no_cli_and_no_mcp_sdk() -> None:
    import subprocess

    code = "import scrubber, sys; print([m for m in ('mcp', 'fastmcp', 'posthog', 'typer', 'click', 'rich') if m in sys.modules])"
    # Plugins of other packages that pydantic loads are not ours.
    env = {**os.environ, "PYDANTIC_DISABLE_PLUGINS": "__all__"}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, env=env)
    assert out.stdout.strip() == "[]"


# -- properties: any JSON, any Python object

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
names = st.sampled_from(
    [
        "$mcp_parameters",
        "$mcp_error_message",
        "$mcp_error_type",
        "$mcp_tool_name",
        "$mcp_intent",
        "$mcp_input_keys",
        "$mcp_server_name",
        "$exception_list",
        "$exception_fingerprint",
        "$exception_message",
        "$groups",
        "$set",
        "mine",
        "$lib",
    ]
)
events = st.fixed_dictionaries(
    {
        "event": st.sampled_from(["$exception", "$mcp_tool_call", "mine"]) | json_values,
        "properties": st.dictionaries(names | st.text(max_size=8), json_values, max_size=8),
    },
    optional={"$set": json_values, "timestamp": json_values, "uuid": json_values, "other": json_values},
)


@pytest.mark.promise("hook:idempotent", "hook:never-raises")
@given(events)
def test_any_json_event_is_scrubbed_once_and_for_all(event: dict[str, Any]) -> None:
    before = copy.deepcopy(event)
    for hook in (Scrubber(), Scrubber(Settings(profile="strict", annotate=True))):
        out = hook(event)
        assert event == before
        if out is not None:
            assert hook(out) == out
            assert "$mcp_parameters" not in out["properties"]
        assert hook.counts()["failed"] == 0


def planted(value: Any) -> Any:
    """`value` with every string in it, keys included, turned into a sentence that holds the canary."""
    if isinstance(value, str):
        return f"about {SECRET} and then {value}"
    if isinstance(value, list):
        return [planted(item) for item in value]
    if isinstance(value, dict):
        return {planted(key): planted(item) for key, item in value.items()}
    return value


CLOSED = [
    "$mcp_parameters",
    "$mcp_response",
    "$mcp_intent",
    "$mcp_feedback_summary",
    "$mcp_client_name",
    "$mcp_listed_tool_names",
    "$mcp_input_keys",
    "$mcp_unheard_of",
    "$exception_list",
    "$exception_message",
    "$exception_values",
    "$exception_fingerprint",
]


@pytest.mark.promise("leaves:exception-text", "leaves:mcp-closed", "leaves:keys", "hook:says-no-value")
@given(
    name=st.sampled_from(CLOSED),
    value=json_values,
    kind=st.sampled_from(["$exception", "$mcp_tool_call", "mine"]),
)
def test_planted_canaries_never_leave_closed_places(name: str, value: Any, kind: str) -> None:
    hook = Scrubber()
    event = {"event": kind, "distinct_id": "u", "properties": {name: planted(value), "$mcp_tool_name": "t"}}
    decision = hook.decide(event)
    hook(event)
    assert SECRET not in texts(decision.event)
    assert SECRET not in texts(decision.findings)
    assert SECRET not in texts(hook.counts())


@pytest.mark.promise("leaves:strict")
@given(value=json_values, where=st.sampled_from(["properties", "top", "key"]))
def test_the_strict_profile_lets_nothing_custom_out(value: Any, where: str) -> None:
    event = call()
    if where == "properties":
        event["properties"]["mine"] = planted(value)
    elif where == "top":
        event["other"] = planted(value)
    else:
        event["properties"][SECRET] = value
    hook = Scrubber(Settings(profile="strict"))
    decision = hook.decide(event)
    assert SECRET not in texts(decision.event)
    assert SECRET not in texts(decision.findings)


@given(st.permutations(["drop", "pass", "change"]))
def test_a_drop_wins_in_any_order(order: list[str]) -> None:
    rules = {
        "drop": lambda _: None,
        "pass": lambda _: True,
        "change": lambda event: {**event, "properties": {"a": 1}},
    }
    assert Scrubber(rules=[rules[name] for name in order])(call()) is None


# -- twice is once, where something is made from something else


def rows_refusal() -> dict[str, Any]:
    text = "1 validation error for Row\nitems.0.sku\n  Field required [type=missing, input_value={}, input_type=dict]"
    return call(text)


@pytest.mark.promise("hook:idempotent")
def test_a_field_below_a_hidden_part_survives_a_second_look() -> None:
    once = Scrubber()(rows_refusal())
    assert once is not None
    assert once["properties"]["$mcp_error_field"] == "*.N.sku"
    assert Scrubber()(once) == once


@pytest.mark.promise("hook:idempotent")
def test_a_fault_of_an_expected_type_is_dropped_whatever_its_frames_are() -> None:
    frames = ["x", {"module": "m", "function": "f", "filename": "m.py"}]
    one = {"type": "KeyError", "value": "secret", "stacktrace": {"type": "raw", "frames": frames}}
    event = {"event": "$exception", "properties": {"$exception_list": [one]}}
    assert Scrubber(Settings(expected_exceptions=["KeyError"]))(event) is None
    assert Scrubber(Settings(expected_exceptions=["OSError"]))(event) is not None


@pytest.mark.parametrize("settings", [{"block": ["$mcp_tool_name"]}, {"values": {"$mcp_tool_name": ["other"]}}])
def test_a_tools_name_that_must_not_leave_does_not_leave_as_a_resources(settings: dict[str, Any]) -> None:
    out = Scrubber(Settings(**settings))(call())
    assert out is not None
    assert "find_book" not in texts(out)


def test_what_is_added_is_said() -> None:
    added = [one.path for one in Scrubber().decide(rows_refusal()).findings]
    assert {"properties.$mcp_error_code", "properties.$mcp_error_field"} <= set(added)
    bare = {"event": "$exception", "properties": {"$exception_list": [{"type": "Error", "value": "[redacted]"}]}}
    decision = Scrubber().decide(bare)
    assert [one.path for one in decision.findings] == ["properties.$exception_fingerprint"]
