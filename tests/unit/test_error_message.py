"""`$mcp_error_message` per type, and the code and field that replace it."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Scrubber, Settings

from ..support import REFUSAL, call, texts

TEXT = REFUSAL.format(value="secret-7")


def sent(event: dict[str, Any], **settings: Any) -> dict[str, Any]:
    out = Scrubber(Settings(**settings))(event)
    assert out is not None
    return out["properties"]


@pytest.mark.promise("leaves:error-message")
def test_a_validation_errors_message_is_kept_in_full_by_default() -> None:
    out = sent(call(TEXT))
    assert out["$mcp_error_message"] == TEXT
    assert (out["$mcp_error_code"], out["$mcp_error_field"]) == ("int_parsing", "number")


@pytest.mark.promise("leaves:error-message")
def test_other_types_are_removed_by_default() -> None:
    out = sent(call("Incorrect API key: sk-live-1", "AuthenticationError"))
    assert "$mcp_error_message" not in out
    assert out["$mcp_error_type"] == "AuthenticationError"


@pytest.mark.promise("leaves:error-message")
def test_shape_rewrites() -> None:
    out = sent(call(TEXT), error_messages={"ValidationError": "shape"})
    assert out["$mcp_error_message"] == "number: int_parsing"
    assert "secret" not in texts(out)


def test_a_given_mapping_replaces_the_default() -> None:
    out = sent(call(TEXT), error_messages={"TimeoutError": "keep"})
    assert "$mcp_error_message" not in out
    assert out["$mcp_error_code"] == "int_parsing", "code and field open nothing"
    assert (
        sent(call("took 3 s", "TimeoutError"), error_messages={"TimeoutError": "keep"})["$mcp_error_message"]
        == "took 3 s"
    )


@pytest.mark.promise("leaves:error-message")
@pytest.mark.parametrize("type_", ["validationerror", "app.ValidationError", "ValidationErrors", ""])
def test_types_match_exactly(type_: str) -> None:
    assert "$mcp_error_message" not in sent(call("free text about secret-7", type_))


@pytest.mark.parametrize(
    "type_", ["ToolError", "McpError", "MCPError", "_ToolBodyError", "Error", "UnexpectedToolError"]
)
def test_a_refusal_under_a_wrappers_type_gives_its_shape(type_: str) -> None:
    out = sent(call(f"Error executing tool find_book: {TEXT}", type_))
    assert out["$mcp_error_message"] == "number: int_parsing"
    assert out["$mcp_error_field"] == "number"
    assert "$mcp_error_message" not in sent(call("not found: secret-7", type_))


def test_no_shape_where_refusals_are_not_shown_at_all() -> None:
    assert "$mcp_error_message" not in sent(
        call(f"x: {TEXT}", "ToolError"), error_messages={"ValidationError": "remove"}
    )


def test_a_named_wrapper_follows_its_own_mode() -> None:
    assert "$mcp_error_message" not in sent(call(f"x: {TEXT}", "ToolError"), error_messages={"ToolError": "remove"})


@pytest.mark.parametrize("value", [7, None, ["secret-7"], {"text": "secret-7"}])
def test_only_text_is_a_message(value: Any) -> None:
    event = call(TEXT)
    event["properties"]["$mcp_error_message"] = value
    assert "$mcp_error_message" not in sent(event)


def test_text_that_is_no_whole_refusal_has_no_shape() -> None:
    out = sent(
        call("1 validation error for call[x]\nsecret-7 everywhere"),
        error_messages={"ValidationError": "shape"},
    )
    assert "$mcp_error_message" not in out
    assert "$mcp_error_code" not in out


def test_a_shape_is_kept_when_it_is_seen_again_and_nothing_else_passes_for_one() -> None:
    hook = Scrubber(Settings(error_messages={"ValidationError": "shape"}))
    once = hook(call(TEXT))
    assert hook(once) == once
    forged = call("jane: int_parsing; at home: missing")
    forged["properties"]["$mcp_error_code"] = "int_parsing"
    out = hook(forged)
    assert out is not None
    assert "jane" not in texts(out) or "at home" not in texts(out)
    assert "$mcp_error_message" not in out["properties"]


def test_the_shape_of_a_wrapped_refusal_survives_a_second_look() -> None:
    hook = Scrubber()
    once = hook(call(f"Error executing tool find_book: {TEXT}", "ToolError"))
    assert hook(once) == once


def test_an_events_own_code_and_field_pass_as_identifiers_only() -> None:
    own = {"$mcp_error_code": "rate_limited", "$mcp_error_field": "lines.N"}
    out = sent(call(TEXT, **own))
    assert out.items() >= own.items()
    bad = {"$mcp_error_code": "Jane's account", "$mcp_error_field": "jane@example.test"}
    out = sent(call("free", "ToolError", **bad))
    assert not bad.keys() & out.keys()


def test_code_and_field_follow_block_and_values() -> None:
    assert "$mcp_error_code" not in sent(call(TEXT), block=["$mcp_error_code"])
    assert "$mcp_error_field" not in sent(call(TEXT), block=["$mcp_error_field"])
    assert "$mcp_error_code" not in sent(call(TEXT), values={"$mcp_error_code": ["missing"]})
    assert sent(call(TEXT), values={"$mcp_error_code": ["int_parsing"]})["$mcp_error_code"] == "int_parsing"


def test_an_events_own_code_of_another_kind_does_not_keep_ours_out() -> None:
    assert sent(call(TEXT, **{"$mcp_error_code": "Not a code"}))["$mcp_error_code"] == "int_parsing"


@pytest.mark.promise("keeps:code-and-field")
def test_the_first_fault_names_the_field() -> None:
    text = (
        "2 validation errors for call[f]\nlines.1\n  Input should be a valid integer [type=int_type, input_value='x', "
        "input_type=str]\nname\n  Missing required argument [type=missing_argument, input_value={}, input_type=dict]"
    )
    out = sent(call(text), error_messages={"ValidationError": "shape"})
    assert out["$mcp_error_message"] == "lines.N: int_type; name: missing_argument"
    assert (out["$mcp_error_code"], out["$mcp_error_field"]) == ("int_type", "lines.N")


@pytest.mark.promise("keeps:code-and-field", "leaves:keys")
def test_no_field_where_the_client_chose_it() -> None:
    text = TEXT.replace("\nnumber\n", "\nsecret_name\n").replace("int_parsing", "unexpected_keyword_argument")
    out = sent(call(text), error_messages={"ValidationError": "shape"})
    assert out["$mcp_error_message"] == "unexpected_keyword_argument"
    assert "$mcp_error_field" not in out
