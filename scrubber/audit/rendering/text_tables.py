"""The tables of the report for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from scrubber.audit.records import Breach, EventUse, Fate, FileRead, Leak, PropertyUse, RefusalCount, Report, Unreadable
from scrubber.audit.rendering import outcome
from scrubber.audit.rendering.wording import FATES, counted, listing, named, number, place, printable, size
from scrubber.words.verdict import Verdict

MOST = 30
"""Rows of one table; a terminal is no place to scroll for the next heading."""
WIDE = 120
"""Columns from which on tables show where a property was seen; from `WIDEST` on also why it does not pass."""
WIDEST = 150

# Colours that both a light and a dark terminal show legibly; yellow, cyan and blue fail on one of them.
FATE_STYLES = {Fate.REMOVED: "red", Fate.UNKNOWN: "magenta", Fate.REDACTED: "bold", Fate.PASSES: "green"}
VERDICT_STYLES = {Verdict.PASS: "green", Verdict.REDACT: "bold", Verdict.DROP: "red"}

NAME = 36
"""Columns that a name keeps on a narrow terminal before it is cut into lines."""

Part = Table | Text
_Row = TypeVar("_Row")


def sections(report: Report, width: int) -> Iterator[tuple[str, list[Part]]]:
    """Heading and content of each section that has something to say."""
    if report.baseline:
        yield "Leaves and is not in the baseline", _cut(report.baseline, _breaches)
    if report.leaks:
        yield "Content in what was sent", _cut(outcome.leaks_in_order(report.leaks), _leaks)
    if report.properties:
        ordered = outcome.by_what_matters(report.properties)
        yield "Properties", [*_cut(ordered, lambda rows: _properties(rows, width)), *_legend(ordered, width)]
    if report.refusals:
        yield "Argument refusals", _cut(report.refusals, _refusals)
    if report.events:
        yield "Events", _cut(outcome.events_in_order(report.events), _events)
    if report.rules:
        yield "Rules that acted", [_rules(report)]
    if report.files:
        yield "Files", _cut(report.files, _files)
    if report.unreadable:
        yield "Could not be read", _unreadable(report.unreadable, report.unreadable_count)


def _cut(rows: Sequence[_Row], table: Any) -> list[Part]:
    """The table of the first rows, and a line that says how many more there are."""
    return [table(rows[:MOST]), *_more(len(rows) - MOST)]


def _more(left: int) -> list[Part]:
    return [Text(f"and {counted(left, 'more row')}: --format html|json shows all", style="dim")] if left > 0 else []


def _table(*columns: str, names: Iterable[str] = ()) -> Table:
    """A table without a frame. A column whose name starts with `>` holds numbers, at the right.

    names: what the column whose name starts with `=` holds. It keeps its width, up to `NAME` columns, where others wrap.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim", show_edge=False)
    longest = min(NAME, max(map(cell_len, names), default=0))
    for column in columns:
        right = column.startswith(">")
        table.add_column(
            column.lstrip(">="),
            justify="right" if right else "left",
            no_wrap=right,
            overflow="fold",
            min_width=longest if column.startswith("=") else None,
        )
    return table


def _breaches(rows: Iterable[Breach]) -> Table:
    table = _table("New", "Name", "On event", "Kinds", ">Count")
    for one in rows:
        kinds = listing(one.kinds, 6) if one.kinds else "-"
        table.add_row(Text(one.what, "red"), named(one.name), named(one.event), kinds, number(one.count))
    return table


def _leaks(rows: Iterable[Leak]) -> Table:
    rows = list(rows)
    places = [place(one.path) for one in rows]
    table = _table("", "Content", "=Where", ">Count", "Masked example", names=places)
    for one in rows:
        mark = Text("finding", "red") if one.kind.is_finding else Text("notice", "magenta")
        example = Text(printable(one.example))
        if one.revealed is not None:
            example.append("\nrevealed: ", "bold red").append(printable(one.revealed))
        table.add_row(mark, one.kind.value, place(one.path), number(one.count), example)
    return table


def _properties(rows: Iterable[PropertyUse], width: int) -> Table:
    rows = list(rows)
    names = ["=Property", "What happens", ">Seen", "Kinds", ">Bytes"]
    names += [">Largest", "On events"] if width >= WIDE else []
    names += ["Why"] if width >= WIDEST else []
    table = _table(*names, names=[named(one.name) for one in rows])
    for one in rows:
        kinds = listing((name for name, _ in outcome.most_first(one.kinds)), 6)
        cells: list[Any] = [named(one.name), _fates(one), number(one.count), kinds, size(one.bytes)]
        if width >= WIDE:
            cells += [size(one.largest), listing((name for name, _ in outcome.most_first(one.events)), 2)]
        if width >= WIDEST:
            cells.append(listing((reason for reason, _ in outcome.most_first(one.reasons)), 2))
        table.add_row(*cells)
    return table


def _fates(use: PropertyUse) -> Text:
    """`removed`, or each fate with its count where there are several."""
    met = [fate for fate in FATES if use.fates.get(fate)]
    parts = [
        Text(f"{fate} {number(use.fates[fate])}" if len(met) > 1 else fate.value, FATE_STYLES[fate]) for fate in met
    ]
    return Text(", ").join(parts)


def _legend(rows: Iterable[PropertyUse], width: int) -> list[Part]:
    met = {fate for one in rows for fate in one.fates}
    said = [
        Text.assemble((fate.value, FATE_STYLES[fate]), f": {FATES[fate]}", style="dim") for fate in FATES if fate in met
    ]
    if width < WIDEST:
        said.append(Text(f"At {WIDE} columns the events are shown, at {WIDEST} also why.", style="dim"))
    return [*said]


def _refusals(rows: Iterable[RefusalCount]) -> Table:
    table = _table("Tool", "Field", "Code", ">Count")
    for one in rows:
        table.add_row(named(one.tool), named(one.field), named(one.code), number(one.count))
    return table


def _events(rows: Iterable[EventUse]) -> Table:
    table = _table(
        "Event", ">Seen", *(f">{verdict.value.title()}" for verdict in Verdict), ">Came", ">Leaves", ">Saved"
    )
    for one in rows:
        verdicts = (_verdict(verdict, one.verdicts.get(verdict, 0)) for verdict in Verdict)
        saved = outcome.saving(one.bytes_in, one.bytes_out)
        table.add_row(named(one.name), number(one.count), *verdicts, size(one.bytes_in), size(one.bytes_out), saved)
    return table


def _rules(report: Report) -> Table:
    met = outcome.verdicts_met(report)
    table = _table("Rule", *(f">{verdict.value.title()}" for verdict in met))
    for name, counts in outcome.rules_in_order(report):
        table.add_row(named(name), *(_verdict(verdict, counts.get(verdict, 0)) for verdict in met))
    return table


def _verdict(verdict: Verdict, count: int) -> Text:
    return Text(number(count), VERDICT_STYLES[verdict]) if count else Text("-", "dim")


def _files(rows: Iterable[FileRead]) -> Table:
    rows = list(rows)
    table = _table("=File", "Format", ">Events", ">Unreadable", "Ended", names=[named(one.name) for one in rows])
    for one in rows:
        unread = Text(number(one.unreadable), "red") if one.unreadable else Text("-", "dim")
        ended = Text(printable(one.broken), "red") if one.broken else Text("whole", "dim")
        table.add_row(named(one.name), named(one.format), number(one.rows), unread, ended)
    return table


def _unreadable(rows: Sequence[Unreadable], total: int) -> list[Part]:
    table = _table("Where", "Reason")
    for one in rows[:MOST]:
        table.add_row(f"{named(one.file)}:{one.line}", printable(one.reason))
    left = max(total, len(rows)) - min(len(rows), MOST)
    if left <= 0:
        return [table]
    shown_elsewhere = f"; --format html|json shows the first {len(rows):,}" if len(rows) > MOST else ""
    return [table, Text(f"and {counted(left, 'more record')}{shown_elsewhere}", style="dim")]
