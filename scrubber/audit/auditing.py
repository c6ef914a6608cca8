"""The audit of a stream of rows: judged one by one, counted by shape, measured a column at a time."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from scrubber.audit.column import kind_of
from scrubber.audit.columns import Columns
from scrubber.audit.judging import FAILED, Judge
from scrubber.audit.measuring import size_of
from scrubber.audit.names import Names
from scrubber.audit.records import Row
from scrubber.audit.refusals import refusal_of
from scrubber.audit.shapes import Shape, Shapes
from scrubber.audit.stacks import Stacks, is_text_only
from scrubber.audit.tally import Tally
from scrubber.pipeline import Outcome, RuleError
from scrubber.rules.base import Called
from scrubber.rules.closing import Closing
from scrubber.rules.drops import CORROBORATION_RULE, GUARD_RULE, REFUSAL_RULE
from scrubber.settings import Settings
from scrubber.words.properties import EXCEPTION_LIST, TOP_LEVEL
from scrubber.words.verdict import Event, Finding, Verdict

MOST_SHAPES = 512
MOST_WAITING = 1_024
MOST_BYTES = 8 << 20
"""Events, and bytes of them, whose texts and numbers wait to be measured."""

_ENVELOPE = itemgetter(*TOP_LEVEL)
_USUAL = len(TOP_LEVEL) + 1


class Auditor:
    """The audit of one stream of rows under one policy: the unit of work of a process, or of an engine's partition.

    reveal: whether examples keep their values. Memory is bounded. Not safe from threads.
    """

    def __init__(self, settings: Settings, reveal: bool = False) -> None:
        policy = settings.policy()
        names = self._names = Names(policy)
        self._judge = Judge(settings)
        self._made = Shapes(names, Closing(policy))
        self._tally = Tally(reveal)
        self._columns = Columns(self._tally, Stacks())
        self._rebuilds = not (policy.source_lines and policy.full_paths)
        self._shapes: dict[Any, Shape] = {}
        self._waiting = self._bytes = 0
        self._file: str | None = None
        self._line = 0

    def begin(self, lead: Iterable[Row] = ()) -> None:
        """Start a batch: `lead` are the rows right above it in its file (`scrubber.audit.judging.NEAR` are enough)."""
        self._judge.begin(lead)

    def add(self, row: Row, line: int = 0) -> None:
        """Judge and count an event. line: where it stood, if that is not `row.line`, by which it is judged."""
        if self._waiting >= MOST_WAITING or self._bytes >= MOST_BYTES or row.file != self._file:
            self._measure_above(row)
        self._line = row.line
        event = row.event
        properties = event["properties"]
        called = self._judge.called(row)
        findings: list[Finding] | None = None
        if EXCEPTION_LIST in properties and (self._rebuilds or called is not None):
            # More than texts may change in it, and then only the findings say what.
            findings = []
        try:
            outcome = self._judge.decide(event, called, findings)
        except RuleError as error:
            findings = [Finding(error.rule, "", FAILED)]
            outcome = Outcome(Verdict.DROP, None, (error.rule,))
        values = (*properties.values(), *_around(event))
        sent = outcome.event
        # What follows from this is worked out once; whatever can differ between two events of one key is looked at.
        key = (
            event["event"],
            tuple(properties),
            tuple(map(type, values)),
            len(event),
            frozenset(outcome.fired),
            tuple(sent["properties"]) if sent is not None else None,
            self._more(row, called, outcome, findings) if EXCEPTION_LIST in properties else None,
        )
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._new(key, row, called, outcome, findings)
        shape.count += 1
        labels = shape.labels
        if labels is not None:
            picked = labels.pick(values)
            met = labels.met.get(picked) or labels.meet(picked)
            met.count += 1
            for kind, path, text in met.hits:
                self._tally.leak(kind, path, (row.file, line or row.line), text)
        if shape.now or shape.added:
            self._look(shape, row._replace(line=line) if line else row, values, outcome, called)
        if shape.pick is not None:
            shape.waiting.append(shape.pick(values))
            shape.lines.append(line or row.line)
        self._waiting += 1
        self._bytes += row.size

    def _look(self, shape: Shape, row: Row, values: tuple[Any, ...], outcome: Outcome, called: Called | None) -> None:
        """Look at what does not wait."""
        place = row.file, row.line
        sent = outcome.event
        out = sent["properties"] if sent is not None else None
        for at, column in shape.now:
            if column is None:
                self._columns.envelope(shape, row, sent)
                self._count_beside(shape.event, sent)
            elif not self._columns.look(shape, column, values[at], out, place) and not column.reasons:
                self._made.explain(column, shape.event, outcome, self._findings(row, called))
        for name, _ in shape.added:
            shape.bytes_out += size_of(out[name]) if out is not None else 0
        if sent is None and shape.fired[0] in (REFUSAL_RULE, GUARD_RULE):
            self._tally.refused(*refusal_of(shape.fired[0], row.event["properties"]))

    def _count_beside(self, event_name: Any, sent: Event | None) -> None:
        """Count what leaves beside the properties (`$set` of an identified person): a baseline lists it like them."""
        for key, value in (sent or {}).items():
            if key != "properties" and key not in TOP_LEVEL:
                name = self._names.shown(key, event_name)
                self._tally.leaves(self._names.shown_event(event_name), name, kind_of(value), 1)

    def _more(
        self, row: Row, called: Called | None, outcome: Outcome, findings: list[Finding] | None
    ) -> frozenset[tuple[str, str]] | None:
        """Rules and reasons, where more changed in an exception list than texts; None where only they did."""
        properties = row.event["properties"]
        if outcome.event is None or outcome.verdict is Verdict.PASS:
            return None
        text_only = is_text_only(properties[EXCEPTION_LIST], outcome.event["properties"].get(EXCEPTION_LIST))
        if text_only and CORROBORATION_RULE not in outcome.fired:
            return None
        found = findings if findings is not None else self._findings(row, called)
        return frozenset((one.rule, one.reason) for one in found) | {("", "text only" if text_only else "")}

    def _findings(self, row: Row, called: Called | None) -> list[Finding]:
        findings: list[Finding] = []
        self._judge.decide(row.event, called, findings)
        return findings

    def _new(
        self, key: Any, row: Row, called: Called | None, outcome: Outcome, findings: list[Finding] | None
    ) -> Shape:
        if len(self._shapes) >= MOST_SHAPES:
            self._settle()
        found = findings if findings is not None else self._findings(row, called)
        shape = self._shapes[key] = self._made.make(row.event, outcome, found)
        return shape

    def tally(self) -> Tally:
        """What was counted. Counting may go on after it."""
        self._settle()
        return self._tally

    def _measure_above(self, row: Row) -> None:
        """Measure what waits, but not in the midst of a line: of all rows in one, the same is then the example
        wherever a stream is cut."""
        if row.file != self._file or row.line != self._line:
            self._measure()
            self._file = row.file

    def _measure(self) -> None:
        for shape in self._shapes.values():
            if shape.waiting:
                self._columns.measure(shape, self._file or "")
        self._waiting = self._bytes = 0

    def _settle(self) -> None:
        self._measure()
        for shape in self._shapes.values():
            self._made.settle(shape, self._tally)
        self._shapes.clear()


def _around(event: Event) -> tuple[Any, ...]:
    """The values beside the properties, where there are the usual four; else nothing."""
    if len(event) == _USUAL:
        try:
            envelope: tuple[Any, ...] = _ENVELOPE(event)
        except KeyError:
            return ()
        return envelope
    return ()
