"""The mutations that a test must catch, each in a copy of the tree.

In:  mutation_cut.toml beside this file, or the list that `--list FILE` names; `--only TEXT` for the mutations whose
     name holds it, `--jobs N`.
Out: one line a mutation on stdout. Exit status 1 if a mutant survives, if a text to replace is not found exactly
     once, if a mutant breaks more than a test (no tests ran), or if the tests fail without a mutation.
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tools" / "mutation_cut.toml"
PARTS = ("scrubber", "tests", "pyproject.toml")
CONFTEST = """
from hypothesis import HealthCheck, settings

settings.register_profile("mutation", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.load_profile("mutation")
"""
"""The same examples in each run, and no failure because the machine is busy: it would pass for a caught mutant."""
SECONDS = 120
"""For one run of the tests: a mutant that loops is caught too."""


@dataclass(frozen=True)
class Mutation:
    """`edits` are file, text and replacement; `tests` are pytest's arguments."""

    name: str
    why: str
    edits: tuple[tuple[str, str, str], ...]
    tests: tuple[str, ...]


def read(path: Path) -> list[Mutation]:
    """Out: the mutations that a file lists."""
    listed = tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]
    return [_mutation(item) for item in listed]


def _mutation(item: dict[str, Any]) -> Mutation:
    tests = item["tests"]
    edits = [(item["file"], item["old"], item["new"]), *(tuple(edit) for edit in item.get("also", ()))]
    return Mutation(item["name"], item["why"], tuple(edits), tuple(tests.split() if isinstance(tests, str) else tests))


def copy_tree(target: Path) -> None:
    """Copy what the tests need into `target`."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, target / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target / part)
    with (target / "tests" / "unit" / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(CONFTEST)


def run_tests(tree: Path, tests: tuple[str, ...]) -> int | None:
    """Out: pytest's exit status in `tree`, None where the time ran out."""
    # No byte code: a mutant of the same size within the same second would be taken for the code before it.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode


def problem_of(tree: Path, mutation: Mutation) -> str | None:
    """Apply the mutation in `tree`, run its tests, undo it. Out: what is wrong with the tests, None if they fail."""
    originals: dict[Path, str] = {}
    try:
        for file, old, new in mutation.edits:
            path = tree / file
            text = path.read_text(encoding="utf-8")
            originals.setdefault(path, text)
            if text.count(old) != 1:
                return f"{text.count(old)} times in {file}: {old}"
            path.write_text(text.replace(old, new), encoding="utf-8")
        status = run_tests(tree, mutation.tests)
    finally:
        for path, text in originals.items():
            path.write_text(text, encoding="utf-8")
    if status in (1, None):
        return None
    return "SURVIVED" if status == 0 else f"no test ran (pytest's status {status}): the mutation itself is broken"


def baseline(tree: Path, mutations: list[Mutation]) -> str | None:
    """Out: what is wrong before any mutation, None if every named test passes on the tree's own package."""
    where = "import scrubber, sys; sys.exit(scrubber.__file__.startswith(sys.argv[1]) is False)"
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    found = subprocess.run([sys.executable, "-c", where, str(tree)], cwd=tree, env=environment, check=False)
    if found.returncode != 0:
        return "the tests would not see the copy of the package"
    for tests in dict.fromkeys(mutation.tests for mutation in mutations):
        status = run_tests(tree, tests)
        if status != 0:
            return f"without a mutation, pytest {' '.join(tests)} ends with status {status}"
    return None


def run(mutations: list[Mutation], jobs: int) -> list[tuple[Mutation, str]]:
    """Run them in `jobs` copies at once, printing as they end. Out: those with a problem."""
    bad: list[tuple[Mutation, str]] = []
    with tempfile.TemporaryDirectory(prefix="mutation-cut-") as folder:
        trees: queue.Queue[Path] = queue.Queue()
        for number in range(jobs):
            tree = Path(folder) / str(number)
            tree.mkdir()
            copy_tree(tree)
            trees.put(tree)

        def one(mutation: Mutation) -> tuple[Mutation, str | None]:
            tree = trees.get()
            try:
                return mutation, problem_of(tree, mutation)
            finally:
                trees.put(tree)

        wrong = baseline(Path(folder) / "0", mutations)
        if wrong is not None:
            raise SystemExit(wrong)
        with ThreadPoolExecutor(jobs) as pool:
            for mutation, problem in pool.map(one, mutations):
                print(f"{'caught' if problem is None else problem:9} {mutation.name}", flush=True)
                if problem is not None:
                    bad.append((mutation, problem))
    return bad


def main() -> int:
    """Run; out: the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", type=Path, default=LIST, help="the list of mutations")
    parser.add_argument("--only", default="", help="the mutations whose name holds this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    mutations = [mutation for mutation in read(options.list) if options.only in mutation.name]
    start = time.monotonic()
    bad = run(mutations, max(1, min(options.jobs, len(mutations))))
    for mutation, problem in bad:
        print(f"\n{mutation.name}: {problem}\n  {mutation.why}\n  tests: {' '.join(mutation.tests)}")
        for file, old, new in mutation.edits:
            print(f"  {file}\n  - {old}\n  + {new}")
    print(f"\n{len(mutations) - len(bad)} of {len(mutations)} caught, {time.monotonic() - start:.0f} s")
    return 1 if bad or not mutations else 0


if __name__ == "__main__":
    sys.exit(main())
