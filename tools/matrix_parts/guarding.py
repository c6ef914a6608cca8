"""A pytest plugin, `-p matrix_parts.guarding`: how the argument guard's tests ended in an environment, as JSON.

In:  `--guard-json FILE`, and `--guard-family NAME`: of the tests for several SDKs only this family's are run, because
     fastmcp stands on mcp, which has environments of its own.
Out: FILE, as `results.py` reads it: how many passed and were skipped, and which failed and why.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the two options."""
    group = parser.getgroup("matrix")
    group.addoption("--guard-json", type=Path, help="where to write how the guard's tests ended")
    group.addoption("--guard-family", default="", help="the family whose tests are run")


def pytest_configure(config: pytest.Config) -> None:
    """Collect what is reported, if anybody wants to have it."""
    path = config.getoption("--guard-json")
    if path is not None:
        config.pluginmanager.register(Counter(path))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of another family."""
    wanted = config.getoption("--guard-family")
    other = [item for item in items if wanted and _family_of(item) not in (None, *_alike(wanted))]
    if other:
        config.hook.pytest_deselected(items=other)
        items[:] = [item for item in items if item not in set(other)]


def _family_of(item: pytest.Item) -> str | None:
    """The family that a test is for; None: it is for any."""
    params = getattr(getattr(item, "callspec", None), "params", {})
    return getattr(params.get("family"), "name", None)


def _alike(family: str) -> tuple[str, ...]:
    """A family, and the low-level server of the same package."""
    return (family, family.replace("mcp", "lowlevel")) if family.startswith("mcp") else (family,)


class Counter:
    """Counts, and writes the file when the session ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.passed = self.skipped = 0
        self.failed: list[dict[str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a test ended."""
        if report.failed:
            self.failed.append({"test": report.nodeid, "why": _why(report)})
        elif report.skipped:
            self.skipped += 1
        elif report.when == "call":
            self.passed += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that could not be collected."""
        if report.failed:
            self.failed.append({"test": report.nodeid, "why": _why(report)})

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        found = {"passed": self.passed, "skipped": self.skipped, "failed": self.failed}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(found, indent=1), encoding="utf-8")


def _why(report: pytest.TestReport | pytest.CollectReport) -> str:
    lines = [line for line in str(report.longrepr).splitlines() if line.startswith("E ")]
    return (lines or str(report.longrepr).splitlines()[-1:] or ["?"])[0].removeprefix("E ").strip()[:300]
