"""Run one scenario against the installed SDK with a real PostHog client, and hand back its events.

In:  a `Scenario`, and optionally the hook to try.
Out: a `Captured` for each event, in order. Nothing is sent: the client is made with `send=False`.
"""

from __future__ import annotations

import asyncio
import copy
import io
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from importlib import import_module
from typing import Any

from .families import Family, installed_families
from .kit import Kit
from .model import Captured, Label, Scenario, Step

Hook = Callable[[dict[str, Any]], "dict[str, Any] | None"]
STEP_TIMEOUT_SECONDS = 20.0


def run(
    scenario: Scenario,
    before_send: Hook | None = None,
    *,
    family: Family | None = None,
    package: str = "posthog",
) -> list[Captured]:
    """Run the scenario once.

    In:  `before_send`, the hook under test: it runs after the recorder took its copy, and its answer is
         `Captured.sent`. `family` defaults to the first one installed. `package` is `posthog`, or
         `posthoganalytics` where that has `.mcp`.
    Out: the captured events. An exception of the hook is raised here: the SDK would only log it.
    """
    chosen = family or installed_families()[0]
    if chosen.name not in scenario.families:
        raise ValueError(f"{scenario.name} is not for {chosen.name}")
    recorder = _Recorder(before_send)
    client = import_module(package).Posthog("phc_live", host="http://127.0.0.1:9", send=False, before_send=recorder)
    try:
        kit = Kit(chosen, scenario, client)
        steps = list(scenario.build(kit))
        instrument = import_module(f"{package}.mcp").instrument
        with _quiet():
            asyncio.run(_play(chosen, kit, steps, instrument))
    finally:
        client.shutdown()
    if recorder.failure is not None:
        raise recorder.failure
    return _judge(scenario, chosen, kit, recorder)


class _Recorder:
    """The `before_send` of the client: copies what it receives, then asks the hook under test."""

    def __init__(self, before_send: Hook | None) -> None:
        self.before_send = before_send
        self.received: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any] | None] = []
        self.failure: Exception | None = None

    def __call__(self, event: dict[str, Any]) -> dict[str, Any] | None:
        self.received.append(copy.deepcopy(event))
        answer: dict[str, Any] | None = event
        if self.before_send is not None:
            try:
                answer = self.before_send(event)
            except Exception as error:
                self.failure = error
                answer = None
        self.sent.append(copy.deepcopy(answer))
        return answer


async def _play(family: Family, kit: Kit, steps: list[Step], instrument: Callable[..., Any]) -> None:
    analytics = instrument(kit.server, kit.client)
    async with family.connect(kit.server) as client:
        # Clients list the tools before they call one; the SDKs fill their schema caches there.
        await _settle(family.list_tools(client))
        for step in steps:
            await _settle(_take(family, client, step))
            # Events of separate steps must not overtake each other.
            if hasattr(analytics, "flush"):
                await analytics.flush()
            else:
                await asyncio.sleep(0.05)


async def _settle(request: Any) -> None:
    # A failing request is what the scenarios are about; only the events it leaves count.
    with suppress(Exception):
        await asyncio.wait_for(request, STEP_TIMEOUT_SECONDS)


async def _take(family: Family, client: Any, step: Step) -> None:
    if step.kind == "tool":
        await family.call_tool(client, step.target, step.arguments)
    elif step.kind == "resource":
        await family.read_resource(client, step.target)
    elif step.kind == "prompt":
        await family.get_prompt(client, step.target, step.arguments)
    elif step.action is not None:
        await step.action(client)


@contextmanager
def _quiet() -> Iterator[None]:
    """The SDKs log every failure with its traceback; none of it is what a run is for."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(before)


def has_frames(event: dict[str, Any]) -> bool:
    """In: an event. Out: whether any link of its cause chain carries a frame."""
    links = event.get("properties", {}).get("$exception_list")
    if not isinstance(links, list):
        return False
    traces = [link.get("stacktrace") for link in links if isinstance(link, dict)]
    return any(isinstance(trace, dict) and trace.get("frames") for trace in traces)


def _judge(scenario: Scenario, family: Family, kit: Kit, recorder: _Recorder) -> list[Captured]:
    expected = scenario.expected(family.name)
    captured: list[Captured] = []
    seen = 0
    for index, (event, sent) in enumerate(zip(recorder.received, recorder.sent, strict=True)):
        truth: Label = "not-exception"
        why = scenario.why
        if event.get("event") == "$exception":
            # An event that no expectation covers is kept: only a known rejection may be dropped.
            truth = expected[seen] if seen < len(expected) else "keep"
            seen += 1
            if truth == "drop" and not has_frames(event):
                truth = "keep"
                why = f"{why}; no traceback evidence"
        hard = None if truth == "not-exception" else scenario.hard
        captured.append(Captured(scenario.name, index, event, sent, truth, why, hard, tuple(kit.secrets)))
    return captured
