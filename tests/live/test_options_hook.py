"""`MCPAnalyticsOptions(before_send=...)`: the SDK's second hook, alone and together with the client's."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest

from scrubber import Scrubber

posthog = pytest.importorskip("posthog")
pytest.importorskip("posthog.mcp")

from .families import installed_families
from .kit import Kit
from .scenarios import scenarios_for
from .sink import sink

pytestmark = pytest.mark.live


def play(family: Any, scenario: Any, address: str, client_hook: Any, options_hook: Any) -> tuple[str, ...]:
    """Run a scenario's calls with the hooks set; the canaries it planted."""
    from posthog.mcp import MCPAnalyticsOptions, instrument

    client = posthog.Posthog("phc_wire", host=address, before_send=client_hook)
    kit = Kit(family, scenario, client)
    steps = list(scenario.build(kit))

    async def go() -> None:
        analytics = instrument(kit.server, client, MCPAnalyticsOptions(before_send=options_hook))
        async with family.connect(kit.server) as session:
            await family.list_tools(session)
            for step in steps:
                # Some releases answer a body's fault with a protocol error; what counts is what was captured.
                with contextlib.suppress(Exception):
                    await family.call_tool(session, step.target, step.arguments)
            if hasattr(analytics, "flush"):
                await analytics.flush()
            else:
                await asyncio.sleep(0.2)

    asyncio.run(asyncio.wait_for(go(), 30))
    client.flush()
    client.shutdown()
    return tuple(kit.secrets)


@pytest.mark.promise("hook:threads", "hook:idempotent")
@pytest.mark.parametrize("family", installed_families(), ids=lambda family: family.name)
@pytest.mark.parametrize("places", ["client", "options", "both", "the same in both"])
def test_the_hook_serves_in_either_place_and_in_both(family: Any, places: str) -> None:
    scenarios = {one.name: one for one in scenarios_for(family.name)}
    one, other = Scrubber(), Scrubber()
    hooks = {
        "client": (one, None),
        "options": (None, one),
        "both": (one, other),
        "the same in both": (one, one),
    }[places]
    with sink() as kept:
        secrets = play(family, scenarios["wrong_scalar"], kept.address, *hooks)
        secrets += play(family, scenarios["body_sync"], kept.address, *hooks)
        events = kept.events
    names = [event["event"] for event in events]
    assert names.count("$mcp_tool_call") == 2
    assert names.count("$exception") == 1, "the refusal is dropped, the body's fault is sent"
    for event in events:
        event["properties"].pop("$mcp_error_message", None)
        for secret in secrets:
            assert secret not in str({k: v for k, v in event["properties"].items() if k != "$exception_list"})
    (fault,) = [event for event in events if event["event"] == "$exception"]
    assert {entry["value"] for entry in fault["properties"]["$exception_list"]} == {"[redacted]"}
