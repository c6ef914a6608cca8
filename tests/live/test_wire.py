"""What really leaves: the bytes that a real client posts to a loopback sink, on every way the hook can be set."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

import scrubber
from scrubber import Scrubber

from ..support import call, refusal

posthog = pytest.importorskip("posthog")

from .sink import Sink, sink

pytestmark = pytest.mark.live
# Put together here, because the lines of this file are source lines, which stay.
SECRET = "-".join(("canary", "41f0"))


def fault() -> RuntimeError:
    try:
        raise RuntimeError(f"could not serve {SECRET}")
    except RuntimeError as error:
        return error


def sent(client: Any, kept: Sink) -> list[dict[str, Any]]:
    client.flush()
    client.shutdown()
    return kept.events


@pytest.mark.promise("leaves:exception-text")
def test_a_client_with_the_hook_sends_no_text_of_an_exception() -> None:
    with sink() as kept:
        client = posthog.Posthog("phc_wire", host=kept.address, before_send=Scrubber())
        client.capture_exception(fault())
        (event,) = sent(client, kept)
    (entry,) = event["properties"]["$exception_list"]
    assert (entry["type"], entry["value"]) == ("RuntimeError", "[redacted]")
    assert entry["stacktrace"]["frames"][-1]["function"] == "fault"
    assert SECRET not in kept.wire


def test_without_the_hook_it_does() -> None:
    """The sink can see what it is meant to see."""
    with sink() as kept:
        client = posthog.Posthog("phc_wire", host=kept.address)
        client.capture_exception(fault())
        sent(client, kept)
    assert SECRET in kept.wire


@pytest.mark.promise("leaves:exception-text")
def test_code_variables_that_the_client_captures_do_not_leave() -> None:
    with sink() as kept:
        try:
            client = posthog.Posthog(
                "phc_wire", host=kept.address, before_send=Scrubber(), capture_exception_code_variables=True
            )
        except TypeError:
            pytest.skip("this posthog captures no code variables")
        local_value = f"local {SECRET}"
        try:
            raise KeyError(local_value)
        except KeyError as error:
            client.capture_exception(error)
        (event,) = sent(client, kept)
    assert SECRET not in kept.wire
    (entry,) = event["properties"]["$exception_list"]
    assert entry["type"] == "KeyError"
    assert all("code_variables" not in frame for frame in entry["stacktrace"]["frames"])


MODULE_LEVEL = """
import sys
from importlib import import_module

import scrubber

module = import_module(sys.argv[1])
module.api_key = module.project_api_key = "phc_wire"
module.host = sys.argv[2]
module.before_send = scrubber.before_send
module.capture("asked", distinct_id="u1", properties={"$mcp_parameters": sys.argv[3], "plan": "pro"})
module.flush()
module.shutdown()
"""


@pytest.mark.parametrize("package", ["posthog", "posthoganalytics"])
def test_the_module_level_hook_serves_both_names_of_the_package(package: str) -> None:
    pytest.importorskip(package)
    with sink() as kept:
        # In a process of its own: the module-level client cannot be taken back.
        subprocess.run([sys.executable, "-c", MODULE_LEVEL, package, kept.address, SECRET], check=True, timeout=60)
        (event,) = kept.events
    assert event["properties"]["plan"] == "pro"
    assert SECRET not in kept.wire


def test_an_async_client_takes_the_hook() -> None:
    pytest.importorskip("httpx")  # what AsyncPosthog sends with
    if not hasattr(posthog, "AsyncPosthog"):
        pytest.skip("this posthog has no AsyncPosthog")

    async def go(address: str) -> None:
        client = posthog.AsyncPosthog("phc_wire", host=address, before_send=Scrubber())
        answer = client.capture("asked", distinct_id="u1", properties={"$mcp_parameters": SECRET, "plan": "pro"})
        if asyncio.iscoroutine(answer):
            await answer
        for name in ("flush", "shutdown"):
            answer = getattr(client, name)()
            if asyncio.iscoroutine(answer):
                await answer

    with sink() as kept:
        asyncio.run(go(kept.address))
    assert '"plan"' in kept.wire
    assert SECRET not in kept.wire


def test_an_identified_persons_properties_pass_in_standard_and_go_in_strict() -> None:
    for profile, leaves in (("standard", True), ("strict", False)):
        with sink() as kept:
            hook = Scrubber(scrubber.Settings(profile=profile))  # type: ignore[arg-type]
            client = posthog.Posthog("phc_wire", host=kept.address, before_send=hook)
            client.set(distinct_id="u1", properties={"email": f"{SECRET}@example.test"})
            sent(client, kept)
        assert (SECRET in kept.wire) is leaves


@pytest.mark.promise("hook:fails-closed")
def test_a_failing_hook_of_the_users_sends_nothing() -> None:
    def broken(_: Any) -> Any:
        raise ValueError(SECRET)

    with sink() as kept:
        client = posthog.Posthog("phc_wire", host=kept.address, before_send=Scrubber(then=broken))
        client.capture("asked", distinct_id="u1", properties={"plan": SECRET})
        assert sent(client, kept) == []
    assert SECRET not in kept.wire


def test_hand_made_events_pass_through_the_client_unchanged_otherwise() -> None:
    """A real client's enrichment and the hook's output agree: nothing the ingestion needs is lost."""
    with sink() as kept:
        client = posthog.Posthog("phc_wire", host=kept.address, before_send=Scrubber())
        for event in (call(), refusal()):
            client.capture(event["event"], distinct_id="u1", properties=event["properties"])
        events = sent(client, kept)
    assert [event["event"] for event in events] == ["$mcp_tool_call"]
    assert {"uuid", "timestamp", "distinct_id", "event", "properties"} <= events[0].keys()
    assert events[0]["properties"]["$mcp_tool_name"] == "find_book"
