"""The doctor's report for people: a table in a terminal, aligned plain text elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scrubber.cli.drawing import draw
from scrubber.doctor.provocations import ALL
from scrubber.doctor.records import Check, Level, Presence, Remark, Report, Result

_NONE = "none"


def render(report: Report, console: Console | None = None) -> None:
    """Print the report. Without a terminal: no colour, no boxes, no padding, and lines that do not wrap at 80."""
    draw(console or Console(highlight=False), lambda to: _print(report, to))


def _print(report: Report, out: Console) -> None:
    out.print(Text("Installed", style="bold"))
    for one in report.installed:
        out.print(_installed(one))
    if report.checks:
        out.print()
        out.print(Text("What became of each $exception event", style="bold"))
        out.print(_table(report.checks, out.is_terminal))
        _explain(out, report)
    if report.remarks:
        out.print()
        out.print(Text("Remarks", style="bold"))
        out.print(_remarks(report.remarks))
    out.print()
    out.print(_verdict(report))


def _installed(one: Presence) -> Text:
    if one.version is None:
        return Text(f"  {one.name:<28} absent", style="dim")
    line = Text(f"  {one.name:<28} {one.version}")
    return line.append(f"  {one.problem}", style="red") if one.problem else line


def _table(checks: Sequence[Check], boxed: bool) -> Table:
    """A row for each kind, a column for each server."""
    columns = list(dict.fromkeys((one.family, one.version, one.watcher) for one in checks))
    watchers = {watcher for _, _, watcher in columns}
    by_place = {(one.kind, (one.family, one.version, one.watcher)): one for one in checks}
    table = Table(box=box.SIMPLE_HEAD if boxed else None, pad_edge=False, padding=(0, 1 if boxed else 2, 0, 0))
    table.add_column("What was provoked", no_wrap=True)
    table.add_column("should be", no_wrap=True)
    for family, version, watcher in columns:
        name = f"{family.split()[0]} {version}"
        table.add_column(f"{name}\n{watcher}" if len(watchers) > 1 else name)
    order = {one.kind: at for at, one in enumerate(ALL)}
    for kind in sorted({one.kind for one in checks}, key=lambda kind: order.get(kind, -1)):
        row = [by_place.get((kind, column)) for column in columns]
        table.add_row(kind, _should(row), *(_cell(one) for one in row))
    return table


def _should(row: Sequence[Check | None]) -> str:
    """The last of the events is the call's own; where there are more, the first is an inner call's."""
    words = {one.expected[-1] if one.expected else _NONE for one in row if one is not None}
    return " or ".join(sorted(words))


def _cell(one: Check | None) -> Text:
    if one is None:
        return Text("-", style="dim")
    if one.result is Result.FAILED:
        return Text("NOT TRIED", style="bold red")
    word = _NONE if not one.got else one.got[-1] if one.result is not Result.WRONG else " then ".join(one.got)
    if one.result is Result.WRONG:
        cell = Text(f"{word.upper()}!", style="bold red")
    else:
        cell = Text(word, style="dim" if word == _NONE else "green")
    if one.result is Result.BLIND:
        cell = Text(f"{word}, blind", style="yellow")
    if one.leaks:
        cell.append(" LEAK", style="bold red")
    elif one.as_set:
        cell.append("*", style="yellow")
    return cell


def _explain(out: Console, report: Report) -> None:
    """Under the table: what its marks mean, and each finding in words."""
    leaking = [one for one in report.checks if one.leaks]
    as_set = sorted({place for one in report.checks for place in one.as_set})
    if not leaking:
        end = " but where marked." if as_set else "."
        out.print(f"Canaries planted in arguments, rows, results and intents: none left{end}")
    if as_set:
        places = ", ".join(place.removeprefix("properties.") for place in as_set)
        out.print(f"* One left in {places}, which the settings keep.")
    if any(one.result is Result.BLIND for one in report.checks):
        out.print("blind: the $exception came without a traceback. Nothing tells its origin, so it is kept, redacted.")
    for one in report.checks:
        if not one.is_finding:
            continue
        out.print(Text(f"{one.family.split()[0]} {one.version}, {one.kind}: {_what(one)}", style="red"))
    if any(one.result is Result.WRONG for one in report.checks):
        out.print(
            "A kept refusal is redacted: no content leaves, but it fills your error tracking. A dropped fault is lost."
        )
        out.print(
            "Either may mean that this release of the SDK validates elsewhere: please report it with this output."
        )


def _what(one: Check) -> str:
    said = []
    if one.result is Result.FAILED:
        said.append(f"not tried, {one.note}")
    if one.result is Result.WRONG:
        wanted = " then ".join(one.expected) or _NONE
        said.append(f"was {' then '.join(one.got) or 'without event'}, should be {wanted}")
    if one.leaks:
        said.append(f"a canary left in {', '.join(one.leaks)}")
    return "; ".join(said)


def _remarks(remarks: Sequence[Remark]) -> Any:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for one in sorted(remarks, key=lambda remark: remark.level is Level.NOTE):
        level = Text("  FINDING", style="bold red") if one.level is Level.FINDING else Text("  note", style="dim")
        text = Text(one.text)
        if one.advice:
            text.append(f"; {one.advice}", style="dim")
        table.add_row(level, one.about, text)
    return table


def _verdict(report: Report) -> Text:
    seconds = f"{report.seconds:.1f} s"
    changed = f"; settings changed: {', '.join(sorted(report.settings))}" if report.settings else ""
    if report.exit_code == 1:
        text = "1 finding" if report.findings == 1 else f"{report.findings} findings"
        return Text(f"{text} ({len(report.checks)} checks, {seconds}{changed})", style="bold red")
    if report.exit_code == 2:
        return Text(
            "Nothing was provoked: install an MCP SDK (mcp or fastmcp) and posthog 7.21 or newer beside this package.",
            style="bold yellow",
        )
    return Text(f"Sound: {len(report.checks)} checks in {seconds}{changed}", style="bold green")
