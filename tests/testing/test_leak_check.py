"""`leak_check` on every installed SDK: it finds what leaves, proves what does not, and leaves the server as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module, metadata
from typing import Any, Literal

import pytest

pytest.importorskip("posthog")

from scrubber import Scrubber, Settings
from scrubber.testing import LeakError, TestingError, find_leaks, leak_check, leak_check_async, open_wire
from scrubber.testing.clients import connected

from ..guard.lowlevel import LowLevel
from ..live.families import Family, installed_families

pytestmark = pytest.mark.live

FAMILIES = installed_families()
SHAPE = Settings(error_messages={"ValidationError": "shape"})
ROW = " ".join(("Zebulon", "of the database"))


def find(query: str, limit: int = 5, mode: Literal["fast", "slow"] = "fast") -> str:
    return f"found {query}"


def broken(query: str) -> str:
    raise KeyError(f"{query}: {ROW}")


def shop(family: Family, *tools: Callable[..., Any]) -> Any:
    server = family.make("shop")
    for tool in tools or (find, broken):
        family.add_tool(server, tool, None)
    return server


@pytest.fixture(params=FAMILIES, ids=[family.name for family in FAMILIES])
def family(request: pytest.FixtureRequest) -> Family:
    return request.param  # type: ignore[no-any-return]


async def one_call(server: Any) -> None:
    async with connected(server) as client:
        await client.tools()
        await client.call("find", {"query": "ordinary"})


def recorded(server: Any, wire: Any) -> list[str]:
    """The events of a listing and a call of a server that is instrumented now."""

    async def run() -> None:
        analytics = import_module("posthog.mcp").instrument(server, wire.client)
        await one_call(server)
        await analytics.flush()

    asyncio.run(run())
    return [event["event"] for event in wire.seen]


def test_a_server_behind_the_hook_is_clean(family: Family) -> None:
    report = leak_check(shop(family), settings=SHAPE, canaries=[ROW])
    assert report.is_clean
    assert [tool.name for tool in report.tools[:2]] == ["find", "broken"]
    assert report.seen > len(report.left) > 0
    assert report.settings is SHAPE
    assert report.dropped > 0, "the refusals of bad arguments"
    assert report.canaries > 8
    assert report.unreached == ["broken"]
    assert "broken" in str(report)
    assert "limit" not in str(report), "an unbounded number is watched"


@pytest.mark.promise("testing:finds")
def test_without_a_hook_the_arguments_the_results_and_the_exceptions_are_found(family: Family) -> None:
    with pytest.raises(LeakError) as caught:
        leak_check(shop(family), before_send=lambda event: event, canaries=[ROW])
    report = caught.value.report
    said = str(caught.value)
    paths = {place.path for place in report.places}
    assert any(path.startswith("properties.$mcp_parameters") for path in paths)
    assert any(path.startswith("properties.$mcp_response") for path in paths)
    assert any(path.startswith("properties.$exception_list") for path in paths)
    sources = {report.planted_in[place.canary] for place in report.places}
    assert {"find: query", "broken: query", "find: limit (wrong)", "find: the name of an unknown argument"} <= sources
    assert "a value of your own" in sources
    assert "planted in find: query" in said
    assert "Zebulon" not in said


@pytest.mark.promise("testing:finds")
def test_no_text_of_a_report_holds_a_canary(family: Family) -> None:
    made: list[Any] = []
    with pytest.raises(LeakError) as caught:
        leak_check(shop(family), before_send=lambda event: made.append(event) or event, canaries=[ROW])
    parameters = [event["properties"]["$mcp_parameters"] for event in made if "$mcp_parameters" in event["properties"]]
    values = {
        value
        for one in parameters
        for value in one.get("request", one).get("params", {}).get("arguments", {}).values()
        if isinstance(value, str) and " " in value
    }
    assert len(values) > 5
    assert find_leaks([str(caught.value), repr(caught.value), repr(caught.value.report)], values) == []


def test_the_text_that_is_kept_by_default_is_found_and_named(family: Family) -> None:
    def strict_find(limit: int) -> str:
        return "x"

    if tuple(map(int, metadata.version("posthog").split(".")[:2])) < (7, 79):
        pytest.skip("this posthog calls a refusal a ToolError, whose text no setting keeps")
    with pytest.raises(LeakError) as caught:
        leak_check(shop(family, strict_find), settings=Settings())
    assert {place.path for place in caught.value.report.places} == {"properties.$mcp_error_message"}
    assert 'error_messages={"ValidationError": "shape"}' in str(caught.value)
    assert leak_check(shop(family, strict_find), settings=Settings(), may_leave=["$mcp_error_message"]).is_clean


def test_the_server_is_left_as_it_was(family: Family) -> None:
    server = shop(family)
    first = leak_check(server, settings=SHAPE)
    with open_wire() as wire:
        asyncio.run(one_call(server))
        assert wire.seen == []
        again = recorded(server, wire)
    with open_wire() as wire:
        assert again == recorded(shop(family), wire)
    assert "$mcp_tool_call" in again
    assert str(leak_check(shop(family), settings=SHAPE)) == str(first), "a check is the same every time"


def test_a_server_that_is_instrumented_keeps_its_client_and_sends_nothing_meanwhile(family: Family) -> None:
    with open_wire(SHAPE) as wire:
        server = shop(family)
        before = recorded(server, wire)
        hook = wire.client.before_send
        report = leak_check(server)
        assert report.is_clean
        assert report.seen > len(before)
        with pytest.raises(LeakError):
            leak_check(server, before_send=lambda event: event)
        assert wire.client.before_send is hook
        assert [event["event"] for event in wire.seen] == before


def test_the_servers_own_hook_is_the_one_that_is_tried(family: Family) -> None:
    with open_wire(before_send=lambda event: event) as wire:
        server = shop(family)
        recorded(server, wire)
        with pytest.raises(LeakError):
            leak_check(server)
        assert leak_check(server, settings=SHAPE).is_clean


def test_a_function_that_makes_the_server_is_called(family: Family) -> None:
    assert leak_check(lambda: shop(family), settings=SHAPE).is_clean

    async def make() -> Any:
        return shop(family)

    assert leak_check(make, settings=SHAPE).is_clean


def test_only_the_chosen_tools_run(family: Family) -> None:
    ran: list[str] = []

    def deletes(name: str) -> str:
        ran.append(name)
        return "gone"

    report = leak_check(shop(family, find, deletes), settings=SHAPE, skip=["deletes"])
    assert (ran, report.skipped) == ([], ["deletes"])
    assert "not called: deletes" in str(report)
    chosen = leak_check(shop(family, find, deletes), settings=SHAPE, tools=["deletes"])
    assert [tool.name for tool in chosen.tools] == ["deletes"]
    assert ran


def test_arguments_of_ones_own_reach_the_body(family: Family) -> None:
    def picky(code: str) -> str:
        if code != "open sesame":
            raise ValueError
        return "in"

    assert leak_check(shop(family, picky), settings=SHAPE).unreached == ["picky"]
    assert leak_check(shop(family, picky), settings=SHAPE, arguments={"picky": {"code": "open sesame"}}).unreached == []


def test_a_call_that_does_not_come_back_fails_the_check(family: Family) -> None:
    async def hangs() -> str:
        await asyncio.sleep(60)
        return "late"

    with pytest.raises(LeakError, match="did not come back: hangs"):
        leak_check(shop(family, find, hangs), settings=SHAPE, tools=["hangs"], call_seconds=1)


def test_a_hook_that_raises_fails_the_check(family: Family) -> None:
    def hook(event: Any) -> Any:
        raise RuntimeError

    with pytest.raises(LeakError, match="the hook raised"):
        leak_check(shop(family), before_send=hook)


def test_the_check_can_be_awaited_and_says_so(family: Family) -> None:
    async def run() -> Any:
        with pytest.raises(TestingError, match="await leak_check_async"):
            leak_check(shop(family), settings=SHAPE)
        return await leak_check_async(shop(family), settings=SHAPE)

    assert asyncio.run(run()).is_clean


@pytest.mark.parametrize(
    "options, said",
    [
        ({"tools": ["fnd"]}, "no tool fnd; did you mean find"),
        ({"skip": ["nothing_like_it"]}, r"no tool nothing_like_it \(tools: find, broken"),
        ({"tools": "find"}, "must be a list"),
        ({"tools": ["find"], "skip": ["find"]}, "no tool is left"),
        ({"arguments": {"fnd": {}}}, "arguments= names fnd"),
        ({"may_leave": "$mcp_intent"}, "must be a list"),
        ({"package": "no_such_posthog"}, r"no no_such_posthog\.mcp here"),
        ({"settings": SHAPE, "before_send": print}, "not both"),
    ],
)
def test_what_cannot_be_checked_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TestingError, match=said):
        leak_check(shop(FAMILIES[0]), **options)


def test_what_is_no_server_is_refused() -> None:
    for nothing in (object(), 7, {"tools": []}):
        with pytest.raises(TestingError, match="is no MCP server"):
            leak_check(nothing, settings=SHAPE)


def test_a_disabled_client_proves_nothing(family: Family) -> None:
    server = shop(family)
    client = import_module("posthog").Posthog("phc_x", disabled=True, before_send=Scrubber(SHAPE))
    import_module("posthog.mcp").instrument(server, client)
    with pytest.raises(TestingError, match="no event was seen"):
        leak_check(server)


@pytest.mark.skipif(all(family.package != "mcp" for family in FAMILIES), reason="needs mcp")
def test_a_low_level_server_is_checked() -> None:
    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    server = LowLevel().make("shop", schemas={"find": schema})
    assert leak_check(server, settings=SHAPE).is_clean
    with pytest.raises(LeakError, match="planted in find: query"):
        leak_check(server, before_send=lambda event: event)


def test_posthoganalytics_is_tried_too(family: Family) -> None:
    pytest.importorskip("posthoganalytics.mcp")
    report = leak_check(shop(family), settings=SHAPE, package="posthoganalytics")
    assert report.is_clean
    with pytest.raises(LeakError):
        leak_check(shop(family), before_send=lambda event: event, package="posthoganalytics")
