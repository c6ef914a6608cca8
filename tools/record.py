"""Record every live scenario with the installed SDK and PostHog versions.

In:  `--out FILE.jsonl.gz`, optionally `--family`, `--package` and `--only NAME` (repeatable).
Out: one line an event, with the keys `id sdk scenario truth why secrets hard event`; a report on stderr of
     every scenario whose number of `$exception` events is not the expected one, and the exit status 1 then.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.live.families import Family, installed_families, version_of  # noqa: E402
from tests.live.model import Captured, Scenario  # noqa: E402
from tests.live.run import run  # noqa: E402
from tests.live.scenarios import scenarios_for  # noqa: E402

PACKAGES = ("mcp", "fastmcp", "posthog", "posthoganalytics", "pydantic", "pydantic_core")


def path_rewrites() -> list[tuple[str, str]]:
    """Out: pairs of a directory of this machine and what is written instead, the longest first."""
    paths = sysconfig.get_paths()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    pairs = {
        paths["purelib"]: f"/srv/app/.venv/lib/{version}/site-packages",
        paths["stdlib"]: f"/usr/local/lib/{version}",
        str(ROOT): "/srv/app",
    }
    return sorted(pairs.items(), key=lambda pair: len(pair[0]), reverse=True)


def rewritten(value: Any, rewrites: list[tuple[str, str]]) -> Any:
    """In: any JSON value. Out: the same with the paths rewritten and the source context emptied."""
    if isinstance(value, dict):
        return {
            key: [] if key in ("pre_context", "post_context") and item else rewritten(item, rewrites)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [rewritten(item, rewrites) for item in value]
    if isinstance(value, str):
        for found, instead in rewrites:
            value = value.replace(found, instead)
    return value


def line_of(captured: Captured, label: str, sdk: dict[str, str], rewrites: list[tuple[str, str]]) -> str:
    """In: one captured event. Out: its line."""
    return json.dumps(
        {
            "id": f"{label}/{captured.scenario}/{captured.index}",
            "sdk": sdk,
            "scenario": captured.scenario,
            "truth": captured.truth,
            "why": captured.why,
            "secrets": list(captured.secrets),
            "hard": captured.hard,
            "event": rewritten(captured.event, rewrites),
        },
        ensure_ascii=True,
    )


def mismatch(scenario: Scenario, family: Family, events: list[Captured]) -> str | None:
    """Out: a sentence where the number of `$exception` events is not the expected one."""
    seen = sum(event.event.get("event") == "$exception" for event in events)
    expected = len(scenario.expected(family.name))
    fits = seen == expected or (scenario.may_be_silent and seen == 0)
    return None if fits else f"{scenario.name}: {seen} exception events, expected {expected}"


def main() -> int:
    """Record; out: the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--family", help="which of the installed families; the standalone package by default")
    parser.add_argument("--package", default="posthog", choices=("posthog", "posthoganalytics"))
    parser.add_argument("--only", action="append", default=[], help="record this scenario alone")
    options = parser.parse_args()
    families = [item for item in installed_families() if options.family in (None, item.name)]
    if not families:
        parser.error("no such family is installed")
    family = families[0]
    sdk = {name: version for name in PACKAGES if (version := version_of(name)) is not None}
    label = f"{family.name}-{family.version}-{options.package}-{metadata.version(options.package)}"
    rewrites = path_rewrites()
    lines: list[str] = []
    problems: list[str] = []
    for scenario in scenarios_for(family.name):
        if options.only and scenario.name not in options.only:
            continue
        try:
            events = run(scenario, family=family, package=options.package)
        except Exception as error:
            problems.append(f"{scenario.name}: {type(error).__name__}: {error}")
            continue
        lines.extend(line_of(event, label, sdk, rewrites) for event in events)
        problem = mismatch(scenario, family, events)
        if problem is not None:
            problems.append(problem)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    # No file name and no time in the header: the same events give the same file.
    with options.out.open("wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
        packed.write("".join(f"{line}\n" for line in lines).encode())
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{options.out.name}: {len(lines)} events, {options.out.stat().st_size} bytes", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
