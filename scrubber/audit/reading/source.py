"""One input: what it is, and its batches."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from scrubber.audit.reading.batch import Batch
from scrubber.audit.reading.lines import line_batches
from scrubber.audit.reading.streams import HEAD, Raw, unpack
from scrubber.audit.records import FileRead
from scrubber.words.errors import ScrubberError


class Source:
    """One input, told by its content when it is made.

    name: as given. size: bytes of the file, None for a pipe. format: in words, `JSON lines, gzip`. read: what
    was read; complete but for its counts, which the reader of the rows keeps, once `batches()` is exhausted.
    Raises `ScrubberError` where it cannot be opened.
    """

    def __init__(self, name: str, file: BinaryIO | None = None) -> None:
        self.name = name
        self.size: int | None = None
        self._file = file
        self._head = b""
        if file is None:
            self._file = self._opened()
        self.format = self._sniff()
        self.read = FileRead(name, self.format)

    def batches(self) -> Iterator[Batch]:
        """The batches of the input, once: from the start to its end, or to where it breaks off."""
        file = self._file if self._file is not None else self._open()
        text = unpack(Raw(file, self._head), self._head)[1]
        try:
            yield from line_batches(text, self.name)
        finally:
            self.read.broken = text.broken
            if self.name != "-":
                file.close()

    def _opened(self) -> BinaryIO | None:
        """The file, where it can be opened only once; None for a regular one."""
        file = self._open()
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return file
        self.size = status.st_size
        self._head = file.read(HEAD)
        file.close()
        return None

    def _open(self) -> BinaryIO:
        try:
            file = Path(self.name).open("rb", buffering=0)  # noqa: SIM115 - closed by who reads it
        except OSError as error:
            raise ScrubberError(f"{self.name}: cannot be opened ({error.strerror})") from None
        file.seek(len(self._head)) if self._head else None
        return file

    def _sniff(self) -> str:
        if self._file is not None:
            while len(self._head) < HEAD and (block := self._file.read(HEAD - len(self._head))):
                self._head += block
        compression = unpack(Raw(io.BytesIO(), self._head), self._head)[0]
        return f"JSON lines, {compression}" if compression else "JSON lines"
