"""The settings page: one event under both profiles."""

from __future__ import annotations

import json
from typing import Any

from docs_parts.asking import scrubbed
from docs_parts.words import code, table

_FRAME = ("properties", "$exception_list", 0, "stacktrace", "frames", 0)

PROFILE_ITEMS: tuple[tuple[str, tuple[str | int, ...]], ...] = (
    ("`distinct_id`", ("distinct_id",)),
    ("your own property `plan`", ("properties", "plan")),
    ("`$groups`", ("properties", "$groups")),
    ("`$ai_input_tokens`", ("properties", "$ai_input_tokens")),
    ("`$ai_input`", ("properties", "$ai_input")),
    ("`$set` beside `properties`", ("$set",)),
    ("`$mcp_tool_name`", ("properties", "$mcp_tool_name")),
    ("`$mcp_intent`", ("properties", "$mcp_intent")),
    ("an exception's `value`", ("properties", "$exception_list", 0, "value")),
    ("a frame's `abs_path`", (*_FRAME, "abs_path")),
    ("a frame's `context_line`", (*_FRAME, "context_line")),
    ("a frame's `code_variables`", (*_FRAME, "code_variables")),
)

PROFILE_EVENT: dict[str, Any] = {
    "event": "$exception",
    "distinct_id": "jane@example.test",
    "timestamp": "2026-11-30T10:07:58+00:00",
    "uuid": "01a22bec-f066-712e-a449-aa93ffa4ab32",
    "$set": {"email": "jane@example.test"},
    "properties": {
        "plan": "pro",
        "$groups": {"organization": "org_9"},
        "$ai_input_tokens": 1204,
        "$ai_input": "a prompt",
        "$mcp_tool_name": "find_book",
        "$mcp_intent": "a sentence",
        "$exception_list": [
            {
                "type": "KeyError",
                "module": None,
                "value": "'jane@example.test'",
                "mechanism": {"type": "generic", "handled": True},
                "stacktrace": {
                    "type": "raw",
                    "frames": [
                        {
                            "platform": "python",
                            "filename": "app/tools.py",
                            "abs_path": "/home/jane/shop/app/tools.py",
                            "function": "find_book",
                            "module": "app.tools",
                            "lineno": 7,
                            "context_line": "    return books[name]",
                            "code_variables": {"name": "jane@example.test"},
                        }
                    ],
                },
            }
        ],
    },
}


def profiles() -> str:
    """One event through both profiles, item by item."""
    sent = [scrubbed(PROFILE_EVENT, profile=profile) for profile in ("standard", "strict")]
    rows = []
    for name, at in PROFILE_ITEMS:
        cells = ["removed" if (found := pick(one, at)) is None else code(json.dumps(found)) for one in sent]
        rows.append((name, code(json.dumps(pick(PROFILE_EVENT, at))), *cells))
    return table(("Item", "In", "`standard`", "`strict`"), rows)


def pick(value: Any, at: tuple[str | int, ...]) -> Any:
    """What stands at a path, or None."""
    for step in at:
        try:
            value = value[step]
        except (KeyError, IndexError):
            return None
    return value
