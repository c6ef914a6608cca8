"""Origin: which `$exception` is an argument refusal. One piece of evidence is taken away or turned at a time."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubber import Scrubber, Settings, Verdict
from scrubber.rules.origin import judge
from scrubber.rules.trace import walk
from scrubber.words.chain import calls_of

from ..support import CALLS, entry, frame, refusal


def chain(event: dict[str, Any]) -> list[Any]:
    return event["properties"]["$exception_list"]


def inner(event: dict[str, Any]) -> dict[str, Any]:
    return chain(event)[1]


@pytest.mark.promise("drops:refusal")
def test_a_refusal_by_argument_validation_is_dropped() -> None:
    decision = Scrubber().decide(refusal())
    assert decision.verdict is Verdict.DROP
    assert decision.event is None
    assert [finding.rule for finding in decision.findings] == ["argument_refusal"]


@pytest.mark.promise("drops:traceback")
def test_another_type_is_sent_redacted() -> None:
    event = refusal()
    inner(event).update(module="app.db", type="RowError", value="secret-7")
    sent = Scrubber()(event)
    assert sent is not None
    assert [one["value"] for one in chain(sent)] == ["[redacted]", "[redacted]"]
    assert [one["type"] for one in chain(sent)] == ["ToolError", "RowError"]


def test_the_drop_can_be_turned_off() -> None:
    assert Scrubber(Settings(drop_argument_rejections=False))(refusal()) is not None


def change(what: str, event: dict[str, Any]) -> None:
    outer_frames = chain(event)[0]["stacktrace"]["frames"]
    frames = inner(event)["stacktrace"]["frames"]
    properties = event["properties"]
    match what:
        case "no tool name":
            del properties["$mcp_tool_name"]
        case "empty tool name":
            properties["$mcp_tool_name"] = ""
        case "tool name is no text":
            properties["$mcp_tool_name"] = ["find_book"]
        case "type by name only":
            inner(event)["module"] = "rest_framework.exceptions"
        case "the line calls the tool":
            frames[-1]["context_line"] = CALLS
        case "a user frame behind the site":
            frames.append(frame("app.tools", "find_book", "    Row.model_validate(raw)"))
        case "a hidden body between":
            frames.insert(1, frame("mcp.server.fastmcp.utilities.func_metadata", "convert_result"))
        case "another function of the file":
            frames[-1]["function"] = "convert_result"
        case "module only looks alike":
            frames[-1]["module"] = "shop.mcp.server.fastmcp.utilities.func_metadata"
        case "generated code under the SDK's name":
            frames[-1].update(filename="<string>", abs_path="<string>", context_line=None)
        case "a second dispatch":
            frames[1:1] = [
                frame("mcp.server.fastmcp.utilities.func_metadata", "call_fn_with_arg_validation", CALLS),
                frame("mcp.server.fastmcp.server", "call_tool"),
                frame("mcp.server.fastmcp.tools.tool_manager", "call_tool"),
                frame("mcp.server.fastmcp.tools.base", "run"),
            ]
        case "user code called another tool first":
            outer_frames[1:1] = [frame("app.wrap", "around"), frame("mcp.server.fastmcp.server", "call_tool")]
        case "not entered from the dispatch":
            outer_frames[1] = frame("app.wrap", "around")
            outer_frames.insert(0, frame("mcp.server.fastmcp.tools.tool_manager", "call_tool"))
        case "no dispatch at all":
            del outer_frames[:2]
        case "wrapped by user code's error":
            chain(event)[0].update(module="app.errors", type="ApiError")
        case "wrapped by the SDK's error for faults":
            chain(event)[0]["type"] = "UnexpectedToolError"
        case "a context, not a cause":
            inner(event)["mechanism"]["source"] = "context"
        case "a member of a group":
            inner(event)["mechanism"]["source"] = "member"
        case "title of a model":
            for one in chain(event):
                one["value"] = one["value"].replace("find_bookArguments", "Row")
        case "title of the other SDK":
            for one in chain(event):
                one["value"] = one["value"].replace("find_bookArguments", "call[find_book]")
        case "the entry twice, with no other frame":
            frames[:] = [*frames, *copy.deepcopy(frames)]
        case "no text":
            inner(event)["value"] = "[redacted]"
        case "text is no string":
            inner(event)["value"] = {"nested": "secret"}
        case "a prefix before pydantic's text":
            inner(event)["value"] = "wrapped: " + inner(event)["value"]
        case "the wrapper names another tool":
            chain(event)[0]["value"] = chain(event)[0]["value"].replace("tool find_book", "tool other")
        case "the wrapper repeats another refusal":
            chain(event)[0]["value"] = chain(event)[0]["value"].replace("1 validation error", "2 validation errors")
        case "captured by hand":
            for one in [*outer_frames, *frames]:
                one["in_app"] = False
        case "frames were cut out of the event":
            inner(event)["stacktrace"] = "[Object]"
        case "frames are null":
            inner(event)["stacktrace"]["frames"] = None
        case "a frame is null":
            frames.insert(0, None)
        case "an entry is null":
            chain(event).insert(0, None)
        case "an entry is text":
            chain(event).append("ValidationError")
        case "parents contradict the order":
            inner(event)["mechanism"]["parent_id"] = 1
        case "ids contradict the order":
            inner(event)["mechanism"]["exception_id"] = 0
        case "the list is no list":
            properties["$exception_list"] = {"0": inner(event)}
        case "part of the ids":
            del chain(event)[0]["mechanism"]["exception_id"]
        case "no source line, and the title names another function":
            frames[-1]["context_line"] = None
            properties["$mcp_tool_name"] = "other"
            chain(event)[0]["value"] = chain(event)[0]["value"].replace("tool find_book", "tool other")
        case "frames cut, and the title names another function":
            outer_frames[:0] = [frame("app.middleware", f"step_{n}") for n in range(47)]
            properties["$mcp_tool_name"] = "other"
            chain(event)[0]["value"] = chain(event)[0]["value"].replace("tool find_book", "tool other")
        case "a validator reports a validation of its own":
            for one in chain(event):
                one["value"] = one["value"].replace(
                    "  Input should be a valid integer, unable to parse string as an integer [type=int_parsing",
                    "  Value error, 1 validation error for Row\nsku\n  Field required [type=missing, input_value={}, "
                    "input_type=dict] [type=value_error",
                )
        case _:
            raise AssertionError(what)


KEPT = [
    "no tool name",
    "empty tool name",
    "tool name is no text",
    "type by name only",
    "the line calls the tool",
    "a user frame behind the site",
    "a hidden body between",
    "another function of the file",
    "module only looks alike",
    "generated code under the SDK's name",
    "a second dispatch",
    "the entry twice, with no other frame",
    "user code called another tool first",
    "not entered from the dispatch",
    "no dispatch at all",
    "wrapped by user code's error",
    "wrapped by the SDK's error for faults",
    "a context, not a cause",
    "a member of a group",
    "title of a model",
    "title of the other SDK",
    "no text",
    "text is no string",
    "a prefix before pydantic's text",
    "the wrapper names another tool",
    "the wrapper repeats another refusal",
    "captured by hand",
    "frames were cut out of the event",
    "frames are null",
    "a frame is null",
    "an entry is null",
    "an entry is text",
    "parents contradict the order",
    "ids contradict the order",
    "the list is no list",
    "part of the ids",
    "no source line, and the title names another function",
    "frames cut, and the title names another function",
    "a validator reports a validation of its own",
]


@pytest.mark.promise("drops:evidence", "drops:traceback")
@pytest.mark.parametrize("what", KEPT)
def test_evidence_that_is_missing_or_contradicts_means_send(what: str) -> None:
    event = refusal()
    change(what, event)
    sent = Scrubber()(event)
    assert sent is not None, what
    assert "secret" not in repr(chain(sent))


def fastmcp_refusal() -> dict[str, Any]:
    """As fastmcp 3.4 and posthog 7.91 send it: no text of it names the tool."""
    text = refusal_text().replace("find_bookArguments", "call[find_book]")
    server, tool = "fastmcp.server.server", "fastmcp.tools.function_tool"
    event = refusal()
    event["properties"]["$exception_list"] = [
        entry(
            "fastmcp.exceptions",
            "ValidationError",
            text,
            [
                frame("fastmcp.server.mixins.mcp_operations", "_call_tool_mcp"),
                frame(server, "call_tool"),
                frame(server, "_run_middleware"),
                frame("fastmcp.server.middleware.middleware", "on_call_tool"),
                frame("posthog.mcp._raised_tool_error", "dispatch"),
                frame(server, "call_tool"),
                frame("fastmcp.tools.base", "_run"),
                frame(tool, "run"),
            ],
            exception_id=0,
        ),
        entry(
            "pydantic_core._pydantic_core",
            "ValidationError",
            text,
            [
                frame(tool, "run"),
                frame(tool, "_execute"),
                frame("fastmcp.utilities.async_utils", "call_sync_fn_in_threadpool"),
                frame("anyio.to_thread", "run_sync"),
                frame("anyio._backends._asyncio", "run_sync_in_worker_thread"),
                frame("anyio._backends._asyncio", "run"),
                frame("pydantic.type_adapter", "validate_python"),
            ],
            exception_id=1,
            parent_id=0,
            source="cause",
        ),
    ]
    return event


def refusal_text() -> str:
    return str(inner(refusal())["value"])


@pytest.mark.promise("drops:refusal")
def test_fastmcps_refusal_is_dropped() -> None:
    assert Scrubber()(fastmcp_refusal()) is None


@pytest.mark.promise("drops:call-stays")
def test_without_the_tools_name_no_call_event_keeps_the_record() -> None:
    event = fastmcp_refusal()
    del event["properties"]["$mcp_tool_name"]
    assert Scrubber()(event) is not None


@pytest.mark.promise("drops:evidence")
@pytest.mark.parametrize("above", [[], [frame("uvicorn.main", "serve")]], ids=["outermost", "below a server"])
def test_a_tool_called_by_user_code_inside_a_call_is_no_refusal_of_the_callers(above: list[Any]) -> None:
    event = fastmcp_refusal()
    frames = chain(event)[0]["stacktrace"]["frames"]
    frames[3] = frame("app.middleware", "on_call_tool")
    assert Scrubber()(event) is None, "user middleware that passes the call on"
    started_anew = [frame("fastmcp.server.server", "call_tool"), frame("fastmcp.server.server", "_run_middleware")]
    frames[4:4] = started_anew
    assert Scrubber()(event) is not None, "user middleware that calls a tool itself"
    frames[3] = frame("fastmcp.server.providers.fastmcp_provider", "_run")
    assert Scrubber()(event) is None, "a mounted server's dispatch"
    frames[:1] = [*above, frame("app.server", "call_tool")]
    assert Scrubber()(event) is None, "a server class that overrides call_tool, above the first dispatch"


def test_mcps_own_dispatch_below_user_code_is_a_second_one() -> None:
    event = refusal()
    chain(event)[0]["stacktrace"]["frames"][:0] = [frame("app", "go"), frame("mcp.server.fastmcp.server", "call_tool")]
    assert Scrubber()(event) is not None


def test_a_text_that_names_a_refusal_twice_and_cannot_be_read_is_sent() -> None:
    event = fastmcp_refusal()
    for one in chain(event):
        one["value"] = "1 validation error for call[find_book]\nx\n  Value error, 2 validation errors for Row"
    assert Scrubber()(event) is not None


def test_a_user_wrapper_above_the_dispatch_passes_the_call_on() -> None:
    event = refusal()
    chain(event)[0]["stacktrace"]["frames"].insert(1, frame("app.wrap", "around", "    return await original(name)"))
    assert Scrubber()(event) is None


def test_without_source_lines_the_title_naming_the_tool_is_enough() -> None:
    event = refusal()
    for one in chain(event):
        for each in one["stacktrace"]["frames"]:
            each["context_line"] = None
    assert Scrubber()(event) is None


def test_a_tool_registered_under_another_name_is_recognised_by_its_source_line() -> None:
    event = refusal()
    event["properties"]["$mcp_tool_name"] = "books-find"
    chain(event)[0]["value"] = chain(event)[0]["value"].replace("tool find_book", "tool books-find")
    assert Scrubber()(event) is None


def test_a_validation_of_its_own_that_was_being_handled_does_not_hide_the_site() -> None:
    event = refusal()
    handled = copy.deepcopy(inner(event))
    handled["mechanism"] |= {"exception_id": 2, "parent_id": 1, "source": "context"}
    handled["stacktrace"]["frames"] = [frame("shop.retry", "load", "    return Row.model_validate(row)")]
    event["properties"]["$exception_list"].append(handled)
    assert Scrubber()(event) is None


def test_context_links_behind_the_refusal_do_not_veto() -> None:
    event = refusal()
    cache_miss = entry(None, "KeyError", "'secret'", [frame("app.wrap", "cached")], exception_id=2, parent_id=1)
    cache_miss["mechanism"]["source"] = "context"
    chain(event).append(cache_miss)
    assert Scrubber()(event) is None


def without_ids(event: dict[str, Any]) -> dict[str, Any]:
    """As posthog up to 7.45 writes it."""
    for one in chain(event):
        one["mechanism"] = {"type": "generic", "handled": True}
    return event


def test_either_order_of_a_chain_without_ids_is_read() -> None:
    outermost_first = without_ids(refusal())
    root_first = copy.deepcopy(outermost_first)
    chain(root_first).reverse()
    assert Scrubber()(outermost_first) is None
    assert Scrubber()(root_first) is None


def test_a_resolved_chain_is_judged_like_a_raw_one() -> None:
    event = refusal()
    for one in chain(event):
        one["stacktrace"]["type"] = "resolved"
        one["stacktrace"]["frames"] = [
            {
                "raw_id": "a1",
                "mangled_name": each["function"],
                "resolved_name": each["function"],
                "source": each["filename"],
                "module": each["module"],
                "line": 10,
                "in_app": False,
                "lang": "python",
                "resolved": True,
            }
            for each in one["stacktrace"]["frames"]
        ]
    assert Scrubber()(event) is None


def test_an_echo_of_the_callers_own_text_is_still_the_callers_fault() -> None:
    event = refusal()
    for one in chain(event):
        head = one["value"].split("number\n")[0]
        one["value"] = (
            head + "number\n  Value error, 1 validation error for Row\nsku\n  bad [type=value_error, "
            "input_value='1 validation error for Row\\nsku\\n  bad', input_type=str]"
        )
    assert Scrubber()(event) is None


def test_the_redacted_event_is_sent_when_it_is_seen_again() -> None:
    hook = Scrubber(Settings(drop_argument_rejections=False))
    sent = hook(refusal())
    assert Scrubber()(sent) == sent


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner_: st.lists(inner_, max_size=3) | st.dictionaries(st.text(max_size=6), inner_, max_size=3),
    max_leaves=8,
)


@pytest.mark.promise("hook:never-raises")
@given(
    place=st.sampled_from(["properties", "list", "entry", "stack", "frame"]),
    key=st.text(max_size=8),
    value=json,
)
def test_judging_anything_never_raises(place: str, key: str, value: Any) -> None:
    event = refusal()
    stack = inner(event)["stacktrace"]
    match place:
        case "properties":
            event["properties"][key] = value
        case "list":
            event["properties"]["$exception_list"] = value
        case "entry":
            chain(event)[1] = value
        case "stack":
            inner(event)["stacktrace"] = value
        case "frame":
            stack["frames"][-1] = value
    judge(event["properties"])


@pytest.mark.promise("drops:traceback")
@given(st.permutations(range(5)), st.integers(0, 4))
def test_only_the_sdks_own_order_of_frames_is_a_site(order: list[int], left_out: int) -> None:
    event = refusal()
    frames = [*chain(event)[0]["stacktrace"]["frames"], *inner(event)["stacktrace"]["frames"]]
    calls = calls_of(frames)
    shuffled = [calls[at] for at in order]
    site, problem = walk(tuple(shuffled), (3,), False)
    # Entries 2 and 3 are the same frame, so exactly two orders are the SDK's own.
    assert (site is not None and problem is None) == (shuffled == calls)
    cut = [call for at, call in enumerate(calls) if at != left_out]
    site, problem = walk(tuple(cut), (3 if left_out > 2 else 2,), False)
    dispatch, terminal = 1, 4
    assert (site is not None and problem is None) == (left_out not in (dispatch, terminal))
