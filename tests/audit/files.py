"""Recorded events written as every kind of file that the audit reads, packed in every way."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..support import RECORDED, recorded

Event = dict[str, Any]
KEY = "phc_project"
BESIDE = {
    "created_at": "2026-11-30T12:00:00Z",
    "person_id": "01a2-person",
    "person_properties": {"email": "somebody@example.com"},
    "elements_chain": "",
    "team_id": 7,
}
"""Columns that an export has beside the event proper."""


def events(most: int | None = None, file: str = "mcp2-2.3.0-posthog-7.91.1.jsonl.gz") -> list[Event]:
    """The events of one recording, in the order of capture."""
    return [one.event for one in recorded(RECORDED) if one.file == file][:most]


def secrets(file: str = "mcp2-2.3.0-posthog-7.91.1.jsonl.gz") -> set[str]:
    """The canaries planted in that recording."""
    return {secret for one in recorded(RECORDED) if one.file == file for secret in one.secrets}


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def lines(found: Sequence[Event]) -> bytes:
    """One event a line."""
    return "".join(_dump(one) + "\n" for one in found).encode()


def wrapped(found: Sequence[Event]) -> bytes:
    """One event a line, inside an object with an id."""
    return "".join(_dump({"id": at, "event": one}) + "\n" for at, one in enumerate(found)).encode()


def export(found: Sequence[Event]) -> bytes:
    """A batch export: columns beside the event."""
    return "".join(_dump({**one, **BESIDE}) + "\n" for one in found).encode()


def export_text(found: Sequence[Event]) -> bytes:
    """A batch export whose properties are a JSON string."""
    return "".join(_dump({**one, "properties": _dump(one["properties"]), **BESIDE}) + "\n" for one in found).encode()


def array(found: Sequence[Event]) -> bytes:
    """A JSON array on one line."""
    return _dump(list(found)).encode()


def pretty_array(found: Sequence[Event]) -> bytes:
    """A JSON array, indented."""
    return json.dumps(list(found), indent=2).encode()


def pretty_events(found: Sequence[Event]) -> bytes:
    """Indented events, one after another."""
    return "\n".join(json.dumps(one, indent=2) for one in found).encode()


def page(found: Sequence[Event]) -> bytes:
    """A page of the events API."""
    rows = [{"id": one["uuid"], **one, "person": None, "elements": []} for one in found]
    return json.dumps({"next": "https://app.example/api/event?after=1", "results": rows}).encode()


def hogql(found: Sequence[Event], columns_last: bool = False) -> bytes:
    """A HogQL response with the properties as a JSON string."""
    names = ["uuid", "event", "properties", "timestamp", "distinct_id", "created_at"]
    rows = [[*(_dump(one[n]) if n == "properties" else one.get(n) for n in names[:-1]), "2026"] for one in found]
    head, tail = ({"hogql": "SELECT 1"}, {"columns": names}) if columns_last else ({"columns": names}, {"types": []})
    return json.dumps({**head, "results": rows, **tail}).encode()


def hogql_columns_last(found: Sequence[Event]) -> bytes:
    """A HogQL response that names its columns after the rows."""
    return hogql(found, columns_last=True)


def hogql_by_property(found: Sequence[Event]) -> bytes:
    """A HogQL response with a column for each property."""
    names = list(dict.fromkeys(name for one in found for name in one["properties"]))
    top = ["uuid", "event", "timestamp", "distinct_id"]
    rows = [[*(one.get(n) for n in top), *(one["properties"].get(n) for n in names)] for one in found]
    return json.dumps({"columns": [*top, *(f"properties.{n}" for n in names)], "results": rows}).encode()


def body(found: Sequence[Event]) -> bytes:
    """One body of `/batch/`."""
    return json.dumps({"api_key": KEY, "batch": list(found), "sent_at": "2026-11-30T12:00:00Z"}).encode()


def pretty_body(found: Sequence[Event]) -> bytes:
    """The same, indented."""
    return json.dumps({"batch": list(found), "api_key": KEY}, indent=4).encode()


def bodies(found: Sequence[Event], each: int = 7) -> bytes:
    """One body a line."""
    return b"".join(body(found[at : at + each]) + b"\n" for at in range(0, len(found), each))


def bodies_v1(found: Sequence[Event]) -> bytes:
    """The same events as `/i/v1/analytics/events` gets them, by the SDK's own code."""
    from posthog.capture_v1 import _build_v1_batch_body, _to_v1_event

    return json.dumps(_build_v1_batch_body([_to_v1_event(one) for one in found])).encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if type(value) is str else _dump(value)


def csv_columns(found: Sequence[Event]) -> bytes:
    """A CSV export with a column for each property."""
    names = list(dict.fromkeys(name for one in found for name in one["properties"]))
    top = ["uuid", "event", "timestamp", "distinct_id"]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([*top, *(f"properties.{name}" for name in names), "created_at"])
    for one in found:
        properties = one["properties"]
        writer.writerow([*(one.get(n) for n in top), *(_cell(properties.get(n)) for n in names), "2026"])
    return out.getvalue().encode()


def csv_properties(found: Sequence[Event]) -> bytes:
    """A CSV export with one column of JSON."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["uuid", "event", "properties", "timestamp", "distinct_id", "team_id"])
    for one in found:
        cells = [one.get("uuid"), one["event"], _dump(one["properties"]), one["timestamp"], one["distinct_id"], 7]
        writer.writerow(cells)
    return out.getvalue().encode()


def parquet(found: Sequence[Event], compression: str = "zstd") -> bytes:
    """A Parquet export in PostHog's schema."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    top = ("uuid", "event", "distinct_id", "timestamp")
    columns: dict[str, Any] = {name: [one.get(name) for one in found] for name in top}
    columns["properties"] = [_dump(one["properties"]) for one in found]
    columns["person_properties"] = ['{"email": "somebody@example.com"}' for _ in found]
    columns["created_at"] = pa.array([0 for _ in found], pa.timestamp("us", tz="UTC"))
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, compression=compression, row_group_size=100)
    return out.getvalue()


FORMATS: dict[str, Callable[[Sequence[Event]], bytes]] = {
    one.__name__: one
    for one in (
        lines,
        wrapped,
        export,
        export_text,
        array,
        pretty_array,
        pretty_events,
        page,
        hogql,
        hogql_columns_last,
        hogql_by_property,
        body,
        pretty_body,
        bodies,
        bodies_v1,
        csv_columns,
        csv_properties,
        parquet,
    )
}
LOSSLESS = frozenset(FORMATS) - {"hogql_by_property", "csv_columns", "bodies_v1"}
"""Formats from which an event comes back exactly: a cell cannot tell null from absent, and v1 drops `$lib`."""


def zstd(data: bytes) -> bytes:
    """Packed by zstd."""
    from scrubber.audit.reading.packers import zstd as codec

    return bytes(codec.compress(data))


def brotli(data: bytes) -> bytes:
    """Packed by brotli."""
    import brotli as codec

    return bytes(codec.compress(data, quality=4))


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstd,
    "brotli": brotli,
}


def write(folder: Path, found: Sequence[Event], format_: str = "lines", compression: str = "", name: str = "") -> Path:
    """The events as a file of that format and compression, under a name that tells nothing."""
    path = folder / (name or "input")
    path.write_bytes(COMPRESSIONS[compression](FORMATS[format_](found)))
    return path
