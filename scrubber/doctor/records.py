"""What the doctor found, as plain records: names, counts and verdicts, and never a value from an event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Result(str, Enum):
    """How a check ended."""

    SOUND = "sound"
    WRONG = "wrong"
    SILENT = "silent"
    """The SDK sent no `$exception` for it, so there was nothing to judge and nothing left."""
    BLIND = "blind"
    """A refusal came without a traceback: nothing to judge by, so it is kept, redacted, as it must be."""
    FAILED = "failed"
    """It could not be provoked."""


class Level(str, Enum):
    """How much a remark weighs: a finding makes the doctor exit 1, a note does not."""

    FINDING = "finding"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Presence:
    """A package that the doctor looked for. version is None where it is absent; problem says why an installed one
    cannot be checked."""

    name: str
    package: str
    version: str | None = None
    problem: str | None = None

    @property
    def usable(self) -> bool:
        """Whether it can be checked."""
        return self.version is not None and self.problem is None


@dataclass(frozen=True, slots=True)
class Check:
    """One provocation on one server, and what the hook made of its `$exception` events, in order.

    leaks: properties in which a planted canary left. as_set: those in which one left because the settings say so.
    """

    family: str
    version: str
    watcher: str
    kind: str
    result: Result
    expected: tuple[str, ...]
    got: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    as_set: tuple[str, ...] = ()
    note: str = ""

    @property
    def is_finding(self) -> bool:
        """Whether somebody must act."""
        return self.result in (Result.WRONG, Result.FAILED) or bool(self.leaks)

    def as_dict(self) -> dict[str, Any]:
        """The check as JSON's types."""
        return {
            "family": self.family,
            "version": self.version,
            "watcher": self.watcher,
            "kind": self.kind,
            "result": self.result.value,
            "expected": list(self.expected),
            "got": list(self.got),
            "leaks": list(self.leaks),
            "as_set": list(self.as_set),
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence about something that is no provocation: a property, an option, a version. advice: what to do."""

    level: Level
    about: str
    text: str
    advice: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The remark as JSON's types."""
        return {"level": self.level.value, "about": self.about, "text": self.text, "advice": self.advice}


@dataclass(frozen=True, slots=True)
class Report:
    """All of it. `exit_code` is 0 for sound, 1 for a finding, 2 where nothing could be provoked."""

    installed: Sequence[Presence]
    checks: Sequence[Check] = ()
    remarks: Sequence[Remark] = ()
    seconds: float = 0.0
    settings: dict[str, Any] = field(default_factory=dict)
    """The settings that differ from the defaults, by name: `True` for each, never what they hold."""

    @property
    def findings(self) -> int:
        """How many checks and remarks are findings."""
        checks = sum(check.is_finding for check in self.checks)
        return checks + sum(remark.level is Level.FINDING for remark in self.remarks)

    @property
    def exit_code(self) -> int:
        """0, 1 or 2."""
        if not self.checks:
            return 2
        return 1 if self.findings else 0

    @property
    def verdict(self) -> str:
        """The exit code in a word or two."""
        return ("sound", "finding", "nothing to check")[self.exit_code]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON's types."""
        return {
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "findings": self.findings,
            "seconds": round(self.seconds, 1),
            "settings_changed": sorted(self.settings),
            "installed": [
                {"name": one.name, "package": one.package, "version": one.version, "problem": one.problem}
                for one in self.installed
            ],
            "checks": [check.as_dict() for check in self.checks],
            "remarks": [remark.as_dict() for remark in self.remarks],
        }
