"""What a comparison of two policies says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from scrubber.audit.records import Fate, FileRead, Unreadable
from scrubber.words.verdict import Verdict

ABSENT, ADDED = "absent", "added"
"""The fates of a property that no rule made, and of one that a rule made."""
STAYS = frozenset({Fate.REMOVED, Fate.UNKNOWN, ABSENT})
"""The fates of what does not leave."""


class Direction(str, Enum):
    """What a change lets leave; what a reviewer must see comes first."""

    OPENED = "opened"
    """Something leaves that did not."""
    CHANGED = "changed"
    """It leaves otherwise, and not more of what came."""
    CLOSED = "closed"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting that differs, as its values."""

    name: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """Events of one name whose verdict changes. rules: those that act under one of the two policies only."""

    event: str
    old: Verdict
    new: Verdict
    rules: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class FateChange:
    """A property whose fate changes, with the events it is on by name.

    beside: it stands beside `properties`. first: it leaves, and under the old policy it left on no event at all.
    """

    name: str
    old: str
    new: str
    direction: Direction
    events: dict[str, int]
    beside: bool = False
    first: bool = False

    @property
    def count(self) -> int:
        """How often."""
        return sum(self.events.values())

    @property
    def leaves_both(self) -> bool:
        """Whether it leaves under both policies, in two forms."""
        return self.old not in STAYS and self.new not in STAYS


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result, sorted and ready to show: what newly leaves first. opened, closed: events with such a change."""

    settings: tuple[SettingChange, ...]
    verdicts: tuple[VerdictChange, ...]
    properties: tuple[FateChange, ...]
    events: int = 0
    opened: int = 0
    closed: int = 0
    files: tuple[FileRead, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether anything changes for the events."""
        return bool(self.verdicts or self.properties)

    @property
    def incomplete(self) -> bool:
        """Whether something could not be read."""
        return any(one.unreadable or one.broken for one in self.files)

    @property
    def opens(self) -> bool:
        """Whether anything newly leaves."""
        return any(one.direction is Direction.OPENED for one in self.properties)
