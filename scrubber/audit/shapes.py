"""Events of one shape: the same names, types of values and outcome. What follows from the shape is worked out once.

Recordings have few shapes, so an event costs one look-up here, and the rest is done for a column of values at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from scrubber.audit.column import SCALARS, Column, kind_of
from scrubber.audit.labels import NAMES as LABELS
from scrubber.audit.labels import Labels
from scrubber.audit.measuring import frame_of, size_of
from scrubber.audit.names import Names
from scrubber.audit.records import Fate, LeakKind
from scrubber.audit.stacks import ENTRY, is_text_only
from scrubber.audit.tally import Tally, add
from scrubber.pipeline import Outcome
from scrubber.rules.closing import NESTED_RULE, Closing, Handling, Mode
from scrubber.rules.frames import RULE as EXCEPTION_RULE
from scrubber.words.paths import shown
from scrubber.words.properties import EXCEPTION_LIST, TOP_LEVEL
from scrubber.words.verdict import Event, Finding, Verdict

_TEXTS = LeakKind.EXCEPTION, f"{ENTRY}.value"


class Shape:
    """The events of one shape, and their sums."""

    __slots__ = (
        "added",
        "bytes_in",
        "bytes_out",
        "columns",
        "count",
        "event",
        "fired",
        "frame_in",
        "frame_out",
        "labels",
        "later",
        "lines",
        "now",
        "pick",
        "text_only",
        "verdict",
        "waiting",
    )

    def __init__(self, event: Event, outcome: Outcome, columns: list[Column], text_only: bool) -> None:
        self.event = _name_of(event)
        self.verdict = outcome.verdict
        self.fired = tuple(outcome.fired)
        self.columns = columns
        sent = outcome.event["properties"] if outcome.event is not None else {}
        names = [column.name for column in columns]
        self.added = [(name, kind_of(value)) for name, value in sent.items() if name not in names]
        """The properties that the policy adds, and their kinds."""
        self.text_only = text_only
        """Whether nothing but texts changed in its exception lists, if anything."""
        usual = len(event) == len(TOP_LEVEL) + 1 and all(type(event.get(name)) is str for name in TOP_LEVEL)
        around = frame_of((*TOP_LEVEL, "properties")) if usual else 0
        self.frame_in = around + frame_of(names)
        self.frame_out = around + frame_of(sent) if outcome.event is not None else 0
        if usual:
            # The name is the shape's own.
            self.frame_in += size_of(self.event)
            self.frame_out += size_of(self.event) if outcome.event is not None else 0
        waits = [column.type in SCALARS and (column.same or column.removed) for column in columns]
        self.now: list[tuple[int, Column | None]] = [(at, column) for at, column in enumerate(columns) if not waits[at]]
        """The columns whose values are looked at when they come, with their positions; None for the envelope, where it
        has not the usual keys or other values than texts."""
        labels = [at for at, column in enumerate(columns) if waits[at] and _is_label(column)]
        self.labels = Labels([columns[at] for at in labels], labels) if len(labels) > 1 else None
        """The columns whose values repeat."""
        picked = [at for at in range(len(columns)) if waits[at] and (self.labels is None or at not in labels)]
        self.later = [columns[at] for at in picked]
        """The columns of what waits."""
        if usual:
            self.later += _envelope(outcome.event is None)
            picked += range(len(columns) + 1, len(columns) + len(TOP_LEVEL))
        else:
            self.now.append((-1, None))
        self.pick = itemgetter(*picked) if len(picked) > 1 else _one(picked) if picked else None
        """Takes the values that wait, as a tuple, out of those of the properties and the usual keys beside them."""
        self.waiting: list[tuple[Any, ...]] = []
        self.lines: list[int] = []
        """The line of each event in `waiting`."""
        self.count = 0
        self.bytes_in = 0
        self.bytes_out = 0


def _is_label(column: Column) -> bool:
    harmless = column.same or column.leaks is None
    return harmless and (column.type is bool or (column.type is str and column.name in LABELS))


def _one(picked: Sequence[int]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    return lambda values: (values[picked[0]],)


def _name_of(event: Event) -> str:
    name = event.get("event")
    return name if type(name) is str else ""


def _envelope(dropped: bool) -> list[Column]:
    columns = [Column(name, name, str) for name in TOP_LEVEL[1:]]
    for column in columns:
        column.removed = dropped
        column.searched = column.name == "distinct_id" and not dropped
    return columns


class Shapes:
    """Makes shapes under one policy, and settles what they counted."""

    def __init__(self, names: Names, closing: Closing) -> None:
        self._names = names
        self._closing = closing

    def make(self, event: Event, outcome: Outcome, findings: Sequence[Finding]) -> Shape:
        """The shape of an event. findings: of a run that had the outcome."""
        event_name = _name_of(event)
        properties = event["properties"]
        sent = outcome.event["properties"] if outcome.event is not None else None
        columns = []
        for key, value in properties.items():
            column = Column(key, f"properties.{self._names.shown(key, event_name)}", type(value))
            column.removed = sent is None or key not in sent
            if sent is not None and not column.removed:
                column.kind_out = kind_of(sent[key])
            self.explain(column, event_name, outcome, findings)
            columns.append(column)
        entries = sent.get(EXCEPTION_LIST) if sent is not None else None
        text_only = entries is not None and is_text_only(properties[EXCEPTION_LIST], entries)
        return Shape(event, outcome, columns, text_only)

    def explain(self, column: Column, event_name: str, outcome: Outcome, findings: Sequence[Finding]) -> None:
        """What the policy does with the property and why; what its value is where it is kept in."""
        handling = self._closing.resolve(column.name, event_name)
        # The engine changes nothing but containers, and what a rule of its own is for.
        column.same = not column.removed and column.type in SCALARS and handling.mode is not Mode.RULE
        column.searched = column.same and column.type is str
        if column.same:
            return
        if outcome.event is None:
            column.reasons = {(finding.rule, finding.reason) for finding in findings}
            if handling.mode is Mode.CLOSED:
                column.leaks = _leak(column, handling)
            return
        if column.removed and handling.mode is not Mode.RULE:
            column.reasons = {(handling.rule, handling.reason)}
        else:
            column.reasons = {(one.rule, one.reason) for one in findings if _about(one, column.name, handling)}
        column.leaks = _leak(column, handling)

    def settle(self, shape: Shape, tally: Tally) -> None:
        """Add what the shape counted to a tally. Nothing may wait in it."""
        if not shape.count:
            return
        if shape.labels is not None:
            shape.labels.fold()
            shape.bytes_in += shape.labels.bytes_in
            shape.bytes_out += shape.labels.bytes_out
        names, event = self._names, self._names.shown_event(shape.event)
        use = tally.event(event)
        add(use.verdicts, shape.verdict, shape.count)
        use.bytes_in += shape.bytes_in + shape.count * shape.frame_in
        use.bytes_out += shape.bytes_out + shape.count * shape.frame_out
        for rule in shape.fired:
            add(tally.rules.setdefault(rule, {}), shape.verdict, shape.count)
        if shape.verdict is not Verdict.DROP:
            tally.leaving.setdefault(event, {})
        for column in shape.columns:
            self._settle_column(shape, column, event, tally)
        for name, kind in shape.added:
            tally.leaves(event, names.shown(name, shape.event), kind, shape.count)

    def _settle_column(self, shape: Shape, column: Column, event: str, tally: Tally) -> None:
        known = self._names.known(column.name, shape.event)
        name = self._names.shown(column.name, shape.event)
        use = tally.property(name)
        count = shape.count
        passed = 0 if column.removed else count if column.same else column.passed
        held = count - passed
        if passed:
            add(use.fates, Fate.PASSES, passed)
        if held:
            fate = Fate.REDACTED if not column.removed else Fate.REMOVED
            if column.removed and shape.verdict is not Verdict.DROP and not known:
                fate = Fate.UNKNOWN
            add(use.fates, fate, held)
            for rule in {rule for rule, _ in column.reasons}:
                add(use.rules, rule, held)
            for reason in {reason for _, reason in column.reasons}:
                add(use.reasons, reason, held)
        if column.first is not None:
            kind, path = (column.leaks, column.path) if column.leaks is not None else _TEXTS
            tally.leak(kind, path, column.first, column.example, column.found)
        tally.seen_on(use, event, count)
        add(use.kinds, column.kind, count)
        use.bytes += column.bytes
        use.largest = max(use.largest, column.largest)
        if not column.removed:
            tally.leaves(event, name, column.kind_out, count)


def _about(finding: Finding, name: Any, handling: Handling) -> bool:
    """Whether a finding is about the property: its path is masked where the name is not a plain one."""
    place = finding.path.removeprefix("properties.").partition("[")[0]
    if handling.mode is Mode.OPEN:
        return finding.rule == NESTED_RULE and place == shown(name)
    return bool(place == name)


def _leak(column: Column, handling: Handling) -> LeakKind | None:
    if column.name == EXCEPTION_LIST or not (column.removed or column.type is str):
        return None
    return LeakKind.EXCEPTION if handling.rule == EXCEPTION_RULE else LeakKind.CLOSED
