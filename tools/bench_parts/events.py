"""The recorded events that are measured, by class, and fresh copies of them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

from scrubber import Scrubber, Settings

Event = dict[str, Any]

Labelled = tuple[str, str, Event]
"""An event with its kind and its class."""

CLASSES = {"$exception": ("sent", "dropped"), "$mcp_tool_call": ("answered", "refused or failed")}
"""The classes of each kind: what the hook did with an exception, what became of a call."""

RECORDED = Path(__file__).resolve().parents[2] / "tests" / "recorded"
_NAME = re.compile(r"(?P<sdk>.+)-posthog-(?P<posthog>[\d.]+)\.jsonl\.gz\Z")


def newest() -> tuple[str, list[Path]]:
    """Out: the newest posthog version that was recorded, and its recordings."""
    by_version: dict[tuple[int, ...], list[Path]] = {}
    for path in sorted(RECORDED.glob("*.jsonl.gz")):
        found = _NAME.match(path.name)
        if found is not None:
            by_version.setdefault(tuple(map(int, found["posthog"].split("."))), []).append(path)
    if not by_version:
        raise FileNotFoundError(f"no recordings in {RECORDED}")
    version = max(by_version)
    return ".".join(map(str, version)), by_version[version]


def recorded(paths: list[Path]) -> list[Labelled]:
    """In: recordings. Out: their `$exception` and `$mcp_tool_call` events in the order of capture, with their classes:
    an `$exception` follows the call it belongs to, and the hook compares the two."""
    hook = Scrubber(Settings())
    found: list[Labelled] = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                event = json.loads(line)["event"]
                if event["event"] in CLASSES:
                    found.append((event["event"], _class_of(event, hook(event)), event))
    return found


def class_by_class(stream: list[Labelled]) -> list[Labelled]:
    """Out: the same events sorted by class, exceptions first: none stands behind the call it belongs to."""
    return sorted(stream, key=lambda one: (one[0], one[1]))


def _class_of(event: Event, sent: Event | None) -> str:
    if event["event"] == "$exception":
        return "sent" if sent is not None else "dropped"
    return "refused or failed" if event["properties"].get("$mcp_is_error") is True else "answered"


_BUILT = frozenset(
    {
        "value",
        "filename",
        "abs_path",
        "context_line",
        "pre_context",
        "post_context",
        "$mcp_error_message",
        "$mcp_input_keys",
        "$mcp_parameters",
        "$mcp_response",
        "$mcp_tool_name",
        "$mcp_resource_name",
        "$python_version",
        "$session_id",
        "distinct_id",
        "uuid",
        "timestamp",
    }
)
"""Keys whose texts posthog builds, or a client sends, anew for each event. The others' are constants of posthog's, of
the server's or of code objects: two events hold the same objects (seen by comparing two live events of one tool)."""


def fresh(value: Any, built: bool = False) -> Any:
    """In: a JSON value. Out: an equal one with its own containers, and its own texts where a live event has its own:
    with the recorded objects every comparison with something remembered would end at their identity."""
    if type(value) is dict:
        return {key: fresh(item, built or key in _BUILT) for key, item in value.items()}
    if type(value) is list:
        return [fresh(item, built) for item in value]
    return value[:1] + value[1:] if built and type(value) is str else value
