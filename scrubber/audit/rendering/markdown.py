"""The report for a pull request: GitHub's Markdown, with tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from scrubber.audit.records import Leak, PropertyUse, Report
from scrubber.audit.rendering import outcome
from scrubber.audit.rendering.wording import FATES, VERDICTS, counted, named, number, place, printable, size
from scrubber.words.verdict import Verdict

MOST = 100
"""Rows of one table: GitHub cuts a comment at 65,536 characters."""
FEW = 6
"""Names in one cell."""

_PLAIN = re.compile(r"[A-Za-z0-9_.$\[\]{}():;,*/\"'=+@#%^~?!& -]+\Z")
_MARKS = re.compile(r"[!-&*+/:<-@\[-`{-~]")


def render_markdown(report: Report) -> str:
    """The report as Markdown, which nothing in a name can break: each is code, or written in character references.

    A table shows at most `MOST` rows and says how many more there are.
    """
    return "\n".join(_lines(report)) + "\n"


def code(text: str) -> str:
    """`text`, made printable, as code in a table's cell.

    What would end a code span or a cell is written as `<code>` with character references: a backslash before a pipe
    means different things to different readers of tables.
    """
    shown = named(text)
    if _PLAIN.match(shown) and shown == shown.strip():
        return f"`{shown}`"
    return f"<code>{escaped(shown)}</code>"


def escaped(text: str) -> str:
    """`text` with every mark that Markdown could read as a character reference."""
    return _MARKS.sub(lambda found: f"&#{ord(found[0])};", text)


def _lines(report: Report) -> Iterator[str]:
    result = outcome.outcome(report)
    yield "# Audit"
    yield ""
    yield f"**{result.state.value.capitalize()}.** {result.sentence}"
    yield ""
    if outcome.reveals(report):
        yield f"> [!WARNING]\n> {outcome.REVEALS}\n"
    yield from (f"- {sentence}" for sentence in (*result.totals, *result.more))
    yield f"- {_policy(report)}"
    yield from _baseline(report)
    yield from _leaks(report)
    yield from _properties(report)
    yield from _refusals(report)
    yield from _events(report)
    yield from _rules(report)
    yield from _files(report)


def _policy(report: Report) -> str:
    changed = ", ".join(code(name) for name in sorted(report.settings))
    settings = f"settings changed: {changed}" if changed else "no setting changed"
    return f"posthog-scrubber {escaped(report.version)}, {escaped(report.profile)} profile, {settings}."


def _section(title: str, columns: str, rows: Sequence[Sequence[str]], total: int = 0) -> Iterator[str]:
    """A heading and a table; nothing where there is no row. columns: titles by `|`; `>` before one of numbers."""
    if not rows:
        return
    titles = columns.split("|")
    yield f"\n## {title}\n"
    yield f"| {' | '.join(name.lstrip('>') for name in titles)} |"
    yield f"| {' | '.join('---:' if name.startswith('>') else '---' for name in titles)} |"
    yield from (f"| {' | '.join(cells)} |" for cells in rows[:MOST])
    left = max(total, len(rows)) - min(len(rows), MOST)
    if left > 0:
        yield f"\nAnd {counted(left, 'more row')}: `--format html` or `json` has all that the report holds."


def _names(counts: dict[str, int]) -> str:
    ordered = outcome.most_first(counts)
    left = f" and {len(ordered) - FEW:,} more" if len(ordered) > FEW else ""
    return ", ".join(code(name) for name, _ in ordered[:FEW]) + left


def _baseline(report: Report) -> Iterator[str]:
    rows = [
        [
            escaped(one.what),
            code(one.name),
            code(one.event),
            _kinds(one.kinds),
            number(one.count),
        ]
        for one in report.baseline or ()
    ]
    yield from _section("Leaves and is not in the baseline", "New|Name|On event|Kinds|>Count", rows)


def _kinds(kinds: Iterable[str]) -> str:
    return ", ".join(escaped(printable(kind)) for kind in kinds) or "-"


def _leaks(report: Report) -> Iterator[str]:
    rows = [
        [
            "**finding**" if one.kind.is_finding else "notice",
            one.kind.value,
            code(place(one.path)),
            number(one.count),
            _example(one),
        ]
        for one in outcome.leaks_in_order(report.leaks)
    ]
    yield from _section("Content in what was sent", "|Content|Where|>Count|Masked example", rows)


def _example(leak: Leak) -> str:
    masked = code(leak.example) if leak.example else ""
    return masked if leak.revealed is None else f"{masked}<br>**revealed:** {code(leak.revealed)}"


def _properties(report: Report) -> Iterator[str]:
    ordered = outcome.by_what_matters(report)
    rows = [
        [
            code(one.name),
            _fates(one),
            number(one.count),
            _names(one.events),
            _kinds(name for name, _ in outcome.most_first(one.kinds)),
            size(one.bytes),
            size(one.largest),
            "; ".join(escaped(printable(reason)) for reason, _ in outcome.most_first(one.reasons)),
        ]
        for one in ordered
    ]
    columns = "Property|What happens|>Seen|On events|Kinds|>Bytes|>Largest|Why"
    yield from _section("Properties", columns, rows)
    met = {fate for one in ordered for fate, count in one.fates.items() if count}
    if met:
        yield ""
        yield from (f"- {fate}: {meaning}" for fate, meaning in FATES.items() if fate in met)


def _fates(use: PropertyUse) -> str:
    met = [fate for fate in FATES if use.fates.get(fate)]
    return ", ".join(f"{fate} {number(use.fates[fate])}" if len(met) > 1 else fate.value for fate in met)


def _refusals(report: Report) -> Iterator[str]:
    rows = [
        [code(one.tool), code(one.field or "-"), code(one.code or "-"), number(one.count)] for one in report.refusals
    ]
    yield from _section("Argument refusals", "Tool|Field|Code|>Count", rows)


def _events(report: Report) -> Iterator[str]:
    rows = [
        [
            code(one.name),
            number(one.count),
            *_counts(one.verdicts, VERDICTS),
            size(one.bytes_in),
            size(one.bytes_out),
            outcome.saving(one.bytes_in, one.bytes_out),
        ]
        for one in outcome.events_in_order(report.events)
    ]
    titles = "|".join(f">{verdict.value.title()}" for verdict in VERDICTS)
    yield from _section("Events", f"Event|>Seen|{titles}|>Came|>Leaves|>Saved", rows)


def _rules(report: Report) -> Iterator[str]:
    met = outcome.verdicts_met(report)
    rows = [[code(name), *_counts(counts, met)] for name, counts in outcome.rules_in_order(report)]
    yield from _section("Rules that acted", "|".join(["Rule", *(f">{one.value.title()}" for one in met)]), rows)


def _counts(counts: dict[Verdict, int], order: Iterable[Verdict]) -> list[str]:
    return [number(counts[verdict]) if counts.get(verdict) else "-" for verdict in order]


def _files(report: Report) -> Iterator[str]:
    rows = [
        [
            code(one.name),
            escaped(printable(one.format)),
            number(one.rows),
            number(one.unreadable) if one.unreadable else "-",
            escaped(printable(one.broken)) or "whole",
        ]
        for one in report.files
    ]
    yield from _section("Files", "File|Format|>Events|>Unreadable|Ended", rows)
    unread = [[code(one.file), str(one.line), escaped(printable(one.reason))] for one in report.unreadable]
    yield from _section("Could not be read", "File|>Line|Reason", unread, report.unreadable_count)
