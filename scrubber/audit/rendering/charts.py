"""The bars of the page: how wide each piece is. The page draws them, and writes each number beside its bar."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from scrubber.audit.records import EventUse, Report
from scrubber.audit.rendering.outcome import by_what_matters, events_in_order, findings_in
from scrubber.audit.rendering.wording import FATES, VERDICTS, named

MOST = 12
"""Bars of one chart before the rest is folded away."""
LEAST = 0.8
"""Per cent of the width that the smallest count still has: something that is there must be seen."""


class Piece(NamedTuple):
    """A piece of a bar: what it stands for, and where it begins and how wide it is, in per cent of the chart."""

    of: str
    start: float
    width: float


class Bar(NamedTuple):
    """A row of a chart: its name, its pieces, and the numbers to write beside it."""

    name: str
    pieces: list[Piece]
    numbers: list[int]


def pieces(counts: Iterable[tuple[str, int]], whole: int) -> list[Piece]:
    """A bar of `counts`, where `whole` fills the chart. Nothing for a count of 0; the whole bar never passes 100."""
    present = [(name, count) for name, count in counts if count > 0]
    if not present or whole <= 0:
        return []
    widths = [max(LEAST, 100 * count / whole) for _, count in present]
    squeeze = min(1.0, 100 / sum(widths))
    placed, at = [], 0.0
    for (name, _), width in zip(present, widths, strict=True):
        placed.append(Piece(name, round(at, 2), round(width * squeeze, 2)))
        at += width * squeeze
    return placed


def verdict_bars(events: Iterable[EventUse]) -> list[Bar]:
    """Verdicts by event name; the most frequent event fills the chart."""
    ordered = events_in_order(events)
    whole = max((one.count for one in ordered), default=0)
    return [
        Bar(
            named(one.name),
            pieces([(verdict.value, one.verdicts.get(verdict, 0)) for verdict in VERDICTS], whole),
            [one.verdicts.get(verdict, 0) for verdict in VERDICTS],
        )
        for one in ordered
    ]


def byte_bars(events: Iterable[EventUse]) -> list[Bar]:
    """Bytes that leave and that stay in, by event name; the numbers are bytes that came and that leave."""
    ordered = sorted(events, key=lambda one: (-max(one.bytes_in, one.bytes_out), one.name))
    whole = max((max(one.bytes_in, one.bytes_out) for one in ordered), default=0)
    return [
        Bar(
            named(one.name),
            pieces([("leaves", one.bytes_out), ("saved", one.bytes_in - one.bytes_out)], whole),
            [one.bytes_in, one.bytes_out],
        )
        for one in ordered
    ]


def fate_bars(report: Report) -> list[Bar]:
    """Fates of the properties that did not always pass; the most frequent of them fills the chart."""
    ordered = [one for one in by_what_matters(report) if findings_in(one)]
    whole = max((one.count for one in ordered), default=0)
    return [
        Bar(
            named(one.name),
            pieces([(fate.value, one.fates.get(fate, 0)) for fate in FATES], whole),
            [one.fates.get(fate, 0) for fate in FATES],
        )
        for one in ordered
    ]
