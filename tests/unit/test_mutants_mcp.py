"""Lists of names and flat copies: one by one, bounded, copied, and said where something went."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Scrubber, Settings

from ..support import call

KEYS, TOOLS = "$mcp_input_keys", "$mcp_listed_tool_names"


def sent(event: dict[str, Any], **settings: Any) -> dict[str, Any]:
    out = Scrubber(Settings(**settings))(event)
    assert out is not None
    return out["properties"]


def said(event: dict[str, Any]) -> set[tuple[str, str]]:
    findings = Scrubber().decide(event).findings
    assert all(finding.reason for finding in findings)
    return {(finding.rule, finding.path) for finding in findings}


@pytest.mark.parametrize("name", [KEYS, TOOLS, "$mcp_input_aliases_used"])
def test_a_list_of_names_says_what_was_replaced_or_that_it_went(name: str) -> None:
    here = ("mcp_closed", f"properties.{name}")
    assert here not in said(call(**{name: ["fine", "also_fine"]}))
    assert here in said(call(**{name: ["fine", "a sentence that is no name of anything"]}))
    assert here in said(call(**{name: "fine"}))
    assert sent(call(**{name: ["fine", "a sentence that is no name of anything"]}))[name] == ["fine", "[redacted]"]


def test_a_list_that_a_newer_sdk_redacted_itself_is_no_finding() -> None:
    event = call(**{KEYS: ["[redacted]", "number"]})
    assert sent(event)[KEYS] == ["[redacted]", "number"]
    assert ("mcp_closed", f"properties.{KEYS}") not in said(event)


def test_what_is_no_text_in_a_list_of_names_is_replaced() -> None:
    hook = Scrubber()
    for item in ({"a": 1}, ["a"], None, 7, True):
        out = hook(call(**{KEYS: ["number", item]}))
        assert out is not None
        assert out["properties"][KEYS] == ["number", "[redacted]"]
    assert hook.counts()["failed"] == 0


def test_a_list_of_names_may_be_long_and_not_longer() -> None:
    assert len(sent(call(**{KEYS: [f"k{at}" for at in range(2000)]}))[KEYS]) == 2000
    assert KEYS not in sent(call(**{KEYS: [f"k{at}" for at in range(2001)]}))
    assert KEYS not in sent(call(**{KEYS: ("number",)}))


def test_a_name_is_judged_by_the_kind_of_its_list() -> None:
    hook = Scrubber()
    for _ in range(2):
        out = hook(call(**{KEYS: ["books/find"], TOOLS: ["books/find"]}))
        assert out is not None
        assert (out["properties"][KEYS], out["properties"][TOOLS]) == (["[redacted]"], ["books/find"])


def test_an_address_is_no_resource_name_even_where_it_repeats_the_tools() -> None:
    address = "file:///home/jane"
    out = sent(call(**{"$mcp_tool_name": address, "$mcp_resource_name": address}))
    assert not {"$mcp_tool_name", "$mcp_resource_name"} & out.keys()
    assert "$mcp_resource_name" not in sent(call(**{"$mcp_resource_name": "other"}))
    assert ("mcp_closed", "properties.$mcp_resource_name") in said(call(**{"$mcp_resource_name": "other"}))
    prompt = call(**{"$mcp_resource_name": address}) | {"event": "$mcp_prompt_get"}
    assert "$mcp_resource_name" not in sent(prompt)


FLAT = {"$exception_types": "RowError", "$exception_functions": "load", "$exception_sources": "app/db.py"}


@pytest.mark.parametrize("name", FLAT)
def test_a_flat_copy_is_a_copy_of_names_from_code_or_goes_and_is_said(name: str) -> None:
    good = [FLAT[name], None, FLAT[name]]
    out = sent(call(**{name: good}))[name]
    assert out == good
    assert out is not good
    assert len(sent(call(**{name: [FLAT[name]] * 5000}))[name]) == 5000
    for bad in ([FLAT[name]] * 5001, [FLAT[name], "see jane@example.test now?"], FLAT[name], tuple(good), [7], {}):
        assert name not in sent(call(**{name: bad}))
        assert ("exception", f"properties.{name}") in said(call(**{name: bad}))


@pytest.mark.parametrize("name", FLAT)
def test_a_good_flat_copy_is_no_finding(name: str) -> None:
    assert ("exception", f"properties.{name}") not in said(call(**{name: [FLAT[name]]}))


def test_a_flat_copy_of_files_shrinks_with_the_paths() -> None:
    event = call(**{"$exception_sources": ["/home/jane/app/db.py", None, "app/x.py"]})
    assert sent(event, paths="relative")["$exception_sources"] == ["db.py", None, "x.py"]
    assert sent(event)["$exception_sources"] == ["/home/jane/app/db.py", None, "app/x.py"]
    assert "$exception_sources" not in sent(call(**{"$exception_sources": ["a b?"]}), paths="relative")


@pytest.mark.parametrize("value", [{"number": "secret"}, ("number",), {"number"}, frozenset({"number"}), "number"])
def test_known_names_in_another_container_are_no_list_of_names(value: Any) -> None:
    hook = Scrubber()
    hook(call(**{KEYS: ["number"]}))
    out = hook(call(**{KEYS: value}))
    assert out is not None
    assert KEYS not in out["properties"]
    assert hook.counts()["failed"] == 0


def test_a_resource_name_that_repeats_a_tool_of_the_settings_list_stays() -> None:
    for listed, stays in (["find_book"], True), (["another"], False):
        event = call(**{"$mcp_tool_name": "find_book", "$mcp_resource_name": "find_book"})
        assert ("$mcp_resource_name" in sent(event, values={"$mcp_tool_name": listed})) is stays
