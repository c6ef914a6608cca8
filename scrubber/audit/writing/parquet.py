"""Parquet written again: the columns that hold an event replaced, all others as they came."""

from __future__ import annotations

from typing import Any

from scrubber.audit.reading.headings import WHOLE, Heading
from scrubber.audit.reading.parquet import ParquetBatch, arrow, plain
from scrubber.audit.writing.output import Packer
from scrubber.audit.writing.rebuilding import Rebuilder
from scrubber.audit.writing.writers import Kept
from scrubber.words.errors import ScrubberError

_GROUP = 8 << 20
"""Bytes of rows that are gathered into one row group."""


class ParquetWriter:
    """Writes with the schema of the input; a column that is emptied may be null."""

    def __init__(self, out: Packer, rebuilder: Rebuilder, empty: bool) -> None:
        self._out, self._rebuilder, self._empty = out, rebuilder, empty
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._held = 0

    def write(self, batch: ParquetBatch, kept: Kept) -> None:
        """See `Writer`."""
        import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: PLC0415 - an extra

        heading = Heading(batch.table.schema.names)
        indexes, rows = [], []
        for at, original, event in kept:
            indexes.append(at)
            cells = [plain(cell) for cell in original]
            rows.append(self._rebuilder.cells(heading, cells, event, text=False))
        table = batch.table.take(pa.array(indexes, pa.int64()))
        schema = self._schema(batch.table.schema, heading)
        columns = [
            self._column(table.column(at), [row[at] for row in rows], schema.field(at), heading, at)
            for at in range(table.num_columns)
        ]
        self._add(pa.Table.from_arrays(columns, schema=schema), schema, batch)

    def close(self) -> None:
        """See `Writer`."""
        self._flush()
        if self._writer is not None:
            self._writer.close()

    def _schema(self, schema: Any, heading: Heading) -> Any:
        for at, field in enumerate(schema):
            if not field.nullable and (self._empty or at in heading.properties):
                schema = schema.set(at, field.with_nullable(True))
        return schema

    def _column(self, column: Any, cells: list[Any], field: Any, heading: Heading, at: int) -> Any:
        """One column: made anew where it holds an event's properties, emptied, or as it came."""
        import pyarrow as pa  # noqa: PLC0415 - an extra

        key = heading.record.get(at)
        if at in heading.properties or key in ("properties", WHOLE) or (key or "").startswith("$"):
            try:
                return pa.array(cells, field.type)
            except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
                raise ScrubberError(
                    "a Parquet column does not hold what the policy makes of its properties; export them as JSON text"
                ) from None
        if cells and all(cell is None for cell in cells):
            return pa.nulls(len(cells), field.type)
        return column

    def _add(self, table: Any, schema: Any, batch: ParquetBatch) -> None:
        if self._writer is None:
            self._writer = arrow().ParquetWriter(self._out, schema, compression=batch.compression or "snappy")
        if table.num_rows:
            self._waiting.append(table)
            self._held += table.nbytes
        if self._held >= _GROUP:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa  # noqa: PLC0415 - an extra

        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting))
        self._waiting, self._held = [], 0
