"""The guarantees page, made of docs/promises.toml and of the marks that tests carry."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / "docs" / "promises.toml"


def manifest() -> dict[str, list[dict[str, Any]]]:
    """Out: the areas and the promises, in the order in which they stand."""
    return tomllib.loads(MANIFEST.read_text("utf-8"))


def marked() -> dict[str, list[str]]:
    """Out: by promise, the tests that carry its id, as `tests/file.py::test`."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for promise in _ids(node):
                    found.setdefault(promise, []).append(f"{path.relative_to(ROOT).as_posix()}::{node.name}")
    return found


def _ids(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The ids in a test's `@pytest.mark.promise(...)`."""
    return [
        argument.value
        for mark in function.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.promise"
        for argument in mark.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def guarantees() -> str:
    """Out: a section for each area, a paragraph for each promise: its sentence, its source, and its tests by file."""
    promises, tests = manifest(), marked()
    parts: list[str] = []
    for area in promises["area"]:
        parts.append(f"## {area['title']}")
        for promise in promises["promise"]:
            if promise["id"].partition(":")[0] == area["id"]:
                parts.append(_paragraph(promise, tests.get(promise["id"], [])))
    return "\n\n".join(parts)


def _paragraph(promise: dict[str, Any], tests: list[str]) -> str:
    files: dict[str, int] = {}
    for test in tests:
        file = test.partition("::")[0]
        files[file] = files.get(file, 0) + 1
    held = ", ".join(f"`{file}` ({count})" for file, count in files.items())
    source = "" if promise["source"] == "house" else f" Asked for by {promise['source']}."
    return f"**`{promise['id']}`** {promise['says']}{source}\n\nHeld by {held}."
