"""One writer for each kind of file: the records of a batch in, their bytes out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any, Protocol

import orjson

from scrubber.audit.reading.batch import Batch
from scrubber.audit.reading.documents import ROWS, Token
from scrubber.audit.reading.headings import Heading
from scrubber.audit.reading.json_text import ParseError, dumps, loads
from scrubber.audit.reading.objects import ObjectBatch
from scrubber.audit.reading.tables import TableBatch
from scrubber.audit.writing.output import Packer
from scrubber.audit.writing.rebuilding import Rebuilder
from scrubber.words.verdict import Event

Kept = Iterable[tuple[int, Any, Event]]
"""The records of a batch that leave: the number of each in it, what stood in the file, and the event as it leaves."""

ENVELOPE = frozenset("api_key token historical_migration sent_at created_at columns types".split())
"""What an envelope needs to be one; anything else beside the events is emptied where columns are."""


class Writer(Protocol):
    """Writes the batches of one input, in order."""

    def write(self, batch: Any, kept: Kept) -> None:
        """Write one batch; `kept` is consumed to its end."""

    def close(self) -> None:
        """Write what stands behind the last record."""


class LineWriter:
    """JSON lines."""

    def __init__(self, out: Packer, rebuilder: Rebuilder) -> None:
        self._out, self._rebuilder = out, rebuilder

    def write(self, batch: Batch, kept: Kept) -> None:
        """See `Writer`."""
        lines = [dumps(self._rebuilder.record(original, event)) for _, original, event in kept]
        if lines:
            self._out.write(b"\n".join(lines) + b"\n")

    def close(self) -> None:
        """See `Writer`."""


class DocumentWriter:
    """Arrays, pages, HogQL responses, capture bodies and pretty-printed events."""

    def __init__(self, out: Packer, rebuilder: Rebuilder, pretty: bool) -> None:
        self._out, self._rebuilder, self._pretty = out, rebuilder, pretty
        self._open: list[str] = []
        self._begun = False
        """Whether something stands before, at this level."""
        self._valued = False
        """Whether the key of what comes next was just written."""

    def write(self, batch: ObjectBatch, kept: Kept) -> None:
        """See `Writer`."""
        heading = Heading(batch.columns) if batch.columns is not None else None
        at = 0
        for number, original, event in kept:
            for one in range(at, number + 1):
                self._structure(batch.joints.get(one, ()))
            at = number + 1
            if type(original) is list and heading is not None:
                value: Any = self._rebuilder.cells(heading, original, event, text=False)
            else:
                value = self._rebuilder.record(original, event, batch.wire)
            self._put(self._text(value))
        for one in range(at, len(batch.texts) + 1):
            self._structure(batch.joints.get(one, ()))

    def close(self) -> None:
        """See `Writer`; what a broken file left open is closed."""
        while self._open:
            self._close("]" if self._open[-1] == "[" else "}")
        if self._begun:
            self._out.write(b"\n")

    def _text(self, value: Any) -> bytes:
        if not self._pretty:
            return dumps(value)
        try:
            return orjson.dumps(value, option=orjson.OPT_INDENT_2)
        except TypeError:
            return dumps(value)

    def _structure(self, tokens: Iterable[Token]) -> None:
        for token in tokens:
            if token.kind in ("[", "{"):
                self._put(token.kind.encode("ascii"))
                self._open.append(token.kind)
                self._begun = False
            elif token.kind in ("]", "}"):
                self._close(token.kind)
            else:
                self._key(token)

    def _key(self, token: Token) -> None:
        rows = not token.text and token.key in ROWS
        self._put(dumps(token.key) + b":" + (b"" if rows else self._value(token)))
        self._valued = rows

    def _value(self, token: Token) -> bytes:
        """What stands beside the events."""
        try:
            value = loads(token.text)
        except ParseError:
            value = None
        return dumps(value if token.key in ENVELOPE else self._rebuilder.column(token.key, value))

    def _put(self, text: bytes) -> None:
        """Write one item, with what separates it from the one before."""
        if self._valued:
            self._valued = False
        elif self._begun:
            self._out.write(b",\n" if self._open and self._open[-1] == "[" else b"," if self._open else b"\n")
        elif self._open and self._open[-1] == "[":
            self._out.write(b"\n")
        self._out.write(text)
        self._begun = True

    def _close(self, sign: str) -> None:
        if not self._open:
            return
        if self._open.pop() == "[" and self._begun:
            self._out.write(b"\n")
        self._out.write(sign.encode("ascii"))
        self._begun = True


class TableWriter:
    """CSV."""

    def __init__(self, out: Packer, rebuilder: Rebuilder, head: bytes) -> None:
        self._out, self._rebuilder = out, rebuilder
        first = head.find(b"\n")
        self._end = "\r\n" if head[:first].endswith(b"\r") else "\n"
        self._begun = False

    def write(self, batch: TableBatch, kept: Kept) -> None:
        """See `Writer`."""
        heading = Heading(batch.names)
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=batch.delimiter, lineterminator=self._end)
        if not self._begun:
            writer.writerow(batch.names)
            self._begun = True
        for _, original, event in kept:
            writer.writerow(self._rebuilder.cells(heading, original, event, text=True))
        self._out.write(text.getvalue().encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """See `Writer`."""
