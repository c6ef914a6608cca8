"""What the demo claims, checked on what left."""

from __future__ import annotations

import json
from typing import Any

from demo_parts.clinic import CALLS, SECRETS
from demo_parts.report import innermost
from demo_parts.wire import Event, Sent

PLACEHOLDER = "[redacted]"
_PARAMETERS = "$mcp_parameters"
_MESSAGE = "$mcp_error_message"


def claims(without: Sent, with_: Sent, shape: Sent) -> dict[str, bool]:
    """What the three runs are to show, and whether each of it holds."""
    refusals = [run.event("refusal", "$exception") for run in (without, with_)]
    faults = [run.event("fault", "$exception") for run in (without, with_)]
    every = (without, with_, shape)
    return {
        "without the hook, the refusal's $exception leaves": refusals[0] is not None,
        "with the hook, the refusal's $exception does not leave": refusals[1] is None,
        "without the hook, the fault's $exception leaves": faults[0] is not None,
        "with the hook, the fault's $exception leaves": faults[1] is not None,
        "the hook keeps the fault's types and frames": _skeleton(without) == _skeleton(with_) != [],
        "the hook redacts the fault's texts": set(_values(with_)) == {PLACEHOLDER},
        "without the hook, the fault's texts leave": PLACEHOLDER not in _values(without),
        "every call leaves its $mcp_tool_call": all(_calls(run) == len(CALLS) for run in every),
        f"without the hook, {_PARAMETERS} leaves": _has(without, _PARAMETERS),
        f"with the hook, {_PARAMETERS} does not leave": not _has(with_, _PARAMETERS),
        "without the hook, all planted strings leave": len(without.secrets) == len(SECRETS),
        f"with the hook, planted strings are in {_MESSAGE} only": not _secrets_elsewhere(with_),
        "with messages cut to their shape, no planted string leaves": not shape.secrets,
    }


def _calls(run: Sent) -> int:
    return sum(event["event"] == "$mcp_tool_call" for event in run.events)


def _has(run: Sent, name: str) -> bool:
    return any(name in event["properties"] for event in run.events)


def _entries(run: Sent) -> list[dict[str, Any]]:
    event = run.event("fault", "$exception")
    entries: list[dict[str, Any]] = event["properties"]["$exception_list"] if event is not None else []
    return entries


def _values(run: Sent) -> list[Any]:
    return [entry.get("value") for entry in _entries(run)]


def _skeleton(run: Sent) -> list[Any]:
    """Of each entry: the type, how many frames it has, and the innermost one."""
    return [
        (entry["type"], len((entry.get("stacktrace") or {}).get("frames") or []), innermost(entry))
        for entry in _entries(run)
    ]


def _secrets_elsewhere(run: Sent) -> bool:
    def rest(event: Event) -> Event:
        kept = {name: value for name, value in event["properties"].items() if name != _MESSAGE}
        return {**event, "properties": kept}

    text = json.dumps([rest(event) for event in run.events])
    return any(words in text for words in SECRETS.values())
