"""A refused call in PostHog: one `$mcp_tool_call` that says what was wrong, and no `$exception`.

Mutations that turn a test here red: a mark that is stamped on other calls too, an `$exception` of a refusal that is let
through, a property of the user's own that is lost.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from scrubber.guard import GuardError, analytics_options, guard_arguments
from scrubber.guard.analytics import _is_call_of
from scrubber.guard.calls import Refusal
from scrubber.guard.core import Told
from scrubber.words.properties import GUARD_MARK as MARK
from scrubber.words.properties import GUARD_TYPE as ERROR_TYPE

from ..live.families import Family
from . import kit
from .kit import families, is_standalone, needs_sdk

pytest.importorskip("posthog.mcp")
pytestmark = [pytest.mark.live, needs_sdk]

Event = dict[str, Any]
ORDERS = pytest.mark.parametrize("guard_first", [True, False], ids=["guard first", "guard after"])


def add(limit: int, q: str = "") -> str:
    return f"ran {limit}"


def body(x: int) -> str:
    raise RuntimeError("CANARY")


CALLS = [
    ("add", {"limit": "CANARY", "context": "why", "llm_model": "m", "conversation_id": "c"}),
    ("add", {"limit": 1, "context": "why"}),
    ("add", {"lim": 1, "context": "why"}),
    ("body", {"x": 1, "context": "why"}),
    ("nope", {"x": 1, "context": "why"}),
]


def run(
    family: Family,
    server: Any,
    guard: Callable[[], None] | None,
    first: bool,
    calls: Any,
    *,
    hook: Callable[[Event], Event | None] = lambda event: event,
    last_look: bool = True,
    with_options: bool = True,
    **options: Any,
) -> list[Event]:
    """Play the calls on an instrumented server; the events in order, without those of listing and greeting.

    hook: decides on each event. last_look: the options keep the guard's own `before_send`. with_options: there are any.
    """
    events: list[Event] = []

    def keep(event: Event) -> Event | None:
        out = hook(event)
        if out is not None:
            events.append(out)
        return out

    client = import_module("posthog").Posthog("phc_guard", host="http://127.0.0.1:9", send=False, before_send=keep)

    chosen = analytics_options(server, **options) if with_options else None
    if chosen is not None and not last_look:
        chosen.before_send = None

    async def play() -> None:
        if guard is not None and first:
            guard()
        handle = import_module("posthog.mcp").instrument(server, client, *([chosen] if chosen else []))
        if guard is not None and not first:
            guard()
        async with family.connect(server) as session:
            await family.list_tools(session)
            for call in calls:
                await kit.ask(family, session, call)
                await (handle.flush() if hasattr(handle, "flush") else asyncio.sleep(0.05))

    try:
        asyncio.run(play())
    finally:
        client.shutdown()
    return [event for event in events if event["event"] not in ("$mcp_tools_list", "$mcp_initialize")]


def errors(event: Event) -> dict[str, Any]:
    return {name: value for name, value in event["properties"].items() if "error" in name}


def check_refusals(events: list[Event], missing: str = "missing") -> None:
    first, good, unknown = events[:3]
    assert [event["event"] for event in events[:3]] == ["$mcp_tool_call"] * 3
    assert errors(first) == {
        "$mcp_is_error": True,
        "$mcp_error_type": ERROR_TYPE,
        "$mcp_error_message": "Error executing tool 'add': limit must be a whole number.",
        "$mcp_error_code": first["properties"]["$mcp_error_code"],
        "$mcp_error_field": "limit",
    }
    assert first["properties"][MARK] is True
    assert good["properties"]["$mcp_is_error"] is False
    assert MARK not in good["properties"]
    assert errors(unknown)["$mcp_error_message"].startswith(
        "Unknown parameter 'lim' for tool 'add'. Did you mean: limit?"
    )
    assert errors(unknown)["$mcp_error_field"] == "limit"
    for event in events[:3]:
        shown = {name: value for name, value in event["properties"].items() if name != "$mcp_parameters"}
        assert "CANARY" not in json.dumps(shown, default=str)


@families
@ORDERS
def test_one_clean_event_for_each_refusal(family: Family, guard_first: bool) -> None:
    server = kit.build(family, add, body, guarded=False)
    events = run(family, server, lambda: guard_arguments(server), guard_first, CALLS)
    check_refusals(events)
    assert first_code(events) == "int_parsing"
    assert [event["event"] for event in events[3:5]] == ["$mcp_tool_call", "$exception"]
    assert not any(MARK in event["properties"] for event in events[3:])


def unminted(text: Any) -> Any:
    """A text without the conversation's id, a new one each time, that posthog up to 7.79 joins to it."""
    return re.sub(r'\s?\{"conversation_id": ?"[\w-]+"\}\Z', "", text) if isinstance(text, str) else text


def first_code(events: list[Event]) -> str:
    return str(events[0]["properties"]["$mcp_error_code"])


@families
@ORDERS
@pytest.mark.promise("guard:leaves-alone")
def test_other_faults_give_the_same_events(family: Family, guard_first: bool) -> None:
    """Names, types, messages, chains and frames of what the guard does not refuse: PostHog groups by these. Of mcp the
    guard stands in no traceback; fastmcp's middleware cannot but stand in it."""

    def told(events: list[Event]) -> list[Any]:
        return [
            (
                event["event"],
                {name: unminted(value) for name, value in errors(event).items()},
                [
                    (entry["type"], unminted(entry["value"]), frames(entry, all_of_them=not is_standalone(family)))
                    for entry in event["properties"].get("$exception_list", [])
                ],
            )
            for event in events
        ]

    plain = run(family, kit.build(family, add, body, guarded=False), None, True, CALLS[3:])
    server = kit.build(family, add, body, guarded=False)
    assert told(run(family, server, lambda: guard_arguments(server), guard_first, CALLS[3:])) == told(plain)


def frames(entry: dict[str, Any], *, all_of_them: bool) -> list[tuple[str, str]]:
    found = [(frame["module"], frame["function"]) for frame in (entry.get("stacktrace") or {}).get("frames", [])]
    return found if all_of_them else found[-1:]


@families
def test_ones_own_options_stay(family: Family) -> None:
    seen: list[str] = []

    async def mine(request: Any, extra: Any) -> dict[str, Any]:
        return {"team": "farm", "$mcp_error_type": "mine"}

    def last_look(event: Event) -> Event:
        seen.append(event["event"])
        return event

    server = kit.build(family, add, body)
    events = run(family, server, None, True, CALLS[:2], event_properties=mine, before_send=last_look)
    assert [event["properties"]["team"] for event in events] == ["farm", "farm"]
    assert [event["properties"]["$mcp_error_type"] for event in events] == [ERROR_TYPE, "mine"]
    assert "$exception" not in seen


def test_low_level_servers() -> None:
    family = kit.LowLevel()
    schema = {
        "type": "object",
        "properties": {"limit": {"type": "integer"}, "q": {"type": "string"}},
        "required": ["limit"],
    }
    server = family.make("low", schemas={"add": schema})
    events = run(family, server, lambda: guard_arguments(server), True, CALLS[:3])
    check_refusals(events)
    assert first_code(events) == "int_type"


def test_a_package_without_analytics() -> None:
    with pytest.raises(GuardError, match=r"posthog 7\.21"):
        analytics_options(package="json")


@families
def test_a_message_that_only_looks_like_one(family: Family) -> None:
    """A tool's own error with a refusal's text, behind a refusal in the same task, is the tool's own."""
    tool_error = family.tool_error

    def forged(limit: int) -> str:
        raise tool_error("Error executing tool 'forged': limit must be a whole number.")

    server = kit.build(family, add, forged)
    events = run(family, server, None, True, [CALLS[0], ("forged", {"limit": "x"}), ("forged", {"limit": 1})])
    assert [event["event"] for event in events] == ["$mcp_tool_call", "$mcp_tool_call", "$mcp_tool_call", "$exception"]
    assert [MARK in event["properties"] for event in events] == [True, True, False, False]


class Request:
    """A context of mcp's, as far as the stamp looks at it."""

    def __init__(self, request_id: Any) -> None:
        self.request_id = request_id


class Wrapped(Request):
    """fastmcp 4's own around it."""


@pytest.mark.parametrize(
    "told, context, method, name, same",
    [
        (A := Request(2), A, "tools/call", "add", True),
        (A, Request(2), "tools/call", "add", False),
        (Wrapped("2"), Request(2), "tools/call", "add", True),
        (Wrapped("3"), Request(2), "tools/call", "add", False),
        (Wrapped(None), Request(None), "tools/call", "add", False),
        (A, A, "tools/call", "other", False),
        (A, A, "tools/list", "add", False),
        (A, None, "tools/call", "add", False),
    ],
)
def test_whose_call_it_was(told: Any, context: Any, method: str, name: str, same: bool) -> None:
    """A client in the same task leaves the note to its next call; the request says whose it is."""
    refusal = Refusal("add", "text", "int_type", "limit", ("limit",))
    request = {"method": method, "params": {"name": name}}
    assert _is_call_of(Told(told, refusal), request, {"ctx": context}) is same
