"""`$mcp_*` is closed: a property passes only if it is listed and its value has the listed kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrubber.rules.base import REMOVE, View
from scrubber.words import kinds
from scrubber.words.kinds import Remembering
from scrubber.words.properties import RESOURCE_NAME, TOOL_NAME

CLOSED_RULE = "mcp_closed"
PARAMETERS_RULE = "mcp_parameters"
UNLISTED = "an $mcp_* property that nobody listed"
CLOSED = "content: closed until a setting opens it by name"
WRONG_KIND = "the value has not the listed kind"
PARAMETERS_REASON = "the tool's arguments never leave"

REDACTED_NAME = "[redacted]"
"""What newer SDKs write in place of an argument name that the tool does not declare; we write it for older ones."""


def name_list(name: str, identifier: Remembering) -> Any:
    """The rule of a list of argument names: each that does not read as an identifier is replaced, none is lost."""
    known = identifier.known

    def check(value: Any, view: View) -> Any:
        try:
            if type(value) is list and known.issuperset(value):
                return value.copy()
        except TypeError:
            pass
        if type(value) is not list or len(value) > 2000:
            view.note_property(CLOSED_RULE, name, WRONG_KIND)
            return REMOVE
        out = [item if item == REDACTED_NAME or identifier(item) else REDACTED_NAME for item in value]
        if out != value:
            view.note_property(CLOSED_RULE, name, "a name that is no identifier, replaced")
        return out

    return check


def resource_name(plain: Remembering, lets: Callable[[str, Any], bool]) -> Any:
    """The rule of `$mcp_resource_name`: on tool events it repeats the tool's name, on prompt events it is the
    prompt's; on resource events it is an address, which is content. lets: whether the tool's name may leave."""

    def check(value: Any, view: View) -> Any:
        repeats = value == view.properties.get(TOOL_NAME) and lets(TOOL_NAME, value)
        if (repeats or view.name == "$mcp_prompt_get") and plain(value):
            return value
        view.note_property(CLOSED_RULE, RESOURCE_NAME, CLOSED)
        return REMOVE

    return check


def flat_copy(name: str, kind: kinds.Kind, rule: str) -> Any:
    """The rule of a list that the ingestion derived from types or frames: only names from code stay."""

    def check(value: Any, view: View) -> Any:
        if type(value) is list and len(value) <= 5000 and all(item is None or kind(item) for item in value):
            return value.copy()
        view.note_property(rule, name, WRONG_KIND)
        return REMOVE

    return check
