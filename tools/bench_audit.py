"""What a full audit costs beside jq removing one property, on a file of recorded shapes, in one run.

In:  `--size MB` of the file, `--rounds N`; `--write` puts the figures into docs/benchmarks-audit.md. Needs jq.
Out: a table on stdout: throughput, share of jq's, and peak memory. Exit status 2 where jq is not installed, 1 where a
     promise is missed.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import orjson

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from bench_parts.report import write  # noqa: E402

from tests.support import recorded  # noqa: E402

PAGE = ROOT / "docs" / "benchmarks-audit.md"
FILTER = 'del(.properties["$mcp_parameters"])'
FASTER, SPEEDUP, MOST_MEMORY = 3.0, 1.8, 200
"""The promises: times jq's throughput on one core, times that on two, and megabytes."""
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SCRUBBER_")}
ENVIRONMENT["PYDANTIC_DISABLE_PLUGINS"] = "1"
"""What another package plugs into pydantic would be loaded at each start."""


class Run(NamedTuple):
    """One run of a command. cpu: seconds of all its processes; memory: megabytes of the largest of them."""

    seconds: float
    cpu: float
    memory: float


def make(path: Path, size: int) -> None:
    """Write recorded events, one a line, over and over, each with an id of its own, until `size` bytes."""
    events = [one.event for one in recorded()]
    written = number = 0
    with path.open("wb") as file:
        while written < size:
            for event in events:
                number += 1
                line = orjson.dumps({**event, "uuid": f"{number:032x}"}) + b"\n"
                written += file.write(line)


def run(command: list[str], statuses: tuple[int, ...]) -> Run:
    """Run a command to its end, its output thrown away."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT, env=ENVIRONMENT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in statuses:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return Run(time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def contenders(path: Path) -> dict[str, Callable[[], Run]]:
    """What is measured, by name, in the order of the table."""
    audit = [sys.executable, "-m", "scrubber", "audit", str(path), "--format", "json", "--jobs"]
    # The recordings hold findings: 1 is the status of an audit that went well.
    return {
        f"jq -c '{FILTER}'": lambda: run(["jq", "-c", FILTER, str(path)], (0,)),
        "scrubber audit": lambda: run([*audit, "1"], (1,)),
        "scrubber audit --jobs 2": lambda: run([*audit, "2"], (1,)),
    }


def table(found: dict[str, list[Run]], size: int, events: int) -> tuple[str, bool]:
    """The report, and whether every promise was kept."""
    removed, one, two = found.values()
    # Of each round the ratio, since what else the machine does meets all of a round alike; and of processor time where
    # one core is promised, which what else the machine does cannot take.
    faster = statistics.median(slow.cpu / fast.cpu for slow, fast in zip(removed, one, strict=True))
    double = statistics.median(slow.seconds / fast.seconds for slow, fast in zip(one, two, strict=True))
    peak = max(each.memory for each in [*one, *two])
    width = max(map(len, found))
    lines = [
        f"{events:,} recorded events, {size / 1e6:.0f} MB; medians of {len(one)} interleaved rounds",
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, {_jq()}",
        "",
        f"{'':<{width}}  seconds  MB/s  CPU s  MB per CPU s  peak MB",
    ]
    for name, runs in found.items():
        seconds, cpu = statistics.median(each.seconds for each in runs), statistics.median(each.cpu for each in runs)
        lines.append(
            f"{name:<{width}}  {seconds:7.1f}  {size / seconds / 1e6:4.0f}  {cpu:5.1f}  {size / cpu / 1e6:12.0f}"
            f"  {max(each.memory for each in runs):7.0f}"
        )
    lines += [
        "",
        f"one process: {faster:.2f} times jq's throughput on one core (promised {FASTER:.0f})",
        f"two processes: {double:.2f} times as fast as one (promised {SPEEDUP})",
        f"largest process: {peak:.0f} MB (promised at most {MOST_MEMORY})",
    ]
    return "\n".join(lines), faster >= FASTER and double >= SPEEDUP and peak <= MOST_MEMORY


def _jq() -> str:
    return subprocess.run(["jq", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=200, metavar="MB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.make is not None:
        make(given.make, given.size * 1_000_000)
        return 0
    if shutil.which("jq") is None:
        print("jq is not installed: apt-get install jq, brew install jq, or https://jqlang.org/download")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        # In a process of its own: to the system a child has had at least the memory that its parent had.
        subprocess.run([sys.executable, __file__, "--make", str(path), "--size", str(given.size)], check=True)
        size = path.stat().st_size
        with path.open("rb") as file:
            events = sum(1 for _ in file)
        found: dict[str, list[Run]] = {}
        for _ in range(given.rounds):
            for name, measure in contenders(path).items():
                found.setdefault(name, []).append(measure())
    text, kept = table(found, size, events)
    print(text)
    if given.write:
        write(PAGE, "audit", f"`make bench-audit` printed this:\n\n```text\n{text}\n```")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
