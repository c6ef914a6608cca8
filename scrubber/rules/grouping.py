"""Keeping issues apart once their texts are gone.

PostHog groups by types and frames, and by the message only where an entry has no frames (see the ingestion's
fingerprint). With a constant in place of the message, all frameless faults of one type would become one issue.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from scrubber.rules.base import REMOVE, View
from scrubber.words import kinds, message, quickly
from scrubber.words.properties import EXCEPTION_LIST, FINGERPRINT, RESOURCE_NAME, TOOL_NAME

RULE = "fingerprint"

# Constant beginnings of texts that the SDKs themselves write (mcp.server.lowlevel.server, fastmcp.server).
_SDK_TEXTS = (
    "Input validation error: ",
    "Output validation error: ",
    "Unknown tool",
    "Error executing tool ",
    "Error calling tool ",
    "Internal error: ",
    "Invalid params: ",
)


def fingerprint(view: View, sent: list[dict[str, Any]]) -> str:
    """A fingerprint from what is no content: types, frames, the tool's name, and which refusal it was.

    view: the raw event. sent: the entries as they will leave.
    """
    raw = view.properties.get(EXCEPTION_LIST)
    entries = raw if type(raw) is list else []
    parts: list[Any] = [_tool(view)]
    for at, entry in enumerate(sent):
        stack = entry.get("stacktrace")
        frames = stack.get("frames") if type(stack) is dict else None
        if frames:
            parts.append([entry.get("type"), _grouping_frames(frames)])
        else:
            source = entries[at] if at < len(entries) else None
            text = source.get("value") if type(source) is dict else None
            parts.append([entry.get("type"), _refusal(text)])
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


def _tool(view: View) -> str | None:
    for name in (TOOL_NAME, RESOURCE_NAME):
        value = view.properties.get(name)
        if kinds.name(value):
            return str(value)
    return None


def _grouping_frames(frames: list[dict[str, Any]]) -> list[Any]:
    """The in-app frames, or the first frame where none is in-app: what the ingestion looks at."""
    chosen = [frame for frame in frames if frame.get("in_app") is True] or frames[:1]
    return [
        [
            frame.get("filename") or frame.get("source"),
            frame.get("function") or frame.get("resolved_name"),
            frame.get("module"),
        ]
        for frame in chosen
    ]


def _refusal(text: Any) -> str | None:
    """Which failure the text reports, in words of the SDK's or pydantic's own."""
    if type(text) is not str:
        return None
    parsed = quickly.parse(text[: message.LONGEST]) if "validation error" in text else None
    if parsed is not None:
        return message.shape(parsed)
    return next((known for known in _SDK_TEXTS if text.startswith(known)), None)


def users_own(value: Any, view: View) -> Any:
    """A fingerprint that the user set stays. One that could hold text (an address, a line of prose) is replaced by
    its hash: it groups as before and says nothing. What is no text at all counts as not set."""
    if kinds.fingerprint(value):
        return value
    if type(value) is list and 0 < len(value) <= 20 and all(kinds.fingerprint(part) for part in value):
        return list(value)
    if type(value) is not str:
        view.note_property(RULE, FINGERPRINT, "no fingerprint")
        return REMOVE
    view.note_property(RULE, FINGERPRINT, "a fingerprint that may hold text, replaced by its hash")
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()
