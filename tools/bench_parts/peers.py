"""What each contender lets out, hides and lets through, on every recorded event, by the truth beside it.

Deterministic: no clock, no chance. Each contender sees the recordings one after the other, in the order of capture.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from bench_parts import contenders
from bench_parts.events import fresh
from scrubber import Scrubber, Settings
from tests.support import Recorded, recorded

MESSAGE = "$mcp_error_message"

Hook = Callable[[dict[str, Any]], Any]
"""An event in; the event to send, or None, out. May change what it is given."""


class Peer(NamedTuple):
    """A contender as a `before_send` hook. `ready` makes it anew, so that none remembers another's run."""

    name: str
    ready: Callable[[], Hook]


class Quality(NamedTuple):
    """What a contender did with the recordings."""

    name: str
    leaking: int
    """Events that left with a canary in them."""
    in_messages: int
    """Of these, events in which nothing but `$mcp_error_message` holds one."""
    in_names: int
    """Of these, events in which nothing but that and the name of a tool that an agent made up holds one."""
    canaries: int
    """Different canaries that left."""
    hidden: int
    """Real faults that were dropped."""
    noise: int
    """Refusals that were sent."""

    @property
    def elsewhere(self) -> int:
        """Events with a canary in any other place."""
        return self.leaking - self.in_messages - self.in_names


class Truth(NamedTuple):
    """What there was: events, those with a canary, different canaries, real faults, refusals."""

    events: int
    leaking: int
    canaries: int
    faults: int
    refusals: int


# -- the contenders


def _as_it_is(event: dict[str, Any]) -> Any:
    """No hook at all: what posthog.mcp hands over, already sanitised by it."""
    return event


CONTENT_KEYS = ("$mcp_parameters", "$mcp_response", "$mcp_intent", "$mcp_error_message", "value")
"""Keys that hold content in the recorded events, for the peers that can be told which to take out."""


def sentry(names: tuple[str, ...] = ()) -> Hook:
    """`EventScrubber(recursive=True)` with its default list, and `names` in it."""
    from sentry_sdk.scrubber import DEFAULT_DENYLIST, EventScrubber

    scrubber = EventScrubber(denylist=[*DEFAULT_DENYLIST, *names], recursive=True)

    def hook(event: dict[str, Any]) -> Any:
        scrubber.scrub_dict(event)
        return event

    return hook


def logfire(names: tuple[str, ...] = ()) -> Hook:
    """Its scrubber with the default patterns, and one more for each of `names`, as a whole key."""
    from logfire._internal.scrubbing import Scrubber as LogfireScrubber

    scrubber = LogfireScrubber([rf"\A{name.replace('$', '[$]')}\Z" for name in names])
    return lambda event: scrubber.scrub_value((), event)[0]


def peers() -> list[Peer]:
    """Out: all of them, the hook first."""
    shapes = {"ValidationError": "shape"}
    return [
        Peer("hook", lambda: Scrubber(Settings())),
        Peer("hook, messages as shapes", lambda: Scrubber(Settings(error_messages=shapes))),  # type: ignore[arg-type]
        Peer("Sentry", sentry),
        Peer("Sentry, told the keys", lambda: sentry(CONTENT_KEYS)),
        Peer("logfire", logfire),
        Peer("logfire, told the keys", lambda: logfire(CONTENT_KEYS)),
        Peer("sanitiser", contenders.sanitiser),
        Peer("clean", contenders.clean),
        Peer("by type", lambda: contenders.by_type),
        Peer("by frames", lambda: contenders.by_frames),
        Peer("no hook", lambda: _as_it_is),
    ]


# -- the measure

_SOURCE_LINES = ("context_line", "pre_context", "post_context")
_NAMES = ("$mcp_tool_name", "$mcp_resource_name")
_PLAIN = re.compile(r"[A-Za-z0-9-]+\Z")


def searched(event: dict[str, Any], without: tuple[str, ...] = ()) -> str:
    """All that leaves with an event as one text: keys and values at any depth, and what is in texts that hold JSON.

    The source lines of frames are not looked at, whoever sends them: they are the author's code.
    """
    properties = {key: value for key, value in event["properties"].items() if key not in without}
    entries = properties.get("$exception_list")
    if isinstance(entries, list):
        properties["$exception_list"] = [_without_lines(entry) for entry in entries]
    return json.dumps({**event, "properties": properties}, default=lambda other: [repr(other), str(other)])


def _without_lines(entry: Any) -> Any:
    stack = entry.get("stacktrace") if isinstance(entry, dict) else None
    frames = stack.get("frames") if isinstance(stack, dict) else None
    if not isinstance(frames, list):
        return entry
    kept = [
        {key: value for key, value in frame.items() if key not in _SOURCE_LINES} if isinstance(frame, dict) else frame
        for frame in frames
    ]
    return {**entry, "stacktrace": {**stack, "frames": kept}}


def left_in(event: dict[str, Any], secrets: list[str], without: tuple[str, ...] = ()) -> set[str]:
    """The canaries that leave with an event, in properties other than those in `without`.

    A canary is letters, digits and dashes: however often a text is escaped on its way, it reads the same.
    """
    if not all(map(_PLAIN.match, secrets)):
        raise ValueError("a canary that JSON would escape: search for it in another way")
    if not secrets:
        return set()
    everything = searched(event, without)
    return {secret for secret in secrets if secret in everything}


def truth(rows: list[Recorded]) -> Truth:
    """What the recordings hold."""
    left = [left_in(row.event, row.secrets) for row in rows]
    faults = [row.truth for row in rows if row.event["event"] == "$exception"]
    return Truth(len(rows), sum(map(bool, left)), len(set().union(*left)), faults.count("keep"), faults.count("drop"))


def judged(peer: Peer, rows: list[Recorded]) -> Quality:
    """What a contender did with the recordings."""
    hook, file = peer.ready(), ""
    leaking = hidden = noise = in_messages = in_names = 0
    canaries: set[str] = set()
    for row in rows:
        if row.file != file:
            # Another recording is another process.
            hook, file = peer.ready(), row.file
        sent = hook(fresh(row.event))
        if row.event["event"] == "$exception":
            hidden += sent is None and row.truth == "keep"
            noise += sent is not None and row.truth == "drop"
        left = left_in(sent, row.secrets) if sent is not None else set()
        if not left:
            continue
        canaries |= left
        leaking += 1
        if not left_in(sent, row.secrets, (MESSAGE,)):
            in_messages += 1
        elif row.scenario == "unknown_tool" and not left_in(sent, row.secrets, (MESSAGE, *_NAMES)):
            in_names += 1
    return Quality(peer.name, leaking, in_messages, in_names, len(canaries), hidden, noise)


def measure(only: tuple[str, ...] = ()) -> tuple[Truth, list[Quality]]:
    """Out: what there was, and what each contender (those named in `only`, where any are) did."""
    rows = list(recorded())
    return truth(rows), [judged(peer, rows) for peer in peers() if not only or peer.name in only]
