"""Counts over many events that can be added to one another in any order, and the report they make.

A tally is plain data: it travels between processes. It holds names that a report may print (`names`), counts, sizes
and masked examples, and values only where `--reveal` asked for them. Its size does not grow with the number of events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from scrubber.audit.leaks import LONGEST_REVEALED, masked
from scrubber.audit.reading.json_text import dumps
from scrubber.audit.records import (
    EventUse,
    Leak,
    LeakKind,
    PropertyUse,
    RefusalCount,
    Report,
)
from scrubber.words.paths import MASK
from scrubber.words.verdict import Verdict

MOST_NAMES = 2_000
"""Property names, event names, leak paths and refusals that are counted by name; what comes after that goes by the
mask. A recording with more is keyed by content, and then which of its names are shown depends on the order."""
MOST_PAIRS = 20_000
"""Properties of events that leave which are counted by both names."""
MOST_EVENTS = 200
"""Events that are counted by name for each property."""

_Key = TypeVar("_Key")

Place = tuple[str, int]
"""File and line: of two examples the one that stands first is shown, whoever found it."""


@dataclass(slots=True)
class _Found:
    """One kind of leak at one path."""

    count: int
    place: Place
    example: str
    revealed: str | None


@dataclass(slots=True)
class Tally:
    """What was counted. Two tallies are equal if they counted the same events.

    reveal: whether examples keep their values.
    """

    reveal: bool = False
    events: dict[str, EventUse] = field(default_factory=dict)
    properties: dict[str, PropertyUse] = field(default_factory=dict)
    rules: dict[str, dict[Verdict, int]] = field(default_factory=dict)
    leaving: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    refusals: dict[tuple[str, str, str], int] = field(default_factory=dict)
    leaks: dict[tuple[LeakKind, str], _Found] = field(default_factory=dict)
    pairs: int = 0
    """How many properties stand in `leaving`, each event's counted apart."""

    def event(self, name: str) -> EventUse:
        """The counts of an event name that may be printed."""
        name = _bounded(self.events, name)
        return self.events.setdefault(name, EventUse(name))

    def property(self, name: str) -> PropertyUse:
        """The counts of a property name that may be printed."""
        name = _bounded(self.properties, name)
        return self.properties.setdefault(name, PropertyUse(name))

    def leaves(self, event: str, name: str, kind: str, count: int) -> None:
        """Count a property that leaves, by the kind of its value."""
        of_event = self.leaving.setdefault(_bounded(self.leaving, event), {})
        if name not in of_event:
            name = name if self.pairs < MOST_PAIRS else MASK
            self.pairs += name not in of_event
        add(of_event.setdefault(name, {}), kind, count)

    def seen_on(self, use: PropertyUse, event: str, count: int) -> None:
        """Count the events on which a property was seen."""
        add(use.events, event if event in use.events or len(use.events) < MOST_EVENTS else MASK, count)

    def refused(self, tool: str, field_: str, code: str) -> None:
        """Count an argument refusal that the policy drops."""
        if len(self.refusals) >= MOST_NAMES and (tool, field_, code) not in self.refusals:
            tool = field_ = MASK
        add(self.refusals, (tool, field_, code), 1)

    def leak(self, kind: LeakKind, path: str, place: Place, value: Any, count: int = 1) -> None:
        """Count content at a path. value: one that stood there; place: the first of those that did."""
        found = self.leaks.get((kind, path))
        if found is not None and found.place < place:
            found.count += count
            return
        text = text_of(value)
        revealed = text[:LONGEST_REVEALED] if self.reveal else None
        self._add_leak((kind, path), _Found(count, place, masked(text), revealed))

    def merge(self, other: Tally) -> None:
        """Add what `other` counted. The order of merges does not matter."""
        for event in other.events.values():
            _add_event(self.event(event.name), event)
        for use in other.properties.values():
            mine = self.property(use.name)
            _add_property(mine, use)
            for event_name, count in use.events.items():
                self.seen_on(mine, event_name, count)
        for rule, verdicts in other.rules.items():
            add_all(self.rules.setdefault(rule, {}), verdicts)
        for event_name, properties in other.leaving.items():
            # An event that left without properties is listed too.
            self.leaving.setdefault(_bounded(self.leaving, event_name), {})
            for name, kinds in properties.items():
                for kind, count in kinds.items():
                    self.leaves(event_name, name, kind, count)
        add_all(self.refusals, other.refusals)
        for key, found in other.leaks.items():
            self._add_leak(key, found)

    def _add_leak(self, key: tuple[LeakKind, str], found: _Found) -> None:
        if len(self.leaks) >= MOST_NAMES and key not in self.leaks:
            key = key[0], MASK
        mine = self.leaks.get(key)
        if mine is None:
            self.leaks[key] = _Found(found.count, found.place, found.example, found.revealed)
            return
        mine.count += found.count
        # Of several in one line, the smaller outline, so that the order of merges does not tell.
        if (found.place, found.example, found.revealed or "") < (mine.place, mine.example, mine.revealed or ""):
            mine.place, mine.example, mine.revealed = found.place, found.example, found.revealed

    def report(self) -> Report:
        """The report, sorted by count, then by name; it says nothing yet of files and settings."""
        return Report(
            version="",
            events=sorted(self.events.values(), key=lambda one: (-one.count, one.name)),
            properties=sorted(self.properties.values(), key=lambda one: (-one.count, one.name)),
            rules={rule: dict(sorted(counts.items())) for rule, counts in sorted(self.rules.items())},
            leaving={
                event: {name: dict(sorted(kinds.items())) for name, kinds in sorted(properties.items())}
                for event, properties in sorted(self.leaving.items())
            },
            leaks=[
                Leak(kind, path, found.count, found.example, found.revealed)
                for (kind, path), found in sorted(
                    self.leaks.items(), key=lambda one: (-one[1].count, one[0][1], one[0][0])
                )
            ],
            refusals=[
                RefusalCount(*key, count=count)
                for key, count in sorted(self.refusals.items(), key=lambda one: (-one[1], one[0]))
            ],
        )


def text_of(value: Any) -> str:
    """A value as an example shows it: a text as it is, anything else as JSON."""
    return value if type(value) is str else dumps(value).decode("utf-8", "replace")


def add(counts: dict[_Key, int], key: _Key, count: int) -> None:
    """Count `key`."""
    counts[key] = counts.get(key, 0) + count


def add_all(counts: dict[_Key, int], more: Mapping[_Key, int]) -> None:
    """Add counts to counts."""
    for key, count in more.items():
        counts[key] = counts.get(key, 0) + count


def _bounded(known: Mapping[str, Any], name: str) -> str:
    return name if name in known or len(known) < MOST_NAMES else MASK


def _add_event(to: EventUse, other: EventUse) -> None:
    add_all(to.verdicts, other.verdicts)
    to.bytes_in += other.bytes_in
    to.bytes_out += other.bytes_out


def _add_property(to: PropertyUse, other: PropertyUse) -> None:
    add_all(to.fates, other.fates)
    for mine, theirs in (
        (to.rules, other.rules),
        (to.reasons, other.reasons),
        (to.kinds, other.kinds),
    ):
        add_all(mine, theirs)
    to.bytes += other.bytes
    to.largest = max(to.largest, other.largest)
