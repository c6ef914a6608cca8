"""Every mutant that mutmut makes of the modules that decide, against the unit tests, in a copy of the tree.

In:  `--minutes N` at most, `--jobs N`, `--only MODULE` (a part of a module's path, repeatable), `--write` to put the
     figures into docs/mutation.md between its markers; mutation_explained.toml beside this file: under [explained] a
     mutant's key and why no test needs to kill it, under [patterns] the same for all keys that a regular expression
     finds. Keys are printed with the survivors.
Out: per module the mutants killed, survived, out of time and not reached, then each survivor without an explanation
     as a diff. Exit status 1 if there is one, or if mutmut could not run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from bench_parts.report import table, write  # noqa: E402
from mutation_cut import copy_tree  # noqa: E402

DOC = ROOT / "docs" / "mutation.md"
EXPLAINED = ROOT / "tools" / "mutation_explained.toml"
WORDS = ("message", "chain", "kinds", "sites", "properties")
TESTS = "tests/unit"
SLOW = ("threads", "fork", "importing")
"""Parts of the names of tests that are left out: they start threads or processes, and judge no event."""

# What a function remembers hides from mutmut which tests need it, and hides from a test that the function was changed:
# mutants are forked from the process that ran the tests before.
FORGET = """
import functools, gc

def _remembering():
    return [
        found
        for found in gc.get_objects()
        if isinstance(found, functools._lru_cache_wrapper) and found.__module__.startswith("scrubber")
    ]

_found = []

def pytest_collection_finish(session):
    _found[:] = _remembering()

def pytest_runtest_setup(item):
    for found in _found:
        found.cache_clear()
"""

# mutmut's exit statuses (mutmut.stats.status_by_exit_code): what is not here is an accident of the run.
STATUS = {1: "killed", 3: "killed", 0: "survived", 5: "no tests", 33: "no tests", None: "not reached"}
STATUS |= dict.fromkeys((36, 24, -24, 152, 255), "timeout")
COLUMNS = ("killed", "survived", "timeout", "no tests", "not reached", "other")
ALIVE = ("survived", "no tests")


@dataclass(frozen=True)
class Mutant:
    """`name` is mutmut's, numbered anew whenever its function changes; `diff` and `key` are known for those alive."""

    module: str
    name: str
    status: str
    diff: str = ""
    key: str = ""


def modules(only: list[str]) -> list[str]:
    """Out: the modules that decide, as paths in the tree."""
    rules = sorted((ROOT / "scrubber" / "rules").glob("[a-z]*.py"))
    paths = [*rules, *(ROOT / "scrubber" / "words" / f"{name}.py" for name in WORDS), ROOT / "scrubber" / "pipeline.py"]
    found = [str(path.relative_to(ROOT)) for path in paths]
    return [path for path in found if not only or any(part in path for part in only)]


def configure(tree: Path, mutated: list[str]) -> None:
    """Write mutmut's settings into the copy."""
    arguments = ["-p", "no:cacheprovider", "-k", " and ".join(f"not {part}" for part in SLOW)]
    settings = {
        "source_paths": ["scrubber"],
        "only_mutate": mutated,
        "pytest_add_cli_args": arguments,
        "pytest_add_cli_args_test_selection": [TESTS],
    }
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in settings.items())
    with (tree / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n[tool.mutmut]\n{lines}\n")
    with (tree / TESTS / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(FORGET)


def run_mutmut(tree: Path, minutes: float, jobs: int) -> str | None:
    """Run until done or out of time. Out: the end of mutmut's output if it failed."""
    log = tree / "mutmut.log"
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(jobs)]
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONHASHSEED": "0"}
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=tree, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            status = process.wait(timeout=minutes * 60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            return None
    return None if status == 0 else log.read_text(errors="replace").replace("\r", "\n")[-4000:]


def results(tree: Path, mutated: list[str]) -> list[Mutant]:
    """Out: every mutant, those alive with their diffs."""
    found = []
    for module in mutated:
        meta = tree / "mutants" / f"{module}.meta"
        statuses = json.loads(meta.read_text())["exit_code_by_key"] if meta.exists() else {}
        found += [(module, name, STATUS.get(code, "other")) for name, code in statuses.items()]
    diffs = diffs_of(tree, [(name, module) for module, name, status in found if status in ALIVE])
    return [
        Mutant(module, name, status, diff, key_of(name, diff) if diff else "")
        for module, name, status in found
        for diff in (diffs.get(name, ""),)
    ]


_SHOW = """
import json, sys
from mutmut.mutation.diff_apply import get_diff_for_mutant
print(json.dumps({name: get_diff_for_mutant(name, path=path) for name, path in json.load(sys.stdin)}))
"""


def diffs_of(tree: Path, names: list[tuple[str, str]]) -> dict[str, str]:
    """Out: the mutants as diffs, by name. One process for all: mutmut reads its settings from the directory it is in,
    and its command shows one mutant at a time."""
    command = [sys.executable, "-c", _SHOW]
    done = subprocess.run(command, cwd=tree, input=json.dumps(names), capture_output=True, text=True, check=True)
    diffs: dict[str, str] = json.loads(done.stdout)
    return diffs


def key_of(name: str, diff: str) -> str:
    """Out: the function and what was replaced by what; it survives a change elsewhere, as mutmut's number does not."""
    function = re.sub(r"__mutmut_\d+\Z", "", name).removeprefix("scrubber.")
    function = function.replace(".xǁ", ".").replace("ǁ", ".").replace(".x_", ".")
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    gone = " ".join(" ".join(line[1:].split()) for line in lines if line.startswith("-"))
    come = " ".join(" ".join(line[1:].split()) for line in lines if line.startswith("+"))
    return f"{function}: {gone} => {come}"


class Explanations:
    """Reasons, by key or by a pattern of keys. `used` are the keys and patterns that a survivor had."""

    def __init__(self, path: Path) -> None:
        listed = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.exact: dict[str, str] = listed.get("explained", {})
        self.patterns: dict[str, str] = listed.get("patterns", {})
        self.used: set[str] = set()

    def of(self, key: str) -> tuple[str, str] | None:
        """Out: the key or pattern that explains a mutant, and the reason; None where nothing does."""
        reason = self.exact.get(key)
        found = (key, reason) if reason is not None else None
        if found is None:
            found = next((item for item in self.patterns.items() if key and re.search(item[0], key)), None)
        if found is not None:
            self.used.add(found[0])
        return found

    def stale(self) -> list[str]:
        """Out: what explains no mutant of this run."""
        return sorted({*self.exact, *self.patterns} - self.used)


def figures(mutants: list[Mutant], explained: Explanations) -> str:
    """Out: the table of figures."""
    rows = []
    for module in [*dict.fromkeys(mutant.module for mutant in mutants), "all"]:
        here = [mutant for mutant in mutants if module in (mutant.module, "all")]
        count = Counter(mutant.status for mutant in here)
        reasons = sum(explained.of(mutant.key) is not None for mutant in here)
        rows.append([module, "", str(len(here)), *(str(count[column]) for column in COLUMNS), str(reasons)])
    return table(["module", "", "mutants", *COLUMNS, "explained"], rows)


def document(mutants: list[Mutant], explained: Explanations) -> str:
    """Out: the figures and the explained survivors, for the docs."""
    found = [explained.of(mutant.key) for mutant in mutants if mutant.status in ALIVE]
    reasons = Counter(item for item in found if item is not None)
    parts = [
        f"`make mutation` with mutmut {metadata.version('mutmut')} and Python {sys.version.split()[0]} printed this:",
        f"```text\n{figures(mutants, explained)}\n```",
        f"Survivors without an explanation: {found.count(None)}.",
    ]
    if reasons:
        listed = "\n".join(f"- `` {key} `` ({number}): {reason}" for (key, reason), number in reasons.items())
        parts.append(f"Explained survivors, by key or pattern, and how many:\n\n{listed}")
    return "\n\n".join(parts)


def main() -> int:
    """Run; out: the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    start = time.monotonic()
    mutated = modules(options.only)
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        tree = Path(folder)
        copy_tree(tree)
        configure(tree, mutated)
        failed = run_mutmut(tree, options.minutes, options.jobs)
        mutants = results(tree, mutated)
    if failed is not None or not mutants:
        print(failed or "mutmut made no mutant")
        return 1
    explained = Explanations(EXPLAINED)
    unexplained = [one for one in mutants if one.status in ALIVE and explained.of(one.key) is None]
    for mutant in unexplained:
        print(f"{mutant.status}: {json.dumps(mutant.key, ensure_ascii=False)}\n{mutant.diff}\n")
    if not options.only:
        print("".join(f"explained, but no such survivor: {key}\n" for key in explained.stale()), end="")
    print(figures(mutants, explained))
    print(f"\n{len(unexplained)} survivors without an explanation, {time.monotonic() - start:.0f} s")
    if options.write:
        write(DOC, "mutation", document(mutants, explained))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
