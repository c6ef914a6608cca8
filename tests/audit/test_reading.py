"""What comes out of a file is what the hook would have got, whatever kind of file it is and however it is packed."""

from __future__ import annotations

import gzip
import io
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from scrubber.audit.reading import LEAD, Source, only_input
from scrubber.audit.records import Row, Unreadable

from . import files

EVENTS = files.events(150)
DROPPED_BY_V1 = ("$lib", "$lib_version")


def rows_of(source: Source) -> list[Row | Unreadable]:
    return [row for batch in source.batches() for row in batch.rows()]


def events_of(path: Path | str) -> list[Any]:
    return [row.event for row in rows_of(only_input(str(path))) if isinstance(row, Row)]


def expected(format_: str) -> list[Any]:
    if format_ in files.LOSSLESS:
        return EVENTS
    gone = DROPPED_BY_V1 if format_ == "bodies_v1" else ()
    # A cell cannot tell null from nothing at all.
    return [
        {**one, "properties": {k: v for k, v in one["properties"].items() if k not in gone and v is not None}}
        for one in EVENTS
    ]


def ordered(events: list[Any]) -> list[str]:
    return [json.dumps(one, sort_keys=True) for one in events]


@pytest.mark.parametrize("compression", files.COMPRESSIONS)
@pytest.mark.parametrize("format_", files.FORMATS)
def test_every_format_in_every_packing_gives_the_same_events(tmp_path: Path, format_: str, compression: str) -> None:
    if format_ == "parquet":
        pytest.importorskip("pyarrow")
    path = files.write(tmp_path, EVENTS, format_, compression)
    for source in (only_input(str(path)), only_input("-", io.BytesIO(path.read_bytes()))):
        rows = rows_of(source)
        assert [row for row in rows if isinstance(row, Unreadable)] == []
        assert ordered([row.event for row in rows]) == ordered(expected(format_))
        assert not source.read.broken
        assert source.format.endswith(f", {compression}" if compression else "")
        assert source.format == source.read.format


@pytest.mark.parametrize(
    "format_, words",
    [
        ("lines", "JSON lines"),
        ("export", "JSON lines"),
        ("array", "JSON array"),
        ("pretty_events", "JSON"),
        ("page", "events API page"),
        ("hogql_columns_last", "HogQL response"),
        ("bodies", "capture body"),
        ("csv_columns", "CSV"),
    ],
)
def test_the_format_is_said_in_words(tmp_path: Path, format_: str, words: str) -> None:
    assert only_input(str(files.write(tmp_path, EVENTS, format_))).format == words
    assert only_input(str(files.write(tmp_path, EVENTS, format_, "gzip"))).format == f"{words}, gzip"


def test_the_columns_of_an_export_stand_beside_the_event(tmp_path: Path) -> None:
    for row in rows_of(only_input(str(files.write(tmp_path, EVENTS, "export_text")))):
        assert isinstance(row, Row)
        assert row.columns == files.BESIDE
        assert set(row.event) == {"event", "distinct_id", "properties", "timestamp", "uuid"}


def test_the_size_of_a_row_is_that_of_its_event_alone(tmp_path: Path) -> None:
    plain = rows_of(only_input(str(files.write(tmp_path, EVENTS, "lines"))))
    for format_ in ("wrapped", "export", "export_text"):
        for row, bare in zip(rows_of(only_input(str(files.write(tmp_path, EVENTS, format_)))), plain, strict=True):
            assert isinstance(row, Row)
            assert isinstance(bare, Row)
            # White space and the keys of the columns may count; their values do not.
            assert abs(row.size - bare.size) < 260


def test_a_dollar_key_beside_the_properties_stays_in_the_event(tmp_path: Path) -> None:
    event = {**EVENTS[0], "$set": {"a": 1}, "$mcp_new": "x", "team_id": 7}
    (row,) = rows_of(only_input(str(files.write(tmp_path, [event]))))
    assert isinstance(row, Row)
    assert row.event["$mcp_new"] == "x"
    assert row.event["$set"] == {"a": 1}
    assert row.columns == {"team_id": 7}


def test_a_column_of_an_export_that_lacks_another_stays_beside_the_event(tmp_path: Path) -> None:
    event = {"event": "x", "distinct_id": "d", "properties": {}, "timestamp": "t", "person_id": "p"}
    (row,) = rows_of(only_input(str(files.write(tmp_path, [event]))))
    assert isinstance(row, Row)
    assert row.columns == {"person_id": "p"}


def test_in_a_capture_body_nothing_stands_beside_the_event(tmp_path: Path) -> None:
    event = {**EVENTS[0], "library": "x"}
    (row,) = rows_of(only_input(str(files.write(tmp_path, [event], "body"))))
    assert isinstance(row, Row)
    assert row.event["library"] == "x"
    assert row.columns is None


def test_lines_are_counted_with_blank_ones_and_broken_ones_are_told(tmp_path: Path) -> None:
    text = files.lines(EVENTS[:1]).rstrip()
    path = tmp_path / "x"
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join([text, b"", b"   ", b'{"event": ', text, b"[1]", b"7", b""]))
    rows = rows_of(only_input(str(path)))
    assert [row.line for row in rows] == [1, 4, 5, 6, 7]
    assert [type(row) for row in rows] == [Row, Unreadable, Row, Unreadable, Unreadable]
    assert [row.reason for row in rows if isinstance(row, Unreadable)] == [
        "not valid JSON",
        "no JSON object",
        "no JSON object",
    ]


@pytest.mark.parametrize(
    "record, reason",
    [
        ({"properties": {}}, "no event: it has no event name"),
        ({"event": 5, "properties": {}}, "no event: it has no event name"),
        ({"event": {"event": None}}, "no event: it has no event name"),
        ({"event": "x", "properties": [1]}, "no event: its properties are no JSON object"),
        ({"event": "x", "properties": "[1]"}, "no event: its properties are no JSON object"),
        ({"event": "x", "properties": "{broken"}, "no event: its properties are no JSON object"),
        ({"batch": []}, "a capture body or page in a file of single events; read it as a file of its own"),
    ],
)
def test_what_is_no_event_is_told_by_a_constant_reason(tmp_path: Path, record: Any, reason: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(files.lines(EVENTS[:1]) + json.dumps(record).encode())
    last = rows_of(only_input(str(path)))[-1]
    assert last == Unreadable(str(path), 2, reason)


def test_an_event_without_properties_has_none(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('{"event": "a"}\n{"event": "b", "properties": null}\n{"event": "c", "properties": ""}')
    assert [one["properties"] for one in events_of(path)] == [{}, {}, {}]


def test_what_python_writes_beyond_the_standard_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(json.dumps({"event": "a", "properties": {"x": "\ud800", "y": float("inf"), "z": 10**30}}))
    (event,) = events_of(path)
    assert event["properties"]["x"] == "\ud800"
    assert event["properties"]["y"] == float("inf")


def test_batches_travel_between_processes_with_the_records_before_them(tmp_path: Path) -> None:
    many = EVENTS * 8
    for format_ in sorted(set(files.FORMATS) - {"parquet"}):
        source = only_input(str(files.write(tmp_path, many, format_)))
        before: list[Any] = []
        batches = [pickle.loads(pickle.dumps(batch)) for batch in source.batches()]
        for batch in batches:
            lead = [(row.line, row.event["uuid"]) for row in batch.lead()]
            assert lead == before[-LEAD:], format_
            before += [(row.line, row.event["uuid"]) for row in batch.rows()]
        assert len(batches) > 1, format_
        assert [line for line, _ in before] == sorted({line for line, _ in before}), format_


def test_parquet_batches_travel_too(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    batches = list(only_input(str(files.write(tmp_path, EVENTS * 4, "parquet"))).batches())
    seen = [row.event["uuid"] for one in batches for row in pickle.loads(pickle.dumps(one)).rows()]
    assert seen == [one["uuid"] for one in EVENTS * 4]
    assert [row.event["uuid"] for row in batches[1].lead()] == seen[256 - LEAD : 256]


def test_the_bytes_that_were_read_grow_to_the_size_of_the_file(tmp_path: Path) -> None:
    for format_, compression in (("lines", ""), ("lines", "zstd"), ("array", "gzip"), ("csv_columns", "")):
        source = only_input(str(files.write(tmp_path, EVENTS * 8, format_, compression)))
        consumed = [batch.consumed for batch in source.batches()]
        assert consumed == sorted(consumed)
        assert consumed[-1] == source.size


def test_archives_one_after_another_are_one(tmp_path: Path) -> None:
    path = tmp_path / "x"
    halves = files.lines(EVENTS[:70]), files.lines(EVENTS[70:])
    for compression in ("gzip", "zstd", "deflate"):
        path.write_bytes(b"".join(map(files.COMPRESSIONS[compression], halves)))
        assert events_of(path) == EVENTS
    path.write_bytes(gzip.compress(halves[0]) + bytes(512))
    assert events_of(path) == EVENTS[:70]
