"""What the audit reads and what it says: plain records that readers, the tally and the renderers share.

A report holds names, counts, sizes and masked examples, and no value from an event; only `Leak.revealed` does, and
only where the user asked for it (`--reveal`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from scrubber.words.verdict import Event, Verdict


class Row(NamedTuple):
    """One event as read: as the hook would get it, with where it stood.

    event: `event, distinct_id, properties, timestamp, uuid` and, where the source had them, `$set` and `$set_once`;
    `properties` is a mapping even where the file holds a JSON string. file: the path as given, `-` for stdin.
    line: 1-based; the line of a text file, else the number of the record in it. size: bytes of the event as it came
    (JSON, UTF-8). columns: what else the record had (an export's `person_properties`, say); never judged, and `apply`
    writes it back.
    """

    event: Event
    file: str
    line: int
    size: int
    columns: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A record that is no event, or the end of a file that breaks off. `reason` is a constant sentence."""

    file: str
    line: int
    reason: str


class Fate(str, Enum):
    """What happens to one property of one event."""

    PASSES = "passes"
    REDACTED = "redacted"
    """Sent, but changed."""
    REMOVED = "removed"
    """Known to the policy, and closed, blocked, not of its kind, or on an event that is dropped."""
    UNKNOWN = "unknown"
    """Removed because no list names it."""

    def __str__(self) -> str:
        return self.value


class LeakKind(str, Enum):
    """What kind of content was found in what had been sent."""

    CLOSED = "closed content"
    """A value under a name that the policy closes."""
    EXCEPTION = "exception text"
    CREDENTIAL = "credential"
    """The shape of a credential in what the policy lets pass. A notice: the policy would not have removed it."""
    EMAIL = "e-mail address"
    """As `CREDENTIAL`."""

    def __str__(self) -> str:
        return self.value

    @property
    def is_finding(self) -> bool:
        """Whether the policy would have removed it; the shapes are only pointed out."""
        return self in (LeakKind.CLOSED, LeakKind.EXCEPTION)


@dataclass(slots=True)
class PropertyUse:
    """Everything the audit saw of one property name.

    fates, events, rules, reasons and kinds count occurrences (events names, rules by name, reasons by the rule's
    sentence; kinds are `text number flag null list object`). bytes: of all values as JSON; largest: the biggest one.
    """

    name: str
    fates: dict[Fate, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    rules: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    bytes: int = 0
    largest: int = 0

    @property
    def count(self) -> int:
        """How often the property was seen."""
        return sum(self.fates.values())


@dataclass(slots=True)
class EventUse:
    """Everything the audit saw of one event name; bytes as JSON, before and after the policy."""

    name: str
    verdicts: dict[Verdict, int] = field(default_factory=dict)
    bytes_in: int = 0
    bytes_out: int = 0

    @property
    def count(self) -> int:
        """How many events had the name."""
        return sum(self.verdicts.values())


@dataclass(slots=True)
class Leak:
    """Content in what was sent: its place, how often, and one example with every letter and digit masked.

    path: as `scrubber.words.paths` prints it, indexes as `N` (`properties.$exception_list[N].value`).
    revealed: the example itself, only under `--reveal`.
    """

    kind: LeakKind
    path: str
    count: int = 0
    example: str = ""
    revealed: str | None = None


@dataclass(slots=True)
class RefusalCount:
    """Argument refusals of one tool, field and code that the policy drops. Masked where a name may be content."""

    tool: str
    field: str
    code: str
    count: int = 0


@dataclass(slots=True)
class FileRead:
    """What was read of one input. format: in words (`JSON lines, gzip`). broken: why reading ended early, or empty."""

    name: str
    format: str
    rows: int = 0
    unreadable: int = 0
    broken: str = ""


@dataclass(frozen=True, slots=True)
class Breach:
    """Something that leaves and is not in the baseline. what: `property`, `kind` or `event`."""

    what: str
    name: str
    event: str
    count: int
    kinds: tuple[str, ...] = ()


@dataclass(slots=True)
class Report:
    """The whole result of an audit, for renderers and exit codes. Lists are sorted and ready to show."""

    version: str
    settings: dict[str, Any] = field(default_factory=dict)
    """The settings that differ from the defaults, as given."""
    profile: str = "standard"
    files: list[FileRead] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    """The first of them; `FileRead.unreadable` counts all."""
    events: list[EventUse] = field(default_factory=list)
    properties: list[PropertyUse] = field(default_factory=list)
    rules: dict[str, dict[Verdict, int]] = field(default_factory=dict)
    """By the name of the rule that acted: events by verdict. One event may count under several rules."""
    leaving: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    """What leaves, by event name, property and kind of value: the matter of a baseline."""
    leaks: list[Leak] = field(default_factory=list)
    refusals: list[RefusalCount] = field(default_factory=list)
    baseline: list[Breach] | None = None
    """None where no baseline was compared."""

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """Events by verdict."""
        return {verdict: sum(one.verdicts.get(verdict, 0) for one in self.events) for verdict in Verdict}

    @property
    def rows(self) -> int:
        """How many events were judged."""
        return sum(self.verdicts.values())

    @property
    def bytes_in(self) -> int:
        """Bytes of all events as they came."""
        return sum(one.bytes_in for one in self.events)

    @property
    def bytes_out(self) -> int:
        """Bytes of what the policy lets leave of them."""
        return sum(one.bytes_out for one in self.events)

    @property
    def unreadable_count(self) -> int:
        """Records that were no events."""
        return sum(one.unreadable for one in self.files)
