"""Fuzz the hook, the parser of messages, the comparison with the arguments, and the guard's words, by coverage.

In:  `--seconds N` for each target, `--seed N`, `--target NAME` (may be given again), `--write` to put the figures into
     docs/fuzz.md, `--save` to save the inputs that reach most into tests/fuzz/corpus, `--replay FILE` to run one input
     in plain Python.
Out: a table. Inputs that broke a promise, were slow or crashed go to `.fuzz/found`; the exit status is 1 then.
"""

from __future__ import annotations

import argparse
import platform
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from bench_parts import report  # noqa: E402
from fuzz_parts import corpus, running, starting  # noqa: E402

from tests.fuzz.targets import TARGETS  # noqa: E402

DOC = ROOT / "docs" / "fuzz.md"
WORK = ROOT / ".fuzz"
FOUND = WORK / "found"


def replay(path: Path, target: str | None) -> int:
    """Run one input in plain Python. Its target is the first part of its name, where none is given."""
    name = target or path.name.partition("-")[0]
    if name not in TARGETS:
        print(f"{path.name}: which target is this for? Give --target, one of {', '.join(TARGETS)}", file=sys.stderr)
        return 2
    TARGETS[name](path.read_bytes())
    print(f"{path}: all promises of {name} are kept")
    return 0


def table(results: list[running.Result]) -> str:
    """Out: what was run, as text."""
    rows = [
        [
            one.target,
            "",
            f"{one.inputs:,}",
            f"{one.edges:,}",
            str(one.seconds),
            f"{one.kept:,}",
            f"{one.slowest * 1000:.0f}",
            str(len(one.found)),
        ]
        for one in results
    ]
    head = ["target", "", "inputs", "edges", "seconds", "corpus", "slowest, ms", "found"]
    about = f"Python {platform.python_version()} ({platform.machine()}), atheris {metadata.version('atheris')}."
    return f"{about}\n\n{report.table(head, rows)}\n\nInputs in all: {sum(one.inputs for one in results):,}."


def run(names: list[str], seconds: int, seed: int) -> list[running.Result]:
    """Fuzz each target in a process of its own."""
    results = []
    for name in names:
        folder = WORK / name
        corpus.unpack(name, folder, starting.seeds(name))
        print(f"{name}: {seconds} s ...", flush=True)
        results.append(running.fuzz(name, folder, FOUND, seconds, seed))
    return results


def tell(results: list[running.Result]) -> int:
    """Say what was found and how to see it again; out: the exit status."""
    for one in results:
        for path in one.found:
            print(f"found: {path.relative_to(ROOT)}\n  replay: python tools/fuzz.py --replay {path.relative_to(ROOT)}")
    return 1 if any(one.found for one in results) else 0


def main() -> int:
    """Fuzz; out: the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=20_261_130)
    parser.add_argument("--target", action="append", choices=list(TARGETS))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--replay", type=Path)
    options = parser.parse_args()
    if options.replay is not None:
        return replay(options.replay, (options.target or [None])[0])
    names = options.target or list(TARGETS)
    results = run(names, options.seconds, options.seed)
    text = table(results)
    print(f"\n{text}\n")
    if options.save:
        for name in names:
            print(f"saved {corpus.save(name, WORK / name)} inputs of {name}")
    if options.write:
        if names != list(TARGETS):
            print("--write needs all targets: the page shows one run", file=sys.stderr)
            return 2
        command = f"make fuzz SECONDS={options.seconds}"
        report.write(DOC, "fuzz", f"`{command}` (seed {options.seed}) printed this:\n\n```text\n{text}\n```")
    return tell(results)


if __name__ == "__main__":
    sys.exit(main())
