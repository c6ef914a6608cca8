"""Which rule a name falls under, and what is said of what went; containers and paths on their edges."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timezone
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest

from scrubber import Scrubber, Settings
from scrubber.rules import mcp
from scrubber.rules.frame_paths import relative
from scrubber.rules.nested import CUT, DEPTH, NODES, close, detach
from scrubber.words.paths import at_property

from ..support import call

Said = set[tuple[str, str]]


def decided(event: dict[str, Any], **settings: Any) -> tuple[dict[str, Any], Said]:
    decision = Scrubber(Settings(**settings)).decide(event)
    assert decision.event is not None
    assert all(finding.reason for finding in decision.findings)
    return decision.event, {(finding.rule, finding.path) for finding in decision.findings}


@pytest.mark.parametrize(
    "name, value, settings, rule",
    [
        ("$mcp_parameters", {}, {}, "mcp_parameters"),
        ("$mcp_parameters", {}, {"block": ["$mcp_parameters"]}, "mcp_parameters"),
        ("$mcp_intent", "x", {}, "mcp_closed"),
        ("$mcp_new", "x", {}, "mcp_closed"),
        ("$MCP_Response", "x", {}, "mcp_closed"),
        ("$mcp_is_error", "x", {}, "mcp_closed"),
        ("plan", "x", {"block": ["plan"]}, "block"),
        ("$mcp_source", "mcp", {"block": ["$mcp_source"]}, "block"),
        ("plan", "x", {"values": {"plan": ["pro"]}}, "values"),
        ("$ai_error", "x", {}, "exception"),
        ("$exception_message", "x", {}, "exception"),
        ("$exception_level", {"x": 1}, {}, "exception"),
        ("plan", "x", {"profile": "strict"}, "strict"),
        ("$lib", {"x": 1}, {"profile": "strict"}, "strict"),
        ("$groups", {"a": {"b": 1}}, {"profile": "strict"}, "strict"),
        ("$groups", {"a": {"b": 1}, "c": "x"}, {"profile": "strict"}, "strict"),
        ("$groups", "x", {"profile": "strict"}, "strict"),
        ("$exception_sources", ["/home/jane/app.py"], {"paths": "relative"}, "exception"),
        ("$feature/beta", {"x": 1}, {"profile": "strict"}, "strict"),
        ("$scrubber_removed", "x", {"profile": "strict"}, "strict"),
        ("mine", {"$mcp_x": 1}, {}, "nested"),
    ],
)
def test_what_went_is_said_under_its_rule_and_place(name: str, value: Any, settings: Any, rule: str) -> None:
    event, said = decided(call(**{name: value}), **settings)
    assert at_property(name) in {path for found, path in said if found == rule}
    assert event["properties"].get(name) != value


def test_what_a_setting_could_open_is_told_from_what_nobody_listed() -> None:
    findings = Scrubber().decide(call(**{"$mcp_intent": "x", "$mcp_new": "x"})).findings
    why = {finding.path.removeprefix("properties."): finding.reason for finding in findings}
    assert why["$mcp_intent"] == why["$mcp_response"] == mcp.CLOSED
    assert why["$mcp_new"] == mcp.UNLISTED


def test_a_property_whose_name_is_no_text_goes() -> None:
    event = call()
    event["properties"] |= {7: "x", None: "y", ("a",): "z"}
    out, said = decided(event)
    assert all(type(name) is str for name in out["properties"])
    assert ("strict", "properties.*") in said


def test_what_may_leave_is_no_finding() -> None:
    event = call(plan="pro", nested={"a": [1]}, **{"$groups": {"a": "x"}, "$feature/beta": True})
    for settings in ({}, {"profile": "strict", "allow": ["plan", "nested"]}):
        out, said = decided(event, **settings)
        assert said == {("mcp_parameters", "properties.$mcp_parameters"), ("mcp_closed", "properties.$mcp_response")}
        assert out["properties"]["plan"] == "pro"


def test_a_name_opened_for_one_event_is_closed_on_others() -> None:
    settings: dict[str, Any] = {"profile": "strict", "allow_on": {"$mcp_tool_call": ["plan"]}}
    assert decided(call(plan="pro"), **settings)[0]["properties"]["plan"] == "pro"
    assert "plan" not in decided(call(plan="pro") | {"event": "other"}, **settings)[0]["properties"]


def test_strict_lets_flags_and_its_own_annotation_pass_by_their_form() -> None:
    fine = {"$feature/b": True, "$feature/a1": "x", "$scrubber_removed": ["x"] * 256}
    assert decided(call(**fine), profile="strict")[0]["properties"].items() >= fine.items()
    for name in ("$feature/1a", "$feature/", "$feature/a b", "$features/a", "$feature"):
        assert name not in decided(call(**{name: True}), profile="strict")[0]["properties"]


def test_listed_values_are_told_apart_by_type_and_hold_scalars_only() -> None:
    settings: dict[str, Any] = {"values": {"plan": ["a", 1, True]}}
    for value in ("a", 1, True):
        assert decided(call(plan=value), **settings)[0]["properties"]["plan"] is value
    for value in ("b", 1.0, 0, False, None, ["a"], {"a": 1}):
        assert "plan" not in decided(call(plan=value), **settings)[0]["properties"]


# -- beside the properties


@pytest.mark.parametrize("key", ["$mcp_x", "$exception", "$exceptional", "$exception_list", "$ai_error"])
def test_beside_the_properties_the_sdks_names_go_and_are_said(key: str) -> None:
    out, said = decided({**call(), key: "x", "mine": "y"}, allow=[key] if key == "$ai_error" else [])
    assert key not in out
    assert out["mine"] == "y"
    assert "top_level" in {rule for rule, _ in said}


def test_the_usual_keys_hold_no_containers_and_may_hold_times_and_ids() -> None:
    usual = {"timestamp": datetime(2026, 11, 30, tzinfo=timezone.utc), "uuid": UUID(int=7)}
    out, said = decided({**call(), **usual})
    assert {key: out[key] for key in usual} == usual
    assert "top_level" not in {rule for rule, _ in said}
    for value in ({}, [], (), set(), frozenset(), b"x", bytearray(b"x"), MappingProxyType({})):
        out, said = decided({**call(), "distinct_id": value})
        assert "distinct_id" not in out
        assert "top_level" in {rule for rule, _ in said}


def test_a_container_beside_the_properties_is_closed_inside() -> None:
    out, said = decided({**call(), "$set": {"plan": "pro", "$mcp_x": 1}})
    assert out["$set"] == {"plan": "pro"}
    assert ("top_level", "$set") in said
    out, said = decided({**call(), "$set": {"plan": "pro"}})
    assert "top_level" not in {rule for rule, _ in said}


def test_a_key_beside_the_properties_that_is_no_text_goes() -> None:
    out, said = decided({**call(), 7: "x"})  # type: ignore[dict-item]
    assert 7 not in out
    assert ("top_level", "*") in said


def test_strict_opens_by_name_beside_the_properties_too() -> None:
    event = {**call(), "mine": 1, "other": 2}
    out, said = decided(event, profile="strict", allow=["mine"])
    assert "mine" in out
    assert "other" not in out
    assert ("top_level", "other") in said
    assert ("top_level", "mine") not in said
    out, _ = decided(event, allow=["mine"], block=["mine"])
    assert "mine" not in out
    assert "other" in out


# -- containers


def test_every_kind_of_container_is_rebuilt_as_a_list_or_a_dict() -> None:
    value = OrderedDict(a=(1, 2), b={3}, c=frozenset({4}), d=MappingProxyType({"x": [5]}))
    assert close(value) == ({"a": [1, 2], "b": [3], "c": [4], "d": {"x": [5]}}, False)


@pytest.mark.parametrize("key", [b"$mcp_x", b"$mcp_\xff", "$mcp_", "$exception_", "$ai_error", b"$ai_error"])
def test_a_closed_key_is_closed_as_bytes_and_when_it_cannot_be_decoded(key: Any) -> None:
    assert close({key: 1, "a": 2}) == ({"a": 2}, True)


@pytest.mark.parametrize("key", [b"mine", b"\xff", "$exception", "mcp_x", 7, None])
def test_another_key_stays(key: Any) -> None:
    assert close({key: 1}) == ({key: 1}, False)


def test_a_closed_key_counts_towards_the_size_and_the_rest_is_cut() -> None:
    wide = {"$mcp_x": 1} | {f"k{at}": at for at in range(NODES)}
    cut, changed = close(wide)
    assert (len(cut), changed) == (NODES - 1, True)
    assert close([[0] * (NODES - 1)]) == ([[0] * (NODES - 1)], False)
    assert len(close([[0] * NODES])[0][0]) == NODES - 1


def test_a_value_that_comes_again_after_it_was_closed_is_no_cycle() -> None:
    shared: list[Any] = [1]
    assert close({"a": shared, "b": {"c": shared}}) == ({"a": [1], "b": {"c": [1]}}, False)
    shared.append(shared)
    assert close(shared) == ([1, CUT], True)


def test_detaching_copies_dicts_and_lists_at_any_depth() -> None:
    value: dict[str, Any] = {"a": [{"b": [1]}]}
    (copy, seven) = detach((value, 7))
    assert seven == 7
    assert copy == value
    copy["a"][0]["b"].append(2)
    copy["a"].append(3)
    assert value == {"a": [{"b": [1]}]}


def test_depth_is_cut_at_its_bound_for_objects_too() -> None:
    def nest(levels: int) -> Any:
        value: Any = "end"
        for _ in range(levels):
            value = {"a": value}
        return value

    assert close(nest(DEPTH)) == (nest(DEPTH), False)
    cut, changed = close(nest(DEPTH + 1))
    assert changed
    assert CUT in repr(cut)


def test_group_keys_have_a_bounded_length_of_name_and_value() -> None:
    groups = {"k" * 128: "v" * 256, "n": 10**255, "m": 10**256}
    out, _ = decided(call(**{"$groups": groups}), profile="strict")
    assert out["properties"]["$groups"] == {"k" * 128: "v" * 256, "n": 10**255}


# -- paths of frames


@pytest.mark.parametrize(
    "path, module, expected",
    [
        ("/home/jane/app/a.b.py", "app.a.b", "a.b.py"),
        ("/home/jane/app/db.py", "other.db", "db.py"),
        ("/home/jane/app/db.py", "db", "db.py"),
        ("/home/jane/a/b/c.py", "b.c", "b/c.py"),
        ("/home/jane/a/b/__init__.py", "other", "__init__.py"),
        ("/home/jane/__init__.py", "jane", "jane/__init__.py"),
        ("./app/db.py", "other", "app/db.py"),
        ("app//db.py", "other", "app/db.py"),
        ("app/db.py", None, "db.py"),
        ("D:/jane/db.py", "other", "db.py"),
        (r"\\host\share\db.py", "other", "db.py"),
        (r"C:\Python311\Lib\site-packages\mcp\x.py", "mcp.x", "mcp/x.py"),
        ("/usr/lib/python3.11/site-packages/a/site-packages/b.py", "b", "b.py"),
        ("/usr/lib/python3.11/site-packages/a/b.py", "other", "a/b.py"),
        ("/usr/lib/pythonic/x.py", "other", "x.py"),
        ("", "other", ""),
        ("..", None, ""),
        ("<frozen os>", "os", "<frozen os>"),
        ("<attrs generated init app/db>", None, "<attrs generated init app/db>"),
        ("~", None, ""),
        ("/home/jane/app/a.b.py", "app.a", "a.b.py"),
    ],
)
def test_of_a_path_the_part_that_is_the_packages_stays(path: str, module: str | None, expected: str) -> None:
    assert relative(path, module) == expected
