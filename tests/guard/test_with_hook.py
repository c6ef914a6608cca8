"""The guard and the hook on one server: a refused call is one clean event, and a fault is still reported.

Mutations that turn a test here red: the hook's guard rule taken out, the guard's text removed, a fault dropped.
"""

from __future__ import annotations

import json

import pytest

from scrubber import Scrubber, Settings
from scrubber.guard import guard_arguments

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
