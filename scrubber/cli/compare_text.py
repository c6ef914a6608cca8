"""A comparison of two policies for people, for a pull request, and for programs. What newly leaves comes first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scrubber.audit.comparing import Comparison, Direction, FateChange
from scrubber.audit.policy_view import toml
from scrubber.audit.rendering.markdown import code
from scrubber.audit.rendering.outcome import most_first
from scrubber.audit.rendering.wording import counted, number, printable
from scrubber.cli.drawing import draw

_COUNT = "Times"
_FEW = 4
"""Event names in one cell."""
_TITLES: tuple[tuple[str, str, Direction, bool], ...] = (
    ("Leaves for the first time", "bold red", Direction.OPENED, True),
    ("Leaves where it did not", "red", Direction.OPENED, False),
    ("Leaves otherwise", "yellow", Direction.CHANGED, False),
    ("No longer leaves", "green", Direction.CLOSED, False),
)
"""The parts of the list of properties: title, style, and which changes stand there. What must be seen comes first."""


class _Section(NamedTuple):
    title: str
    style: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]


def summary(found: Comparison) -> str:
    """The comparison in a sentence."""
    events = counted(found.events, "event")
    if not found.changes:
        return f"Nothing changes in {events}{'' if found.settings else ', and no setting differs'}."
    more = [f"{number(found.opened)} leave with more"] if found.opened else []
    less = [f"{number(found.closed)} {'with' if more else 'leave with'} less"] if found.closed else []
    said = ", ".join(more + less) or "some leave otherwise"
    return f"{'Something' if found.opens else 'Nothing'} newly leaves. Of {events}, {said}."


def unread(found: Comparison) -> list[str]:
    """What could not be read, a line each."""
    said = [f"{one.file}:{one.line}: {one.reason}" for one in found.unreadable]
    left = sum(one.unreadable for one in found.files) - len(found.unreadable)
    said += [f"{counted(left, 'more record')} could not be read"] if left > 0 else []
    return said + [f"{one.name}: ended early: {one.broken}" for one in found.files if one.broken]


def as_json(found: Comparison) -> str:
    """One object."""
    content = {
        "summary": summary(found),
        "events": found.events,
        "opened": found.opened,
        "closed": found.closed,
        "settings": [asdict(one) for one in found.settings],
        "properties": [_fate(one) for one in found.properties],
        "verdicts": [
            {"event": one.event, "old": str(one.old), "new": str(one.new), "rules": one.rules, "count": one.count}
            for one in found.verdicts
        ],
        "files": [asdict(one) for one in found.files],
        "unreadable": [asdict(one) for one in found.unreadable],
    }
    return json.dumps(content, indent=2)


def _fate(one: FateChange) -> dict[str, Any]:
    return {**asdict(one), "direction": str(one.direction), "count": one.count}


def as_markdown(found: Comparison) -> str:
    """For a pull request: a table a section. Nothing in a name can break it."""
    return "\n".join(_markdown(found)) + "\n"


def _markdown(found: Comparison) -> Iterator[str]:
    yield "# What the new policy changes"
    yield ""
    yield f"**{summary(found)}**"
    for section in _sections(found):
        yield f"\n## {section.title}\n"
        yield f"| {' | '.join(section.head)} |"
        yield f"| {' | '.join('---:' if name == _COUNT else '---' for name in section.head)} |"
        for row in section.rows:
            cells = [cell if name == _COUNT else code(cell) for name, cell in zip(section.head, row, strict=True)]
            yield f"| {' | '.join(cells)} |"
    lines = unread(found)
    if lines:
        yield "\n## Could not be read\n"
        yield from (f"- {code(line)}" for line in lines)


def render(found: Comparison, console: Console | None = None) -> None:
    """Print tables. Without a terminal: no colour, and lines of at most 120 characters."""
    draw(console or Console(highlight=False), lambda to: _print(found, to))


def _print(found: Comparison, out: Console) -> None:
    style = "bold red" if found.opens else "bold" if found.changes else "bold green"
    out.print(Text(summary(found), style=style))
    for section in _sections(found):
        table = Table(box=box.SIMPLE_HEAD if out.is_terminal else None, pad_edge=False, padding=(0, 2, 0, 0))
        for at, name in enumerate(section.head):
            right = name == _COUNT
            table.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=right or not at)
        for row in section.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        out.print()
        out.print(Text(section.title, style=section.style))
        out.print(table)


def _sections(found: Comparison) -> Iterator[_Section]:
    for title, style, direction, first in _TITLES:
        rows = [_row(one) for one in found.properties if one.direction is direction and one.first is first]
        if rows:
            yield _Section(title, style, ("Property", "Was", "Is", _COUNT, "On events"), rows)
    if found.verdicts:
        head = ("Event", "Was", "Is", _COUNT, "Rules that act under one of them only")
        rows = [
            (one.event, str(one.old), str(one.new), number(one.count), ", ".join(one.rules) or "none")
            for one in found.verdicts
        ]
        yield _Section("Verdicts that change", "bold", head, rows)
    if found.settings:
        settings: list[tuple[str, ...]] = [(one.name, _written(one.old), _written(one.new)) for one in found.settings]
        yield _Section("Settings that differ", "bold", ("Setting", "Old", "New"), settings)


def _row(one: FateChange) -> tuple[str, ...]:
    name = f"{one.name}, beside properties" if one.beside else one.name
    events = most_first(one.events)
    said = [f"{event} {number(count)}" for event, count in events[:_FEW]]
    said += [f"{len(events) - _FEW} more"] if len(events) > _FEW else []
    is_ = one.new + _MORE[one.direction] if one.leaves_both else one.new
    return name, one.old, is_, number(one.count), ", ".join(said)


_MORE = {Direction.OPENED: ", more of it", Direction.CHANGED: ", otherwise", Direction.CLOSED: ", less of it"}


def _written(value: Any) -> str:
    return "unset" if value is None else toml(value)
