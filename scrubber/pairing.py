"""Pairing an `$exception` with the failed call it belongs to.

posthog.mcp sends both from one place, on one thread, the call event first and with the same timestamp (posthog 7.21 to
7.91.1). What is kept of a call is a reference to its `$mcp_parameters`, for the exception of the same thread and call
only: at most `MOST` of them, and until the next event after `LONGEST` seconds. They are never logged and never sent.
The clock and the thread are the caller's to say.
"""

from __future__ import annotations

from typing import Any

from scrubber.rules.base import Called
from scrubber.words.properties import EXCEPTION_EVENT, IS_ERROR, PARAMETERS, TOOL_NAME

MOST = 32
"""Failed calls that may wait at one time: with asyncio several may be under way on one thread."""
LONGEST = 5.0
"""Seconds that the arguments of a call may wait for the exception that follows it at once."""

_Key = tuple[Any, ...]
"""What a call event and its exception have in common: timestamp, thread, tool, session, conversation and person."""
_Call = tuple[float, Any]
"""A failed call that waits for its exception: since when, and its `$mcp_parameters`."""


class Pairing:
    """The failed calls whose exceptions have not been seen. Not safe from threads by itself: the door holds a lock."""

    __slots__ = ("waiting",)

    def __init__(self) -> None:
        self.waiting: dict[_Key, _Call] = {}
        """In the order they came. Where it is empty only a failed call is worth a look."""

    def __len__(self) -> int:
        return len(self.waiting)

    def see(self, event: Any, thread: int, now: float) -> Called | None:
        """Take note of an event; what its call sent, for an `$exception` whose call was seen.

        event: as the hook got it. thread: the current thread's id. now: seconds of a monotonic clock.
        """
        properties = event.get("properties") if type(event) is dict else None
        if type(properties) is not dict:
            return None
        waiting = self.waiting
        while waiting:
            # The first that is young enough ends it.
            oldest = next(iter(waiting))
            if now - waiting[oldest][0] <= LONGEST:
                break
            del waiting[oldest]
        try:
            if event.get("event") == EXCEPTION_EVENT:
                found = waiting.pop(_key(event, properties, thread), None) if waiting else None
                return (found[1], properties.get(TOOL_NAME)) if found is not None else None
            if properties.get(IS_ERROR) is True and PARAMETERS in properties:
                self._wait(event, properties, thread, now)
        except TypeError:
            # A list where posthog writes a name: no call and no exception of its own.
            return None
        return None

    def _wait(self, event: dict[str, Any], properties: dict[str, Any], thread: int, now: float) -> None:
        if event.get("timestamp") is None or type(properties.get(TOOL_NAME)) is not str:
            return
        waiting = self.waiting
        key = _key(event, properties, thread)
        # Of two calls that nothing tells apart the later one waits: the other's exception would have followed at once.
        waiting.pop(key, None)
        waiting[key] = (now, properties[PARAMETERS])
        if len(waiting) > MOST:
            del waiting[next(iter(waiting))]


def _key(event: dict[str, Any], properties: dict[str, Any], thread: int) -> _Key:
    get = properties.get
    return (
        event.get("timestamp"),
        thread,
        get(TOOL_NAME),
        get("$session_id"),
        get("$mcp_conversation_id"),
        event.get("distinct_id"),
    )
