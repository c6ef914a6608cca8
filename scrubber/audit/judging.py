"""What the policy does with one recorded event: the hook's engine, with the rows of a file in place of time.

The hook pairs an `$exception` with the failed call before it on the same thread. A file has no threads, so here a
failed call belongs to an `$exception` at most `NEAR` rows, and `NEAR` lines, below it. That many rows above a batch are
all that it needs to be judged as if one process had read the whole file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from scrubber.audit.names import Names
from scrubber.audit.records import Fate, Row
from scrubber.pairing import LONGEST, Pairing
from scrubber.pipeline import Outcome, Pipeline, RuleError
from scrubber.rules.base import Called
from scrubber.settings import Settings
from scrubber.words.verdict import Event, Finding, Verdict

NEAR = 64
"""Rows between a failed call and its `$exception`, at most; also the rows above a batch that `Judge.begin` wants."""
FAILED = "a rule failed; the hook would drop the event unseen"

_TICK = LONGEST / NEAR
"""Seconds that a row takes on the clock that the pairing sees. A binary fraction, so that adding up stays exact."""


class Judged(NamedTuple):
    """What became of one row.

    event: what the policy lets leave, None where it is dropped. fates: of each property that came, by name.
    findings: what the rules did, without values. fired: the names of the rules that did something; where `failed`,
    the one that raised.
    """

    verdict: Verdict
    event: Event | None
    fates: dict[str, Fate]
    findings: tuple[Finding, ...]
    fired: tuple[str, ...]
    failed: bool = False


class Judge:
    """Judges rows in the order of their file. One for each stream of rows; not safe from threads.

    Memory is what the engine remembers: bounded. Rows of another file, or a line above the last one, start a new
    stream by themselves; where a stream is cut into batches, `begin` says where one starts.
    """

    def __init__(self, settings: Settings) -> None:
        policy = settings.policy()
        self._pipeline = Pipeline(policy)
        self._names = Names(policy)
        self._corroborates = policy.corroborate
        self.begin()

    def begin(self, lead: Iterable[Row] = ()) -> None:
        """Start a batch: forget what came before, and take note of the `NEAR` rows above it."""
        self._pairing = Pairing()
        self._now = 0.0
        self._file: str | None = None
        self._line = 0
        for row in lead:
            self.lead(row)

    def lead(self, row: Row) -> None:
        """Only take note of a row: it may be the failed call of an `$exception` below it."""
        self.called(row)

    def judge(self, row: Row) -> Judged:
        """What the hook would do with the row's event."""
        findings: list[Finding] = []
        try:
            outcome = self.decide(row.event, self.called(row), findings)
        except RuleError as error:
            fates = self._names.fates(row.event, None)
            return Judged(Verdict.DROP, None, fates, (Finding(error.rule, "", FAILED),), (error.rule,), True)
        fates = self._names.fates(row.event, outcome.event)
        return Judged(outcome.verdict, outcome.event, fates, tuple(findings), tuple(sorted(outcome.fired)))

    def decide(self, event: Any, called: Called | None, findings: list[Finding] | None = None) -> Outcome:
        """As `judge`, for the call that `called` gave: the engine's own outcome. Raises `RuleError`."""
        return self._pipeline.run(event, findings, called)

    def called(self, row: Row) -> Called | None:
        """Take note of a row; what the call sent that its `$exception` belongs to, where one stands near above."""
        line = row.line
        if row.file != self._file or line < self._line:
            self._pairing = Pairing()
            self._file = row.file
            self._line = line
        # A row that is one of several in a line takes its time too.
        self._now += _TICK * (line - self._line) if line - self._line > 1 else _TICK
        self._line = line
        if not self._corroborates:
            return None
        try:
            return self._pairing.see(row.event, 0, self._now)
        except Exception:
            # As in the hook: an event that cannot be looked up belongs to no call.
            return None
