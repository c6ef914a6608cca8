"""One event, explained: its verdict, what each rule said, and what happens to each property and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scrubber.audit.column import kind_of
from scrubber.audit.explaining.called import compare
from scrubber.audit.explaining.origin import origin
from scrubber.audit.explaining.records import Explanation, Origin, PropertySaid, RuleSaid
from scrubber.audit.judging import Judge, Judged
from scrubber.audit.measuring import size_of
from scrubber.audit.names import Names
from scrubber.audit.records import Fate, Row
from scrubber.pipeline import TOP_LEVEL_RULE
from scrubber.rules import grouping
from scrubber.rules.closing import VALUES_RULE, Closing, Handling, Mode
from scrubber.rules.drops import (
    CORROBORATION_RULE,
    DELIBERATE_RULE,
    EXPECTED_RULE,
    GUARD_RULE,
    REFUSAL_RULE,
    drop_rules,
)
from scrubber.rules.error_message import RULE as MESSAGE_RULE
from scrubber.settings import Settings
from scrubber.words import properties as listed
from scrubber.words.paths import at_property, shown
from scrubber.words.policy import Policy
from scrubber.words.verdict import Verdict

ADDED = "added"
"""The fate of a property that no event had and a rule makes."""

DROPPED = "the event is dropped"
OWN = "not closed: the event's own"


def explain(row: Row, settings: Settings, before: Iterable[Row] = ()) -> Explanation:
    """What the hook would do with the row's event, and why.

    before: the rows above it in its file, or the call event it belongs to: an `$exception` is compared with the failed
    call among them. Their line numbers do not matter, their order does.
    """
    event_name = row.event.get("event")
    is_exception = event_name == listed.EXCEPTION_EVENT
    above = before if is_exception else ()
    lead = [one._replace(file=row.file, line=at) for at, one in enumerate(above, 1)]
    judge = Judge(settings)
    judge.begin(lead)
    judged = judge.judge(row._replace(line=len(lead) + 1))
    policy = settings.policy()
    names = Names(policy)
    found = origin(row.event["properties"]) if is_exception else None
    call, call_said = compare(row, lead, policy, judged, found)
    return Explanation(
        row.file,
        row.line,
        names.shown_event(event_name),
        judged.verdict,
        tuple(_rules(row, policy, judged, found)),
        tuple(_Properties(row, policy, judged, names).all()),
        tuple(_beside(row, judged)),
        found,
        call,
        call_said,
    )


# -- rules


def _rules(row: Row, policy: Policy, judged: Judged, found: Origin | None) -> Iterator[RuleSaid]:
    if judged.failed:
        yield RuleSaid(judged.fired[0], Verdict.DROP, judged.findings[0].reason)
        return
    reasons: dict[str, dict[str, int]] = {}
    for finding in judged.findings:
        said = reasons.setdefault(finding.rule, {})
        said[finding.reason] = said.get(finding.reason, 0) + 1
    if found is not None:
        for rule, _ in drop_rules(policy):
            if judged.verdict is Verdict.DROP and rule in judged.fired:
                yield RuleSaid(rule, Verdict.DROP, next(iter(reasons[rule])))
                return
            yield RuleSaid(rule, Verdict.PASS, _why_kept(rule, row, reasons, found))
    verdict = Verdict.DROP if judged.verdict is Verdict.DROP else Verdict.REDACT
    made = _made(row, judged)
    for rule in dict.fromkeys([*reasons, *judged.fired]):
        if rule == CORROBORATION_RULE:
            continue
        texts = [
            f"{reason} ({count} times)" if count > 1 else reason for reason, count in reasons.get(rule, {}).items()
        ]
        texts += [f"adds {name}" for name, maker in made.items() if maker == rule]
        yield RuleSaid(rule, verdict, "; ".join(texts) or "changed something")


def _why_kept(rule: str, row: Row, reasons: dict[str, dict[str, int]], found: Origin) -> str:
    if rule == REFUSAL_RULE:
        contradicted = next(iter(reasons.get(CORROBORATION_RULE, {})), None)
        return f"held for a refusal, but {contradicted}" if contradicted else found.reason
    marked = row.event["properties"].get(listed.GUARD_MARK) is True
    return {
        GUARD_RULE: "marked by the argument guard, but something was raised"
        if marked
        else "no mark of the argument guard",
        EXPECTED_RULE: "no type in its cause chain is one that the settings expect",
        DELIBERATE_RULE: "no ToolError that tool code raised on purpose, with nothing under it",
    }[rule]


def _made(row: Row, judged: Judged) -> dict[str, str]:
    """The properties that rules made, each with its rule."""
    if judged.event is None:
        return {}
    makers = {
        listed.ERROR_CODE: MESSAGE_RULE,
        listed.ERROR_FIELD: MESSAGE_RULE,
        listed.FINGERPRINT: grouping.RULE,
        listed.ANNOTATION: "annotate",
    }
    before = row.event["properties"]
    return {name: makers.get(name, "") for name in judged.event["properties"] if name not in before}


# -- properties


class _Properties:
    """What happens to each property of one event, and why."""

    def __init__(self, row: Row, policy: Policy, judged: Judged, names: Names) -> None:
        name = row.event.get("event")
        self._event_name = name if type(name) is str else ""
        self._row = row
        self._policy = policy
        self._judged = judged
        self._names = names
        self._closing = Closing(policy)

    def all(self) -> Iterator[PropertySaid]:
        """Those that came, in their order, then those that rules made."""
        sent = self._judged.event["properties"] if self._judged.event is not None else {}
        for name, value in self._row.event["properties"].items():
            fate = self._judged.fates[name]
            yield self._said(name, fate, *self._why(name, fate), value)
        for name, rule in _made(self._row, self._judged).items():
            yield self._said(name, ADDED, rule, "made by the rule", sent[name])

    def _said(self, name: str, fate: Fate | str, rule: str, why: str, value: Any) -> PropertySaid:
        return PropertySaid(
            self._names.shown(name, self._event_name), fate, rule, why, kind_of(value), size_of(value), value
        )

    def _why(self, name: str, fate: Fate) -> tuple[str, str]:
        """The rule that a property falls under, and why it has its fate."""
        judged = self._judged
        if judged.event is None:
            return judged.fired[0], DROPPED
        handling = self._closing.resolve(name, self._event_name)
        if fate is Fate.PASSES:
            return handling.rule if handling.mode is not Mode.OPEN else "", self._why_open(name, handling)
        if handling.mode is Mode.CLOSED or (handling.mode is not Mode.RULE and fate is not Fate.REDACTED):
            return handling.rule, handling.reason
        path = at_property(name)
        below = (f"{path}[", f"{path}.")
        about = [one for one in judged.findings if one.path == path or one.path.startswith(below)]
        reasons = [one.reason for one in about if one.rule != CORROBORATION_RULE]
        return handling.rule, "; ".join(dict.fromkeys(reasons)) or "changed by its rule"

    def _why_open(self, name: str, handling: Handling) -> str:
        if name == listed.ERROR_MESSAGE:
            return "kept for its error type"
        if handling.mode is Mode.RULE:
            return "its rule finds nothing to change"
        if handling.rule == VALUES_RULE:
            return "one of the values that the settings list"
        if name in self._policy.allow or name in self._policy.allow_on.get(self._event_name, ()):
            return "opened by a setting"
        return OWN if handling.mode is Mode.OPEN else "listed, and of the listed kind"


def _beside(row: Row, judged: Judged) -> Iterator[PropertySaid]:
    """The keys beside `properties`."""
    for key, value in row.event.items():
        if key == "properties":
            continue
        name = key if key in listed.TOP_LEVEL or key in listed.PERSON_KEYS else shown(key)
        fate, rule, why = _fate_beside(key, value, judged)
        yield PropertySaid(name, fate, rule, why, kind_of(value), size_of(value), value)


def _fate_beside(key: str, value: Any, judged: Judged) -> tuple[Fate, str, str]:
    if judged.event is None:
        return Fate.REMOVED, judged.fired[0], DROPPED
    if key not in judged.event:
        return Fate.REMOVED, TOP_LEVEL_RULE, "not open beside properties"
    if judged.event[key] != value:
        return Fate.REDACTED, TOP_LEVEL_RULE, "closed to the SDK's names inside"
    return Fate.PASSES, "", "always leaves" if key in listed.TOP_LEVEL else OWN
