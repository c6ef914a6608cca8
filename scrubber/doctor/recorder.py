"""The `before_send` of the doctor's clients: asks the hook under test, and keeps what it did but nothing it saw."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from scrubber.rules.drops import DELIBERATE_RULE, EXPECTED_RULE
from scrubber.settings import Settings
from scrubber.words import properties as listed
from scrubber.words.paths import at_property, shown
from scrubber.words.verdict import Decision, Event

AS_SET = "dropped as set"
BLIND = "kept without traceback"
RAISED = "raised"


class Hook(Protocol):
    """What the doctor needs of the hook under test."""

    def __call__(self, event: Any) -> Event | None:
        """The event to send, or None."""

    def decide(self, event: Any) -> Decision:
        """The same with the findings behind it."""


@dataclass(slots=True)
class Seen:
    """What was seen while one kind was provoked: the fates of its `$exception` events and the names of properties."""

    events: int = 0
    fates: list[str] = field(default_factory=list)
    leaks: set[str] = field(default_factory=set)
    as_set: set[str] = field(default_factory=set)


class Recorder:
    """One for each server. `begin` says whose events come next."""

    def __init__(self, hook: Hook, settings: Settings, canaries: Sequence[str]) -> None:
        self._hook = hook
        self._settings = settings
        self._canaries = canaries
        self.seen: dict[str, Seen] = {}
        self.names: set[str] = set()
        """The properties of every event, before the hook."""
        self.current = Seen()

    def begin(self, kind: str) -> Seen:
        """What is seen from now on belongs to `kind`."""
        self.current = self.seen[kind] = Seen()
        return self.current

    def __call__(self, event: dict[str, Any]) -> dict[str, Any] | None:
        """What posthog calls. Never raises: an event of a hook that does is not sent."""
        seen = self.current
        seen.events += 1
        properties = event.get("properties")
        self.names.update(name for name in properties or () if isinstance(name, str))
        has_frames = _has_frames(properties)
        try:
            decision = self._hook.decide(copy.deepcopy(event))
            sent = self._hook(event)
        except Exception:
            seen.fates.append(RAISED)
            return None
        if event.get("event") == listed.EXCEPTION_EVENT:
            seen.fates.append(_fate(sent, decision, has_frames))
        if isinstance(sent, dict):
            self._search(seen, sent)
        return sent

    def _search(self, seen: Seen, sent: dict[str, Any]) -> None:
        for where, name in _places_of(sent, self._canaries):
            (seen.as_set if _is_opened(name, sent, self._settings) else seen.leaks).add(where)


def _has_frames(properties: Any) -> bool:
    """Whether any exception of the event has a traceback."""
    entries = properties.get(listed.EXCEPTION_LIST) if isinstance(properties, dict) else None
    traces = [entry.get("stacktrace") for entry in entries or () if isinstance(entry, dict)]
    return any(isinstance(trace, dict) and trace.get("frames") for trace in traces)


def _fate(sent: Any, decision: Decision, has_frames: bool) -> str:
    if sent is not None:
        return "kept" if has_frames else BLIND
    rules = {finding.rule for finding in decision.findings}
    return AS_SET if rules & {EXPECTED_RULE, DELIBERATE_RULE} else "dropped"


def _places_of(sent: dict[str, Any], canaries: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Where a canary stands: the printed path and the name of the property."""
    for key, value in sent.items():
        if key == "properties" and isinstance(value, dict):
            for name, inner in value.items():
                if _holds({str(name): inner}, canaries):
                    yield at_property(name), str(name)
        elif _holds({str(key): value}, canaries):
            yield shown(key), str(key)


def _holds(value: Any, canaries: Sequence[str]) -> bool:
    text = json.dumps(value, default=repr, ensure_ascii=False)
    return any(canary in text for canary in canaries)


def _is_opened(name: str, sent: dict[str, Any], settings: Settings) -> bool:
    """Whether the settings let content pass under this name."""
    if name == listed.ERROR_MESSAGE:
        type_ = sent["properties"].get(listed.ERROR_TYPE)
        return settings.error_messages.get(str(type_)) == "keep"
    return name in settings.allow or name in settings.allow_on.get(str(sent.get("event")), ())
