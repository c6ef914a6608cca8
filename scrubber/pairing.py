"""Pairing an `$exception` with the failed call it belongs to.

posthog.mcp sends both from one place, on one thread, the call event first and with the same timestamp (posthog 7.21 to
7.91.1). What is kept of a call is a reference to its `$mcp_parameters`, for the exception of the same thread and call
only: at most `MOST` of them, and until the next event after `LONGEST` seconds. They are never logged and never sent.
The clock and the thread are the caller's to say.
"""

from __future__ import annotations

from typing import Any

from scrubber.rules.corroboration import arguments_of
from scrubber.words import properties as listed

MOST = 32
"""Failed calls that may wait at one time: with asyncio several may be under way on one thread."""
LONGEST = 5.0
"""Seconds that the arguments of a call may wait for the exception that follows it at once."""

_IS_ERROR = "$mcp_is_error"
_Key = tuple[Any, ...]


class Pairing:
    """The failed calls whose exceptions have not been seen. Not safe from threads by itself: the door holds a lock."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[_Key, tuple[float, Any]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def see(self, event: Any, thread: int, now: float) -> dict[str, Any] | None:
        """Take note of an event; the arguments of its call, for an `$exception` whose call was seen.

        event: as the hook got it. thread: the current thread's id. now: seconds of a monotonic clock.
        """
        properties = event.get("properties") if type(event) is dict else None
        if type(properties) is not dict:
            return None
        if self._waiting:
            self._expire(now)
        if event.get("event") == listed.EXCEPTION_EVENT:
            return self._take(event, properties, thread) if self._waiting else None
        if properties.get(_IS_ERROR) is True and listed.PARAMETERS in properties:
            self._keep(event, properties, thread, now)
        return None

    def _keep(self, event: dict[str, Any], properties: dict[str, Any], thread: int, now: float) -> None:
        key = _key(event, properties, thread)
        if key is None:
            return
        while len(self._waiting) >= MOST:
            del self._waiting[next(iter(self._waiting))]
        self._waiting[key] = (now, properties[listed.PARAMETERS])

    def _take(self, event: dict[str, Any], properties: dict[str, Any], thread: int) -> dict[str, Any] | None:
        key = _key(event, properties, thread)
        kept = self._waiting.pop(key, None) if key is not None else None
        return arguments_of(kept[1], properties.get(listed.TOOL_NAME)) if kept is not None else None

    def _expire(self, now: float) -> None:
        # In the order they came, so the first that is young enough ends it.
        while self._waiting:
            key = next(iter(self._waiting))
            if now - self._waiting[key][0] <= LONGEST:
                return
            del self._waiting[key]


def _key(event: dict[str, Any], properties: dict[str, Any], thread: int) -> _Key | None:
    """What the two events of one call have in common and no two calls do; None where it is not all there."""
    stamp, tool = event.get("timestamp"), properties.get(listed.TOOL_NAME)
    if stamp is None or type(tool) is not str:
        return None
    session, conversation = properties.get("$session_id"), properties.get("$mcp_conversation_id")
    key = (thread, stamp, tool, session, conversation, event.get("distinct_id"))
    try:
        hash(key)
    except TypeError:
        return None
    return key
