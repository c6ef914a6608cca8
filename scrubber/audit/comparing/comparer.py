"""Two policies over the same events, row by row: the same engine twice, and a count for each kind of change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from scrubber.audit.comparing.changes import changes_of
from scrubber.audit.comparing.records import Comparison, Direction, FateChange, SettingChange, VerdictChange
from scrubber.audit.judging import Judge, Judged
from scrubber.audit.names import Names
from scrubber.audit.reading import Source
from scrubber.audit.records import FileRead, Row, Unreadable
from scrubber.settings import Settings
from scrubber.words.paths import MASK
from scrubber.words.verdict import Event, Verdict

MOST_UNREADABLE = 20
MOST_NAMES = 5_000
"""Names that are counted by themselves; what comes after goes by the mask."""


@dataclass(slots=True)
class _Counts:
    verdicts: dict[tuple[str, Verdict, Verdict, tuple[str, ...]], int] = field(default_factory=dict)
    fates: dict[tuple[str, str, str, Direction, bool], dict[str, int]] = field(default_factory=dict)
    events: int = 0
    names: set[str] = field(default_factory=set)
    opened: int = 0
    closed: int = 0


class Comparer:
    """Sees rows in the order of their file, and counts what changes. Memory: a count for each kind of change."""

    def __init__(self, old: Settings, new: Settings) -> None:
        self._settings = old, new
        self._old, self._new = Judge(old), Judge(new)
        self._names = Names(old.policy()), Names(new.policy())
        self._counts = _Counts()
        self._left: set[tuple[Any, bool]] = set()
        """What left under the old policy on any event, by its own name and whether it stood beside `properties`."""

    def see(self, row: Row) -> None:
        """Judge a row by both policies."""
        old, new = self._old.judge(row), self._new.judge(row)
        self._note_left(row.event, old)
        counts = self._counts
        counts.events += 1
        event_name = row.event.get("event")
        shown_event = self._shown(lambda names: names.shown_event(event_name))
        if old.verdict is not new.verdict:
            rules = tuple(sorted(set(old.fired) ^ set(new.fired)))
            key = (shown_event, old.verdict, new.verdict, rules)
            counts.verdicts[key] = counts.verdicts.get(key, 0) + 1
        if old.event == new.event:
            return
        directions = set()
        for name, was, is_, direction, beside in changes_of(row.event, old, new):
            shown = self._shown(lambda names: names.shown(name, str(event_name)))  # noqa: B023 - called at once
            shown = shown if shown in counts.names or len(counts.names) < MOST_NAMES else MASK
            counts.names.add(shown)
            events = counts.fates.setdefault((shown, was, is_, direction, beside), {})
            events[shown_event] = events.get(shown_event, 0) + 1
            directions.add(direction)
        counts.opened += Direction.OPENED in directions
        counts.closed += Direction.CLOSED in directions

    def result(self, files: tuple[FileRead, ...] = (), unreadable: tuple[Unreadable, ...] = ()) -> Comparison:
        """What was counted so far."""
        counts = self._counts
        verdicts = [VerdictChange(*key, count) for key, count in counts.verdicts.items()]
        fates = [
            FateChange(
                name, was, is_, direction, dict(sorted(events.items())), beside, self._is_first(name, direction, beside)
            )
            for (name, was, is_, direction, beside), events in counts.fates.items()
        ]
        order = list(Direction)
        return Comparison(
            tuple(differences(*self._settings)),
            tuple(sorted(verdicts, key=lambda one: (-one.count, one.event, one.old.value, one.new.value, one.rules))),
            tuple(
                sorted(
                    fates,
                    key=lambda one: (not one.first, order.index(one.direction), -one.count, one.name, one.old, one.new),
                )
            ),
            counts.events,
            counts.opened,
            counts.closed,
            files,
            unreadable,
        )

    def _note_left(self, event: Event, old: Judged) -> None:
        if old.event is None:
            return
        for beside, sent in ((False, old.event["properties"]), (True, old.event)):
            for key in sent:
                # Bounded: a recording keyed by content has names without end.
                if (key, beside) not in self._left and len(self._left) < MOST_NAMES:
                    self._left.add((key, beside))

    def _is_first(self, name: str, direction: Direction, beside: bool) -> bool:
        return direction is Direction.OPENED and name != MASK and (name, beside) not in self._left

    def _shown(self, by: Any) -> str:
        """A name as either policy may print it: each knows the names in its own settings."""
        first: str = by(self._names[0])
        return first if first != MASK else str(by(self._names[1]))


def differences(old: Settings, new: Settings) -> Iterator[SettingChange]:
    """The settings that differ, in the order of the reference."""
    before, after = old.model_dump(), new.model_dump()
    for name, value in before.items():
        if value != after[name]:
            yield SettingChange(name, value, after[name])


Watch = Callable[[str, "int | None"], AbstractContextManager[Callable[[int], None]]]
"""Told a file's name and size, gives what is told the bytes read of it while it is read."""


def compare(sources: Iterable[Source], old: Settings, new: Settings, watch: Watch | None = None) -> Comparison:
    """Read the sources to their end and compare.

    What cannot be read is counted in the files, and the first `MOST_UNREADABLE` of it listed.
    """
    comparer = Comparer(old, new)
    files: list[FileRead] = []
    unreadable: list[Unreadable] = []
    for source in sources:
        with watch(source.name, source.size) if watch is not None else nullcontext() as seen:
            for batch in source.batches():
                for row in batch.rows():
                    if isinstance(row, Row):
                        source.read.rows += 1
                        comparer.see(row)
                        continue
                    source.read.unreadable += 1
                    if len(unreadable) < MOST_UNREADABLE:
                        unreadable.append(row)
                if seen is not None:
                    seen(batch.consumed)
        files.append(source.read)
    return comparer.result(tuple(files), tuple(unreadable))
