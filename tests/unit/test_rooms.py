"""Imports run one way, between rooms and inside them; the core knows no SDK and no command line."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ..support import ROOT

PACKAGE = ROOT / "scrubber"
ORDER = ["words", "rules", "pipeline", "settings", "hook", "doors", "testing", "cli"]
"""Each room may import those before it. The doors do not import one another; what shows or tries the hook imports it.
The test kit stands above the doors, because it asserts what they say: a baseline is the audit's."""
ROOMS = {
    "__main__": "cli",
    "settings_help": "settings",
    "pairing": "pipeline",
    "plans": "pipeline",
    "__init__": "front",
    "testing": "testing",
}
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))
FORBIDDEN = {"mcp", "fastmcp", "posthog", "posthoganalytics", "typer", "click", "rich"}
IMPURE = {
    "os",
    "time",
    "datetime",
    "random",
    "logging",
    "pathlib",
    "socket",
    "subprocess",
    "threading",
    "uuid",
    "io",
    "sys",
}


def room_of(dotted: str) -> str:
    parts = dotted.split(".")
    name = parts[1] if len(parts) > 1 else "__init__"
    name = ROOMS.get(name, name)
    return name if name in (*ORDER, "front") else "doors"


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written absolutely"
            assert node.module is not None
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("path", MODULES, ids=[dotted(path) for path in MODULES])
def test_no_import_runs_upward(path: Path) -> None:
    here = room_of(dotted(path))
    for imported in imports_of(path):
        if not imported.startswith("scrubber."):
            continue
        there = room_of(imported)
        if here == "front":
            continue
        assert there != "front", f"{path.name} imports the front door"
        if here == there == "doors":
            assert imported.split(".")[1] == dotted(path).split(".")[1], f"{path.name}: one door imports another"
        assert ORDER.index(there) <= ORDER.index(here), f"{dotted(path)} ({here}) imports {imported} ({there})"


@pytest.mark.parametrize("path", MODULES, ids=[dotted(path) for path in MODULES])
def test_the_core_imports_no_sdk_and_rules_touch_nothing(path: Path) -> None:
    here = room_of(dotted(path))
    roots = {name.split(".")[0] for name in imports_of(path)}
    if here in ("words", "rules", "pipeline", "settings") or path.name == "hook.py":
        assert not roots & FORBIDDEN
    if here in ("words", "rules", "pipeline"):
        assert not roots & IMPURE, f"{dotted(path)} reads clock, disk, environment or log"
