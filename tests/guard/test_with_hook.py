"""The guard and the hook on one server: a refused call is one clean event, and a fault is still reported.

Mutations that turn a test here red: the hook's guard rule taken out, the guard's text removed, a fault dropped, a refusal
noted before it was given.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from scrubber import Scrubber, Settings
from scrubber.guard import core, guard_arguments, words
from scrubber.guard.core import Guard

from ..live.families import Family
from . import kit
from .kit import families, needs_sdk
from .test_posthog import CALLS, add, body, run

pytest.importorskip("posthog.mcp")
pytestmark = [pytest.mark.live, needs_sdk]


@families
@pytest.mark.parametrize("own_last_look", [True, False], ids=["the guard's before_send", "the hook alone"])
def test_one_clean_event_for_a_refusal_and_a_redacted_fault(family: Family, own_last_look: bool) -> None:
    # The line that raises has the text in it, and is the author's own.
    hook = Scrubber(Settings(source_lines="remove"))
    server = kit.build(family, add, body, guarded=False)
    calls = (CALLS[0], CALLS[2], CALLS[3])
    sent = run(family, server, lambda: guard_arguments(server), True, calls, hook=hook, last_look=own_last_look)
    refused, unknown, failed, fault = sent
    assert [event["event"] for event in sent] == ["$mcp_tool_call"] * 3 + ["$exception"]
    assert {name: value for name, value in refused["properties"].items() if "error" in name} == {
        "$mcp_is_error": True,
        "$mcp_error_type": "invalid_argument",
        "$mcp_error_message": "Error executing tool 'add': limit must be a whole number.",
        "$mcp_error_code": refused["properties"]["$mcp_error_code"],
        "$mcp_error_field": "limit",
    }
    assert unknown["properties"]["$mcp_error_message"].startswith("Unknown parameter 'lim' for tool 'add'.")
    assert failed["properties"]["$mcp_tool_name"] == fault["properties"]["$mcp_tool_name"] == "body"
    assert "CANARY" not in json.dumps(sent, default=str)
    dropped = hook.counts()["by_rule"].get("guard_refusal", {}).get("dropped", 0)
    assert dropped == (0 if own_last_look else 2)


class Row(BaseModel):
    id: int


def reads(x: int) -> str:
    """A fault of the server's that looks like a refusal of arguments in its type."""
    return str(Row.model_validate({"id": "CANARY"}))


def fails(*_: Any, **__: Any) -> Any:
    raise RuntimeError("CANARY")


FAULTS = [
    ("add", {"limit": "CANARY", "context": "why"}),
    ("body", {"x": 1, "context": "why"}),
    ("reads", {"x": 1, "context": "why"}),
    ("add", {"limit": 1, "context": "why"}),
]


def verdicts(family: Family, guard: bool, first: bool = True) -> list[tuple[str, Any]]:
    """What the hook sends of `FAULTS`: the events, each with its tool."""
    hook = Scrubber(Settings(source_lines="remove", error_messages={"ValidationError": "shape"}))
    server = kit.build(family, add, body, reads, guarded=False)
    install = (lambda: guard_arguments(server)) if guard else None
    sent = run(family, server, install, first, FAULTS, hook=hook, last_look=False)
    assert "CANARY" not in json.dumps(sent, default=str)
    assert not any("$scrubber_guard" in event["properties"] for event in sent)
    return [(event["event"], event["properties"]["$mcp_tool_name"]) for event in sent]


@families
@pytest.mark.parametrize("first", [True, False], ids=["guard first", "guard after"])
@pytest.mark.parametrize("broken", ["scrubber.guard.words.refusal", "scrubber.guard.core.Guard.strangers"])
def test_a_guard_that_fails_changes_no_verdict(
    family: Family, broken: str, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK answers, and posthog reports what it raised, with frames of the guard's in the traceback: a refusal is
    still judged by the SDK's own site, and a fault of a body is never taken for one."""
    plain = verdicts(family, guard=False)
    assert plain.count(("$exception", "reads")) == plain.count(("$exception", "body")) == 1
    module, _, name = broken.rpartition(".")
    target = Guard if module.endswith("Guard") else words
    monkeypatch.setattr(target, name, fails)
    assert verdicts(family, guard=True, first=first) == plain


@families
def test_a_refusal_whose_result_cannot_be_made_is_the_sdks(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was not given, so nothing is marked as refused: the tool that mcp runs all the same may fail by itself."""
    monkeypatch.setattr(core.logger, "info", fails)
    server = kit.build(family, add, body, guarded=False)
    calls = [("body", {"x": 1, "y": "CANARY", "context": "why"})]
    sent = run(family, server, lambda: guard_arguments(server), True, calls)
    assert not any("$scrubber_guard" in event["properties"] for event in sent)
    assert [event["event"] for event in sent] == ["$mcp_tool_call", "$exception"]


@families
@pytest.mark.parametrize("first", [True, False], ids=["guard first", "guard after"])
def test_without_the_guards_options(family: Family, first: bool) -> None:
    """posthog then reports an error result, `Error`, and an `$exception` beside it: no value is in either."""
    events: list[dict[str, Any]] = []
    hook = Scrubber()
    server = kit.build(family, add, body, guarded=False)

    def keep(event: dict[str, Any]) -> None:
        events.append(json.loads(json.dumps(event, default=str)))
        out = hook(event)
        assert out is None or "CANARY" not in json.dumps(out, default=str)

    run(family, server, lambda: guard_arguments(server), first, [CALLS[0]], hook=keep, with_options=False)
    call = next(event for event in events if event["event"] == "$mcp_tool_call")
    said = call["properties"]
    assert said["$mcp_is_error"] is True
    text = "Error executing tool 'add': limit must be a whole number."
    # The oldest releases of posthog.mcp say no message.
    assert said.get("$mcp_error_message", text).startswith(text)
    shown = {name: value for name, value in said.items() if name != "$mcp_parameters"}
    assert "CANARY" not in json.dumps(shown)
    for event in events:
        if event["event"] == "$exception":
            assert "CANARY" not in json.dumps({**event["properties"], "$mcp_parameters": None})
