"""Saying what is wrong with a setting, where, and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

# rapidfuzz: the field's library for edit distances, with C speed and no dependency of its own.
from rapidfuzz.distance import DamerauLevenshtein

from scrubber.words import properties as listed
from scrubber.words.errors import SettingsError

TYPE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
EVENT = re.compile(r"\S(?:.{0,198}\S)?\Z")
EVENTS = (
    "$exception",
    "$mcp_initialize",
    "$mcp_tools_list",
    "$mcp_tool_call",
    "$mcp_unknown_tool",
    "$mcp_resource_read",
    "$mcp_resources_list",
    "$mcp_prompt_get",
    "$mcp_prompts_list",
    "$mcp_missing_capability",
    "$mcp_feedback",
    "$mcp_custom",
)


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name within a third of the name's length in edits, or None."""
    scored = sorted((DamerauLevenshtein.distance(name.lower(), other.lower()), other) for other in valid)
    return scored[0][1] if scored and scored[0][0] <= max(2, len(name) // 3) else None


def _hint(name: str, valid: Iterable[str]) -> str:
    """What was probably meant, as the end of a sentence; empty where nothing is near."""
    near = nearest(name, valid)
    return f"; did you mean {near}?" if near is not None else ""


def check_types(names: list[str], setting: str) -> list[str]:
    """Exception types as `Type` or `module.Type`."""
    for name in names:
        if not TYPE.match(name):
            raise ValueError(f"{setting}: an exception type is written Type or module.Type; {name!r} is neither")
    return names


def check_event(name: str) -> None:
    """The name of an event; one of posthog.mcp's must exist."""
    if not EVENT.match(name):
        raise ValueError("allow_on: the name of an event is one line of 1 to 200 characters")
    if name.startswith("$mcp_") and name not in EVENTS:
        raise ValueError(f"allow_on: posthog.mcp sends no event {name}{_hint(name, EVENTS)}")


def check_names(names: list[str], setting: str) -> None:
    """Property names that a setting may speak of."""
    for name in names:
        if not name or name != name.strip() or len(name) > 200:
            raise ValueError(f"{setting}: a property's name is 1 to 200 characters without spaces around it")
        if name in listed.TOP_LEVEL:
            raise ValueError(f"{setting}: {name} is no property; posthog needs it beside them, and it always leaves")
        if name == listed.PARAMETERS and setting != "block":
            raise ValueError(f"{setting}: {name} never leaves; no setting opens it")
        if setting == "block":
            continue
        if name == listed.ERROR_MESSAGE:
            raise ValueError(f"{setting}: {name} is opened per error type; use error_messages")
        if name.startswith("$exception_") and name not in (
            *listed.EXCEPTION_LISTED,
            *listed.EXCEPTION_NAME_LISTS,
        ):
            raise ValueError(
                f"{setting}: {name} holds the text of exceptions or is handled by a rule; it cannot be opened"
            )
        if name.startswith("$mcp_") and name not in listed.MCP_KNOWN:
            near = nearest(name, listed.MCP_KNOWN - {listed.PARAMETERS})
            if near is not None and DamerauLevenshtein.distance(name, near) <= 2:
                raise ValueError(f"{setting}: posthog.mcp has no property {name}; did you mean {near}?")


PREFIX = "SCRUBBER_"
CONFIG = "SCRUBBER_CONFIG"


def check_environment(environment: Iterable[str], fields: list[str]) -> None:
    """Refuse a `SCRUBBER_*` variable that names no setting: ignoring it would leave open what it meant to close."""
    valid = [CONFIG, *(PREFIX + field.upper() for field in fields)]
    for name in environment:
        if name.upper().startswith(PREFIX) and name.upper() not in valid:
            near = nearest(name[len(PREFIX) :], [*fields, "config"])
            hint = f"; did you mean {PREFIX}{near.upper()}?" if near is not None else ""
            raise SettingsError(f"environment: {name} names no setting{hint}")


def unreadable(text: str, fields: list[str]) -> str:
    """What to say of an environment variable that could not be parsed."""
    field = next((name for name in fields if f'"{name}"' in text), "a setting")
    return f'environment: {PREFIX}{field.upper()} is no JSON; lists are written ["a", "b"], mappings {{"name": "keep"}}'


def explain(error: Any, fields: list[str]) -> str:
    """A pydantic error about settings, in words: what is wrong, where, what to do."""
    lines = []
    for problem in error.errors(include_url=False):
        where = ".".join(str(part) for part in problem["loc"])
        lines.append(_sentence(problem, where, fields))
    return "\n".join(dict.fromkeys(lines))


def _sentence(problem: Any, where: str, fields: list[str]) -> str:
    kind, context = problem["type"], problem.get("ctx", {})
    if kind == "extra_forbidden":
        return f"{where}: no such setting{_hint(where, fields)} (settings: {', '.join(fields)})"
    if kind == "literal_error":
        expected = str(context.get("expected", ""))
        given = problem.get("input")
        hint = _hint(given, re.findall(r"'([^']+)'", expected)) if isinstance(given, str) else ""
        return f"{where}: must be {expected}{hint}"
    if where.startswith("values."):
        return f"{'.'.join(where.split('.')[:2])}: each value is true, false, a number or a text"
    if kind == "value_error":
        return str(context.get("error", problem["msg"]))
    return f"{where}: {problem['msg']}"
