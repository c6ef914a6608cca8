"""Reading recorded events: any file, folder, glob or pipe in, rows as the hook would get them out.

The format and the compression are told by content, never by name:

- JSON lines: one event a line, also wrapped as `{"event": {...}}`; batch exports with their columns; `properties` an
  object or a JSON string;
- JSON arrays of events; one event, pretty-printed; several of them one after another;
- pages of the events API `{"results": [...], "next": ...}`; HogQL responses `{"columns": [...], "results": [[...]]}`;
- capture bodies `{"api_key": ..., "batch": [...]}` of `/batch/` and `/i/v0/ai/batch/`, and those of
  `/i/v1/analytics/events`: a body alone, one a line, or pretty-printed;
- CSV: a column a property, or one `properties` column with JSON;
- Parquet, with the extra `parquet`;

each plain, gzip, deflate, zstd or brotli, with or without a byte order mark. Memory does not grow with the file.
"""

from __future__ import annotations

from scrubber.audit.reading.batch import LEAD, Batch
from scrubber.audit.reading.inputs import only_input, open_inputs
from scrubber.audit.reading.json_text import dumps, loads
from scrubber.audit.reading.source import Source

__all__ = ["LEAD", "Batch", "Source", "dumps", "loads", "only_input", "open_inputs"]
