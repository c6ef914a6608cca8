"""The policy page: what happens to each property."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from docs_parts.asking import alone, policies
from docs_parts.words import code, table
from scrubber import Settings, SettingsError
from scrubber.rules.closing import Handling, Mode
from scrubber.words import kinds
from scrubber.words import properties as listed

CLIENT, AUTHOR, SDK, CONTENT = "**client or agent**", "server's author", "SDK", "**content**"

WRITERS: dict[str, str] = {
    **dict.fromkeys(
        "$mcp_source $mcp_interface $mcp_duration_ms $mcp_is_error $mcp_error_status $mcp_intent_source "
        "$mcp_llm_model_source $mcp_input_keys $mcp_input_aliases_used $mcp_error_type".split(),
        SDK,
    ),
    "$mcp_error_code": "this hook, or you",
    "$mcp_error_field": "this hook, or you",
    **dict.fromkeys(
        "$mcp_server_name $mcp_server_version $mcp_server_build $mcp_tool_category $mcp_listed_tool_names "
        "$mcp_tool_description".split(),
        AUTHOR,
    ),
    "$mcp_tool_name": f"{AUTHOR}; {CLIENT} on `$mcp_unknown_tool`",
    "$mcp_resource_name": f"{AUTHOR} on tool events; {CLIENT} on resource events",
    **dict.fromkeys(
        "$mcp_client_name $mcp_client_version $mcp_client_user_agent $mcp_vendor_client $mcp_protocol_version "
        "$mcp_conversation_id $mcp_llm_model $mcp_intent $mcp_feedback_details $mcp_feedback_friction_points "
        "$mcp_feedback_sentiment $mcp_feedback_suggested_improvement $mcp_feedback_summary "
        "$mcp_feedback_task_completed $mcp_feedback_tool $mcp_feedback_type".split(),
        CLIENT,
    ),
    **dict.fromkeys((listed.PARAMETERS, "$mcp_response", listed.ERROR_MESSAGE), CONTENT),
}
"""Who chooses the value of each `$mcp_*` property."""

MADE_BY_RULE: dict[str, str] = {
    listed.INPUT_KEYS: "list; each item an identifier, else `[redacted]`",
    "$mcp_input_aliases_used": "list; each item an identifier, else `[redacted]`",
    "$mcp_listed_tool_names": "list; each item a tool's name, else `[redacted]`",
    listed.RESOURCE_NAME: "only where it repeats the tool's name, or names a prompt",
    listed.ERROR_MESSAGE: "[by error type](#the-error-message)",
    listed.EXCEPTION_LIST: "[rebuilt](#exception-entries-and-frames)",
    listed.FINGERPRINT: "[as it is, or its hash](#the-fingerprint)",
    "$exception_types": "list of type names",
    "$exception_functions": "list of code names",
    "$exception_sources": "list of file names",
    listed.STRICT_GROUPS: "one level of short scalars",
}
"""What the properties with a rule of their own are told in one phrase."""

HEAD = ("Property", "Written by", "`standard`", "`strict`", "Opened by")


def kind_name(kind: Any) -> str:
    """A kind's name, as its function is called."""
    kind = kind.kind if isinstance(kind, kinds.Remembering) else kind
    if kind.__name__ == "has_one":
        return " or ".join(kind_name(one) for one in inspect.getclosurevars(kind).nonlocals["kinds"])
    return {"_annotation": "list of names"}.get(kind.__name__, f"[{kind.__name__}](#kinds)")


def told(name: str, handling: Handling) -> str:
    """What happens to a property, in a phrase."""
    if handling.mode is Mode.OPEN:
        return "as it is"
    if handling.mode is Mode.CLOSED:
        return "never" if name == listed.PARAMETERS else "closed"
    if handling.mode is Mode.RULE:
        return MADE_BY_RULE[name]
    return kind_name(handling.check)


def opened_by(name: str) -> str:
    """Which setting opens a property. Asked of the settings and of the closed list."""
    with alone():
        try:
            Settings(allow=[name])
        except SettingsError as error:
            return "`error_messages`" if "error_messages" in str(error) else "nothing"
    opened = policies(allow=frozenset({name}))[0].resolve(name, listed.TOOL_CALL_EVENT)
    before = policies()[0].resolve(name, listed.TOOL_CALL_EVENT)
    if opened.mode is not Mode.OPEN:
        return "nothing"
    return "`allow`, `allow_on`" if before.mode is Mode.CLOSED else "passes; `allow` lifts the check"


def property_rows(names: Iterable[str], writer: Callable[[str], str]) -> list[tuple[str, ...]]:
    """A row for each property."""
    standard, strict = policies()
    rows: list[tuple[str, ...]] = []
    for name in names:
        first, second = (told(name, one.resolve(name, listed.TOOL_CALL_EVENT)) for one in (standard, strict))
        rows.append((code(name), writer(name), first, "the same" if first == second else second, opened_by(name)))
    return rows


def mcp_properties() -> str:
    """`$mcp_*`, in the order of the closed list, and one that nobody knows."""
    order = (*listed.MCP_LISTED, *sorted(listed.MCP_NAME_LISTS), listed.ERROR_MESSAGE, *sorted(listed.MCP_CLOSED))
    rows = property_rows((*order, listed.PARAMETERS), WRITERS.__getitem__)
    return table(HEAD, [*rows, *property_rows(["$mcp_anything_else"], lambda _: "a later SDK")])


def exception_properties() -> str:
    """`$exception_*`."""
    by_user = {listed.FINGERPRINT: "you, or this hook"}
    derived = set(listed.EXCEPTION_NAME_LISTS) | {"$exception_values", "$exception_issue_id"}
    order = sorted(listed.EXCEPTION_KNOWN, key=lambda name: (name != listed.EXCEPTION_LIST, name))

    def writer(name: str) -> str:
        return by_user.get(name, "PostHog's ingestion" if name in derived else SDK)

    rows = property_rows(order, writer)
    return table(HEAD, [*rows, *property_rows(["$exception_anything_else"], lambda _: "a later SDK")])


def strict_properties() -> str:
    """All other properties: what the strict profile knows, and what it does not."""
    others = (listed.STRICT_GROUPS, *listed.STRICT_LISTED, listed.ANNOTATION, "$feature/beta")
    unknown = (*sorted(listed.EXCEPTION_TEXTS_ELSEWHERE), "$ai_input", "$set", "plan")
    standard, strict = policies()
    rows = []
    for name in (*others, *unknown):
        first, second = (told(name, one.resolve(name, "any event")) for one in (standard, strict))
        shown = {"plan": "any other, such as `plan`", "$feature/beta": "`$feature/` and a flag's name"}
        rows.append((shown.get(name, code(name)), first, second))
    return table(("Property", "`standard`", "`strict`"), rows)
