"""The commands page: what `--help` prints, of the program and of each of its commands."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

WIDTH = 100
"""Columns of the texts on the page."""

_ROOT = Path(__file__).resolve().parent.parent.parent
_ASK = """
import sys
from scrubber.cli.app import app
names = [command.name for command in app.registered_commands]
for arguments in ([], *([name] for name in names)):
    print("\\0" + " ".join(arguments))
    sys.stdout.flush()
    try:
        app([*arguments, "--help"], prog_name="scrubber")
    except SystemExit:
        pass
"""
# What makes typer and rich draw otherwise, wherever this runs.
_DRAWN_BY = ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "COLUMNS", "TYPER_USE_RICH", "TTY_COMPATIBLE")


def command_help() -> str:
    """Every help text under its heading."""
    parts = []
    for name, text in asked():
        title = f"scrubber {name}".strip()
        parts.append(f"### `{title}`\n\n```text\n{text}\n```")
    return "\n\n".join(parts)


@cache
def asked() -> tuple[tuple[str, str], ...]:
    """Each command's name, empty for the program itself, and its help text: the program is run and asked."""
    environment = {name: value for name, value in os.environ.items() if name not in _DRAWN_BY}
    environment |= {"TERMINAL_WIDTH": str(WIDTH), "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", "TERM": "dumb"}
    environment["PYTHONPATH"] = str(_ROOT)
    run = subprocess.run(
        [sys.executable, "-c", _ASK], env=environment, capture_output=True, encoding="utf-8", check=True, timeout=60
    )
    said = []
    for part in run.stdout.split("\0")[1:]:
        name, _, text = part.partition("\n")
        said.append((name, "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).strip("\n")))
    return tuple(said)
