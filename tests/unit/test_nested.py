"""Containers under open names: copied, bounded, closed to the SDK's names inside."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Scrubber, Settings
from scrubber.rules.nested import CUT, DEPTH, NODES, close, detach

from ..support import call


@pytest.mark.parametrize("key", ["$mcp_parameters", "$mcp_x", "$exception_list", b"$mcp_parameters", b"$exception_x"])
def test_the_sdks_names_go_at_any_depth_and_what_follows_stays(key: Any) -> None:
    value = {"a": 1, key: "secret", "b": [{"c": 2, key: {"d": "secret"}, "e": ({key: 3, "f": 4},)}]}
    assert close(value) == ({"a": 1, "b": [{"c": 2, "e": [{"f": 4}]}]}, True)


def test_what_needs_no_change_says_so_and_is_a_copy() -> None:
    value = {"a": [1, {"b": None}], "mcp_parameters": 1, "$other": 2}
    copy, changed = close(value)
    assert copy == value
    assert not changed
    assert copy["a"] is not value["a"]
    assert close("text") == ("text", False)


def nest(levels: int) -> Any:
    value: Any = "end"
    for _ in range(levels):
        value = [value]
    return value


def test_depth_is_cut_at_its_bound() -> None:
    whole, changed = close(nest(DEPTH))
    assert (whole, changed) == (nest(DEPTH), False)
    cut, changed = close(nest(DEPTH + 1))
    assert changed
    assert CUT in repr(cut)


def test_size_is_cut_at_its_bound() -> None:
    assert close([0] * NODES) == ([0] * NODES, False)
    cut, changed = close([0] * (NODES + 1))
    assert (len(cut), changed) == (NODES, True)
    cut, changed = close({str(at): 0 for at in range(NODES + 1)})
    assert (len(cut), changed) == (NODES, True)


def test_a_cycle_is_cut_where_it_closes_and_a_shared_value_is_none() -> None:
    shared = {"x": 1}
    assert close([shared, shared]) == ([{"x": 1}, {"x": 1}], False)
    loop: dict[str, Any] = {"x": 1}
    loop["self"] = [loop]
    assert close(loop) == ({"x": 1, "self": [CUT]}, True)


def test_a_detached_copy_shares_no_container() -> None:
    value = {"a": [{"b": 1}], "t": (1,)}
    copy = detach(value)
    copy["a"][0]["b"] = 2
    assert value == {"a": [{"b": 1}], "t": (1,)}


@pytest.mark.parametrize(
    "groups, kept",
    [
        ({"a": "x", "b": 1, "c": True, "d": 0.5}, {"a": "x", "b": 1, "c": True, "d": 0.5}),
        ({"a": {"b": 1}, "c": "x"}, {"c": "x"}),
        ({"a": "x" * 257, "b": "x" * 256}, {"b": "x" * 256}),
        ({"x" * 129: 1, "y": 1}, {"y": 1}),
        ({"$mcp_parameters": 1, "y": 1}, {"y": 1}),
        ({1: "x", "y": 1}, {"y": 1}),
        ({"a": None}, None),
        ({}, None),
        ("text", None),
    ],
)
def test_groups_keep_one_level_of_scalars_in_strict(groups: Any, kept: Any) -> None:
    out = Scrubber(Settings(profile="strict"))(call(**{"$groups": groups}))
    assert out is not None
    assert out["properties"].get("$groups") == kept
