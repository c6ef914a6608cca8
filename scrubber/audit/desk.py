"""What one process does in an audit: batches in, one part of the whole out."""

from __future__ import annotations

from typing import NamedTuple

from scrubber.audit.auditing import Auditor
from scrubber.audit.reading import Batch
from scrubber.audit.records import Row, Unreadable
from scrubber.audit.tally import Tally
from scrubber.settings import Settings

MOST_UNREADABLE = 100
"""Unreadable records that a report shows; all of them are counted."""


class Place(NamedTuple):
    """Where an unreadable record stands: which of the inputs, and its line."""

    source: int
    line: int


class Part:
    """What one process audited: a tally, and the counts of each input. Picklable."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.rows: dict[int, int] = {}
        self.unreadable: dict[int, int] = {}
        self.first: list[tuple[Place, Unreadable]] = []

    def add_unreadable(self, source: int, found: list[tuple[Place, Unreadable]]) -> None:
        """Count records of an input that could not be read."""
        if found:
            self.unreadable[source] = self.unreadable.get(source, 0) + len(found)
            self.first = _first([*self.first, *found])

    def merge(self, other: Part) -> None:
        """Add what another process audited."""
        self.tally.merge(other.tally)
        for mine, theirs in ((self.rows, other.rows), (self.unreadable, other.unreadable)):
            for source, count in theirs.items():
                mine[source] = mine.get(source, 0) + count
        self.first = _first([*self.first, *other.first])


class Desk:
    """Audits batches one after another."""

    def __init__(self, settings: Settings, reveal: bool) -> None:
        self._auditor = Auditor(settings, reveal)
        self._part = Part()
        self._next: tuple[int, int] | None = None

    def take(self, source: int, number: int, batch: Batch) -> None:
        """Audit the batch with that number of an input."""
        part, add = self._part, self._auditor.add
        if self._next != (source, number):
            # Not the one below the last: what stands above it is not known here.
            self._auditor.begin(batch.lead())
        self._next = source, number + 1
        rows = 0
        unreadable: list[tuple[Place, Unreadable]] = []
        for one in batch.rows():
            if type(one) is Row:
                add(one)
                rows += 1
            elif type(one) is Unreadable:
                unreadable.append((Place(source, one.line), one))
        part.rows[source] = part.rows.get(source, 0) + rows
        part.add_unreadable(source, unreadable)

    def part(self) -> Part:
        """What was audited."""
        self._part.tally = self._auditor.tally()
        return self._part


def _first(found: list[tuple[Place, Unreadable]]) -> list[tuple[Place, Unreadable]]:
    return sorted(found, key=lambda one: (one[0], one[1].reason))[:MOST_UNREADABLE]
