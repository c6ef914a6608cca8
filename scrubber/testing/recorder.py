"""The `before_send` of a recorded client: asks the hook under test, and keeps what it saw and what it answered."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from scrubber.words.verdict import Event

Hook = Callable[[Any], Any]


class Recorder:
    """One for each client. It changes nothing: what the hook answers, or raises, is what posthog gets.

    hook: the hook under test; None where the client has none. sends: False holds every event back after the hook has
    answered, so that a client of the user's own can be watched without anything leaving the machine.
    """

    def __init__(self, hook: Hook | None, *, sends: bool = True) -> None:
        self.hook = hook
        self._sends = sends
        self._lock = threading.Lock()
        self._seen: list[Event] = []
        self._answers: list[Event | None] = []
        self.raised = 0
        """How often the hook raised. posthog up to 7.36 sends the event all the same."""

    def __call__(self, event: Event) -> Any:
        """What posthog calls."""
        before = copied(event)
        answer: Any = None
        try:
            answer = self.hook(event) if self.hook is not None else event
        except BaseException as error:
            self.raised += 1
            # posthog up to 7.36 would send the event, and nothing must leave.
            if self._sends or not isinstance(error, Exception):
                raise
        finally:
            with self._lock:
                self._seen.append(before)
                self._answers.append(copied(answer) if isinstance(answer, dict) else None)
        return answer if self._sends else None

    @property
    def seen(self) -> list[Event]:
        """The events as they came, in order."""
        with self._lock:
            return list(self._seen)

    @property
    def passed(self) -> list[Event]:
        """What the hook answered, without the events that it dropped."""
        with self._lock:
            return [answer for answer in self._answers if answer is not None]

    @property
    def dropped(self) -> list[Event]:
        """The events, as they came, that the hook dropped."""
        with self._lock:
            return [seen for seen, answer in zip(self._seen, self._answers, strict=True) if answer is None]


def copied(value: Any) -> Any:
    """A copy of an event's containers. Other objects stay the same ones: copying them could run code of the user's."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return tuple(copied(item) for item in value) if type(value) is tuple else value
