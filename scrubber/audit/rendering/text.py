"""The report for a terminal: what matters first, legible from 80 columns on."""

from __future__ import annotations

import io
from collections.abc import Iterator

# rich: the field's library for tables in terminals; it knows the width of every character.
from rich.console import Console
from rich.text import Text

from scrubber.audit.records import Report
from scrubber.audit.rendering import text_tables as tables
from scrubber.audit.rendering.outcome import REVEALS, Outcome, State, outcome, reveals, settings_line
from scrubber.audit.rendering.wording import printable

_STYLES = {State.FINDINGS: "bold red", State.INCOMPLETE: "bold magenta", State.CLEAN: "bold green", State.EMPTY: "bold"}


def render_text(report: Report, *, width: int, color: bool) -> str:
    """The report as lines of at most `width` columns, with ANSI colours if `color`.

    Nothing is asked of the terminal or the environment. A table shows at most `text_tables.MOST` rows and says how many
    more there are and which form of the report has them all.
    """
    out = Console(
        file=io.StringIO(),
        width=width,
        height=100,
        force_terminal=color,
        force_jupyter=False,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        _environ={},
    )
    with out.capture() as capture:
        for part in _parts(report, width):
            out.print(part)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _parts(report: Report, width: int) -> Iterator[tables.Part]:
    yield from _head(report, outcome(report))
    for title, parts in tables.sections(report, width):
        yield Text()
        yield Text(title, style="bold")
        yield from parts


def _head(report: Report, result: Outcome) -> Iterator[Text]:
    yield Text.assemble((result.state.value.upper(), _STYLES[result.state]), "  ", (result.sentence, "bold"))
    for sentence in (*result.totals, *result.more):
        yield Text(sentence)
    if reveals(report):
        yield Text(REVEALS, style="bold red")
    yield Text(printable(settings_line(report)), style="dim")
