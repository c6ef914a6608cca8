"""The whole text of every form of the report, as stored under assets/rendering/.

`UPDATE_ASSETS=1 pytest tests/audit/test_rendering_texts.py` writes them anew; read the difference before it is committed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from scrubber.audit.records import Report
from scrubber.audit.rendering.json_form import SCHEMA, as_dict, render_json
from scrubber.audit.rendering.markdown import MOST as MARKDOWN_MOST
from scrubber.audit.rendering.markdown import render_markdown
from scrubber.audit.rendering.page import render_html
from scrubber.audit.rendering.text import render_text
from scrubber.audit.rendering.text_tables import MOST

from ..support import ROOT
from . import samples

ASSETS = Path(__file__).parent / "assets" / "rendering"
UPDATE = bool(os.environ.get("UPDATE_ASSETS"))


def page(report: Report) -> str:
    """The page without the style and the script, which are files of their own, and without their hashes."""
    text = re.sub(r"<(style|script)>.*?</\1>", r"<\1></\1>", render_html(report), flags=re.DOTALL)
    return re.sub(r"sha256-[^']+", "sha256", text)


FORMS: dict[str, Callable[[Report], str]] = {
    "80.txt": lambda report: render_text(report, width=80, color=False),
    "120.txt": lambda report: render_text(report, width=120, color=False),
    "160.txt": lambda report: render_text(report, width=160, color=False),
    "80.ansi": lambda report: render_text(report, width=80, color=True),
    "json": render_json,
    "md": render_markdown,
    "html": page,
}
EVERYWHERE = ("80.txt", "json", "md", "html")
STORED = [(name, form) for name in samples.ALL for form in FORMS if name == "full" or form in EVERYWHERE]
STORED = [(name, form) for name, form in STORED if name != "huge"]


@pytest.mark.parametrize("name, form", STORED)
def test_the_whole_text_is_the_stored_one(name: str, form: str) -> None:
    path = ASSETS / f"{name}.{form}"
    text = FORMS[form](samples.ALL[name]())
    if UPDATE:
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


def test_no_stored_text_is_left_over() -> None:
    assert {path.name for path in ASSETS.iterdir()} == {f"{name}.{form}" for name, form in STORED}


@pytest.mark.parametrize("name", samples.ALL)
@pytest.mark.parametrize("form", FORMS)
def test_rendering_is_pure(name: str, form: str) -> None:
    report = samples.ALL[name]()
    assert FORMS[form](report) == FORMS[form](report)
    assert report == samples.ALL[name]()


@pytest.mark.parametrize("name", samples.ALL)
@pytest.mark.parametrize("width", [80, 100, 120, 160, 200])
def test_no_line_is_longer_than_the_terminal(name: str, width: int) -> None:
    for line in render_text(samples.ALL[name](), width=width, color=False).splitlines():
        assert cell_len(line) <= width
        assert line == line.rstrip()


def test_colour_changes_no_word() -> None:
    for name in samples.ALL:
        plain = render_text(samples.ALL[name](), width=100, color=False)
        colored = render_text(samples.ALL[name](), width=100, color=True)
        assert "\x1b[" not in plain
        assert "\x1b[" in colored
        assert [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", colored).splitlines()] == plain.splitlines()


def test_neither_the_environment_nor_a_terminal_has_a_say(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {color: render_text(samples.full(), width=90, color=color) for color in (True, False)}
    for changed in (
        {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "40", "LINES": "3"},
        {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"},
    ):
        with monkeypatch.context() as environment:
            for name, value in changed.items():
                environment.setenv(name, value)
            for color, text in wanted.items():
                assert render_text(samples.full(), width=90, color=color) == text


def test_a_long_table_says_how_many_rows_are_left_and_where_they_are() -> None:
    report = samples.huge()
    text = render_text(report, width=80, color=False)
    assert f"and {900 - MOST} more rows: --format html|json shows all" in text
    assert f"and {report.unreadable_count - MOST:,} more records; --format html|json shows the first 100" in text
    assert f"And {900 - MARKDOWN_MOST} more rows" in render_markdown(report)
    assert len(as_dict(report)["properties"]) == render_html(report).count('<tr role="row" data-fates') == 900


@pytest.mark.parametrize("form", FORMS)
def test_a_value_is_shown_only_where_it_was_revealed_and_the_head_says_so(form: str) -> None:
    masked, revealed = FORMS[form](samples.full()), FORMS[form](samples.revealing())
    assert "book-17" not in masked
    assert "book-17" in revealed
    if form == "json":
        assert json.loads(masked)["reveals"] is False
        assert json.loads(revealed)["reveals"] is True
        assert all("revealed" not in leak for leak in json.loads(masked)["leaks"])
    else:
        assert "--reveal" not in masked
        assert "because --reveal asked for them" in revealed
        assert "revealed:" in revealed.lower()


# -- the schema for programs


def test_the_page_of_the_docs_names_every_field() -> None:
    documented = (ROOT / "docs" / "audit-report.md").read_text("utf-8")
    report = json.loads(render_json(samples.revealing()))
    for name in sorted(report):
        assert f"`{name}`" in documented, name
        rows = report[name] if isinstance(report[name], list) else [report[name]]
        for row in rows:
            if isinstance(row, dict) and name not in ("settings", "rules", "leaving"):
                for key in row:
                    assert f"`{key}`" in documented, f"{name}.{key}"
    assert f"`schema` is {SCHEMA}" in documented


def test_json_lists_are_sorted_by_name_and_keys_too() -> None:
    report = samples.full()
    text = render_json(report)
    assert text.isascii()
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=2) + "\n"
    for name in ("events", "properties", "leaks", "refusals", "baseline"):
        getattr(report, name).reverse()
    assert render_json(report) == text
    names = [one["name"] for one in json.loads(text)["properties"]]
    assert names == sorted(names)
