"""Provoke every kind on real servers of one family, watched by a real posthog client that sends nothing."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from scrubber.doctor.families import Family
from scrubber.doctor.guard import silence
from scrubber.doctor.provocations import ALL, DROPPED, KEPT, Bench, Provocation, Request, expected_of
from scrubber.doctor.recorder import AS_SET, BLIND, Hook, Recorder, Seen
from scrubber.doctor.records import Check, Result
from scrubber.settings import Settings

CALL_SECONDS = 4.0
SERVER_SECONDS = 8.0
EVENT_SECONDS = 1.0
NOWHERE = "http://127.0.0.1:9"
"""Loopback's discard port: where a client that must not send would send to."""

HANDSHAKE = "handshake and list"


@dataclass(frozen=True, slots=True)
class Stage:
    """A family, and the posthog package that watches it. hook: a new one for each server."""

    family: Family
    version: str
    watcher: str
    settings: Settings
    hook: Hook

    def check(self, kind: str, result: Result, expected: tuple[str, ...] = (), **more: Any) -> Check:
        """A check of this stage."""
        return Check(self.family.title, self.version, self.watcher, kind, result, expected, **more)


@dataclass(slots=True)
class Played:
    """The checks of a stage, and the names of all properties that its events had."""

    checks: list[Check]
    names: set[str]


def play(stage: Stage, until: float) -> Played:
    """Provoke everything that the family has. Never raises.

    until: when the answer must be there, by `time.monotonic()`. What hangs is left behind on its thread.
    """
    played = Played([], set())
    mine = [one for one in ALL if stage.family.key in one.families]
    groups = [[one for one in mine if not one.wrapped], *([one] for one in mine if one.wrapped)]
    for group in groups:
        outcome = _bounded(stage, group, min(SERVER_SECONDS, until - time.monotonic()))
        played.checks += outcome.checks
        played.names |= outcome.names
    order = {one.kind: at for at, one in enumerate(mine)}
    played.checks.sort(key=lambda check: order.get(check.kind, -1))
    return played


def _bounded(stage: Stage, group: Sequence[Provocation], seconds: float) -> Played:
    if seconds <= 0:
        return _failed(stage, group, "no time was left")
    box: list[Played] = []

    def work() -> None:
        try:
            box.append(asyncio.run(_serve(stage, group)))
        except BaseException as error:  # the SDK's, whatever it is: only its type may be told
            box.append(_failed(stage, group, f"the server could not be run ({type(error).__name__})"))

    # A daemon: an SDK that never comes back must not keep the doctor from ending.
    thread = threading.Thread(target=work, name="scrubber-doctor", daemon=True)
    with silence():
        thread.start()
        thread.join(seconds)
    return box[0] if box else _failed(stage, group, f"the server did not come back in {seconds:.0f} s")


def _failed(stage: Stage, group: Sequence[Provocation], note: str) -> Played:
    return Played([_unprovoked(stage, one, note) for one in group], set())


def _unprovoked(stage: Stage, one: Provocation, note: str) -> Check:
    return stage.check(one.kind, Result.FAILED, expected_of(one, stage.family.key, stage.settings), note=note)


async def _serve(stage: Stage, group: Sequence[Provocation]) -> Played:
    """One server with the tools of a group, and everything that is asked of it."""
    bench = Bench(stage.family)
    failed: list[Check] = []
    ready: list[tuple[Provocation, Request]] = []
    for one in group:
        try:
            ready.append((one, one.build(bench)))
        except Exception as error:
            failed.append(_unprovoked(stage, one, f"the tool could not be made ({type(error).__name__})"))
    recorder = Recorder(stage.hook, stage.settings, bench.canaries)
    posthog = import_module(stage.watcher).Posthog("phc_doctor", host=NOWHERE, send=False, before_send=recorder)
    try:
        analytics = import_module(f"{stage.watcher}.mcp").instrument(bench.server, posthog)
        handshake = recorder.begin(HANDSHAKE)
        async with stage.family.connect(bench.server) as client:
            await _settle(client.list_tools())
            await _wait(analytics, handshake, 0)
            for one, request in ready:
                seen = recorder.begin(one.kind)
                await _settle(_ask(stage.family, client, request))
                await _wait(analytics, seen, len(expected_of(one, stage.family.key, stage.settings)))
    finally:
        posthog.shutdown()
    return Played(failed + _judge_all(stage, [one for one, _ in ready], recorder), recorder.names)


async def _settle(request: Any) -> None:
    # A failing request is what this is about; only the events that it leaves count.
    with suppress(Exception):
        await asyncio.wait_for(request, CALL_SECONDS)


async def _ask(family: Family, client: Any, request: Request) -> None:
    if request.resource:
        await client.read_resource(request.resource)
    else:
        await family.call_tool(client, request.tool, request.arguments)


async def _wait(analytics: Any, seen: Seen, exceptions: int) -> None:
    """Until the events of a request are there: the next one's must not be taken for this one's."""
    await _settle(analytics.flush())
    until = time.monotonic() + EVENT_SECONDS
    while (not seen.events or len(seen.fates) < exceptions) and time.monotonic() < until:
        await asyncio.sleep(0.01)


def _judge_all(stage: Stage, group: Sequence[Provocation], recorder: Recorder) -> list[Check]:
    asked = [one for one in group if expected_of(one, stage.family.key, stage.settings) and not one.may_be_silent]
    if asked and not any(recorder.seen[one.kind].fates for one in asked if one.kind in recorder.seen):
        note = f"{stage.watcher}.mcp sent no $exception for anything: it may not watch this server"
        return [_unprovoked(stage, one, note) for one in group]
    checks = [_judge(stage, one, recorder.seen.get(one.kind, Seen())) for one in group]
    handshake = recorder.seen[HANDSHAKE]
    if handshake.leaks:
        checks.append(stage.check(HANDSHAKE, Result.SOUND, leaks=tuple(sorted(handshake.leaks))))
    return checks


def _fits(fate: str, should: str) -> bool:
    return fate in (should, AS_SET) or (fate == BLIND and should == KEPT)


def _judge(stage: Stage, one: Provocation, seen: Seen) -> Check:
    expected = expected_of(one, stage.family.key, stage.settings)
    got = tuple(KEPT if fate == BLIND else fate for fate in seen.fates)
    result, note = Result.WRONG, ""
    if len(got) == len(expected):
        wrong = [(fate, should) for fate, should in zip(seen.fates, expected, strict=True) if not _fits(fate, should)]
        if not wrong:
            result = Result.SOUND
        elif all(pair == (BLIND, DROPPED) for pair in wrong):
            result, note = Result.BLIND, "the $exception has no traceback to judge by"
    if expected and not got:
        result, note = Result.SILENT, "the SDK sent no $exception"
    if not seen.events and not one.may_be_silent:
        result, note = Result.FAILED, "the SDK sent no event at all"
    leaks, as_set = tuple(sorted(seen.leaks)), tuple(sorted(seen.as_set))
    return stage.check(one.kind, result, expected, got=got, leaks=leaks, as_set=as_set, note=note)
