"""What became of an event: the central type of the project."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

Event = dict[str, Any]
"""An event as posthog hands it to `before_send`: `event`, `distinct_id`, `properties`, `timestamp`, `uuid`, ..."""


class Verdict(str, Enum):
    """The outcome for one event, from mildest to strictest."""

    PASS = "pass"  # noqa: S105 - a verdict, no password
    REDACT = "redact"
    DROP = "drop"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule did, without the value it did it to.

    rule: the rule's name. path: where, printed by `words.paths` (names it does not know are masked).
    reason: a constant sentence of the rule's own.
    """

    rule: str
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict, the event to send (`None` when dropped) and the findings behind it."""

    verdict: Verdict
    event: Event | None
    findings: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        # The event is the user's content; a decision must be safe to log.
        return f"Decision(verdict={self.verdict.value!r}, findings={len(self.findings)})"
