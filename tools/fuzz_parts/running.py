"""One target in a process of its own, bound in time and memory, and what libFuzzer says of it."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

CHILD = Path(__file__).resolve().parent / "child.py"
_MEMORY_MB = 2048
_ONE_INPUT = 25
"""Seconds after which libFuzzer ends a run at an input."""
_GRACE = 90
_STATUS = re.compile(r"^#(\d+)\s.*?cov: (\d+) ft: \d+ corp: (\d+)/", re.MULTILINE)


class Result(NamedTuple):
    """What a run did. `kept`: inputs in the corpus at its end; `found`: files of inputs that want a look."""

    target: str
    inputs: int
    edges: int
    seconds: int
    kept: int
    slowest: float
    found: list[Path]


def _bounded() -> None:
    # libFuzzer measures what is resident; this ends a process that asks for far more at once.
    resource.setrlimit(resource.RLIMIT_AS, (8 * _MEMORY_MB << 20, 8 * _MEMORY_MB << 20))


def _child(target: str, found: Path, arguments: list[str], seconds: float) -> str:
    command = [sys.executable, str(CHILD), target, str(found), *arguments]
    done = subprocess.run(command, check=False, capture_output=True, timeout=seconds + _GRACE, preexec_fn=_bounded)
    said = done.stderr.decode("utf-8", "replace")
    if not _STATUS.search(said):
        raise SystemExit(f"{target}: atheris did not run (status {done.returncode})\n{said[-2000:]}")
    return said


def fuzz(target: str, folder: Path, found: Path, seconds: int, seed: int) -> Result:
    """Run a target for so many seconds, from the inputs in `folder`, to which it adds."""
    found.mkdir(parents=True, exist_ok=True)
    for path in found.glob(f"{target}[-.]*"):
        path.unlink()
    limits = [f"-max_total_time={seconds}", f"-timeout={_ONE_INPUT}", f"-rss_limit_mb={_MEMORY_MB}", "-max_len=4096"]
    start = time.monotonic()
    said = _child(
        target, found, [*limits, f"-seed={seed}", f"-artifact_prefix={found}/{target}-", str(folder)], seconds
    )
    spent = round(time.monotonic() - start)
    last = _STATUS.findall(said)[-1]
    stats = found / f"{target}.json"
    slowest = json.loads(stats.read_text("utf-8"))["slowest"] if stats.exists() else 0.0
    stats.unlink(missing_ok=True)
    return Result(target, int(last[0]), int(last[1]), spent, int(last[2]), slowest, sorted(found.glob(f"{target}-*")))
