"""JSON lines cut into batches of whole lines, without looking inside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from scrubber.audit.reading.batch import LEAD, Batch, decoded
from scrubber.audit.reading.events import BROKEN_OFF, PROPER, TOO_LONG
from scrubber.audit.reading.streams import Text
from scrubber.audit.records import Row, Unreadable

BLOCK = 1 << 19
"""Bytes that are read at once. More, and every block is new memory that the system has to clear first."""
SIZE = 1 << 20
"""Bytes of one batch, about."""
LONGEST = 16 << 20
"""Bytes of the longest record that is read: sixteen times what PostHog takes as one event."""
_LONGEST_LEAD = 4 << 20


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

    def records(self) -> Iterator[tuple[Any, Row | Unreadable]]:
        """See `Batch`; a blank line is no record."""
        for one in self.ahead:
            yield None, one
        for line, text in enumerate(self.data.split(b"\n"), self.first):
            found = decoded(text, self.file, line)
            if found is not None:
                yield found
        for one in self.after:
            yield None, one

    def rows(self) -> Iterator[Row | Unreadable]:
        """See `Batch`. Every event of a JSON-lines file goes through this loop: it does no more than it must."""
        yield from self.ahead
        file, parse, proper, new = self.file, orjson.loads, PROPER, tuple.__new__
        line = self.first - 1
        for text in self.data.split(b"\n"):
            line += 1
            try:
                record = parse(text)
                if type(record["event"]) is str and type(record["properties"]) is dict and proper.issuperset(record):
                    yield new(Row, (record, file, line, len(text), None))
                    continue
            except (ValueError, KeyError, TypeError):
                # Not what a line usually is; looked at below.
                pass
            found = decoded(text, file, line)
            if found is not None:
                yield found[1]
        yield from self.after

    def lead(self) -> Iterator[Row]:
        """See `Batch`."""
        first = self.first - self.before.count(b"\n")
        for one in LineBatch(self.file, self.consumed, self.before, first).rows():
            if type(one) is Row:
                yield one


def line_batches(text: Text, file: str) -> Iterator[LineBatch]:
    """The lines of a text in batches; a line beyond `LONGEST` is passed over and reported."""
    rest, lead, first = b"", b"", 1
    ahead: tuple[Unreadable, ...] = ()
    blocks = _blocks(text)
    while blocks:
        last, end = _last_end(blocks)
        if end:
            data = b"".join((rest, *blocks[:last], memoryview(blocks[last])[: end - 1]))
            rest = b"".join((blocks[last][end:], *blocks[last + 1 :]))
            yield LineBatch(file, text.consumed, data, first, lead, ahead)
            ahead = ()
            first += data.count(b"\n") + 1
            lead = _last_lines(lead, data)
        else:
            rest = b"".join((rest, *blocks))
        blocks = []
        if len(rest) > LONGEST:
            ahead += (Unreadable(file, first, TOO_LONG),)
            first += 1
            rest, blocks = b"", _next_line(text)
        blocks = _blocks(text, blocks)
    broken = text.broken and rest.strip()
    after = (Unreadable(file, first, BROKEN_OFF),) if broken else ()
    if rest or ahead:
        yield LineBatch(file, text.consumed, b"" if broken else rest, first, lead, ahead, after)


def _blocks(text: Text, blocks: Sequence[bytes] = ()) -> list[bytes]:
    """What is read next, about one batch of it, behind what already was; a pipe gives little at a time."""
    found = list(blocks)
    held = sum(map(len, found))
    while held < SIZE and (block := text.read(BLOCK)):
        found.append(block)
        held += len(block)
    return found


def _last_end(blocks: list[bytes]) -> tuple[int, int]:
    """Where the last whole line ends: the number of a block and the place in it; 0 where none ends."""
    for at in range(len(blocks) - 1, -1, -1):
        end = blocks[at].rfind(b"\n") + 1
        if end:
            return at, end
    return 0, 0


def _next_line(text: Text) -> list[bytes]:
    """What was read of the line after the present one."""
    while block := text.read(BLOCK):
        at = block.find(b"\n")
        if at >= 0:
            return [block[at + 1 :]]
    return []


def _last_lines(lead: bytes, data: bytes) -> bytes:
    """The last `LEAD` lines, each with its newline, of the lead before and the lines after it."""
    at = len(data)
    for _ in range(LEAD):
        at = data.rfind(b"\n", 0, at)
        if at < 0:
            break
    if at < 0 and lead:
        both = lead + data
        at = len(both)
        for _ in range(LEAD):
            at = both.rfind(b"\n", 0, at)
            if at < 0:
                break
        data = both
    kept = data[at + 1 :] + b"\n"
    return kept if len(kept) <= _LONGEST_LEAD else b""
