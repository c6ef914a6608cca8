"""Batches of a CSV file."""

from __future__ import annotations

import codecs
import csv
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from scrubber.audit.reading.batch import LEAD, Batch
from scrubber.audit.reading.events import BROKEN_OFF, NO_UTF8, row_of
from scrubber.audit.reading.headings import Heading
from scrubber.audit.reading.json_text import dumps
from scrubber.audit.reading.lines import BLOCK, LONGEST, SIZE
from scrubber.audit.reading.objects import ROW_LENGTH
from scrubber.audit.reading.sniffing import delimiter
from scrubber.audit.reading.streams import Text
from scrubber.audit.records import Row, Unreadable

_MOST_CELLS = 1_000_000
NO_CSV = "not valid CSV, or longer than 16 MiB"


@dataclass(slots=True)
class TableBatch(Batch):
    """Rows of a CSV file. names: the columns, as they stand in the file. delimiter: what stands between two cells.
    lines: the number of each row, as a spreadsheet counts them: the names are the first. before: the rows that lead
    up to it, and their numbers."""

    names: list[str]
    delimiter: str
    cells: list[list[str] | str] = field(default_factory=list)
    """A row, or the reason why it is none."""
    lines: list[int] = field(default_factory=list)
    before: list[tuple[int, list[str] | str]] = field(default_factory=list)

    def records(self) -> Iterator[tuple[Any, Row | Unreadable]]:
        """See `Batch`. What stands in the file is a list of cells."""
        heading = Heading(self.names)
        for line, cells in zip(self.lines, self.cells, strict=True):
            if type(cells) is str:
                yield None, Unreadable(self.file, line, cells)
            else:
                yield cells, self._one(line, cells, heading)

    def lead(self) -> Iterator[Row]:
        """See `Batch`."""
        heading = Heading(self.names)
        for line, cells in self.before:
            one = self._one(line, cells, heading)
            if type(one) is Row:
                yield one

    def _one(self, line: int, cells: Any, heading: Heading) -> Row | Unreadable:
        if len(cells) != len(heading.names):
            return Unreadable(self.file, line, ROW_LENGTH)
        if any("\udc80" <= sign <= "\udcff" for cell in cells if not cell.isascii() for sign in cell):
            return Unreadable(self.file, line, NO_UTF8)
        record = heading.record_of(cells, text=True)
        return row_of(record, self.file, line, len(dumps(record)))


class _Lines:
    """The lines of a text as `csv` wants them. One that is too long, or has more cells than memory allows, is a
    `csv.Error`; the next line comes after it."""

    def __init__(self, text: Text, sign: str) -> None:
        self._text, self._sign = text, sign
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._lines: deque[str] = deque()
        self._rest = ""
        self.cut = False
        """Whether the last line had no end."""

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        while not self._lines:
            self._read()
        line = self._lines.popleft()
        if len(line) > BLOCK and (len(line) > LONGEST or line.count(self._sign) > _MOST_CELLS):
            raise csv.Error
        return line

    def _read(self) -> None:
        """Read on. Only a line feed ends a line; a lone carriage return inside a cell is the cell's."""
        block = self._text.read(BLOCK)
        text = self._rest + self._decoder.decode(block, final=not block)
        *lines, self._rest = text.split("\n")
        self._lines.extend(line + "\n" for line in lines)
        if not block:
            if not self._rest:
                raise StopIteration
            self.cut = True
            self._lines.append(self._rest)
            self._rest = ""
        elif len(self._rest) > LONGEST + BLOCK:
            # What is more than too long need not be held to be refused.
            self._rest = self._rest[: LONGEST + 1]


def table_batches(text: Text, file: str, head: bytes) -> Iterator[TableBatch]:
    """The rows of a CSV file in batches. head: the first bytes, which show what stands between two cells."""
    sign = delimiter(head) or ","
    csv.field_size_limit(LONGEST)
    lines = _Lines(text, sign)
    reader = csv.reader(lines, delimiter=sign, strict=True)
    names = next(reader)
    batch = TableBatch(file, text.consumed, names, sign)
    held, line = 0, 1
    while True:
        line += 1
        try:
            cells: list[str] | str = next(reader)
        except StopIteration:
            break
        except csv.Error:
            cells = NO_CSV
        if cells == []:
            continue
        batch.lines.append(line)
        batch.cells.append(cells)
        held += sum(map(len, cells))
        if held >= SIZE:
            batch.consumed = text.consumed
            yield batch
            batch, held = _following(batch), 0
    if text.broken and batch.cells and (lines.cut or batch.cells[-1] == NO_CSV):
        batch.cells[-1] = BROKEN_OFF
    batch.consumed = text.consumed
    yield batch


def _following(batch: TableBatch) -> TableBatch:
    """An empty batch behind a full one."""
    rows = [(line, cells) for line, cells in zip(batch.lines, batch.cells, strict=True) if type(cells) is not str]
    before = [*batch.before, *rows][-LEAD:]
    return TableBatch(batch.file, batch.consumed, batch.names, batch.delimiter, before=before)
