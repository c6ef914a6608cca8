"""A recording through the policy: read, judged by the hook's engine, written as it came."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from scrubber.audit.judging import Judge
from scrubber.audit.reading.batch import Batch, LostBatch
from scrubber.audit.reading.sniffing import Kind
from scrubber.audit.reading.source import NO_FORMAT, Source
from scrubber.audit.records import Row, Unreadable
from scrubber.audit.writing.output import Packer, output
from scrubber.audit.writing.parquet import ParquetWriter
from scrubber.audit.writing.rebuilding import Rebuilder
from scrubber.audit.writing.writers import DocumentWriter, LineWriter, TableWriter, Writer
from scrubber.pipeline import RuleError
from scrubber.settings import Settings
from scrubber.words.errors import ScrubberError
from scrubber.words.verdict import Event, Verdict

_FIRST = 20


@dataclass(slots=True)
class Applied:
    """What became of a recording. Counts of events; `failed` are the dropped ones that a rule failed on.

    unreadable: the first of the records that could not be read and were left out; `left_out` counts all. broken: why
    reading ended early, or empty. beside, lost: see `Rebuilder`.
    """

    read: int = 0
    written: int = 0
    redacted: int = 0
    dropped: int = 0
    failed: int = 0
    left_out: int = 0
    broken: str = ""
    unreadable: list[Unreadable] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def apply(
    source: Source,
    out: str,
    settings: Settings,
    *,
    force: bool = False,
    seen: Callable[[int], None] = lambda consumed: None,
) -> Applied:
    """Write to `out` what the policy lets leave of `source`; `-` is standard output.

    force: whether `out` may exist. seen: called after each batch with the bytes of the input read so far. Raises
    `ScrubberError` where nothing could be written; then nothing was.
    """
    if source.kind is Kind.UNKNOWN:
        raise ScrubberError(f"{source.name}: {NO_FORMAT}")
    done = Applied()
    empty = settings.profile == "strict"
    rebuilder = Rebuilder(empty)
    judge = Judge(settings)
    with output(out, force) as file:
        packer = Packer(file, source.packed)
        writer = _writer(source, packer, rebuilder, empty)
        for batch in source.batches():
            kept = _kept(batch, judge, done)
            if isinstance(batch, LostBatch):
                list(kept)
            else:
                writer.write(batch, kept)
            seen(batch.consumed)
        if source.kind is Kind.PARQUET and source.read.broken and not done.read:
            raise ScrubberError(f"{source.name}: {source.read.broken}; nothing in it can be read")
        writer.close()
        packer.finish()
    done.broken = source.read.broken
    done.beside, done.lost = sorted(rebuilder.beside), sorted(rebuilder.lost)
    return done


def _writer(source: Source, out: Packer, rebuilder: Rebuilder, empty: bool) -> Writer:
    """The writer for the kind of the input."""
    if source.kind is Kind.CSV:
        return TableWriter(out, rebuilder, source.head)
    if source.kind is Kind.PARQUET:
        return ParquetWriter(out, rebuilder, empty)
    if source.kind in (Kind.LINES, Kind.EMPTY):
        return LineWriter(out, rebuilder)
    return DocumentWriter(out, rebuilder, pretty=source.kind is Kind.EVENTS)


def _kept(batch: Batch, judge: Judge, done: Applied) -> Iterator[tuple[int, Any, Event]]:
    """The records of a batch that leave, each judged and counted."""
    for at, (original, row) in enumerate(batch.records()):
        if type(row) is not Row:
            done.left_out += 1
            if len(done.unreadable) < _FIRST and isinstance(row, Unreadable):
                done.unreadable.append(row)
            continue
        done.read += 1
        try:
            verdict, event, _ = judge.decide(row.event, judge.called(row))
        except RuleError:
            done.failed += 1
            verdict, event = Verdict.DROP, None
        if event is None:
            done.dropped += 1
            continue
        done.written += 1
        done.redacted += verdict is Verdict.REDACT
        yield at, original, event
