"""What a session of noxfile.py left, judged.

In:  `.venvs/matrix-results/NAME.json` of an environment, as `recorder.py` or noxfile.py wrote it.
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
SKIPPED = "skipped"


@dataclass(frozen=True)
class Result:
    """An environment, and the JSON of its last run; None where there is none."""

    env: Environment
    found: dict[str, Any] | None

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
    def missing(self) -> list[str]:
        """Scenarios that left fewer exceptions than they declare, and are not known to be silent."""
        return [
            row["name"]
            for row in self.scenarios
            if len(row["exceptions"]) < len(row["expected"]) and not row["may_be_silent"]
        ]

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
            return f"{len(found['failed'])} failed"
        if self.other_versions:
            return "other versions"
        # Without events, every verdict is right: a client that cannot watch the SDK must not pass for that.
        return RIGHT if self.counted("drop") and self.counted("keep") else "no events"

    @property
    def bad(self) -> bool:
        """Whether it must be looked at. A Python that this machine does not have is nobody's fault."""
        return self.verdict not in (RIGHT, SKIPPED)

    def cells(self) -> tuple[str, ...]:
        """Out: the row of the table, as `HEAD` names it."""
        env = self.env
        watcher = f"{env.package} {ANALYTICS}" if env.package != "posthog" else env.posthog
        if not self.scenarios:
            return (env.sdk.replace("-", " "), watcher, env.pydantic, env.python, "", "", "", "", self.verdict)
        drops = f"{self.counted('drop', 'drop')}/{self.counted('drop')}"
        keeps = f"{self.counted('keep', 'keep')}/{self.counted('keep')}"
        debatable = str(self.counted("either"))
        count = str(len(self.scenarios))
        return (
            *(env.sdk.replace("-", " "), watcher, env.pydantic, (self.found or {})["python"]),
            *(count, drops, keeps, debatable, self.verdict),
        )

    def problems(self) -> Iterator[str]:
        """Out: why the verdict is not `right`, with the chains of wrong verdicts."""
        found = self.found or {}
        for key in ("not_installed", SKIPPED):
            if isinstance(found.get(key), str):
                yield found[key]
                return
        for failed in found.get("failed", []):
            yield f"{failed['test']}: {failed['why']}"
        for row, one in self.exceptions:
            if "chain" in one:
                yield f"{row['name']}: {one['got']} instead of {one['truth']} ({one['why']})"
                yield from _chain(one["chain"])
        if found and not isinstance(found.get(SKIPPED), str):
            yield from self.other_versions


HEAD = ("SDK", "posthog", "pydantic", "Python", "scenarios", "right drops", "right keeps", "debatable", "verdict")


def _chain(links: list[dict[str, Any]]) -> Iterator[str]:
    for link in links:
        yield f"    {link['type']}"
        for call, line in zip(link["frames"], link["lines"], strict=True):
            yield f"        {call}  {line}"


def load(env: Environment, folder: Path) -> Result:
    """In: an environment, and where the results are. Out: its result."""
    path = folder / f"{env.name}.json"
    return Result(env, json.loads(path.read_text("utf-8")) if path.exists() else None)
