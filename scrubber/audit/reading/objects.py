"""Batches of a JSON document: arrays, pages, HogQL responses, capture bodies, pretty-printed events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from scrubber.audit.reading.batch import LEAD, Batch, decoded
from scrubber.audit.reading.documents import Token, parsed_columns, tokens
from scrubber.audit.reading.events import row_of
from scrubber.audit.reading.headings import Heading
from scrubber.audit.reading.json_text import dumps
from scrubber.audit.reading.lines import SIZE
from scrubber.audit.reading.streams import Text
from scrubber.audit.records import Row, Unreadable

Columns = list[str] | None
ROW_LENGTH = "a row with more or fewer cells than there are columns"


@dataclass(slots=True)
class ObjectBatch(Batch):
    """Records of a document as their texts.

    first: the number of the first record, which stands for its line: a document may be a single line. bad: reasons by
    index, for records that have no text. joints: the structure in front of a record by its index (behind the last
    one: its number), for who writes the document again. columns: of the rows of a HogQL response. wire: whether the
    events stand in a capture body. before: the records that lead up to it.
    """

    first: int
    columns: Columns = None
    wire: bool = False
    texts: list[bytes] = field(default_factory=list)
    bad: dict[int, str] = field(default_factory=dict)
    joints: dict[int, list[Token]] = field(default_factory=dict)
    before: list[bytes] = field(default_factory=list)

    def records(self) -> Iterator[tuple[Any, Row | Unreadable]]:
        """See `Batch`. What stands in a HogQL response is a list of cells."""
        heading = Heading(self.columns) if self.columns is not None else None
        for at, text in enumerate(self.texts):
            line = self.first + at
            if at in self.bad:
                yield None, Unreadable(self.file, line, self.bad[at])
            else:
                yield self._one(text, line, heading)

    def lead(self) -> Iterator[Row]:
        """See `Batch`."""
        heading = Heading(self.columns) if self.columns is not None else None
        for line, text in enumerate(self.before, self.first - len(self.before)):
            one = self._one(text, line, heading)[1]
            if type(one) is Row:
                yield one

    def _one(self, text: bytes, line: int, heading: Heading | None) -> tuple[Any, Row | Unreadable]:
        found = decoded(text, self.file, line, self.wire)
        if found is None:
            return None, Unreadable(self.file, line, ROW_LENGTH)
        cells = found[0]
        if heading is None or type(cells) is not list:
            return found
        if len(cells) != len(heading.names):
            return cells, Unreadable(self.file, line, ROW_LENGTH)
        record = heading.record_of(cells, text=False)
        return cells, row_of(record, self.file, line, len(dumps(record)))


def object_batches(text: Text, file: str, columns: list[Columns]) -> Iterator[ObjectBatch]:
    """The records of a document in batches.

    columns: of the HogQL responses in it, in order, where they stand behind the rows; else they are found in front.
    """
    batch = ObjectBatch(file, 0, 1)
    held, later = 0, iter(columns)
    for token in tokens(text):
        if token.kind in ("record", "bad"):
            if held >= SIZE:
                batch.consumed = text.consumed
                yield batch
                batch, held = _following(batch), 0
            at = len(batch.texts)
            if token.kind == "bad":
                batch.bad[at] = token.text
                batch.texts.append(b"")
            else:
                batch.texts.append(token.text.encode("utf-8", "surrogateescape"))
                held += len(token.text)
            continue
        changes = _changes(batch, token, later)
        if changes and batch.texts:
            batch.consumed = text.consumed
            yield batch
            batch, held = _following(batch), 0
        for name, value in changes.items():
            setattr(batch, name, value)
        batch.joints.setdefault(len(batch.texts), []).append(token)
    batch.consumed = text.consumed
    yield batch


def _changes(batch: ObjectBatch, token: Token, later: Iterator[Columns]) -> dict[str, Any]:
    """What a piece of structure says of the records after it, where that differs from those before it."""
    said: dict[str, Any] = {}
    if token.kind == "{":
        said["columns"] = next(later, None)
    elif token.kind == "key" and token.key == "columns":
        said["columns"] = parsed_columns(token.text)
    elif token.kind == "key" and not token.text:
        said["wire"] = token.key == "batch"
    return {name: value for name, value in said.items() if getattr(batch, name) != value}


def _following(batch: ObjectBatch) -> ObjectBatch:
    """An empty batch behind a full one."""
    before = [text for text in [*batch.before, *batch.texts] if text][-LEAD:]
    first = batch.first + len(batch.texts)
    return ObjectBatch(batch.file, batch.consumed, first, batch.columns, batch.wire, before=before)
