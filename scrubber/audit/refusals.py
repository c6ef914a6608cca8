"""Which tool, argument and error an argument refusal was about, in names that a report may print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubber.audit.names import plain
from scrubber.rules.drops import GUARD_RULE
from scrubber.rules.origin import judge
from scrubber.words import kinds, message, quickly
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
    code, field = _first_problem(_text(properties))
    return tool, field, code


def _text(properties: Mapping[str, Any]) -> str:
    """The text that the rule judged."""
    roots = list(filter(is_pydantic, properties[EXCEPTION_LIST]))
    text = roots[0].get("value") if len(roots) == 1 else None
    # Of several the engine chooses.
    return text if type(text) is str else judge(dict(properties)).text


def _first_problem(text: str) -> tuple[str, str]:
    quick = quickly.first(text)
    if quick is not None:
        title, problem = quick
    else:
        refusal = message.parse(text)
        if refusal is None or not refusal.problems:
            return "", ""
        if not refusal.complete:
            # A block may be the caller's writing: pydantic's own codes are all that it can say.
            return next((one.code for one in refusal.problems if one.code in message.KNOWN_CODES), ""), ""
        title, problem = refusal.title, refusal.problems[0]
    return message.code_of(problem), message.field_of(problem, message.is_argument_title(title))
