"""A pytest plugin, `-p matrix_parts.recorder`: writes what the live scenarios found as JSON.

In:  `--matrix-json FILE`, and `--matrix-package`, the package whose `.mcp` instruments the servers.
Out: FILE, as `results.py` reads it: for each scenario its truths and the hook's verdicts (for a wrong one, the
     exception's links with their frames), the tests that failed and why, and the versions that ran.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

PACKAGES = ("mcp", "fastmcp", "posthog", "posthoganalytics", "pydantic", "pydantic-core", "pytest")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the two options."""
    group = parser.getgroup("matrix")
    group.addoption("--matrix-json", type=Path, help="where to write what the scenarios found")
    group.addoption("--matrix-package", default="posthog", help="the package that instruments the servers")


def pytest_configure(config: pytest.Config) -> None:
    """Put the recorder between the test and the run of a scenario, before the test's module is imported."""
    path = config.getoption("--matrix-json")
    if path is None:
        return
    from tests.live import run

    recorder = Recorder(path, config.getoption("--matrix-package"))
    run.run = recorder.around(run.run)
    config.pluginmanager.register(recorder)


class Recorder:
    """Collects rows, and writes them when the session ends."""

    def __init__(self, path: Path, package: str) -> None:
        self.path = path
        self.package = package
        self.scenarios: list[dict[str, Any]] = []
        self.failed: list[dict[str, str]] = []
        self.skipped: list[str] = []
        self.passed = 0

    def around(self, run: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        """In: the function that runs a scenario. Out: the same with the package chosen, and its events noted."""

        def recorded(scenario: Any, before_send: Any = None, *, family: Any, **options: Any) -> list[Any]:
            captured = run(scenario, before_send, family=family, **{"package": self.package, **options})
            self.scenarios.append(row(scenario, family.name, captured))
            return captured

        return recorded

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a test ended."""
        if report.failed:
            self.failed.append({"test": _short(report.nodeid), "why": _why(report)})
        elif report.skipped:
            self.skipped.append(_short(report.nodeid))
        elif report.when == "call":
            self.passed += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that could not be collected."""
        if report.failed:
            self.failed.append({"test": report.nodeid, "why": _why(report)})
        elif report.skipped:
            self.skipped.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        found = {
            "python": platform.python_version(),
            "package": self.package,
            "versions": {name: version for name in PACKAGES if (version := _version(name)) is not None},
            "passed": self.passed,
            "failed": self.failed,
            "skipped": self.skipped,
            "scenarios": self.scenarios,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(found, indent=1), encoding="utf-8")


def row(scenario: Any, family: str, captured: list[Any]) -> dict[str, Any]:
    """In: a scenario and its captured events. Out: its truths, its verdicts, and the chains of the wrong ones."""
    exceptions = []
    for one in captured:
        if one.event.get("event") != "$exception":
            continue
        got = "drop" if one.sent is None else "keep"
        entry = {"truth": one.truth, "got": got}
        if one.truth not in ("either", got):
            entry |= {"why": one.why, "chain": chain(one.event)}
        exceptions.append(entry)
    return {
        "name": scenario.name,
        "family": family,
        "expected": list(scenario.expected(family)),
        "may_be_silent": scenario.may_be_silent,
        "events": len(captured),
        "exceptions": exceptions,
    }


def chain(event: dict[str, Any]) -> list[dict[str, Any]]:
    """In: an `$exception` event. Out: its links as captured, each with `module:function` and source line by frame."""
    links = []
    for link in event["properties"].get("$exception_list") or []:
        frames = (link.get("stacktrace") or {}).get("frames") or []
        links.append(
            {
                "type": f"{link.get('module')}.{link.get('type')}",
                "mechanism": link.get("mechanism"),
                "frames": [f"{frame.get('module')}:{frame.get('function')}" for frame in frames],
                "lines": [(frame.get("context_line") or "").strip() for frame in frames],
            }
        )
    return links


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _short(nodeid: str) -> str:
    return nodeid.partition("[")[2].rstrip("]") or nodeid


def _why(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    lines = text.strip().splitlines() or [""]
    return (lines[0] if crash is not None else lines[-1])[:300]
