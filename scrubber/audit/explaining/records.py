"""What an explanation says. Values stand only in the fields that are named as such, and are shown only on demand."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from scrubber.audit.records import Fate
from scrubber.words.verdict import Verdict


class Answer(str, Enum):
    """How a question was answered."""

    YES = "yes"
    NO = "no"
    """The evidence is missing, malformed or contradictory: the event is sent."""
    OPEN = "not asked"
    """An earlier question was answered with no."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Question:
    """One piece of evidence. evidence: what was found, without a value."""

    asked: str
    answer: Answer
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class FrameSaid:
    """A frame, outermost first. role: whose it is and what it does there. breaks: why it contradicts a refusal."""

    call: str
    line: int | None
    role: str
    breaks: str = ""
    source: str | None = None
    """Its source line, to reveal."""


@dataclass(frozen=True, slots=True)
class LinkSaid:
    """A link of the cause chain, outermost first. relation: how it hangs on the one above it."""

    type: str
    relation: str
    frames: tuple[FrameSaid, ...]
    text: str | None = None
    """The exception's text, to reveal."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The engine's judgement and the evidence for it. site: the SDK whose validation the traceback ends in, if any."""

    refusal: bool
    reason: str
    site: str | None
    questions: tuple[Question, ...]
    links: tuple[LinkSaid, ...]
    errors: tuple[str, ...] = ()
    """The errors that the refusal's text prints, as `field: code`."""


class Call(str, Enum):
    """What the comparison with the call event came to."""

    NOT_ASKED = "not asked"
    """The settings have it off, or nothing was held for a refusal."""
    UNSEEN = "not seen"
    """No call event of the exception was given: the exception's own evidence decided."""
    EXPLAINS = "explains"
    CONTRADICTS = "contradicts"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class RuleSaid:
    """What one rule did. verdict: `drop`, `redact`, or `pass` where it did nothing."""

    rule: str
    verdict: Verdict
    evidence: str


@dataclass(frozen=True, slots=True)
class PropertySaid:
    """What happens to one property and why. fate: `added` for one that a rule makes. size: bytes as JSON."""

    name: str
    fate: Fate | str
    rule: str
    why: str
    kind: str = ""
    size: int = 0
    value: Any = None
    """The value as it came, to reveal."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One event, explained. beside: the keys beside `properties`. call: with why, for an `$exception`."""

    file: str
    line: int
    event: str
    verdict: Verdict
    rules: tuple[RuleSaid, ...]
    properties: tuple[PropertySaid, ...]
    beside: tuple[PropertySaid, ...]
    origin: Origin | None = None
    call: Call = Call.NOT_ASKED
    call_said: str = ""

    @property
    def exit_code(self) -> int:
        """0 where the event passes unchanged, else 1."""
        return int(self.verdict is not Verdict.PASS)
