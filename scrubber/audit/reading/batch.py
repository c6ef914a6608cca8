"""Batches: pieces of a file that travel to a worker as they were read and are decoded there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scrubber.audit.reading.events import TOO_DEEP, row_of, why_no_json
from scrubber.audit.reading.json_text import loads
from scrubber.audit.records import Row, Unreadable

LEAD = 64
"""Records right before a batch that go with it: an `$exception` at its start follows a call at the end of the last."""


@dataclass(slots=True)
class Batch:
    """A piece of one file, about 1 MB of it. file: the input's name. consumed: bytes of the input read so far."""

    file: str
    consumed: int

    def records(self) -> Iterator[tuple[Any, Row | Unreadable]]:
        """The records in the order they stand in: what stands in the file, decoded, and the row of it or the reason
        why it is none. Never raises."""
        raise NotImplementedError

    def rows(self) -> Iterator[Row | Unreadable]:
        """The records in the order they stand in, each a row or the reason why it is none. Never raises."""
        for _, one in self.records():
            yield one

    def lead(self) -> Iterator[Row]:
        """Up to `LEAD` rows right before this batch in the same file; to look at, not to count."""
        raise NotImplementedError


@dataclass(slots=True)
class LostBatch(Batch):
    """A place of a file from which nothing can be read."""

    lost: Unreadable

    def records(self) -> Iterator[tuple[Any, Row | Unreadable]]:
        """See `Batch`."""
        yield None, self.lost

    def lead(self) -> Iterator[Row]:
        """See `Batch`."""
        yield from ()


def decoded(text: bytes, file: str, line: int, wire: bool = False) -> tuple[Any, Row | Unreadable] | None:
    """One record from its JSON text, and its row; None where there is nothing but white space."""
    try:
        record = loads(text)
    except RecursionError:
        return None, Unreadable(file, line, TOO_DEEP)
    except ValueError:
        reason = why_no_json(text)
        return (None, Unreadable(file, line, reason)) if reason is not None else None
    return record, row_of(record, file, line, len(text), wire)
