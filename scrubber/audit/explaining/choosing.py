"""Choosing the one event of a file that is to be explained, and what stands above it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from scrubber.audit.judging import NEAR
from scrubber.audit.reading import Source
from scrubber.audit.records import Row, Unreadable
from scrubber.words.errors import ScrubberError


def choose(source: Source, line: int | None = None, uuid: str | None = None) -> tuple[Row, list[Row]]:
    """The event at a line, or with a uuid, else the only one; with the `NEAR` rows above it in its file.

    Reads no further than it must. Raises `ScrubberError` where there is no such event, or more than one.
    """
    above: deque[Row] = deque(maxlen=NEAR)
    found: tuple[Row, list[Row]] | None = None
    for row in _rows(source):
        if line is not None and row.line > line and uuid is None:
            break
        if isinstance(row, Unreadable):
            if line == row.line and uuid is None:
                raise ScrubberError(f"{row.file}, line {row.line}: is no event ({row.reason})")
            continue
        chosen = (line is None or row.line == line) and (uuid is None or str(row.event.get("uuid")) == uuid)
        if chosen and found is not None:
            raise ScrubberError(_several(source.name, line, uuid))
        if chosen:
            found = row, list(above)
        above.append(row)
    if found is None:
        raise ScrubberError(_none(source, line, uuid))
    return found


def all_rows(source: Source) -> list[Row]:
    """The last `NEAR` events of a file: those that an `$exception` behind them may belong to."""
    kept: deque[Row] = deque(maxlen=NEAR)
    kept.extend(row for row in _rows(source) if isinstance(row, Row))
    if not kept:
        raise ScrubberError(f"{source.name}: has no event")
    return list(kept)


def _rows(source: Source) -> Iterator[Row | Unreadable]:
    for batch in source.batches():
        yield from batch.rows()


def _several(name: str, line: int | None, uuid: str | None) -> str:
    if uuid is not None:
        return f"{name}: has more than one event with that uuid; choose one with --line as well"
    if line is not None:
        return f"{name}, line {line}: has more than one event; choose one with --uuid"
    return f"{name}: has more than one event; choose one with --line or --uuid"


def _none(source: Source, line: int | None, uuid: str | None) -> str:
    broken = f"; it breaks off: {source.read.broken}" if source.read.broken else ""
    if uuid is not None:
        return f"{source.name}: has no event with that uuid{f' at line {line}' if line is not None else ''}{broken}"
    if line is not None:
        return f"{source.name}: has no event at line {line}{broken}"
    return f"{source.name}: has no event{broken}"
