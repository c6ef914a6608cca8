"""Whatever bytes a file holds, reading gives rows or reasons, in bounded memory, and never a raise or a value."""

from __future__ import annotations

import functools
import io
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrubber.audit.reading import Source, only_input
from scrubber.audit.records import Row, Unreadable

from ..support import ROOT
from . import files

EVENTS = files.events(40)
REASONS = {
    "not valid JSON",
    "not valid UTF-8",
    "nested too deeply",
    "longer than 16 MiB",
    "no JSON object",
    "no event: it has no event name",
    "no event: its properties are no JSON object",
    "a capture body or page in a file of single events; read it as a file of its own",
    "the file breaks off here",
    "a row with more or fewer cells than there are columns",
    "not valid CSV, or longer than 16 MiB",
    "the Parquet file is damaged",
    "no format that is known: JSON, CSV or Parquet with events",
}
PACKED = sorted(set(files.COMPRESSIONS) - {""})


@functools.cache
def content(format_: str, packed: str) -> bytes:
    """The same bytes each time: some formats have the time of day in them."""
    return files.COMPRESSIONS[packed](files.FORMATS[format_](EVENTS[:4]))


def read(data: bytes) -> tuple[Source, list[Row | Unreadable]]:
    source = only_input("-", io.BytesIO(data))
    rows = []
    for batch in source.batches():
        rows += list(batch.rows())
        list(batch.lead())
    return source, rows


def check(data: bytes) -> None:
    _, rows = read(data)
    for row in rows:
        if isinstance(row, Row):
            assert type(row.event["event"]) is str
            assert type(row.event["properties"]) is dict
            assert row.size > 0
        else:
            assert row.reason in REASONS


pieces = st.sampled_from(
    [
        b'{"event":"x","properties":{}}',
        b'{"event":"x","properties":{"a":[1,{"b":"c"}]},"uuid":"1"}',
        b'{"batch":[',
        b'{"results":[',
        b'"columns":["event","properties"]',
        b'["x",{}]',
        b"]}",
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b":",
        b'"',
        b"\\",
        b"\n",
        b"\r\n",
        b"\0",
        b"NaN",
        b"-1e999",
        b"\xff",
        b"\xef\xbb\xbf",
        b"event,properties\n",
        b'x,"{}"\n',
        b'"\\ud800"',
        b"PAR1",
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
        b"\x78\x9c",
        "é".encode(),
    ]
)


@given(st.binary(max_size=300) | st.lists(pieces | st.binary(max_size=3), max_size=14).map(b"".join))
@example(b"")
@example(b'{"event":"x","properties":{}')
@example(b'{"batch":[{"event":"x","properties":{}}')
@example(b'{"batch":[1}],"a":2}')
@example(b'{"results":[[]],"columns":7}')
@example(b'{"results":[["x"]],"columns":[null]}')
@example(b"event,event\n,")
@example(b"event,a\n\0,1\n")
@settings(max_examples=600, deadline=None)
def test_any_bytes_give_rows_or_reasons(data: bytes) -> None:
    check(data)


@pytest.mark.promise("audit:nothing-skipped")
@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_damaged_file_of_any_format_gives_rows_or_reasons(data: Any) -> None:
    format_ = data.draw(st.sampled_from(sorted(files.FORMATS)))
    if format_ == "parquet":
        pytest.importorskip("pyarrow")
    packed = data.draw(st.sampled_from(sorted(files.COMPRESSIONS)))
    damaged = bytearray(content(format_, packed))
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    check(bytes(damaged[: data.draw(st.integers(0, len(damaged)))]))


@pytest.mark.parametrize("compression", PACKED)
def test_an_archive_that_breaks_off_reports_what_it_read(compression: str) -> None:
    random.seed(7)
    # Names that do not pack well, so that half of the archive is about half of the events.
    many = [{"event": "x", "properties": {"a": f"{random.getrandbits(4096):x}"}} for _ in range(800)]
    whole = files.COMPRESSIONS[compression](files.lines(many))
    source, rows = read(whole[: len(whole) // 2])
    good = [row.event for row in rows if isinstance(row, Row)]
    assert 100 < len(good) < 800
    assert good == many[: len(good)]
    assert source.read.broken == "the archive breaks off"
    assert [row.reason for row in rows if isinstance(row, Unreadable)] in ([], ["the file breaks off here"])


@pytest.mark.parametrize("compression", PACKED)
def test_a_damaged_archive_reports_what_it_read(compression: str) -> None:
    whole = bytearray(files.COMPRESSIONS[compression](files.lines(files.events(370) * 4)))
    middle = len(whole) // 2
    whole[middle : middle + 64] = bytes(64)
    source, rows = read(bytes(whole))
    # zstd and brotli may unpack damage to other bytes; gzip and deflate have a checksum at the end.
    assert source.read.broken or any(isinstance(row, Unreadable) for row in rows)


@pytest.mark.parametrize("format_", sorted(set(files.FORMATS) - {"parquet", "hogql_columns_last"}))
def test_a_text_that_breaks_off_is_told(format_: str) -> None:
    whole = files.FORMATS[format_](EVENTS).rstrip()
    _, rows = read(whole[: -1 if "csv" not in format_ else -5])
    assert isinstance(rows[-1], Unreadable)
    assert sum(isinstance(row, Unreadable) for row in rows) == 1
    assert len([row for row in rows if isinstance(row, Row)]) >= len(EVENTS) - 1


def test_a_parquet_file_that_breaks_off_is_told() -> None:
    pytest.importorskip("pyarrow")
    whole = files.parquet(EVENTS)
    for data in (whole[: len(whole) // 2], whole[:10], whole[:200] + bytes(200) + whole[400:]):
        source, rows = read(data)
        assert source.read.broken == "the Parquet file is damaged"
        assert isinstance(rows[-1], Unreadable)


def test_a_broken_element_costs_itself_alone() -> None:
    good = json.dumps(EVENTS[0])
    broken = ['{"event": "x", "properties": {"a": tru}}', "[1, 2]", "nul", '{"event": 1, }', '"x"', "{'event': 1}"]
    text = "[" + ", ".join(part for one in broken for part in (good, one)) + f", {good}]"
    _, rows = read(text.encode())
    assert [isinstance(row, Row) for row in rows] == [True, False] * len(broken) + [True]


def test_text_that_is_no_utf8_costs_its_record_alone() -> None:
    good = json.dumps(EVENTS[0]).encode()
    bad = b'{"event": "x", "properties": {"a": "\xff\xfe"}}'
    for data in (b"\n".join([good, bad, good]), b"[" + b",".join([good, bad, good]) + b"]"):
        _, rows = read(data)
        assert [isinstance(row, Row) for row in rows] == [True, False, True]
        assert rows[1].reason == "not valid UTF-8"
    _, rows = read(b"event,a\nx,1\nx,\xff\nx,2\n")
    assert [getattr(row, "reason", "") for row in rows] == ["", "not valid UTF-8", ""]


def test_depth_bombs_are_told() -> None:
    good = json.dumps(EVENTS[0])
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        deep = '{"event":"x","properties":{"a":' + opening * 200_000 + "1" + closing * 200_000 + "}}"
        for data in (f"{good}\n{deep}\n{good}", f"[{good},{deep},{good}]"):
            _, rows = read(data.encode())
            assert [isinstance(row, Row) for row in rows] == [True, False, True]
            assert rows[1].reason in ("nested too deeply", "not valid JSON")


def test_a_record_that_is_too_long_is_passed_over() -> None:
    good = json.dumps(EVENTS[0]).encode()
    long = b'{"event":"x","properties":{"a":"' + (b'\\\\\\"' + b"a" * 60) * (18 << 14) + b'"}}'
    for data in (good + b"\n" + long + b"\n" + good, b"[" + good + b"," + long + b"," + good + b"]"):
        _, rows = read(data)
        assert [isinstance(row, Row) for row in rows] == [True, False, True]
        assert rows[1].reason == "longer than 16 MiB"
    _, rows = read(b"event,a\nx,1\nx," + b"a" * (17 << 20) + b"\nx,2\n")
    assert [isinstance(row, Row) for row in rows] == [True, False, True]


MEASURE = """
import sys
from scrubber.audit.reading import only_input
rows = sum(1 for batch in only_input(sys.argv[1]).batches() for _ in batch.rows())
# Not what getrusage says, which a child has from its parent.
print(rows, next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="where memory is read from")
@pytest.mark.parametrize("format_", ["lines", "array", "csv_properties", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, format_: str) -> None:
    if format_ == "parquet":
        pytest.importorskip("pyarrow")
    some = files.events(300)
    many = some * (40_000_000 // len(files.lines(some)))
    # Packed, the same events over and over take no room on the disk, and unpacked all of it.
    path = files.write(tmp_path, many, format_, "" if format_ == "parquet" else "zstd")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    rows, kilobytes = map(int, done.stdout.split())
    assert rows == len(many)
    # pyarrow alone takes half of what it may take.
    assert kilobytes < (200_000 if format_ == "parquet" else 100_000)
