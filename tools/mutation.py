"""Every mutant that mutmut makes of the modules that decide, against their quick tests, in a copy of the tree.

Which modules and which tests: mutation_groups.py.

In:  `--minutes N` at most, `--jobs N`, `--only MODULE` (a part of a module's path, repeatable), `--write` to put the
     figures into docs/mutation.md between its markers; `--state FILE` to go on where another run stopped: what it
     killed stays killed (add tests meanwhile, but take none away; a module that changed starts anew), the rest runs
     again, and the figures are those of all modules in the file; `--state` again for files that are only read,
     where the first says nothing of a module as it is; `--report` to run nothing and tell the state's.
     mutation_explained.toml beside this file: under [explained] a mutant's key and why no test needs to kill it,
     under [patterns] the same for all keys that a regular expression finds. Keys are printed with the survivors.
Out: per module the mutants killed, survived, out of time and not reached, then each survivor without an explanation
     as a diff. Exit status 1 if there is one, or if mutmut could not run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

from bench_parts.report import table, write  # noqa: E402
from mutation_cut import copy_tree  # noqa: E402
from mutation_groups import ROOT, Group, all_modules, parted  # noqa: E402

DOC = ROOT / "docs" / "mutation.md"
EXPLAINED = ROOT / "tools" / "mutation_explained.toml"

# mutmut's exit statuses (mutmut.stats.status_by_exit_code): what is not here is an accident of the run.
STATUS = {1: "killed", 3: "killed", 0: "survived", 5: "no tests", 33: "no tests", None: "not reached"}
STATUS |= dict.fromkeys((36, 24, -24, 152, 255), "timeout")
WORDING = "wording"
"""The status of a mutant that was not run: it changes the words of a sentence that a finding gives as its reason."""
COLUMNS = ("killed", "timeout", WORDING, "survived", "no tests", "not reached", "other")
ALIVE = ("survived", "no tests")
DONE = ("killed", "timeout", WORDING)
"""What no further test changes."""


@dataclass(frozen=True)
class Mutant:
    """`name` is mutmut's, numbered anew whenever its function changes; `diff` and `key` are known for those alive."""

    module: str
    name: str
    status: str
    diff: str = ""
    key: str = ""


_GENERATE = """
from mutmut.__main__ import copy_also_copy_files, copy_src_dir, create_mutants, setup_source_paths
from mutmut.__main__ import store_lines_covered_by_tests
import pathlib
pathlib.Path("mutants").mkdir()
copy_src_dir()
copy_also_copy_files()
setup_source_paths()
store_lines_covered_by_tests()
create_mutants(1)
"""


def generate(tree: Path, mutated: list[str]) -> dict[str, str]:
    """Make the mutants without running any. Out: their keys by name."""
    subprocess.run([sys.executable, "-c", _GENERATE], cwd=tree, capture_output=True, check=True)
    names = []
    for module in mutated:
        meta = json.loads((tree / "mutants" / f"{module}.meta").read_text())
        names += [(name, module) for name in meta["exit_code_by_key"]]
    return {name: key_of(name, diff) for name, diff in diffs_of(tree, names).items()}


_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_SAYS = re.compile(
    r'(?:\b(?:note|note_property|Judgement|Handling|Finding|_dropped)\(|: return (?:at, )?"[^"]* [^"]*"\Z)'
)


def is_wording(key: str) -> bool:
    """Whether a mutant changes nothing but words of a sentence that says why."""
    gone, _, come = key.partition(" => ")
    if _SAYS.search(gone) is None:
        return False
    said = gone.partition(": ")[2]
    return said != come and _LITERAL.sub(_no_sentence, said) == _LITERAL.sub(_no_sentence, come)


def _no_sentence(literal: re.Match[str]) -> str:
    return '"..."' if " " in literal[0].strip('" ') else literal[0]


def run_mutmut(tree: Path, minutes: float, jobs: int, names: list[str]) -> str | None:
    """Run `names` (all if there are none) until done or out of time. Out: the end of mutmut's output if it failed."""
    log = tree / "mutmut.log"
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(jobs), *names]
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
    """Out: every mutant but those of mere wording, those alive with their diffs."""
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


class State:
    """The mutants of earlier runs, by module, each beside the hash of the source that it was made of."""

    def __init__(self, paths: list[Path]) -> None:
        """paths: the first is written too, the others are only read."""
        self._path = paths[0] if paths else None
        listed = [json.loads(path.read_text(encoding="utf-8")) if path.exists() else {} for path in paths]
        self._listed = listed[0] if listed else {}
        self.found: dict[str, list[Mutant]] = {
            module: [Mutant(**each) for each in entry["mutants"]]
            for one in reversed(listed)
            for module, entry in one.items()
            if entry["source"] == source_of(module)
        }

    def open(self, module: str, explained: Explanations) -> list[str]:
        """Out: the names of the mutants that a run may still kill; none where the module was never run."""
        return [
            mutant.name
            for mutant in self.found.get(module, ())
            if mutant.status not in DONE and (mutant.status not in ALIVE or explained.of(mutant.key) is None)
        ]

    def add(self, mutants: list[Mutant], sources: dict[str, str]) -> None:
        """Take over what a run found; what it did not run stays as it was."""
        for module, source in sources.items():
            if source != source_of(module):
                print(f"{module} changed during the run: its figures are left out")
                self.found.pop(module, None)
                continue
            before = {mutant.name: mutant for mutant in self.found.get(module, ())}
            here = [mutant for mutant in mutants if mutant.module == module]
            self.found[module] = [
                before[mutant.name] if mutant.status == "not reached" and mutant.name in before else mutant
                for mutant in here
            ]
        if self._path is not None:
            self._listed |= {
                module: {"source": source, "mutants": [asdict(each) for each in self.found[module]]}
                for module, source in sources.items()
                if module in self.found
            }
            self._path.write_text(json.dumps(self._listed, ensure_ascii=False, indent=1), encoding="utf-8")


def source_of(module: str) -> str:
    """Out: a hash of a module's source."""
    path = ROOT / module
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else ""


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


def document(mutants: list[Mutant], left: list[str], explained: Explanations) -> str:
    """Out: the figures, what was not run, and why the explained survivors need no test, for the docs."""
    found = [(mutant.module, explained.of(mutant.key)) for mutant in mutants if mutant.status in ALIVE]
    reasons = Counter((module, item[1]) for module, item in found if item is not None)
    parts = [
        f"`tools/mutation.py` (mutmut {metadata.version('mutmut')}, Python {sys.version.split()[0]}) printed this:",
        f"```text\n{figures(mutants, explained)}\n```",
        f"Survivors without an explanation: {sum(item is None for _, item in found)}.",
    ]
    if left:
        parts.append(f"Not run: {', '.join(f'`{module}`' for module in left)}.")
    for module in dict.fromkeys(module for module, _ in reasons):
        here = [f"- {number}: {reason}" for (where, reason), number in reasons.items() if where == module]
        parts.append(f"Why survivors of `{module}` need no test:\n\n" + "\n".join(here))
    return "\n\n".join(parts)


def run_group(group: Group, mutated: list[str], state: State, *, minutes: float, jobs: int) -> str | None:
    """Run what is open in these modules of a group, into the state. Out: what mutmut said if it failed."""
    explained = Explanations(EXPLAINED)
    again = {name for module in mutated for name in state.open(module, explained)}
    sources = {module: source_of(module) for module in mutated}
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        tree = Path(folder)
        copy_tree(tree)
        group.configure(tree, mutated)
        keys = generate(tree, mutated)
        wording = {name for name, key in keys.items() if group.is_worded and is_wording(key)}
        known = {mutant.name for module in mutated for mutant in state.found.get(module, ())}
        names = [name for name in keys if name not in wording and (name in again or name not in known)]
        print(f"{group.name}: {len(names)} to run of {len(keys)}", flush=True)
        failed = run_mutmut(tree, minutes, jobs, names)
        ran = [replace(one, status=WORDING) if one.name in wording else one for one in results(tree, mutated)]
    if failed is not None or not ran:
        return failed or "mutmut made no mutant"
    state.add(ran, sources)
    return None


def main() -> int:
    """Run; out: the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=90.0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--state", type=Path, action="append", default=[])
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    start = time.monotonic()
    state = State(options.state)
    explained = Explanations(EXPLAINED)
    wanted = [] if options.report else all_modules(options.only)
    mutated = [module for module in wanted if module not in state.found or state.open(module, explained)]
    for group, here in parted(mutated):
        left = options.minutes - (time.monotonic() - start) / 60
        if left <= 0:
            break
        failed = run_group(group, here, state, minutes=left, jobs=options.jobs)
        if failed is not None:
            print(failed)
            return 1
    explained = Explanations(EXPLAINED)
    chosen = all_modules([])
    mutants = [mutant for module in chosen for mutant in state.found.get(module, ())]
    unexplained = [one for one in mutants if one.status in ALIVE and explained.of(one.key) is None]
    for mutant in unexplained:
        print(f"{mutant.status}: {json.dumps(mutant.key, ensure_ascii=False)}\n{mutant.diff}\n")
    left = [module for module in chosen if module not in state.found]
    if not left:
        print("".join(f"explained, but no such survivor: {key}\n" for key in explained.stale()), end="")
    print(figures(mutants, explained))
    print(f"\n{len(unexplained)} survivors without an explanation, {time.monotonic() - start:.0f} s")
    if options.write:
        write(DOC, "mutation", document(mutants, left, explained))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
