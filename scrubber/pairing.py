"""Pairing an `$exception` with the failed call it belongs to.

posthog.mcp sends both from one place, on one thread, the call event first and with the same timestamp (posthog 7.21 to
7.91.1). What is kept of a call is a reference to its `$mcp_parameters`, for the exception of the same thread and call
only: at most `MOST` of them, and until the next event after `LONGEST` seconds. They are never logged and never sent.
The clock and the thread are the caller's to say.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from scrubber.rules.corroboration import arguments_of
from scrubber.words import properties as listed

MOST = 32
"""Failed calls that may wait at one time: with asyncio several may be under way on one thread."""
LONGEST = 5.0
"""Seconds that the arguments of a call may wait for the exception that follows it at once."""

_IS_ERROR = "$mcp_is_error"


class _Call(NamedTuple):
    """A failed call that waits for its exception. All but `since` and `parameters` must equal the exception's."""

    since: float
    parameters: Any
    thread: int
    stamp: Any
    tool: Any
    session: Any
    conversation: Any
    person: Any


class Pairing:
    """The failed calls whose exceptions have not been seen. Not safe from threads by itself: the door holds a lock."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: deque[_Call] = deque(maxlen=MOST)

    def __len__(self) -> int:
        return len(self._waiting)

    def concerns(self, event: Any) -> bool:
        """Whether there is anything to note: most events neither fail nor follow a failure."""
        if self._waiting:
            return True
        properties = event.get("properties") if type(event) is dict else None
        return type(properties) is dict and properties.get(_IS_ERROR) is True

    def see(self, event: Any, thread: int, now: float) -> dict[str, Any] | None:
        """Take note of an event; the arguments of its call, for an `$exception` whose call was seen.

        event: as the hook got it. thread: the current thread's id. now: seconds of a monotonic clock.
        """
        properties = event.get("properties") if type(event) is dict else None
        if type(properties) is not dict:
            return None
        # In the order they came, so the first that is young enough ends it.
        while self._waiting and now - self._waiting[0].since > LONGEST:
            self._waiting.popleft()
        if event.get("event") == listed.EXCEPTION_EVENT:
            return self._take(_call(event, properties, thread, now)) if self._waiting else None
        if properties.get(_IS_ERROR) is True and listed.PARAMETERS in properties:
            called = _call(event, properties, thread, now)
            if called.stamp is not None and type(called.tool) is str:
                self._waiting.append(called)
        return None

    def _take(self, fault: _Call) -> dict[str, Any] | None:
        # The newest first: an exception follows its call at once.
        for at in range(len(self._waiting) - 1, -1, -1):
            called = self._waiting[at]
            if called[_KEY] == fault[_KEY]:
                del self._waiting[at]
                return arguments_of(called.parameters, called.tool)
        return None


_KEY = slice(2, None)


def _call(event: dict[str, Any], properties: dict[str, Any], thread: int, now: float) -> _Call:
    get = properties.get
    return _Call(
        now,
        get(listed.PARAMETERS),
        thread,
        event.get("timestamp"),
        get(listed.TOOL_NAME),
        get("$session_id"),
        get("$mcp_conversation_id"),
        event.get("distinct_id"),
    )
