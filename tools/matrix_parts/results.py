"""What a session of noxfile.py left, judged.

In:  `.venvs/matrix-results/NAME.json` of an environment, as `recorder.py` or noxfile.py wrote it, and beside it
     `NAME.guard.json`, as `guarding.py` wrote it.
Out: a `Result`: its counts, its verdict in words, and what is wrong with it, line by line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from matrix_parts.environments import ANALYTICS, Environment

RIGHT = "right"
BLIND = "no frames"
"""All right, but hardly a refusal could be told from a fault and dropped: posthog sent no tracebacks."""
SKIPPED = "skipped"


@dataclass(frozen=True)
class Result:
    """An environment, and the JSON of its last run; None where there is none."""

    env: Environment
    found: dict[str, Any] | None
    guard: dict[str, Any] | None = None
    """How the argument guard's tests ended."""

    @cached_property
    def scenarios(self) -> list[dict[str, Any]]:
        """The rows of the scenarios that ran."""
        return (self.found or {}).get("scenarios") or []

    @cached_property
    def exceptions(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Each `$exception` event, after its scenario."""
        return [(row, one) for row in self.scenarios for one in row["exceptions"]]

    def counted(self, truth: str, got: str | None = None) -> int:
        """In: a truth, and a verdict. Out: how many events have both."""
        return sum(one["truth"] == truth and got in (None, one["got"]) for _, one in self.exceptions)

    @property
    def frameless(self) -> int:
        """How many refusals came without a frame: there is no evidence in them, so that they had to be kept."""
        pairs = [zip(row["expected"], row["exceptions"], strict=False) for row in self.scenarios]
        return sum(expected == "drop" and one["truth"] == "keep" for row in pairs for expected, one in row)

    def silent(self, *, known: bool) -> tuple[str, ...]:
        """In: whether the scenario says that some posthogs send no exception for it. Out: those without theirs."""
        return tuple(
            row["name"]
            for row in self.scenarios
            if len(row["exceptions"]) < len(row["expected"]) and row["may_be_silent"] is known
        )

    @property
    def other_versions(self) -> list[str]:
        """Packages that are not the ones the environment pins: the run says nothing about these."""
        wanted = {self.env.line.sdk: self.env.line.version, "pydantic": self.env.pydantic, "posthog": self.env.posthog}
        if self.env.package == "posthoganalytics":
            wanted["posthoganalytics"] = ANALYTICS
        there = (self.found or {}).get("versions") or {}
        return [f"{name} {there.get(name)} instead of {pin}" for name, pin in wanted.items() if there.get(name) != pin]

    @cached_property
    def verdict(self) -> str:
        """`right`, or what it is instead."""
        found = self.found
        if found is None:
            return "not run"
        if "not_installed" in found:
            return "not installed"
        if SKIPPED in found and not isinstance(found[SKIPPED], list):
            return SKIPPED
        if found["failed"]:
            return "failed"
        if self.other_versions:
            return "other versions"
        # Without events, every verdict is right: a client that cannot watch the SDK must not pass for that.
        if not self.counted("keep") or (self.env.traced and not self.counted("drop")):
            return "no events"
        if self.silent(known=False):
            return "lost events"
        if self.guard is None or not self.guard["passed"]:
            return "guard not run"
        if self.guard["failed"]:
            return "guard failed"
        return RIGHT if self.env.traced else BLIND

    @property
    def bad(self) -> bool:
        """Whether it must be looked at. A Python that this machine does not have is nobody's fault."""
        return self.verdict not in (RIGHT, BLIND, SKIPPED)

    def cells(self) -> tuple[str, ...]:
        """Out: the row of the table, as `HEAD` names it."""
        env = self.env
        counts = [""] * 5
        if self.scenarios:
            both = [f"{self.counted(truth, truth)}/{self.counted(truth)}" for truth in ("drop", "keep")]
            counts = [str(len(self.scenarios)), *both, str(self.frameless), str(self.counted("either"))]
        python = (self.found or {}).get("python", env.python)
        return (env.sdk.replace("-", " "), env.watcher, env.pydantic, python, *counts, self._guarded(), self.verdict)

    def _guarded(self) -> str:
        """The guard's tests that passed, of those that ran."""
        if self.guard is None:
            return ""
        passed = self.guard["passed"]
        return f"{passed}/{passed + len(self.guard['failed'])}"

    def problems(self) -> Iterator[str]:
        """Out: why the verdict is not `right`, line by line, with the traces of wrong verdicts."""
        found = self.found or {}
        for key in ("not_installed", SKIPPED):
            if isinstance(found.get(key), str):
                yield found[key]
                return
        for failed in found.get("failed", []):
            yield f"{failed['test']}: {failed['why']}"
        for failed in (self.guard or {}).get("failed", []):
            yield f"{failed['test']}: {failed['why']}"
        yield from self._wrong()
        lost = self.silent(known=False)
        if lost:
            yield f"no exception event from {', '.join(lost)}"
        if found:
            yield from self.other_versions

    def _wrong(self) -> Iterator[str]:
        """Out: the wrong verdicts, those with the same trace together, and the trace as the hook received it."""
        alike: dict[tuple[str, ...], list[str]] = {}
        for row, one in self.exceptions:
            if "chain" in one:
                trace = (f"{one['got']} instead of {one['truth']}", *_trace(one["chain"]))
                alike.setdefault(trace, []).append(row["name"])
        for (verdict, *lines), names in alike.items():
            yield f"{verdict}: {', '.join(names)}"
            yield from lines


HEAD = (
    "SDK",
    "posthog",
    "pydantic",
    "Python",
    "scenarios",
    "right drops",
    "right keeps",
    "no frames",
    "debatable",
    "guard",
    "verdict",
)


def _trace(links: list[dict[str, Any]]) -> Iterator[str]:
    for link in links:
        yield f"    {link['type']}"
        for call, line in zip(link["frames"], link["lines"], strict=True):
            yield f"        {call}  {line}"


def load(env: Environment, folder: Path) -> Result:
    """In: an environment, and where the results are. Out: its result."""
    path, guarded = folder / f"{env.name}.json", folder / f"{env.name}.guard.json"
    return Result(env, *(json.loads(one.read_text("utf-8")) if one.exists() else None for one in (path, guarded)))
