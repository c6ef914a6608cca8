"""The tables of the report for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

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

# Colours that both a light and a dark terminal show legibly; yellow, green, cyan and blue fail on one of them.
FATE_STYLES = {Fate.REMOVED: "red", Fate.UNKNOWN: "magenta", Fate.REDACTED: "bold", Fate.PASSES: ""}
VERDICT_STYLES = {Verdict.PASS: "", Verdict.REDACT: "bold", Verdict.DROP: "red"}

NAME = 36
"""Columns that a name keeps on a narrow terminal before it is folded."""

Part = Table | Text
_Cells = list[str | Text]
_Row = TypeVar("_Row")


def sections(report: Report, width: int) -> Iterator[tuple[str, list[Part]]]:
    """Heading and content of each section that has something to say."""
    if report.baseline:
        yield "Leaves and is not in the baseline", _cut(report.baseline, _breaches)
    if report.leaks:
        yield "Content in what was sent", _cut(outcome.leaks_in_order(report.leaks), _leaks)
    if report.properties:
        ordered = outcome.by_what_matters(report)
        yield "Properties", [*_cut(ordered, lambda rows: _properties(rows, width)), *_legend(ordered, width)]
    if report.refusals:
        yield "Argument refusals", _cut(report.refusals, _refusals)
    if report.events:
        yield "Events", _cut(outcome.events_in_order(report.events), lambda rows: _events(rows, width))
    if report.rules:
        yield "Rules that acted", [_rules(report)]
    if report.files:
        yield "Files", _cut(report.files, _files)
    if report.unreadable:
        yield "Could not be read", _unreadable(report.unreadable, report.unreadable_count)


def _cut(rows: Sequence[_Row], table: Callable[[Sequence[_Row]], Table]) -> list[Part]:
    """The table of the first rows, and a line that says how many more there are."""
    return [table(rows[:MOST]), *_more(len(rows) - MOST)]


def _more(left: int) -> list[Part]:
    return [Text(f"and {counted(left, 'more row')}: --format html|json shows all", style="dim")] if left > 0 else []


def _table(columns: Sequence[str], rows: Iterable[_Cells]) -> Table:
    """A table without a frame. A column whose title starts with `>` holds numbers, at the right; the one that starts
    with `=` holds names and keeps its width, up to `NAME`, where others wrap."""
    rows = list(rows)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim", show_edge=False)
    for at, column in enumerate(columns):
        right, name = column.startswith(">"), column.startswith("=")
        longest = max((cell_len(str(cells[at])) for cells in rows), default=0) if name else 0
        table.add_column(
            column.lstrip(">="),
            justify="right" if right else "left",
            no_wrap=right,
            overflow="fold",
            min_width=min(NAME, longest) or None,
        )
    for cells in rows:
        table.add_row(*cells)
    return table


def _breaches(rows: Iterable[Breach]) -> Table:
    return _table(
        ["New", "=Name", "On event", "Kinds", ">Count"],
        (
            [Text(one.what, "red"), named(one.name), named(one.event), listing(one.kinds, 6) or "-", number(one.count)]
            for one in rows
        ),
    )


def _leaks(rows: Iterable[Leak]) -> Table:
    columns = ["", "Content", "=Where", ">Count", "Masked example"]
    return _table(
        columns, ([_mark(one), one.kind.value, place(one.path), number(one.count), _example(one)] for one in rows)
    )


def _mark(leak: Leak) -> Text:
    return Text("finding", "red") if leak.kind.is_finding else Text("notice", "magenta")


def _example(leak: Leak) -> Text:
    example = Text(printable(leak.example))
    if leak.revealed is not None:
        example.append("\nrevealed: ", "bold red").append(printable(leak.revealed))
    return example


def _properties(rows: Iterable[PropertyUse], width: int) -> Table:
    columns = ["=Property", "What happens", ">Seen", "Kinds", ">Bytes"]
    columns += [">Largest", "On events"] if width >= WIDE else []
    columns += ["Why"] if width >= WIDEST else []
    return _table(columns, (_property(one, width) for one in rows))


def _property(one: PropertyUse, width: int) -> _Cells:
    fates = _fates(one, ", " if width >= WIDE else ",\n")
    cells: _Cells = [named(one.name), fates, number(one.count), _most(one.kinds, 6), size(one.bytes)]
    if width >= WIDE:
        cells += [size(one.largest), _most(one.events, 1 if width < WIDEST else 2)]
    if width >= WIDEST:
        cells.append(_most(one.reasons, 2))
    return cells


def _most(counts: dict[str, int], most: int) -> str:
    return listing((name for name, _ in outcome.most_first(counts)), most)


def _fates(use: PropertyUse, between: str) -> Text:
    """`removed`, or each fate with its count where there are several."""
    met = [fate for fate in FATES if use.fates.get(fate)]
    parts = (
        Text(f"{fate} {number(use.fates[fate])}" if len(met) > 1 else fate.value, FATE_STYLES[fate]) for fate in met
    )
    return Text(between).join(parts)


def _legend(rows: Iterable[PropertyUse], width: int) -> list[Part]:
    met = {fate for one in rows for fate, count in one.fates.items() if count}
    said: list[Part] = [
        Text.assemble((fate.value, FATE_STYLES[fate]), (f": {FATES[fate]}", "dim")) for fate in FATES if fate in met
    ]
    if width < WIDEST:
        events = f"At {WIDE} columns the events are shown, at {WIDEST}" if width < WIDE else f"At {WIDEST} columns"
        said.append(Text(f"{events} also why.", style="dim"))
    return said


def _refusals(rows: Iterable[RefusalCount]) -> Table:
    columns = ["=Tool", "Field", "Code", ">Count"]
    return _table(
        columns,
        ([named(one.tool), printable(one.field) or "-", printable(one.code) or "-", number(one.count)] for one in rows),
    )


def _events(rows: Iterable[EventUse], width: int) -> Table:
    seen = [">Seen"] if width >= WIDE else []
    columns = ["=Event", *seen, *_titles(Verdict), ">Came", ">Leaves", ">Saved"]
    return _table(
        columns,
        (
            [
                named(one.name),
                *([number(one.count)] if seen else []),
                *_verdicts(one.verdicts, Verdict),
                size(one.bytes_in),
                size(one.bytes_out),
                outcome.saving(one.bytes_in, one.bytes_out),
            ]
            for one in rows
        ),
    )


def _rules(report: Report) -> Table:
    met = outcome.verdicts_met(report)
    rows = ([named(name), *_verdicts(counts, met)] for name, counts in outcome.rules_in_order(report))
    return _table(["=Rule", *_titles(met)], rows)


def _titles(verdicts: Iterable[Verdict]) -> list[str]:
    return [f">{verdict.value.title()}" for verdict in verdicts]


def _verdicts(counts: dict[Verdict, int], order: Iterable[Verdict]) -> _Cells:
    return [_count(counts.get(verdict, 0), VERDICT_STYLES[verdict]) for verdict in order]


def _count(count: int, style: str) -> Text:
    return Text(number(count), style) if count else Text("-", "dim")


def _files(rows: Iterable[FileRead]) -> Table:
    return _table(
        ["=File", "Format", ">Events", ">Unreadable", "Ended"],
        (
            [
                named(one.name),
                named(one.format),
                number(one.rows),
                _count(one.unreadable, "red"),
                Text(printable(one.broken), "red") if one.broken else Text("whole", "dim"),
            ]
            for one in rows
        ),
    )


def _unreadable(rows: Sequence[Unreadable], total: int) -> list[Part]:
    table = _table(
        ["=Where", "Reason"], ([f"{named(one.file)}:{one.line}", printable(one.reason)] for one in rows[:MOST])
    )
    left = max(total, len(rows)) - min(len(rows), MOST)
    if left <= 0:
        return [table]
    shown_elsewhere = f"; --format html|json shows the first {len(rows):,}" if len(rows) > MOST else ""
    return [table, Text(f"and {counted(left, 'more record')}{shown_elsewhere}", style="dim")]
