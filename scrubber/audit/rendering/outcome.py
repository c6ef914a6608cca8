"""What a report comes to, and in which order its parts matter: the same in every form of the report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from scrubber.audit.records import EventUse, Fate, Leak, PropertyUse, Report
from scrubber.audit.rendering.wording import FATES, VERDICTS, counted, number, share, size
from scrubber.words.verdict import Verdict

_RANK = {fate: at for at, fate in enumerate(FATES)}

REVEALS = "This report shows values from events, because --reveal asked for them. Mind who reads it."


class State(str, Enum):
    """The report in one word."""

    FINDINGS = "findings"
    INCOMPLETE = "incomplete"
    """No finding, but something could not be read."""
    CLEAN = "clean"
    EMPTY = "empty"
    """There was no event to judge."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Outcome:
    """The head of the report. state: in a word; sentence: why; totals: events by verdict, and bytes; more: what else
    must be known. A sentence each."""

    state: State
    sentence: str
    totals: tuple[str, ...]
    more: tuple[str, ...]


def outcome(report: Report) -> Outcome:
    """What the report comes to."""
    changed = _changed(report)
    unread = _unread(report)
    more = (*_breaches(report), *unread, *_notices(report))
    if changed or any(leak.kind.is_finding for leak in report.leaks):
        state, sentence = State.FINDINGS, f"The policy would have changed {_of_all(changed, report.rows)}."
    elif report.baseline:
        state, sentence = State.FINDINGS, "The policy changes nothing, but not all that leaves is in the baseline."
    elif not report.rows:
        files = counted(len(report.files), "file")
        state, sentence = (
            State.EMPTY,
            f"There was no event to judge in {files}." if report.files else "No file was read.",
        )
    elif unread:
        state, sentence = State.INCOMPLETE, "The policy changes nothing in what could be read."
    else:
        state, sentence = State.CLEAN, f"The policy changes nothing in {counted(report.rows, 'event')}."
    return Outcome(state, sentence, (*_verdicts(report), *_saved(report)), more)


def settings_line(report: Report) -> str:
    """Which policy was run: `posthog-scrubber 0.1.0, standard profile, settings changed: allow, block`."""
    changed = f"settings changed: {', '.join(sorted(report.settings))}" if report.settings else "no setting changed"
    return f"posthog-scrubber {report.version}, {report.profile} profile, {changed}"


def by_what_matters(report: Report) -> list[PropertyUse]:
    """The properties: what was removed first, then the unknown, the redacted, what is removed with its event alone, and
    what passes; in each, the most frequent first."""
    dropping = _dropping(report)

    def weight(one: PropertyUse) -> tuple[bool, bool, int, int, int, str]:
        found = findings_in(one)
        return not found, _only_with_event(one, dropping), _RANK[worst(one)], -found, -one.count, one.name

    return sorted(report.properties, key=weight)


def _dropping(report: Report) -> frozenset[str]:
    """The rules that drop events and do nothing else."""
    return frozenset(
        name for name, counts in report.rules.items() if counts.get(Verdict.DROP) and not counts.get(Verdict.REDACT)
    )


def _only_with_event(use: PropertyUse, dropping: frozenset[str]) -> bool:
    """Whether the property was never closed itself: it is harmless, and most would come before what matters."""
    itself = use.fates.get(Fate.UNKNOWN) or use.fates.get(Fate.REDACTED)
    return bool(use.rules) and not itself and dropping.issuperset(use.rules)


def worst(use: PropertyUse) -> Fate:
    """The strictest fate that the property met at least once."""
    return next((fate for fate in FATES if use.fates.get(fate)), Fate.PASSES)


def findings_in(use: PropertyUse) -> int:
    """How often the property did not pass."""
    return use.count - use.fates.get(Fate.PASSES, 0)


def leaks_in_order(leaks: Iterable[Leak]) -> list[Leak]:
    """Findings before notices, the most frequent first."""
    return sorted(leaks, key=lambda leak: (not leak.kind.is_finding, -leak.count, leak.path, leak.kind.value))


def events_in_order(events: Iterable[EventUse]) -> list[EventUse]:
    """The most frequent first."""
    return sorted(events, key=lambda one: (-one.count, one.name))


def most_first(counts: dict[str, int]) -> list[tuple[str, int]]:
    """Names and counts, the highest count first."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def rules_in_order(report: Report) -> list[tuple[str, dict[Verdict, int]]]:
    """Rules with their counts, the one that acted on most events first."""
    return sorted(report.rules.items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))


def verdicts_met(report: Report) -> list[Verdict]:
    """The verdicts that any rule gave; a rule that acts seldom lets an event pass."""
    return [verdict for verdict in Verdict if any(counts.get(verdict) for counts in report.rules.values())]


def reveals(report: Report) -> bool:
    """Whether a value from an event is in the report."""
    return any(leak.revealed is not None for leak in report.leaks)


def saving(bytes_in: int, bytes_out: int) -> str:
    """What stays in, of bytes that came: `8.1 MB (66%)`; `+12 B` where more leaves than came."""
    saved = bytes_in - bytes_out
    return f"{size(saved)} ({share(saved, bytes_in)})" if saved >= 0 else f"+{size(-saved)}"


def _changed(report: Report) -> int:
    return report.verdicts[Verdict.REDACT] + report.verdicts[Verdict.DROP]


def _of_all(part: int, rows: int) -> str:
    return f"{number(part)} of {counted(rows, 'event')}"


def _verdicts(report: Report) -> list[str]:
    if not report.rows:
        return []
    return [", ".join(f"{number(report.verdicts[verdict])} {word}" for verdict, word in VERDICTS.items()) + "."]


def _saved(report: Report) -> list[str]:
    came, leaves = report.bytes_in, report.bytes_out
    if not came:
        return []
    if leaves > came:
        return [f"{size(came)} came, {size(leaves)} would leave: {size(leaves - came)} more."]
    return [f"{size(came)} came, {size(leaves)} would leave: {saving(came, leaves)} stay in."]


def _breaches(report: Report) -> list[str]:
    if report.baseline is None:
        return []
    count = len(report.baseline)
    if not count:
        return ["Nothing leaves that the baseline does not list."]
    return [f"{counted(count, 'thing leaves', 'things leave')} that the baseline does not list."]


def _unread(report: Report) -> list[str]:
    said = []
    if report.unreadable_count:
        said.append(f"{counted(report.unreadable_count, 'record')} could not be read.")
    broken = sum(bool(one.broken) for one in report.files)
    if broken:
        said.append(f"{counted(broken, 'file breaks off', 'files break off')} before the end.")
    return said


def _notices(report: Report) -> list[str]:
    shapes = sum(leak.count for leak in report.leaks if not leak.kind.is_finding)
    if not shapes:
        return []
    verb = "has" if shapes == 1 else "have"
    return [f"{counted(shapes, 'value')} that the policy passes {verb} the shape of a credential or an e-mail address."]
