"""Expected faults and deliberate refusals: dropped on request, and never by what merely stood near."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Scrubber, Settings

from ..support import entry, frame, refusal

TOOL_ERROR = "mcp.server.fastmcp.exceptions"


def fault(*entries: Any, tool: str | None = "find") -> dict[str, Any]:
    properties = {"$exception_list": list(entries), "$lib_version": "7.91.1"}
    return {"event": "$exception", "properties": properties | ({"$mcp_tool_name": tool} if tool else {})}


def link(module: str | None, type_: str, at: int, source: str = "cause", where: str = "app.tools") -> dict[str, Any]:
    ids: dict[str, Any] = {"exception_id": at} | ({"parent_id": at - 1, "source": source} if at else {})
    return entry(module, type_, "text", [frame(where, "find")], **ids)


def dropped(event: dict[str, Any], **settings: Any) -> bool:
    return Scrubber(Settings(**settings))(event) is None


CHAIN = [
    link(TOOL_ERROR, "ToolError", 0, where="mcp.server.fastmcp.tools.base"),
    link("app.up", "NotFound", 1),
]


@pytest.mark.promise("drops:asked-for")
@pytest.mark.parametrize("name", ["NotFound", "app.up.NotFound", "ToolError"])
def test_an_expected_type_is_dropped_by_name_or_path_wherever_it_causes(name: str) -> None:
    assert dropped(fault(*CHAIN), expected_exceptions=[name])
    assert dropped(fault(*CHAIN, tool=None), expected_exceptions=[name])


def test_a_built_in_type_has_a_module_too() -> None:
    assert dropped(fault(link(None, "KeyError", 0)), expected_exceptions=["builtins.KeyError"])


@pytest.mark.parametrize("name", ["notfound", "NotFoun", "up.NotFound", "other.NotFound", "Found"])
def test_names_match_exactly(name: str) -> None:
    assert not dropped(fault(*CHAIN), expected_exceptions=[name])


@pytest.mark.promise("drops:asked-for")
def test_a_context_does_not_make_a_fault_expected() -> None:
    event = fault(CHAIN[0], link(None, "KeyError", 1), link("app.up", "NotFound", 2, source="context"))
    assert not dropped(event, expected_exceptions=["NotFound"])
    assert dropped(event, expected_exceptions=["KeyError"])
    below = fault(link(None, "KeyError", 0), link("a", "B", 1, source="context"), link("app.up", "NotFound", 2))
    assert not dropped(below, expected_exceptions=["NotFound"]), "nor does a cause of a context"


def test_a_groups_member_does_not_make_a_fault_expected() -> None:
    event = fault(link(None, "ExceptionGroup", 0), link("app.up", "NotFound", 1, source="member"))
    assert not dropped(event, expected_exceptions=["NotFound"])


def without_ids(*links_: dict[str, Any]) -> dict[str, Any]:
    for one in links_:
        one["mechanism"] = {"type": "generic", "handled": True}
    return fault(*links_)


def test_without_sources_only_what_an_sdks_wrapper_wraps_is_a_cause() -> None:
    old = without_ids(link(TOOL_ERROR, "ToolError", 0), link("app.up", "NotFound", 1))
    assert dropped(old, expected_exceptions=["NotFound"])
    unknown = without_ids(link(None, "KeyError", 0), link("app.up", "NotFound", 1))
    assert not dropped(unknown, expected_exceptions=["NotFound"])
    assert dropped(unknown, expected_exceptions=["KeyError"])


def test_up_to_7_30_the_root_stands_first() -> None:
    event = without_ids(link("app.up", "NotFound", 0), link(TOOL_ERROR, "ToolError", 1))
    event["properties"]["$lib_version"] = "7.21.0"
    assert dropped(event, expected_exceptions=["NotFound"])
    event["properties"]["$lib_version"] = "7.45.3"
    assert dropped(event, expected_exceptions=["NotFound"]), "the outermost link is a candidate itself"
    assert not dropped(event, expected_exceptions=["ToolError"])


@pytest.mark.promise("drops:call-stays")
def test_only_exception_events_are_dropped() -> None:
    event = fault(*CHAIN)
    event["event"] = "my event"
    assert not dropped(event, expected_exceptions=["NotFound"])
    other = refusal()
    other["event"] = "my event"
    assert not dropped(other)


# -- deliberate refusals

WRAPPED = [
    link(TOOL_ERROR, "ToolError", 0, where="mcp.server.fastmcp.tools.base"),
    link(TOOL_ERROR, "ToolError", 1),
]
FASTMCP = [link("fastmcp.exceptions", "ToolError", 0)]


@pytest.mark.promise("drops:asked-for")
@pytest.mark.parametrize("chain", [WRAPPED, FASTMCP], ids=["mcp", "fastmcp"])
def test_a_tool_error_raised_on_purpose_is_dropped_only_on_request(chain: list[Any]) -> None:
    assert dropped(fault(*chain), drop_refusals=True)
    assert not dropped(fault(*chain))


@pytest.mark.promise("drops:evidence")
@pytest.mark.parametrize(
    "chain",
    [
        [*FASTMCP, link("app.up", "NotFound", 1)],
        [*FASTMCP, link("app.up", "NotFound", 1, source="context")],
        [*WRAPPED, link("app.up", "NotFound", 2)],
        [*WRAPPED, link("app.up", "NotFound", 2, source="context")],
        [link("fastmcp.exceptions", "ToolError", 0, where="fastmcp.server.proxy")],
        [link("app.errors", "ToolError", 0)],
        [link("fastmcp.exceptions", "ValidationError", 0)],
        [WRAPPED[0], link(TOOL_ERROR, "ToolError", 1, source="context")],
        [link("app.errors", "ApiError", 0), link(TOOL_ERROR, "ToolError", 1)],
        [entry("fastmcp.exceptions", "ToolError", "x", None, exception_id=0)],
        [*WRAPPED, link(TOOL_ERROR, "ToolError", 2)],
    ],
    ids=[
        "cause",
        "context",
        "mcp cause",
        "mcp context",
        "the SDK's",
        "another's",
        "other type",
        "under",
        "wrapped",
        "bare",
        "thrice",
    ],
)
def test_what_may_hide_a_fault_is_sent(chain: list[Any]) -> None:
    assert not dropped(fault(*chain), drop_refusals=True)


def test_without_a_tool_it_is_no_refusal_of_a_tool() -> None:
    assert not dropped(fault(*FASTMCP, tool=None), drop_refusals=True)
