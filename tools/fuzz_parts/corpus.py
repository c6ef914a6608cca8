"""The saved corpus: one text file for each target, an input on each line. Small enough for the repository."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any

from tests.fuzz.saved import path_of, read, written
from tests.fuzz.targets import TARGETS

MOST = 56_000
"""Characters of a target's file."""
ENOUGH = 16_000
"""Characters up to which inputs are saved that only libFuzzer, which counts more finely, tells from others."""
PACKAGE = str(Path(__file__).resolve().parents[2] / "scrubber")

Step = tuple[str, int, int]
"""A file, a line, and the line before it."""


def unpack(target: str, folder: Path, more: Iterable[bytes]) -> int:
    """Write the saved inputs of a target, and `more`, as files into a folder. Out: how many files it then holds."""
    folder.mkdir(parents=True, exist_ok=True)
    for data in (*read(target), *more):
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
    return sum(1 for _ in folder.iterdir())


def save(target: str, folder: Path) -> int:
    """Save the inputs in a folder that keep all promises and reach something new, the smallest first, as far as the
    file may grow. Out: how many."""
    lines: list[str] = []
    reached: set[Step] = set()
    size = 0
    for data in sorted((path.read_bytes() for path in folder.iterdir()), key=lambda one: (len(one), one)):
        try:
            steps = steps_of(TARGETS[target], data)
        except Exception:
            # A finding, which the run reports: it is saved once what it found is put right.
            continue
        line = written(data)
        if size + len(line) >= (ENOUGH if steps <= reached else MOST):
            continue
        reached |= steps
        size += len(line) + 1
        lines.append(line)
    path_of(target).write_text("".join(f"{line}\n" for line in lines), "ascii")
    return len(lines)


def steps_of(call: Callable[[bytes], None], data: bytes) -> set[Step]:
    """The steps from line to line that a call makes in the package. Raises what the call raises."""
    steps: set[Step] = set()
    last: dict[FrameType, int] = {}

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(PACKAGE):
            return None
        if event == "line":
            steps.add((name, frame.f_lineno, last.get(frame, 0)))
            last[frame] = frame.f_lineno
        elif event == "return":
            last.pop(frame, None)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call(data)
    finally:
        sys.settrace(before)
    return steps
