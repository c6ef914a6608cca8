"""The drop rules on lists without ids, on entries that are none, and on texts that only the short way can read."""

from __future__ import annotations

from typing import Any

from scrubber import Scrubber, Settings
from scrubber.rules.corroboration import contradiction

from ..support import call, entry, frame, refusal

LIST = "$exception_list"


def test_what_looks_like_a_piece_of_pydantics_lines_does_not_keep_its_own_refusal() -> None:
    """The whole reading takes the caller's own words out of the text first, and this one is the argument's own line."""
    hook, event, called = Scrubber(), refusal(r"number\n"), call("text")
    arguments = {"number": "number\n"}
    text = event["properties"][LIST][-1]["value"]
    assert contradiction(text, arguments, False) is not None, "the whole reading alone cannot tell"
    called["properties"]["$mcp_parameters"] = {"request": {"params": {"arguments": arguments}}}
    for one in (called, event):
        one["timestamp"] = "2026-11-30T10:00:00.000001+00:00"
        one["properties"].pop("$mcp_conversation_id", None)
    assert hook(called) is not None
    assert hook(event) is None


def test_an_entry_that_is_none_fails_no_rule_that_asks_for_types() -> None:
    hook = Scrubber(Settings(expected_exceptions=["KeyError"]))
    event = refusal()
    event["properties"][LIST] = [None, "text", entry("builtins", "ValueError", "x", [])]
    assert hook(event) is not None
    assert hook.counts()["failed"] == 0


def test_a_deliberate_refusal_is_told_by_the_version_where_there_are_no_ids() -> None:
    """Up to posthog 7.30 the root stands first, and nothing else says so where both links are of one type."""
    error = "mcp.server.fastmcp.exceptions"
    own = entry(error, "ToolError", "no", [frame("shop.tools", "find", "    raise ToolError(")])
    outer = entry(error, "ToolError", "no", [frame("mcp.server.fastmcp.tools.base", "run", "raise ToolError(")])
    for one in (own, outer):
        one["mechanism"] = {"type": "generic", "handled": True}
    event: dict[str, Any] = refusal()
    event["properties"][LIST] = [own, outer]
    hook = Scrubber(Settings(drop_refusals=True))
    for version, is_dropped in (("7.29.0", True), ("7.91.1", False), (None, False)):
        event["properties"]["$lib_version"] = version
        assert (hook(event) is None) is is_dropped
