"""The closed list of properties: which names may leave, and what kind of value each may have.

Sources: `posthog.mcp.constants.PostHogMCPAnalyticsProperty` (posthog 7.21 to 7.91.1), the system and feature
flag properties of `posthog.client`, `posthog.ai` for `$ai_*`, and PostHog's own taxonomy for
`$mcp_error_code` and `$mcp_error_field`. A test compares this list with the installed SDK's constants.
"""

from __future__ import annotations

from scrubber.words import kinds
from scrubber.words.kinds import Kind

PARAMETERS = "$mcp_parameters"
IS_ERROR = "$mcp_is_error"
ERROR_TYPE = "$mcp_error_type"
ERROR_MESSAGE = "$mcp_error_message"
ERROR_CODE = "$mcp_error_code"
ERROR_FIELD = "$mcp_error_field"
TOOL_NAME = "$mcp_tool_name"
RESOURCE_NAME = "$mcp_resource_name"
INPUT_KEYS = "$mcp_input_keys"
EXCEPTION_LIST = "$exception_list"
FINGERPRINT = "$exception_fingerprint"
ANNOTATION = "$scrubber_removed"

GUARD_MARK = "$scrubber_guard"
"""True on the events of a call that `scrubber.guard` refused; set by its options and by nothing a client can reach."""
GUARD_TYPE = "invalid_argument"
"""`$mcp_error_type` of those events."""

EXCEPTION_EVENT = "$exception"
TOOL_CALL_EVENT = "$mcp_tool_call"

MCP_LISTED: dict[str, Kind] = {
    # written by the SDK
    "$mcp_source": kinds.slug,
    "$mcp_interface": kinds.slug,
    "$mcp_duration_ms": kinds.number,
    "$mcp_is_error": kinds.flag,
    "$mcp_error_status": kinds.either(kinds.number, kinds.slug),
    "$mcp_intent_source": kinds.slug,
    "$mcp_llm_model_source": kinds.slug,
    ERROR_TYPE: kinds.type_name,
    ERROR_CODE: kinds.slug,
    ERROR_FIELD: kinds.field,
    # written by the server's author
    "$mcp_server_name": kinds.title,
    "$mcp_server_version": kinds.version,
    "$mcp_server_build": kinds.version,
    "$mcp_tool_category": kinds.title,
    # written by the client or the agent: plain names and nothing else
    TOOL_NAME: kinds.tool,
    "$mcp_client_name": kinds.name,
    "$mcp_client_version": kinds.version,
    "$mcp_client_user_agent": kinds.agent,
    "$mcp_vendor_client": kinds.name,
    "$mcp_protocol_version": kinds.version,
    "$mcp_conversation_id": kinds.minted_id,
    "$mcp_llm_model": kinds.model,
}
"""`$mcp_*` properties that pass on every event, if the value has the kind."""

MCP_NAME_LISTS: dict[str, Kind] = {
    INPUT_KEYS: kinds.identifier,
    "$mcp_input_aliases_used": kinds.identifier,
    "$mcp_listed_tool_names": kinds.tool,
}
"""Lists of names: each name is judged by itself, so that one that was made up does not cost the list."""

MCP_CLOSED = frozenset(
    {
        "$mcp_response",
        "$mcp_intent",
        "$mcp_tool_description",
        "$mcp_feedback_details",
        "$mcp_feedback_friction_points",
        "$mcp_feedback_sentiment",
        "$mcp_feedback_suggested_improvement",
        "$mcp_feedback_summary",
        "$mcp_feedback_task_completed",
        "$mcp_feedback_tool",
        "$mcp_feedback_type",
        RESOURCE_NAME,
    }
)
"""`$mcp_*` properties that are known and closed until a setting opens them by name. `$mcp_resource_name` passes
all the same where it only repeats the tool's name."""

MCP_KNOWN = frozenset(MCP_LISTED) | frozenset(MCP_NAME_LISTS) | MCP_CLOSED | {PARAMETERS, ERROR_MESSAGE}

EXCEPTION_LISTED: dict[str, Kind] = {
    "$exception_level": kinds.slug,
    "$exception_handled": kinds.flag,
    "$exception_issue_id": kinds.identity,
    "$exception_event_id": kinds.identity,
    "$exception_fingerprint_version": kinds.either(kinds.number, kinds.slug),
}
"""`$exception_*` properties that pass by kind; the list, the fingerprint and the flat copies have their own rules."""

EXCEPTION_NAME_LISTS: dict[str, Kind] = {
    "$exception_types": kinds.type_name,
    "$exception_functions": kinds.code_name,
    "$exception_sources": kinds.file_name,
}
"""Flat copies that the ingestion derives from types and frames: names from code, kept item by item."""

EXCEPTION_TEXTS_ELSEWHERE = frozenset({"$ai_error"})
"""Properties outside `$exception_*` that hold an exception's text (`posthog.ai`): closed until opened by name."""

EXCEPTION_KNOWN = (
    frozenset(EXCEPTION_LISTED)
    | frozenset(EXCEPTION_NAME_LISTS)
    | {EXCEPTION_LIST, FINGERPRINT, "$exception_message", "$exception_values", "$exception_source"}
)

STRICT_LISTED: dict[str, Kind] = {
    "$lib": kinds.name,
    "$lib_version": kinds.version,
    "$lib_feature": kinds.slug,
    GUARD_MARK: kinds.flag,
    "$python_runtime": kinds.name,
    "$python_version": kinds.version,
    "$os": kinds.name,
    "$os_version": kinds.either(kinds.version, kinds.title),
    "$os_distro": kinds.title,
    "$geoip_disable": kinds.flag,
    "$is_server": kinds.flag,
    "$process_person_profile": kinds.flag,
    "$session_id": kinds.identity,
    "$window_id": kinds.identity,
    "$trace_id": kinds.identity,
    "$span_id": kinds.identity,
    "$insert_id": kinds.identity,
    "$group_type": kinds.name,
    "$group_key": kinds.either(kinds.identity, kinds.number),
    "$request_method": kinds.name,
    "$response_status_code": kinds.number,
    "$feature_flag": kinds.name,
    "$feature_flag_response": kinds.either(kinds.flag, kinds.name),
    "$feature_flag_id": kinds.number,
    "$feature_flag_version": kinds.number,
    "$feature_flag_request_id": kinds.identity,
    "$feature_flag_reason_code": kinds.slug,
    "$active_feature_flags": kinds.names,
    "$ai_model": kinds.model,
    "$ai_provider": kinds.name,
    "$ai_framework": kinds.name,
    "$ai_lib": kinds.name,
    "$ai_lib_version": kinds.version,
    "$ai_service_tier": kinds.slug,
    "$ai_stop_reason": kinds.slug,
    "$ai_span_type": kinds.slug,
    "$ai_tokens_source": kinds.slug,
    "$ai_error_type": kinds.type_name,
    "$ai_trace_id": kinds.identity,
    "$ai_span_id": kinds.identity,
    "$ai_parent_id": kinds.identity,
    "$ai_group_id": kinds.identity,
    "$ai_generation_id": kinds.identity,
    "$ai_session_id": kinds.identity,
    "$ai_response_id": kinds.identity,
    "$ai_is_error": kinds.flag,
    "$ai_stream": kinds.flag,
    "$ai_guardrail_triggered": kinds.flag,
    "$ai_cache_reporting_exclusive": kinds.flag,
    **{
        f"$ai_{count}": kinds.number
        for count in (
            "input_tokens",
            "output_tokens",
            "total_tokens",
            "reasoning_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "cache_creation_1h_input_tokens",
            "cache_creation_5m_input_tokens",
            "total_cost_usd",
            "input_cost_usd",
            "output_cost_usd",
            "latency",
            "time_to_first_token",
            "http_status",
            "web_search_count",
            "temperature",
            "max_tokens",
        )
    },
}
"""What the strict profile lets pass besides `$mcp_*` and `$exception_*`: counts, ids, flags and the SDK's labels."""

STRICT_GROUPS = "$groups"
"""Group keys by group type; in the strict profile one level of scalars."""

TOP_LEVEL = ("event", "distinct_id", "timestamp", "uuid")
"""Keys beside `properties` that every posthog event has."""

PERSON_KEYS = frozenset({"$set", "$set_once"})
"""Person properties, which `client.set()` puts beside `properties` and identify puts inside."""
