"""The policy page: what becomes of real texts under each mode."""

from __future__ import annotations

from typing import Any

from docs_parts.asking import sent_message
from docs_parts.words import code, table

_INT = (
    "1 validation error for find_bookArguments\nnumber\n  Input should be a valid integer, unable to parse string as "
    "an integer [type=int_parsing, input_value='ten', input_type=str]\n    For further information visit "
    "https://errors.pydantic.dev/2.14/v/int_parsing"
)

MESSAGES: tuple[tuple[str, str, str], ...] = (
    ("A refused argument", "ValidationError", _INT),
    (
        "Two refused arguments, one of them in a list",
        "ValidationError",
        "2 validation errors for call[order]\nlines.1\n  Input should be a valid integer, unable to parse string as an "
        "integer [type=int_parsing, input_value='two', input_type=str]\n    For further information visit "
        "https://errors.pydantic.dev/2.14/v/int_parsing\nname\n  Missing required argument [type=missing_argument, "
        "input_value={'lines': [1, 'two']}, input_type=dict]\n    For further information visit "
        "https://errors.pydantic.dev/2.14/v/missing_argument",
    ),
    (
        "An argument that the tool does not know: its name is the client's choice",
        "ValidationError",
        "1 validation error for call[order]\njane_doe\n  Unexpected keyword argument "
        "[type=unexpected_keyword_argument, input_value=1, input_type=int]\n    For further information visit "
        "https://errors.pydantic.dev/2.14/v/unexpected_keyword_argument",
    ),
    (
        "The tool's body read a bad row of its own: not the caller's value, and kept all the same",
        "ValidationError",
        "1 validation error for Customer\nemail\n  Input should be a valid string [type=string_type, "
        "input_value=['jane@example.test'], input_type=list]\n    For further information visit "
        "https://errors.pydantic.dev/2.14/v/string_type",
    ),
    ("The same refusal under a wrapper's type", "ToolError", f"Error executing tool find_book: {_INT}"),
    ("A wrapper's type with free text", "ToolError", "No customer jane@example.test"),
    ("Any other type", "AuthenticationError", "Incorrect API key provided: sk-live-1"),
)
"""Texts that pydantic 2.14 and the SDKs print, with the type beside them."""

MODES: tuple[tuple[str, list[dict[str, Any]]], ...] = (
    ("`keep` (the default)", [{}, {"error_messages": {"ValidationError": "keep"}}]),
    ("`shape`", [{"error_messages": {"ValidationError": "shape"}}]),
    ("`remove`, or an empty mapping", [{"error_messages": {"ValidationError": "remove"}}, {"error_messages": {}}]),
)
"""How `ValidationError` may be set, and the settings that must all have the same effect."""


def error_messages() -> str:
    """What becomes of real texts under each mode: asked of the hook."""
    head = ("`ValidationError`", "`$mcp_error_message`", "`$mcp_error_code`", "`$mcp_error_field`")
    parts = []
    for title, type_, text in MESSAGES:
        rows = []
        for mode, ways in MODES:
            first, *same = (sent_message(type_, text, settings) for settings in ways)
            assert all(one == first for one in same), mode
            rows.append((mode, *("the text above" if one == text else code(one) if one else "-" for one in first)))
        block = f"```text\n$mcp_error_type: {type_}\n$mcp_error_message: {text}\n```"
        parts.append(f"**{title}.**\n\n{block}\n\n{table(head, rows)}")
    return "\n\n".join(parts)
