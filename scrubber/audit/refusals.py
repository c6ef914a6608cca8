"""Which tool, argument and error an argument refusal was about, in names that a report may print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubber.audit.names import plain
from scrubber.rules.drops import GUARD_RULE
from scrubber.rules.error_message import code_and_field
from scrubber.rules.origin import judge
from scrubber.words import kinds
from scrubber.words.chain import is_pydantic
from scrubber.words.properties import ERROR_CODE, ERROR_FIELD, EXCEPTION_LIST, TOOL_NAME


def refusal_of(rule: str, properties: Mapping[str, Any]) -> tuple[str, str, str]:
    """Tool, field and code of an `$exception` that `rule` dropped as a refusal; "" for what the event does not say.

    No field is one that the caller chose: see `scrubber.words.message.field_of`.
    """
    tool = plain(properties.get(TOOL_NAME))
    if rule == GUARD_RULE:
        given, where = properties.get(ERROR_CODE), properties.get(ERROR_FIELD)
        return tool, str(where) if kinds.field(where) else "", str(given) if kinds.slug(given) else ""
    code, field = code_and_field(_text(properties)) or ("", "")
    return tool, field, code


def _text(properties: Mapping[str, Any]) -> str:
    """The text that the rule judged."""
    roots = list(filter(is_pydantic, properties[EXCEPTION_LIST]))
    text = roots[0].get("value") if len(roots) == 1 else None
    # Of several the engine chooses.
    return text if type(text) is str else judge(dict(properties)).text
