"""`$mcp_*` is closed: by name and by kind; what is good data stays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubber import Scrubber, Settings
from scrubber.words import properties as listed

from ..support import REFUSAL, call, refusal, texts

SECRET = "canary-41f0"


def sent(event: dict[str, Any], **settings: Any) -> dict[str, Any]:
    out = Scrubber(Settings(**settings))(event)
    assert out is not None
    return out["properties"]


@pytest.mark.promise("leaves:content", "keeps:good-data")
def test_a_good_call_keeps_everything_but_content() -> None:
    event = call()
    out = sent(event)
    gone = event["properties"].keys() - out.keys()
    assert gone == {"$mcp_parameters", "$mcp_response"}
    assert {name: event["properties"][name] for name in out} == out


EVERY_SETTING: list[dict[str, Any]] = [
    {},
    {"profile": "strict"},
    {"error_messages": {}},
    {"drop_argument_rejections": False, "annotate": True},
    {"allow": ["$mcp_response", "$mcp_intent"]},
    {"allow_on": {"$mcp_tool_call": ["$mcp_response"]}},
    {"source_lines": "keep", "paths": "full"},
]


@pytest.mark.promise("leaves:parameters")
@pytest.mark.parametrize("settings", EVERY_SETTING)
@pytest.mark.parametrize("event_name", ["$mcp_tool_call", "$exception", "my event", "$set", "$ai_generation"])
def test_parameters_never_leave_on_any_path(settings: dict[str, Any], event_name: str) -> None:
    event = call()
    event["event"] = event_name
    event["$mcp_parameters"] = SECRET
    event["$set"] = {"$mcp_parameters": SECRET, "deep": [{"$mcp_parameters": SECRET}]}
    event["properties"] |= {
        "$mcp_parameters": {"x": SECRET},
        "$mcp_response": {"again": [{"$mcp_parameters": SECRET}]},
        "mine": {"$mcp_parameters": SECRET, "also": ({"$mcp_parameters": SECRET},)},
        "$groups": {"$mcp_parameters": SECRET},
    }
    hook = Scrubber(
        Settings(**settings),
        rules=[lambda e: {**e, "properties": {**e["properties"], "$mcp_parameters": SECRET}}],
    )
    out = hook(event)
    assert out is not None
    assert SECRET not in texts(out)
    assert "$mcp_parameters" not in texts(out["properties"].keys())


@pytest.mark.promise("leaves:mcp-closed")
@pytest.mark.parametrize(
    "name, value",
    [
        ("$mcp_is_error", "true"),
        ("$mcp_duration_ms", float("nan")),
        ("$mcp_duration_ms", float("inf")),
        ("$mcp_duration_ms", True),
        ("$mcp_duration_ms", 10**40),
        ("$mcp_server_name", {"name": SECRET}),
        ("$mcp_server_name", f"https://u:{SECRET}@host.test/x"),
        ("$mcp_client_name", f"jane {SECRET} @ example.test"),
        ("$mcp_client_name", "jane@example.test"),
        ("$mcp_client_name", "a long sentence about somebody's account"),
        ("$mcp_client_name", "call 555 0133 22 now"),
        ("$mcp_client_name", "sk-proj-4f0aaaaaaaaaaaaa"),
        ("$mcp_client_name", ["a"]),
        ("$mcp_client_version", f"1.0 {SECRET} x"),
        ("$mcp_client_user_agent", f"Mozilla/5.0 (X11; {SECRET})"),
        ("$mcp_llm_model", "jane@example.test"),
        ("$mcp_conversation_id", f"about {SECRET}"),
        ("$mcp_conversation_id", "jane-doe-biopsy"),
        ("$mcp_tool_name", f"file:///home/{SECRET}"),
        ("$mcp_listed_tool_names", {"a": SECRET}),
        ("$mcp_error_type", f"ValueError: {SECRET}"),
        ("$mcp_error_status", f"500 {SECRET}"),
        ("$mcp_source", f"{SECRET}!"),
        ("$mcp_tool_description", f"about {SECRET}"),
        ("$mcp_intent", f"mail {SECRET}"),
        ("$mcp_feedback_summary", SECRET),
        ("$mcp_response", SECRET),
        ("$mcp_future_payload_preview", SECRET),
        ("$mcp_", SECRET),
        ("$mcp_resource_name", f"file:///{SECRET}"),
    ],
)
def test_a_value_of_another_kind_goes(name: str, value: Any) -> None:
    assert name not in sent(call(**{name: value}))


@pytest.mark.promise("keeps:good-data")
@pytest.mark.parametrize(
    "name, value",
    [
        ("$mcp_client_name", "Visual Studio Code"),
        ("$mcp_client_name", "@modelcontextprotocol/inspector"),
        ("$mcp_client_name", "claude-ai"),
        ("$mcp_client_user_agent", "claude-code/2.0.1 node/22.4.0"),
        ("$mcp_protocol_version", "2026-07-28"),
        ("$mcp_llm_model", "anthropic/claude-opus-4-8"),
        ("$mcp_llm_model", "claude-3-5-sonnet@20240620"),
        ("$mcp_server_name", "Acme Books & Co (staging)"),
        ("$mcp_server_build", "9f8a7c1d2e3b4a5f6c7d8e9f0a1b2c3d4e5f6a7b"),
        (
            "$mcp_listed_tool_names",
            ["find_book", "files-read", "rotate_api_key", "list_orders_v2_by_region_and_state"],
        ),
        ("$mcp_error_status", 404),
        ("$mcp_error_type", "app.errors.NotFoundError"),
        ("$mcp_input_aliases_used", ["since"]),
        ("$mcp_vendor_client", "cursor"),
        ("$mcp_tool_name", "_helper"),
        ("$mcp_tool_name", "größe"),
        ("$mcp_tool_name", "report_20240115"),
        ("$mcp_tool_name", "rollout-2024-01-15"),
        ("$mcp_tool_name", "sync.2024.01.15"),
        ("$mcp_tool_name", "tool_1234567"),
        ("$mcp_tool_name", "x" * 128),
        ("$mcp_client_name", "nightly 2024-01-15"),
        ("$mcp_duration_ms", 0),
    ],
)
def test_good_data_is_not_ruined(name: str, value: Any) -> None:
    assert sent(call(**{name: value}))[name] == value


def test_one_name_that_is_none_does_not_cost_the_list_of_tools() -> None:
    out = sent(call(**{"$mcp_listed_tool_names": ["_find", f"a b c d e {SECRET}", "give"]}))
    assert out["$mcp_listed_tool_names"] == ["_find", "[redacted]", "give"]


@pytest.mark.parametrize("value", ["number", {"a": 1}, None, ["a"] * 2001])
def test_a_list_of_names_is_a_list_of_bounded_length(value: Any) -> None:
    assert "$mcp_input_keys" not in sent(call(**{"$mcp_input_keys": value}))


def test_a_list_of_names_is_copied() -> None:
    event = call()
    hook = Scrubber()
    for _ in range(2):
        out = hook(event)
        assert out is not None
        assert out["properties"]["$mcp_input_keys"] == ["number"]
        assert out["properties"]["$mcp_input_keys"] is not event["properties"]["$mcp_input_keys"]


@pytest.mark.promise("leaves:keys")
def test_a_name_spelt_otherwise_is_no_way_out() -> None:
    names = [
        "$MCP_PARAMETERS",
        " $mcp_parameters",
        "$mcp_parameters ",
        "$Mcp_Response",
        "$Exception_Message",
        "$AI_Error",
    ]
    out = sent(call(mine=dict.fromkeys(names, SECRET), **dict.fromkeys(names, SECRET)))
    assert SECRET not in texts(out)


@pytest.mark.promise("leaves:keys")
@pytest.mark.parametrize(
    "key", ["$mcp_parameters", "$mcp_intent", "$exception_list", "$exception", " $MCP_PARAMETERS ", "$Ai_Error"]
)
def test_the_sdks_names_have_no_place_beside_properties(key: str) -> None:
    out = Scrubber()({**call(), key: SECRET, "other": "mine"})
    assert out is not None
    assert key not in out
    assert out["other"] == "mine"
    blocked = Scrubber(Settings(block=["other"]))({**call(), "other": "mine"})
    assert blocked is not None
    assert "other" not in blocked


@pytest.mark.parametrize(
    "name, value, stays",
    [
        ("$feature/beta", True, True),
        ("$feature/beta", "control", True),
        ("$feature/beta", {"x": SECRET}, False),
        ("$feature/not a flag", True, False),
        ("$feature/", True, False),
        ("$scrubber_removed", ["$mcp_intent", "*"], True),
        ("$scrubber_removed", [f"see {SECRET}"], False),
        ("$scrubber_removed", SECRET, False),
        ("$scrubber_removed", ["x"] * 257, False),
    ],
)
def test_strict_judges_flags_and_its_own_annotation_by_kind(name: str, value: Any, stays: bool) -> None:
    assert (name in sent(call(**{name: value}), profile="strict")) is stays


@pytest.mark.promise("leaves:made-up-names")
def test_made_up_argument_names_are_replaced_one_by_one() -> None:
    out = sent(call(**{"$mcp_input_keys": ["number", f"{SECRET} is a sentence", "[redacted]", 7]}))
    assert out["$mcp_input_keys"] == ["number", "[redacted]", "[redacted]", "[redacted]"]


def test_a_resource_name_stays_where_it_repeats_the_tools() -> None:
    assert sent(call())["$mcp_resource_name"] == "find_book"
    read = call(**{"$mcp_resource_name": "customers"})
    read["event"] = "$mcp_resource_read"
    del read["properties"]["$mcp_tool_name"]
    assert "$mcp_resource_name" not in sent(read)
    read["event"] = "$mcp_prompt_get"
    assert sent(read)["$mcp_resource_name"] == "customers"


@pytest.mark.promise("leaves:content")
def test_free_text_opens_by_exact_name_for_all_events_or_for_one() -> None:
    event = call(**{"$mcp_intent": "find a book"})
    assert sent(event, allow=["$mcp_intent"])["$mcp_intent"] == "find a book"
    assert sent(event, allow_on={"$mcp_tool_call": ["$mcp_intent"]})["$mcp_intent"] == "find a book"
    assert "$mcp_intent" not in sent(event, allow_on={"$mcp_feedback": ["$mcp_intent"]})
    assert "$mcp_intent" not in sent(event, allow=["$mcp_intent"], block=["$mcp_intent"]), "block wins"


def test_values_close_a_property_to_a_set() -> None:
    settings: dict[str, Any] = {"values": {"plan": ["free", "pro"], "seats": [1]}}
    for profile in ("standard", "strict"):
        assert (
            sent(call(plan="pro", seats=1), profile=profile, **settings).items() >= {"plan": "pro", "seats": 1}.items()
        )
        out = sent(call(plan=SECRET, seats=True), profile=profile, **settings)
        assert not {"plan", "seats"} & out.keys(), "True is not 1"


def test_values_close_names_of_the_sdk_too() -> None:
    event = refusal()
    event["properties"]["$mcp_tool_name"] = "x y z a b c"
    out = sent(event, values={"$exception_level": ["fatal"], "$mcp_server_name": ["other"]})
    assert not {"$exception_level", "$mcp_server_name"} & out.keys()
    assert sent(event, allow=["$exception_level"])["$exception_level"] == "error"


def test_an_exceptions_text_of_posthog_ai_is_closed_until_opened() -> None:
    event = call(**{"$ai_error": SECRET})
    assert "$ai_error" not in sent(event)
    assert sent(event, allow=["$ai_error"])["$ai_error"] == SECRET
    nested = {**call(mine={"a": [{"$ai_error": SECRET}]}), "$ai_error": SECRET, "$set": {"$ai_error": SECRET}}
    assert SECRET not in texts(Scrubber()(nested))


@pytest.mark.promise("leaves:strict")
def test_custom_properties_pass_in_standard_and_go_in_strict() -> None:
    event = call(plan="pro", nested={"a": [1]}, **{"$set": {"email": SECRET}, "$ai_input": SECRET})
    assert sent(event).items() >= {"plan": "pro", "nested": {"a": [1]}}.items()
    strict = sent(event, profile="strict")
    assert SECRET not in texts(strict)
    assert "plan" not in strict
    assert sent(event, profile="strict", allow=["plan"])["plan"] == "pro"


@pytest.mark.promise("keeps:control")
def test_control_properties_survive_in_both_profiles() -> None:
    control = {
        "$groups": {"organization": "org_9", "workspace": 4},
        "$process_person_profile": False,
        "$session_id": "ses_01a22bec",
        "$lib": "posthog-python-mcp",
        "$lib_version": "7.91.1",
        "$os": "Linux",
        "$os_version": "12",
        "$os_distro": "Debian GNU/Linux",
        "$python_version": "3.11.7",
        "$python_runtime": "CPython",
        "$is_server": True,
        "$geoip_disable": True,
        "$ai_input_tokens": 1204,
        "$ai_total_cost_usd": 0.44,
        "$ai_model": "m-large",
        "$feature/beta": True,
    }
    for profile in ("standard", "strict"):
        assert sent(call(**control), profile=profile).items() >= control.items()


def test_person_properties_beside_properties_go_in_strict_only() -> None:
    event = {**call(), "$set": {"plan": "pro"}, "$set_once": {"first": 1}}
    assert Scrubber()(event)["$set"] == {"plan": "pro"}  # type: ignore[index]
    strict = Scrubber(Settings(profile="strict"))(event)
    assert strict is not None
    assert not {"$set", "$set_once"} & strict.keys()
    for settings in ({"allow": ["$set"]}, {"allow_on": {"$mcp_tool_call": ["$set"]}}):
        opened = Scrubber(Settings(profile="strict", **settings))(event)  # type: ignore[arg-type]
        assert opened is not None
        assert opened["$set"] == {"plan": "pro"}


@pytest.mark.promise("hook:says-no-value")
def test_annotate_names_what_went_and_never_a_value() -> None:
    out = sent(call(**{"$mcp_intent": SECRET, f"$mcp_{SECRET}": 1}), annotate=True)
    assert out["$scrubber_removed"] == sorted(["$mcp_intent", "$mcp_parameters", "$mcp_response", "*"])
    assert SECRET not in texts(out)


def test_annotate_speaks_also_where_a_rule_added_as_many_as_went() -> None:
    out = sent(call(REFUSAL.format(value="x")), annotate=True)
    assert out["$scrubber_removed"] == ["$mcp_parameters", "$mcp_response"]


@pytest.mark.parametrize("profile", ["standard", "strict"])
def test_annotation_survives_a_second_look(profile: Any) -> None:
    hook = Scrubber(Settings(profile=profile, annotate=True))
    once = hook(call())
    assert hook(once) == once


@pytest.mark.promise("leaves:mcp-closed")
@given(
    name=st.sampled_from(sorted(listed.MCP_KNOWN | {"$mcp_new", "$mcp_X"})),
    value=st.recursive(
        st.just(f"see {SECRET} at once, please, now") | st.integers() | st.none(),
        lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(st.just(SECRET), inner, max_size=2),
        max_leaves=4,
    ),
)
def test_no_sentence_leaves_under_any_mcp_name(name: str, value: Any) -> None:
    for settings in ({}, {"profile": "strict"}):
        assert SECRET not in texts(sent(call(**{"$mcp_error_type": "ToolError", name: value}), **settings))


def test_an_exception_events_mcp_properties_are_closed_too() -> None:
    event = refusal()
    event["properties"] |= {
        "$mcp_intent": SECRET,
        "$mcp_response": SECRET,
        "$mcp_tool_name": f"x y z {SECRET} w v u",
    }
    assert SECRET not in texts(Scrubber()(event))
