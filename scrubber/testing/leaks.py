"""`leak_check`: plays every tool of a server, through a real client and a real posthog, and looks at what leaves."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scrubber.settings import Settings
from scrubber.settings_help import nearest
from scrubber.testing.calls import Call, calls_of
from scrubber.testing.clients import Client, Tool, check_server, connected
from scrubber.testing.errors import TestingError
from scrubber.testing.instrumenting import Hooked, Watch, watched
from scrubber.testing.mint import Mint
from scrubber.testing.report import LeakReport, ToolPlayed
from scrubber.testing.search import find_leaks
from scrubber.words.verdict import Event

CALL_SECONDS = 10.0
NO_TOOL = "a tool that does not exist"


class LeakError(AssertionError):
    """Something left. The text is the report's, without a value; `report` is the whole of it."""

    def __init__(self, report: LeakReport) -> None:
        self.report = report
        super().__init__(str(report))


def leak_check(  # noqa: PLR0913 - keywords, and each is one test's business
    server: Any,
    *,
    tools: Iterable[str] | None = None,
    skip: Iterable[str] = (),
    settings: Settings | None = None,
    before_send: Callable[[Any], Any] | None = None,
    options: Any = None,
    package: str = "posthog",
    arguments: Mapping[str, Any] | None = None,
    canaries: Iterable[Any] = (),
    may_leave: Iterable[str] = (),
    seed: int = 0,
    call_seconds: float = CALL_SECONDS,
) -> LeakReport:
    """Call every tool of `server` with canaries in its arguments, and raise `LeakError` if one leaves.

    **The tools really run**, with made-up arguments: on a server that writes, deletes or pays, give `tools` or `skip`,
    or a server with a test database. Each is called with good arguments (all, only the required, each alternative),
    then with each argument wrong, out of range, missing, and with an unknown one; at last a tool is called that does
    not exist.

    server: a server of mcp 1.26 to 2.3 or fastmcp 2.14 to 4.2, or a function without arguments that makes one. If
    nobody has instrumented it, it is instrumented for the check, and as before after it. If it is, its own client and
    hook are tried; for the time of the check nothing that this client captures is sent.
    tools, skip: names of those to call, and not to call. settings, before_send: the hook to try; else the server's
    own, or `Scrubber()`. options: `MCPAnalyticsOptions` for a server that is not instrumented. package: `posthog` or
    `posthoganalytics`. arguments: by tool, arguments of your own (a mapping, or a list of them) in place of made-up
    ones; they are not looked for. canaries: values of your own that must not leave either, a row of the test database
    for example. may_leave: properties that are not searched, by name. seed: other canaries for another number.
    call_seconds: how long one call may take.

    Raises `LeakError` (an AssertionError) if a canary leaves, if the hook raises, or if a call does not come back;
    `TestingError` if nothing could be checked: no such tool, no events. Inside a running event loop use
    `leak_check_async`.
    """
    __tracebackhide__ = True
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise TestingError("leak_check: an event loop is running; write await leak_check_async(...)")
    checking = leak_check_async(
        server,
        tools=tools,
        skip=skip,
        settings=settings,
        before_send=before_send,
        options=options,
        package=package,
        arguments=arguments,
        canaries=canaries,
        may_leave=may_leave,
        seed=seed,
        call_seconds=call_seconds,
    )
    try:
        return asyncio.run(checking)
    except (LeakError, TestingError) as error:
        failed = error
    # Without the frames of asyncio, which say nothing of the test's.
    raise failed.with_traceback(None)


async def leak_check_async(  # noqa: PLR0913 - as above
    server: Any,
    *,
    tools: Iterable[str] | None = None,
    skip: Iterable[str] = (),
    settings: Settings | None = None,
    before_send: Callable[[Any], Any] | None = None,
    options: Any = None,
    package: str = "posthog",
    arguments: Mapping[str, Any] | None = None,
    canaries: Iterable[Any] = (),
    may_leave: Iterable[str] = (),
    seed: int = 0,
    call_seconds: float = CALL_SECONDS,
) -> LeakReport:
    """`leak_check` for a test that has an event loop; asyncio only."""
    __tracebackhide__ = True
    if inspect.isroutine(server):
        server = server()
    if inspect.isawaitable(server):
        server = await server
    check_server(server)
    played = _Played(Mint(seed), arguments or {}, call_seconds)
    with watched(server, Hooked(settings, before_send, package, options)) as watch:
        async with connected(server) as client:
            refusal = await played.all(client, tools, list(skip))
            await watch.drain()
        # Not before: the client of mcp 2.x makes an ExceptionGroup of what is raised while it is connected.
        if refusal is not None:
            raise refusal
        report = played.report
        _judge(
            report, watch, [*played.mint.planted, *((value, "a value of your own") for value in canaries)], may_leave
        )
    if not report.is_clean:
        raise LeakError(report)
    return report


class _Played:
    """The calls, one after the other, and what came of them."""

    def __init__(self, mint: Mint, given: Mapping[str, Any], call_seconds: float) -> None:
        self.mint = mint
        self.report = LeakReport()
        self._given = given
        self._call_seconds = call_seconds

    async def all(self, client: Client, wanted: Iterable[str] | None, skip: list[str]) -> TestingError | None:
        """Play the wanted tools; where none are named, all, and one that does not exist. Returns why not."""
        offered = await client.tools()
        try:
            tools = _choose(offered, wanted, skip, list(self._given))
        except TestingError as error:
            return error
        self.report.skipped = [tool.name for tool in offered if tool not in tools]
        for tool in tools:
            made = calls_of(tool.name, tool.schema, self.mint, _listed(self._given.get(tool.name)))
            played = ToolPlayed(tool.name, unwatched=made.unwatched, left_out=made.left_out)
            self.report.tools.append(played)
            for call in made.calls:
                await self._play(client, call, played)
        if wanted is None:
            # No plain name, because those pass: docs/policy.md says so of the names of tools.
            words = f"{self.mint.word()}.{self.mint.word()}@example.org"
            name = self.mint.plant(words, "the name of a tool that does not exist")
            value = self.mint.plant(self.mint.phrase(), "an argument of a tool that does not exist")
            await self._play(client, Call(name, {"value": value}, "no such tool", False), ToolPlayed(NO_TOOL))
        return None

    async def _play(self, client: Client, call: Call, played: ToolPlayed) -> None:
        played.calls += 1
        try:
            succeeded = await asyncio.wait_for(client.call(call.tool, call.arguments), self._call_seconds)
        except (TimeoutError, asyncio.TimeoutError):
            # Both names: they are one from Python 3.11 on.
            return
        except Exception:
            # A protocol error: the server answered, and what it said is the client's business.
            succeeded = False
        played.answered += 1
        played.succeeded += succeeded


def _listed(given: Any) -> Sequence[Mapping[str, Any]]:
    if given is None:
        return ()
    return [given] if isinstance(given, Mapping) else list(given)


def _choose(offered: list[Tool], tools: Iterable[str] | None, skip: list[str], given: list[str]) -> list[Tool]:
    if isinstance(tools, str):
        raise TestingError("leak_check: tools must be a list of names")
    names = [tool.name for tool in offered]
    wanted = list(tools) if tools is not None else names
    for name in [*wanted, *skip]:
        if name not in names:
            near = nearest(name, names)
            hint = f"; did you mean {near}?" if near is not None else f" (tools: {', '.join(names)})"
            raise TestingError(f"leak_check: the server has no tool {name}{hint}")
    chosen = [tool for tool in offered if tool.name in wanted and tool.name not in skip]
    if not chosen:
        raise TestingError("leak_check: no tool is left to call; nothing would be checked")
    for name in given:
        if name not in {tool.name for tool in chosen}:
            raise TestingError(f"leak_check: arguments= names {name}, and no such tool is called")
    return chosen


def _judge(report: LeakReport, watch: Watch, planted: Sequence[tuple[Any, str]], may_leave: Iterable[str]) -> None:
    if isinstance(may_leave, str):
        raise TestingError("leak_check: may_leave must be a list of names of properties")
    report.seen, report.raised, report.left = len(watch.seen), watch.raised, watch.left
    report.settings = watch.settings
    if not report.seen:
        raise TestingError(
            "leak_check: no event was seen, so nothing was checked; is the client disabled, or the server instrumented "
            "with another one?"
        )
    report.canaries = len(planted)
    report.planted_in = {number: where for number, (_, where) in enumerate(planted)}
    closed = set(may_leave)
    report.places = find_leaks([_without(event, closed) for event in report.left], [value for value, _ in planted])


def _without(event: Event, names: set[str]) -> Event:
    properties = event.get("properties")
    if not names or not isinstance(properties, dict):
        return event
    return {**event, "properties": {name: value for name, value in properties.items() if name not in names}}
