"""The guard and the hook on one server: a refused call is one clean event, and a fault is still reported.

Mutations that turn a test here red: the hook's guard rule taken out, the guard's text removed, a fault dropped.
"""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from typing import Any

import pytest

from scrubber import Scrubber, Settings
from scrubber.guard import analytics_options, guard_arguments

from ..live.families import Family
from . import kit
from .kit import families, needs_sdk
from .test_posthog import CALLS, add, body

pytest.importorskip("posthog.mcp")
pytestmark = [pytest.mark.live, needs_sdk]


@families
@pytest.mark.parametrize("own_last_look", [True, False], ids=["the guard's before_send", "the hook alone"])
def test_one_clean_event_for_a_refusal_and_a_redacted_fault(family: Family, own_last_look: bool) -> None:
    # The line that raises has the text in it, and is the author's own.
    hook = Scrubber(Settings(source_lines="remove"))
    sent: list[dict[str, Any]] = []

    def keep(event: dict[str, Any]) -> Any:
        out = hook(event)
        if out is not None and out["event"] in ("$mcp_tool_call", "$exception"):
            sent.append(out)
        return out

    client = import_module("posthog").Posthog("phc_guard", host="http://127.0.0.1:9", send=False, before_send=keep)
    server = kit.build(family, add, body, guarded=False)
    options = analytics_options(server)
    if not own_last_look:
        options.before_send = None

    async def play() -> None:
        guard_arguments(server)
        handle = import_module("posthog.mcp").instrument(server, client, options)
        async with family.connect(server) as session:
            await family.list_tools(session)
            for call in (CALLS[0], CALLS[2], CALLS[3]):
                await kit.ask(family, session, call)
                await (handle.flush() if hasattr(handle, "flush") else asyncio.sleep(0.05))

    try:
        asyncio.run(play())
    finally:
        client.shutdown()
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
