"""The line of calls on its edges: the shortest traces, frames that come twice, and tools transformed more than once."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Scrubber
from scrubber.rules.origin import REFUSED, judge
from scrubber.rules.trace import walk
from scrubber.words.sites import Call

from ..support import VALIDATES, entry, frame, refusal
from .test_refusal import chain, fastmcp_refusal, inner

SERVER = ("fastmcp.server.server", "call_tool")
DISPATCH = ("fastmcp.tools.base", "_run")
TRANSFORM = ("fastmcp.tools.tool_transform", "run")
FORWARD = ("fastmcp.tools.tool_transform", "_forward")
RUN = ("fastmcp.tools.function_tool", "run")
BODY = ("fastmcp.tools.function_tool", "_run_body")
VALIDATE = ("pydantic.type_adapter", "validate_python")
USER = ("app.middleware", "on_call_tool")
OLD_SERVER = ("fastmcp.server.server", "_call_tool")
OLD_MANAGER = ("fastmcp.tools.tool_manager", "call_tool")
OLD_TOOL = ("fastmcp.tools.tool", "run")


def is_refusal(*calls: Call, starts: tuple[int, ...] = ()) -> bool:
    site, problem = walk(calls, starts, False)
    return site is not None and problem is None


def test_the_shortest_trace_of_each_fastmcp_is_enough() -> None:
    assert is_refusal(OLD_SERVER, OLD_MANAGER, OLD_TOOL, VALIDATE)
    assert is_refusal(DISPATCH, RUN, VALIDATE)
    assert not is_refusal(RUN, VALIDATE)
    assert not is_refusal(DISPATCH, VALIDATE)


def test_fastmcp_2_hands_its_calls_from_the_server_only() -> None:
    assert not is_refusal(OLD_MANAGER, OLD_TOOL, VALIDATE), "nothing says who called"
    assert not is_refusal(USER, OLD_MANAGER, OLD_TOOL, VALIDATE)
    assert not is_refusal(OLD_SERVER, USER, OLD_MANAGER, OLD_TOOL, VALIDATE)
    assert is_refusal(USER, OLD_SERVER, OLD_MANAGER, OLD_TOOL, VALIDATE)


def test_a_frame_that_comes_twice_is_a_second_dispatch_unless_a_link_starts_with_it() -> None:
    assert not is_refusal(SERVER, DISPATCH, RUN, RUN, VALIDATE)
    assert is_refusal(SERVER, DISPATCH, RUN, RUN, VALIDATE, starts=(3,))
    assert not is_refusal(SERVER, DISPATCH, RUN, BODY, RUN, VALIDATE, starts=(4,)), "not the frame above"


def test_a_tool_transformed_twice_is_followed_and_one_that_already_ran_is_not() -> None:
    assert is_refusal(SERVER, DISPATCH, TRANSFORM, FORWARD, RUN, VALIDATE)
    assert is_refusal(SERVER, DISPATCH, TRANSFORM, FORWARD, TRANSFORM, FORWARD, RUN, VALIDATE)
    assert not is_refusal(SERVER, DISPATCH, TRANSFORM, FORWARD, RUN, FORWARD, VALIDATE), "the parent was running"
    assert not is_refusal(SERVER, DISPATCH, RUN, TRANSFORM, FORWARD, VALIDATE)
    assert not is_refusal(SERVER, DISPATCH, TRANSFORM, FORWARD, RUN, TRANSFORM, FORWARD, RUN, VALIDATE)


@pytest.mark.parametrize("at", range(2, 6))
def test_one_frame_of_user_code_behind_the_entry_is_the_body(at: int) -> None:
    calls = [SERVER, DISPATCH, TRANSFORM, FORWARD, RUN, VALIDATE]
    assert is_refusal(*calls)
    calls[at:at] = [USER]
    assert not is_refusal(*calls)


def test_mcps_own_function_twice_is_a_second_call() -> None:
    event = refusal()
    frames = inner(event)["stacktrace"]["frames"]
    frames.append(frame("mcp.server.fastmcp.utilities.func_metadata", "call_fn_with_arg_validation", VALIDATES))
    assert Scrubber()(event) is not None


@pytest.mark.parametrize("make, sdk", [(refusal, "mcp 1.x"), (fastmcp_refusal, "fastmcp 3.x, 4.x")])
def test_a_judgement_says_at_whose_site_and_why(make: Any, sdk: str) -> None:
    event = make()
    yes = judge(event["properties"])
    assert (yes.refusal, yes.reason, yes.site, yes.text) == (True, REFUSED, sdk, inner(event)["value"])
    chain(event)[0].update(module="app.errors", type="ApiError")
    no = judge(event["properties"])
    assert (no.refusal, no.site) == (False, sdk)
    assert "wrapper" in no.reason
    assert "secret" not in repr(yes) + repr(no)


def test_a_single_link_that_is_a_context_is_judged_without_a_failure() -> None:
    event = fastmcp_refusal()
    root = inner(event)
    root["mechanism"] = {"type": "generic", "handled": True, "source": "context"}
    event["properties"]["$exception_list"] = [root]
    hook = Scrubber()
    assert hook(event) is not None
    assert hook.counts()["failed"] == 0


def test_contexts_behind_the_refusal_are_passed_over_one_after_the_other() -> None:
    event = refusal()
    for at in (2, 3):
        miss = entry(None, "KeyError", "'x'", [frame("app.wrap", "cached")], exception_id=at, parent_id=at - 1)
        miss["mechanism"]["source"] = "context"
        chain(event).append(miss)
    assert Scrubber()(event) is None
    chain(event)[3]["mechanism"]["source"] = "cause"
    assert Scrubber()(event) is not None
