"""The tables, as plain text, and their place in a document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bench_parts.growth import FACTORS, Row
from bench_parts.timing import Rounds

if TYPE_CHECKING:
    from bench_parts.peers import Quality, Truth

Measured = dict[str, dict[str, Rounds]]
"""By event kind and class."""

TARGETS = {"$exception": (5.0, 0.2), "$mcp_tool_call": (3.0, 0.3)}
"""By event kind: at least so many times as fast as Sentry's, at most so large a part of clean()."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Out: columns under their heads, the first two to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for row in (head, *rows):
        cells = [
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def _classes(measured: Measured) -> list[tuple[str, str, dict[str, float]]]:
    """Kind, class and the median microseconds by contender, of the classes that have events."""
    return [
        (kind, name, {contender: median(figures) for contender, figures in rounds.items()})
        for kind, classes in measured.items()
        for name, rounds in classes.items()
        if all(rounds.values())
    ]


def costs(title: str, measured: Measured, numbers: dict[str, dict[str, int]]) -> str:
    """Out: microseconds per event."""
    classes = _classes(measured)
    names = list(classes[0][2])
    rows = [
        [kind, name, str(numbers[kind][name]), *(f"{cost[contender]:.2f}" for contender in names)]
        for kind, name, cost in classes
    ]
    return f"{title}\n" + table(["event", "class", "events", *names], rows)


def ratios(measured: Measured) -> str:
    """Out: how the costs compare. The spread is that of the hook over the rounds."""
    rows = []
    for kind, name, cost in _classes(measured):
        hook = cost["hook"]
        figures = sorted(measured[kind][name]["hook"])
        rows.append(
            [
                kind,
                name,
                f"{cost['Sentry'] / hook:.2f}",
                f"{cost['logfire'] / hook:.2f}",
                f"{hook / cost['clean']:.3f}",
                f"{hook / cost['floor']:.2f}",
                f"{cost['first sight'] / cost['clean']:.3f}",
                f"{figures[0]:.2f} .. {figures[-1]:.2f}",
            ]
        )
    head = [
        "event",
        "class",
        "Sentry/hook",
        "logfire/hook",
        "hook/clean",
        "hook/floor",
        "first sight/clean",
        "hook, us",
    ]
    return "Ratios\n" + table(head, rows)


def targets(measured: Measured) -> str:
    """Out: each target beside what was measured, class by class."""
    rows = []
    for kind, name, cost in _classes(measured):
        times, part = TARGETS[kind]
        faster, share = cost["Sentry"] / cost["hook"], cost["hook"] / cost["clean"]
        rows.append([kind, name, f"at least {times:g}", f"{faster:.2f}", _said(faster >= times)])
        rows[-1] += [f"at most {part:g}", f"{share:.3f}", _said(share <= part)]
    head = ["event", "class", "Sentry/hook", "measured", "", "hook/clean", "measured", ""]
    return "Targets\n" + table(head, rows)


def corroboration(measured: Measured) -> str:
    """Out: what it costs that each exception is compared with its call, and how the hook then compares with others."""
    rows = []
    for kind, name, cost in _classes(measured):
        hook, alone = cost["hook"], cost["alone"]
        rows.append([kind, name, f"{alone:.2f}", f"{hook:.2f}", f"{hook / alone:.2f}"])
        rows[-1] += [f"{cost['Sentry'] / hook:.2f}", f"{hook / cost['clean']:.3f}"]
    head = ["event", "class", "alone", "hook", "hook/alone", "Sentry/hook", "hook/clean"]
    return "What corroboration costs, in the order of capture\n" + table(head, rows)


def _said(reached: bool) -> str:
    return "reached" if reached else "NOT REACHED"


def quality(truth: Truth, qualities: Sequence[Quality]) -> str:
    """Out: what each contender let out, hid and let through."""
    rows = []
    for one in qualities:
        places = (one.leaking, one.in_messages, one.in_names, one.elsewhere, one.canaries)
        rows.append([one.name, "", *map(str, (*places, one.hidden, one.noise))])
    head = ["", "", "leaking", "message", "name", "elsewhere", "canaries", "hidden", "still sent"]
    there = (
        f"{truth.events:,} events, {truth.leaking:,} of them with a canary, {truth.canaries} different ones; "
        f"{truth.faults} real faults and {truth.refusals} refusals."
    )
    return f"What leaves, what is hidden, what is still sent\n{there}\n\n{table(head, rows)}"


def growth(title: str, rows: Sequence[Row]) -> str:
    """Out: microseconds at 1x, and how many times that at each factor."""
    printed = [
        [what, "", f"{figures[0]:.1f}", *(f"{figure / figures[0]:.2f}" for figure in figures), f"{figures[-1]:.1f}"]
        for what, figures in rows
    ]
    head = ["", "", "us at 1x", *(f"{factor}x" for factor in FACTORS), f"us at {FACTORS[-1]}x"]
    return f"{title}\n" + table(head, printed)


def write(path: Path, name: str, text: str) -> None:
    """Put `text` between the markers `<!-- name:begin -->` and `<!-- name:end -->` of the document at `path`."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    document = path.read_text(encoding="utf-8")
    if document.count(begin) != 1 or document.count(end) != 1:
        raise ValueError(f"{path} must hold {begin} and {end} once each")
    before, _, rest = document.partition(begin)
    after = rest.partition(end)[2]
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
