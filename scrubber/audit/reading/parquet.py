"""Batches of a Parquet file, by row batches."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from scrubber.audit.reading.batch import LEAD, Batch
from scrubber.audit.reading.events import row_of
from scrubber.audit.reading.headings import Heading
from scrubber.audit.reading.json_text import dumps
from scrubber.audit.records import Row, Unreadable
from scrubber.words.errors import ScrubberError

ROWS = 256
"""Rows in one batch: with events of the size that PostHog takes at most, still within what memory allows."""
_BUFFER = 1 << 16
MISSING = "Parquet needs pyarrow: pip install 'posthog-scrubber[parquet]'"
BROKEN = "the Parquet file is damaged"


def arrow() -> Any:
    """`pyarrow.parquet`; raises `ScrubberError` where it is not installed."""
    first = "pyarrow" not in sys.modules
    try:
        import pyarrow  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: PLC0415 - an extra
        import pyarrow.parquet as module  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: PLC0415
    except ImportError:
        raise ScrubberError(MISSING) from None
    if first:
        # Arrow's own pool keeps what it freed, much of what may be used here; who loaded Arrow before us has chosen.
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    return module


@dataclass(slots=True)
class ParquetBatch(Batch):
    """Rows of a Parquet file. table: a `pyarrow.RecordBatch`. compression: by column, for who writes the file again.
    before: the rows that lead up to it, or None."""

    first: int
    table: Any
    compression: dict[str, str]
    before: Any = None

    def records(self) -> Iterator[tuple[Any, Row | Unreadable]]:
        """See `Batch`. What stands in the file is a list of cells."""
        return _records(self.table, self.file, self.first)

    def lead(self) -> Iterator[Row]:
        """See `Batch`."""
        if self.before is None:
            return
        for _, one in _records(self.before, self.file, self.first - self.before.num_rows):
            if type(one) is Row:
                yield one


def _records(table: Any, file: str, first: int) -> Iterator[tuple[Any, Row | Unreadable]]:
    heading = Heading(table.schema.names)
    for line, cells in enumerate(zip(*(column.to_pylist() for column in table.columns), strict=True), first):
        record = heading.record_of([plain(cell) for cell in cells], text=False)
        yield cells, row_of(record, file, line, len(dumps(record)))


def plain(cell: Any) -> Any:
    """A cell as JSON has it: times as ISO 8601 text, bytes as text, an Arrow map as an object."""
    if isinstance(cell, (datetime.datetime, datetime.date)):
        return cell.isoformat()
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    if isinstance(cell, list) and cell and all(isinstance(item, tuple) and len(item) == 2 for item in cell):
        return {str(key): plain(value) for key, value in cell}
    return cell


def parquet_batches(file: BinaryIO, name: str) -> Iterator[ParquetBatch]:
    """The rows of a Parquet file in batches, at least one, which may be empty. Raises `OSError` or `ValueError`
    (pyarrow's) where it is damaged."""
    # A buffer makes Arrow read pages as they are needed, and not a whole row group.
    opened = arrow().ParquetFile(file, memory_map=False, pre_buffer=False, buffer_size=_BUFFER)
    compression = _compression(opened.metadata)
    first, before = 1, None
    for table in opened.iter_batches(batch_size=ROWS, use_threads=False):
        yield ParquetBatch(name, file.tell(), first, table, compression, before)
        first += table.num_rows
        before = table.slice(max(0, table.num_rows - LEAD))
    if first == 1:
        yield ParquetBatch(name, file.tell(), first, _no_rows(opened.schema_arrow), compression)


def _no_rows(schema: Any) -> Any:
    import pyarrow  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: PLC0415 - an extra

    return pyarrow.RecordBatch.from_pylist([], schema=schema)


def _compression(metadata: Any) -> dict[str, str]:
    """The codec of each column, as the first row group has it."""
    if not metadata.num_row_groups:
        return {}
    group = metadata.row_group(0)
    columns = [group.column(at) for at in range(group.num_columns)]
    return {
        one.path_in_schema: "NONE" if one.compression == "UNCOMPRESSED" else one.compression.lower() for one in columns
    }
