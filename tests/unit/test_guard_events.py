"""Events of calls that the argument guard refused: no `$exception`, and the guard's own text may leave.

Mutations that turn a test here red: the mark or the type not asked for, an entry with a traceback dropped, a text that
is not the guard's kept.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scrubber import Scrubber, Settings
from scrubber.words.message import KNOWN_CODES

from ..support import entry, frame

MARK = "$scrubber_guard"
TEXT = "Error executing tool 'add': limit must be a whole number."
UNKNOWN = "Unknown parameter 'lim' for tool 'add'. Did you mean: limit? Allowed parameters: limit, q."
REPLY = {"mechanism": {"type": "generic", "handled": True}, "type": "Error", "value": TEXT}


def event(name: str, **changes: Any) -> dict[str, Any]:
    properties = {
        "$lib_version": "7.91.1",
        "$mcp_tool_name": "add",
        "$mcp_is_error": True,
        "$mcp_error_type": "invalid_argument",
        "$mcp_error_message": TEXT,
        "$mcp_error_code": "int_parsing",
        "$mcp_error_field": "limit",
        MARK: True,
    }
    if name == "$exception":
        properties["$exception_list"] = [REPLY]
    properties.update(changes)
    return {"event": name, "properties": {key: value for key, value in properties.items() if value is not None}}


def sent(event: dict[str, Any], **settings: Any) -> dict[str, Any] | None:
    out = Scrubber(Settings(**settings))(event)
    return None if out is None else out["properties"]


@pytest.mark.promise("drops:guard")
@pytest.mark.parametrize("version", ["7.21.0", "7.40.0", "7.91.1", None])
@pytest.mark.parametrize("profile", ["standard", "strict"])
def test_the_exception_of_a_guards_reply_is_dropped(version: str | None, profile: str) -> None:
    assert sent(event("$exception", **{"$lib_version": version}), profile=profile) is None


def test_it_is_counted_under_its_own_rule() -> None:
    hook = Scrubber()
    assert hook(event("$exception")) is None
    assert hook.counts()["by_rule"]["guard_refusal"] == {"dropped": 1}


@pytest.mark.promise("drops:guard", "drops:evidence")
@pytest.mark.parametrize(
    "changes",
    [
        {MARK: None},
        {MARK: 1},
        {MARK: "true"},
        {"$mcp_error_type": None},
        {"$mcp_error_type": "ToolError"},
        {"$mcp_tool_name": None},
        {"$exception_list": []},
        {"$exception_list": None},
        {"$exception_list": [REPLY, REPLY]},
        {"$exception_list": [entry("app", "Broken", "text", [frame("app.tools", "add")])]},
        {"$exception_list": [{**REPLY, "stacktrace": {"type": "raw", "frames": []}}]},
    ],
)
def test_less_evidence_is_sent_redacted(changes: dict[str, Any]) -> None:
    out = sent(event("$exception", **changes))
    assert out is not None
    assert "must be" not in str(out.get("$exception_list"))


def test_the_setting_that_keeps_refusals_keeps_these() -> None:
    assert sent(event("$exception"), drop_argument_rejections=False) is not None


@pytest.mark.parametrize(
    "text", [TEXT, UNKNOWN, UNKNOWN.replace("Unknown parameter 'lim'", "3 unknown parameters"), f"{TEXT} {UNKNOWN}"]
)
@pytest.mark.parametrize("settings", [{}, {"error_messages": {"ValidationError": "shape"}}, {"profile": "strict"}])
def test_the_guards_text_leaves_where_refusals_are_shown(text: str, settings: dict[str, Any]) -> None:
    call = event("$mcp_tool_call", **{"$mcp_error_message": text})
    out = Scrubber(Settings(**settings))(call)
    assert out == call
    assert Scrubber(Settings(**settings))(out) == call, "and passes again"


@pytest.mark.parametrize(
    ("changes", "settings"),
    [
        ({MARK: None}, {}),
        ({MARK: 1}, {}),
        ({"$mcp_error_type": "ToolError"}, {}),
        ({"$mcp_error_message": f"{TEXT}\n{TEXT}"}, {}),
        ({"$mcp_error_message": TEXT + "x" * 2048}, {}),
        ({"$mcp_error_message": f"secret {TEXT}"}, {}),
        ({}, {"error_messages": {}}),
        ({}, {"error_messages": {"ValidationError": "remove"}}),
        ({}, {"error_messages": {"ValidationError": "keep", "invalid_argument": "remove"}}),
    ],
)
def test_it_does_not_leave_otherwise(changes: dict[str, Any], settings: dict[str, Any]) -> None:
    out = sent(event("$mcp_tool_call", **changes), **settings)
    assert out is not None
    assert "$mcp_error_message" not in out


@pytest.mark.promise("leaves:error-message")
@given(st.text(max_size=60), st.booleans(), st.sampled_from(["invalid_argument", "Error", "KeyError"]))
def test_no_text_leaves_that_is_not_the_guards(text: str, marked: bool, type_: str) -> None:
    # A bare label of pydantic's passes for a shape that was made before, and is one.
    assume(not any(code in text for code in KNOWN_CODES))
    call = event("$mcp_tool_call", **{"$mcp_error_message": text, "$mcp_error_type": type_, MARK: marked})
    assert "$mcp_error_message" not in (sent(call) or {})
