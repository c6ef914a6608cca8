"""The commands page is what the program says of itself, and leaves no command out."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

pytest.importorskip("typer", reason="needs the command line's packages")

from scrubber.cli.app import app

from ..support import ROOT
from . import test_docs

PAGE = (ROOT / "docs" / "commands.md").read_text("utf-8")
NAMES = [command.name or "" for command in app.registered_commands]
commands = test_docs.importlib.import_module("docs_parts.commands")


@pytest.mark.parametrize("name", ["", *NAMES])
def test_the_page_has_the_help_text_of_each_command(name: str) -> None:
    text = dict(commands.asked())[name]
    assert text.startswith(f" Usage: scrubber {name}".rstrip())
    assert f"```text\n{text}\n```" in PAGE, f"python tools/docs_tables.py --write: the page has another {name} --help"


def test_the_page_says_what_the_installed_program_says() -> None:
    """Asked as a person asks, with a terminal of their own width: only the line breaks and the boxes differ."""
    run = subprocess.run(
        [sys.executable, "-m", "scrubber", "settings", "--help"],
        capture_output=True,
        encoding="utf-8",
        check=True,
        cwd=ROOT,
    )
    words = re.sub(r"[^\w$.,;:*'-]+", " ", run.stdout).replace("python -m scrubber", "scrubber").split()
    said = re.sub(r"[^\w$.,;:*'-]+", " ", dict(commands.asked())["settings"]).split()
    assert words == said
    assert len(said) > 50


def test_each_command_has_a_row_with_what_it_is_for() -> None:
    rows = re.findall(r"^\| .+ \| \[`scrubber (\w+)`\]\(#scrubber-\w+\) \|$", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(NAMES)


def test_help_breaks_lines_where_the_terminal_does() -> None:
    for command in app.registered_commands:
        assert command.help
        assert all("\n" not in paragraph for paragraph in command.help.split("\n\n")), command.name
