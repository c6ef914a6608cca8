"""One input: what it is, and its batches."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from scrubber.audit.reading.batch import Batch, LostBatch
from scrubber.audit.reading.documents import columns_of
from scrubber.audit.reading.lines import line_batches
from scrubber.audit.reading.objects import Columns, object_batches
from scrubber.audit.reading.packers import PLAIN
from scrubber.audit.reading.parquet import BROKEN, arrow, parquet_batches
from scrubber.audit.reading.sniffing import Kind, names_columns_first, tell
from scrubber.audit.reading.streams import Raw, Text, Unpacked, tell_packing, unpacked
from scrubber.audit.reading.tables import table_batches
from scrubber.audit.records import FileRead, Unreadable
from scrubber.words.errors import ScrubberError

HEAD = 1 << 18
"""Bytes of the input that are looked at to tell what it is, packed and unpacked."""
NO_FORMAT = "no format that is known: JSON, CSV or Parquet with events"
_BLOCK = 1 << 20


class Source:
    """One input, told by its content when it is made.

    name: as given. size: bytes of the file, None for a pipe. kind, packed: what it is, and how it is packed; format:
    the same in words, `JSON lines, gzip`. read: what was read; `broken` is complete once `batches()` is exhausted, and
    the counts are kept by who reads the rows, because a batch may be read in another process.
    Raises `ScrubberError` where it cannot be opened, or needs a package that is not installed.
    """

    def __init__(self, name: str, file: BinaryIO | None = None) -> None:
        self.name = name
        self.size: int | None = None
        self._pipe = file
        self._spooled: BinaryIO | None = None
        self._head = b""
        self._look()
        self.packed, self.head = tell_packing(self._head, HEAD)
        self.kind = tell(self.head, whole=len(self._head) < HEAD and len(self.head) < HEAD)
        self.format = f"{self.kind}, {self.packed}" if self.packed else str(self.kind)
        self.read = FileRead(name, self.format)
        if self.kind is Kind.PARQUET:
            arrow()

    def batches(self) -> Iterator[Batch]:
        """The batches of the input, once: from the start to its end, or to where it breaks off."""
        if self.kind is Kind.PARQUET:
            yield from self._parquet()
            return
        columns: list[Columns] = []
        if self.kind is Kind.HOGQL and not names_columns_first(self.head):
            if self._pipe is not None:
                self._spool(PLAIN)
            with self._rest() as file:
                columns = columns_of(unpacked(file, self._head, self.packed))
        with self._rest() as file:
            text = unpacked(file, self._head, self.packed)
            try:
                yield from self._of(text, columns)
            finally:
                self.read.broken = text.broken or self.read.broken

    def _of(self, text: Text, columns: list[Columns]) -> Iterator[Batch]:
        if self.kind is Kind.LINES:
            yield from line_batches(text, self.name)
        elif self.kind is Kind.CSV:
            yield from table_batches(text, self.name, self.head)
        elif self.kind is Kind.UNKNOWN:
            self.read.broken = NO_FORMAT
            yield LostBatch(self.name, len(self._head), Unreadable(self.name, 1, NO_FORMAT))
        elif self.kind is Kind.EMPTY:
            # Nothing to read, but an archive may break off before its first byte.
            text.read(1)
        else:
            yield from object_batches(text, self.name, columns)

    def _parquet(self) -> Iterator[Batch]:
        """Parquet is read from its end, so it needs a file that can be searched."""
        if self.packed or self._pipe is not None:
            self._spool(self.packed)
        with self._rest() as file:
            file.seek(0)
            last = 0
            try:
                for batch in parquet_batches(file, self.name):
                    last = batch.first + batch.table.num_rows - 1
                    yield batch
            except (OSError, ValueError):
                self.read.broken = self.read.broken or BROKEN
                yield LostBatch(self.name, self.size or 0, Unreadable(self.name, last + 1, BROKEN))

    def _look(self) -> None:
        """Read the first bytes; of a file that is no regular one they are kept, because they come only once."""
        file = self._pipe
        if file is None:
            file = self._open()
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode):
                self.size = status.st_size
            else:
                self._pipe = file
        try:
            while len(self._head) < HEAD and (block := file.read(HEAD - len(self._head))):
                self._head += block
        except OSError as error:
            raise ScrubberError(f"{self.name}: cannot be read ({error.strerror})") from None
        if self._pipe is None:
            file.close()

    def _open(self) -> BinaryIO:
        try:
            return Path(self.name).open("rb", buffering=0)
        except OSError as error:
            raise ScrubberError(f"{self.name}: cannot be opened ({error.strerror})") from None

    @contextmanager
    def _rest(self) -> Iterator[BinaryIO]:
        """The input behind its head."""
        if self._spooled is not None:
            self._spooled.seek(len(self._head))
            yield self._spooled
        elif self._pipe is not None:
            yield self._pipe
        else:
            with self._open() as file:
                file.seek(len(self._head))
                yield file

    def _spool(self, packed: str) -> None:
        """Copy the input, unpacked as `packed` says, into a temporary file, where it can be read twice."""
        spooled = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this object
        with self._rest() as file:
            raw = Raw(file, self._head)
            text: Text = Unpacked(raw, packed) if packed else raw
            while block := text.read(_BLOCK):
                spooled.write(block)
            self.read.broken = text.broken
        spooled.flush()
        self._spooled = cast(BinaryIO, spooled)
