"""Which modules decide, which tests run against their mutants, and how a copy of the tree is set up for mutmut.

A group is one run of mutmut: mutmut runs one selection of tests against all the mutants that it makes. To add a module,
add it to the group whose tests call it; to add tests, add their folder.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from mutation_cut import CONFTEST

ROOT = Path(__file__).resolve().parent.parent

_SLOW = ("threads", "fork", "importing", "imports_upward", "import_runs", "memory_is_bounded", "cost")
_SLOW += ("bounded_time", "bounded_number", "input_is_never", "any_json_event", "own_engine", "twice_changes_nothing")
"""Parts of the names of tests that are left out: they start threads or processes, measure time, or say of many events
what others say of one. What only they would kill needs a test of its own."""

_FORGET = """
import functools, gc

import json, pathlib

# Fewer examples: what only the rarest of them would tell needs a test of its own.
settings.register_profile("mutants", settings.get_profile("mutation"), max_examples=20)
settings.load_profile("mutants")

def pytest_collection_modifyitems(items):
    # The quick tests first: most mutants are killed by one of them.
    stats = pathlib.Path("mutmut-stats.json")
    if not stats.exists():
        stats = pathlib.Path("mutants") / stats
    if stats.exists():
        took = json.loads(stats.read_text())["duration_by_test"]
        items.sort(key=lambda item: took.get(item.nodeid, 1.0))

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
# What a function remembers hides from mutmut which tests need it, and hides from a test that the function was changed:
# mutants are forked from the process that ran the tests before.


@dataclass(frozen=True)
class Group:
    """`modules` are paths in the tree, `folder` and `files` the tests (all of the folder's without `files`).

    is_worded: a sentence in these modules is only the reason that a finding gives, so its wording is not mutated. What
    the guard says is read by a model, and its every word counts.
    """

    name: str
    modules: tuple[str, ...]
    folder: str
    files: tuple[str, ...] = ()
    marks: str = ""
    is_worded: bool = False

    def configure(self, tree: Path, mutated: list[str]) -> None:
        """Write mutmut's settings into the copy, and what its tests must forget between two mutants."""
        arguments = ["-p", "no:cacheprovider", "-k", " and ".join(f"not {part}" for part in _SLOW)]
        settings = {
            "source_paths": ["scrubber"],
            "only_mutate": mutated,
            "pytest_add_cli_args": [*arguments, *(("-m", self.marks) if self.marks else ())],
            "pytest_add_cli_args_test_selection": [f"{self.folder}/{name}" for name in self.files] or [self.folder],
            # A mutant that loops is cut off after twice what its tests take, not after fifteen times.
            "timeout_multiplier": 2.0,
            "timeout_constant": 3.0,
        }
        lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in settings.items())
        with (tree / "pyproject.toml").open("a", encoding="utf-8") as file:
            file.write(f"\n[tool.mutmut]\n{lines}\n")
        conftest = tree / self.folder / "conftest.py"
        is_set = conftest.exists() and CONFTEST in conftest.read_text(encoding="utf-8")
        with conftest.open("a", encoding="utf-8") as file:
            file.write(_FORGET if is_set else CONFTEST + _FORGET)


def _of(folder: str, *names: str) -> tuple[str, ...]:
    """The paths of modules of the package; all public ones of the folder without names."""
    found = names or sorted(path.stem for path in (ROOT / "scrubber" / folder).glob("[a-z]*.py"))
    return tuple(f"scrubber/{folder}{name}.py" for name in found)


_WITH_FASTMCP = ("standalone", "aliases", "kinds", "middleware", "mutants_binding", "mutants_lookup", "mutants_mounted")

GROUPS = (
    Group(
        "rules",
        (
            *_of("rules/"),
            *_of("words/", "message", "quickly", "chain", "kinds", "sites", "properties"),
            *_of("", "pairing", "pipeline", "plans"),
        ),
        "tests/unit",
        is_worded=True,
    ),
    # The tests that start no server of an SDK call what is pure directly, and are quick.
    Group(
        "guard",
        _of("guard/", "words", "shapes", "walk", "nodes", "sentences", "names", "aliases", "schema_check", "chain"),
        "tests/guard",
        marks="not live",
    ),
    # What asks fastmcp itself needs its servers; these start in memory.
    Group(
        "guard with fastmcp",
        _of("guard/", "binding", "lookup"),
        "tests/guard",
        files=tuple(f"test_{name}.py" for name in _WITH_FASTMCP),
    ),
    # The audit's events of one shape, by the tests that count a whole recording with and without them.
    Group(
        "audit",
        _of("audit/", "shapes"),
        "tests/audit",
        files=("test_mutants_shapes.py", "test_tally.py", "test_judging.py"),
    ),
)


def all_modules(only: list[str]) -> list[str]:
    """Out: the modules that decide, of all groups; with `only`, those whose path holds one of its texts."""
    found = [module for group in GROUPS for module in group.modules]
    return [path for path in found if not only or any(part in path for part in only)]


def parted(mutated: list[str]) -> list[tuple[Group, list[str]]]:
    """Out: the groups that have one of these modules, and which."""
    found = [(group, [module for module in mutated if module in group.modules]) for group in GROUPS]
    return [(group, here) for group, here in found if here]
