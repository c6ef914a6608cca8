"""Properties of the rules that drop, on any chain: each test names a mutation of the rule that it catches."""

from __future__ import annotations

import copy
from itertools import pairwise, product
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st

from scrubber.rules.base import View
from scrubber.rules.drops import deliberate_refusal, drop_rules, expected, guard_refusal
from scrubber.words.policy import Policy

from ..support import entry, frame
from .property_kit import CANARY, given, json_values, view

TOOL_ERRORS = ("mcp.server.fastmcp.exceptions", "fastmcp.exceptions")
SDK, OWN = frame("mcp.server.fastmcp.tools.base", "run"), frame("mine.tools", "find")
GUARDS = {"$scrubber_guard": True, "$mcp_error_type": "invalid_argument"}


def _entry(module: str | None, type_: str, source: str | None, frames: Any) -> dict[str, Any]:
    made = entry(module, type_, "x", frames if frames != "absent" else None, source=source)
    if frames == "absent":
        # What posthog.mcp makes of an error result has no such key at all.
        del made["stacktrace"]
    return made


def _numbered(chain: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for at, one in enumerate(chain):
        one["mechanism"] |= {"exception_id": at, **({"parent_id": at - 1} if at else {})}
    return chain


sources = st.sampled_from([None, "cause", "context"])
traces = st.sampled_from([None, "absent", [OWN], [SDK], [SDK, OWN], [OWN, SDK]])
anything = st.builds(
    _entry,
    st.sampled_from([*TOOL_ERRORS, None, "mine"]),
    st.sampled_from(["ToolError", "KeyError", "Missing"]),
    sources,
    traces,
)
wrappers = st.builds(_entry, st.sampled_from(TOOL_ERRORS), st.just("ToolError"), sources, traces)
chains = (st.lists(anything, min_size=1, max_size=3) | st.lists(wrappers, min_size=1, max_size=3)).map(_numbered)


def asked(chain: Any, **more: Any) -> View:
    """An `$exception` event of a tool's, as rules see it."""
    return view("$exception", **{"$exception_list": chain, "$mcp_tool_name": "t", **more})


@given(chains | json_values, st.sampled_from([{}, GUARDS]))
def test_no_drop_rule_changes_or_fails_on_any_event(chain: Any, more: dict[str, Any]) -> None:
    """Broken by: no look at a chain that is None; an entry that is taken out of the event's own list."""
    before = copy.deepcopy(chain)
    policy = Policy(expected_exceptions=frozenset({"KeyError", "mine.Missing"}), drop_refusals=True)
    for _, rule in drop_rules(policy):
        reason = rule(asked(chain, **more))
        assert reason is None or (type(reason) is str and CANARY not in reason)
        assert rule(asked(chain, **more)) == reason
    assert chain == before


@given(chains)
def test_an_expected_type_counts_only_along_the_causes(chain: list[Any]) -> None:
    """Broken by: a look at all links for `cause_chain`, which would hide what came up while the other was handled."""
    reached = [chain[0]]
    for above, one in pairwise(chain):
        source = one["mechanism"]["source"]
        wrapped = source is None and above["module"] in TOOL_ERRORS and above["type"] == "ToolError"
        if source != "cause" and not wrapped:
            break
        reached.append(one)
    wanted = any(one["type"] == "KeyError" or (one["module"], one["type"]) == ("mine", "Missing") for one in reached)
    rule = expected(frozenset({"KeyError", "mine.Missing"}))
    assert (rule(asked(chain)) is not None) is wanted


@given(chains)
def test_only_a_marked_reply_without_a_traceback_is_the_guards(drawn: list[Any]) -> None:
    """Broken by: `!= True` for `is not True`; no look at the frames; no look at the type."""
    reply = _numbered([_entry(None, "Error", None, "absent")])
    for chain, mark, type_ in product((drawn, reply), (True, 1, False, None), ("invalid_argument", "Error")):
        said = guard_refusal(asked(chain, **{"$scrubber_guard": mark, "$mcp_error_type": type_}))
        wanted = mark is True and type_ == "invalid_argument" and len(chain) == 1 and "stacktrace" not in chain[0]
        assert (said is not None) is wanted


@given(chains)
def test_a_deliberate_refusal_ends_in_a_users_own_frame(chain: list[Any]) -> None:
    """Broken by: no look at `is_sdk`; a chain of any length."""
    *above, last = chain
    frames = (last.get("stacktrace") or {}).get("frames")
    raised = all(one["type"] == "ToolError" and one["module"] in TOOL_ERRORS for one in chain)
    wrapped = not above or (len(above) == 1 and last["mechanism"]["source"] in (None, "cause"))
    wanted = raised and wrapped and bool(frames) and frames[-1] == OWN
    assert (deliberate_refusal(asked(chain)) is not None) is wanted


def test_what_the_properties_are_asked_of_is_what_the_engine_runs() -> None:
    """The drop rules above are those of the policies; a new one must come into these tests."""
    asked = {"argument_refusal", "guard_refusal", "expected_exception", "deliberate_refusal"}
    policy = SimpleNamespace(drop_argument_rejections=True, expected_exceptions=frozenset("a"), drop_refusals=True)
    assert {name for name, _ in drop_rules(policy)} == asked  # type: ignore[arg-type]
