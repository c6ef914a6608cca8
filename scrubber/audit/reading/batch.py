"""Batches: pieces of a file that travel to a worker as they were read and are decoded there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from scrubber.audit.reading.events import PROPER, row_of, why_no_json
from scrubber.audit.reading.json_text import ParseError, loads
from scrubber.audit.records import Row, Unreadable

LEAD = 64
"""Records right before a batch that go with it: an `$exception` at its start follows a call at the end of the last."""


@dataclass(slots=True)
class Batch:
    """A piece of one file, about 1 MB of it. file: the input's name. consumed: bytes of the input read so far."""

    file: str
    consumed: int

    def rows(self) -> Iterator[Row | Unreadable]:
        """The records in the order they stand in, each a row or the reason why it is none. Never raises."""
        raise NotImplementedError

    def lead(self) -> Iterator[Row]:
        """Up to `LEAD` rows right before this batch in the same file; to look at, not to count."""
        raise NotImplementedError


@dataclass(slots=True)
class LineBatch(Batch):
    """Whole lines of a JSON-lines file.

    first: the number of the first line in `data`. before: the lines that lead up to it. ahead, after: records that
    could not be read and are not in `data`, before and after it.
    """

    data: bytes
    first: int
    before: bytes = b""
    ahead: tuple[Unreadable, ...] = ()
    after: tuple[Unreadable, ...] = ()

    def rows(self) -> Iterator[Row | Unreadable]:
        """See `Batch`; a blank line is no record."""
        yield from self.ahead
        yield from _rows(self.data, self.file, self.first)
        yield from self.after

    def lead(self) -> Iterator[Row]:
        """See `Batch`."""
        first = self.first - self.before.count(b"\n")
        for one in _rows(self.before, self.file, first):
            if type(one) is Row:
                yield one


def _rows(data: bytes, file: str, first: int) -> Iterator[Row | Unreadable]:
    """The loop that every event of a JSON-lines file goes through: nothing in it may cost more than it must."""
    parse, proper = orjson.loads, PROPER
    for line, text in enumerate(data.split(b"\n"), first):
        try:
            record = parse(text)
        except ValueError:
            other = _other(text, file, line)
            if other is not None:
                yield other
            continue
        if (
            type(record) is dict
            and type(record.get("event")) is str
            and type(record.get("properties")) is dict
            and proper.issuperset(record)
        ):
            yield Row(record, file, line, len(text))
        else:
            yield row_of(record, file, line, len(text))


def _other(text: bytes, file: str, line: int) -> Row | Unreadable | None:
    """A line that orjson does not parse: blank, valid to the standard library alone, or broken."""
    reason = why_no_json(text)
    if reason is not None:
        return Unreadable(file, line, reason)
    try:
        return row_of(loads(text), file, line, len(text)) if text.strip() else None
    except ParseError:
        return None
