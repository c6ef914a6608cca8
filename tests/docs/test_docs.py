"""The pages say what the code does: generated parts are fresh, links lead somewhere, examples run, messages are real."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scrubber import Settings
from scrubber.words import kinds, sites
from scrubber.words import properties as listed

from ..support import ROOT
from ..unit import test_recorded

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
MARK = re.compile(r"<!-- not run: (?P<reason>[^>]{10,}) -->\s*\Z")
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]+\]\((?P<to>[^)\s]+)\)")

NOT_RUN = {"README.md": "server.run()"}
"""Blocks of pages that carry no mark: a text in the block that says why it cannot run here."""


def _tool() -> Any:
    spec = importlib.util.spec_from_file_location("docs_tables", ROOT / "tools" / "docs_tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


tables = _tool()
# Importable once the tool has been loaded: it puts its own folder into the path.
asking, mistakes, reference, shapes = (
    importlib.import_module(f"docs_parts.{name}") for name in ("asking", "mistakes", "reference", "shapes")
)


class Block(NamedTuple):
    """A fenced block: its page, the line it starts at, its language, its text, and why it is not run."""

    page: Path
    line: int
    language: str
    text: str
    reason: str | None


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for found in FENCE.finditer(text):
        indent = len(found["indent"])
        body = "".join(line[indent:] if line.strip() else line for line in found["text"].splitlines(keepends=True))
        mark = MARK.search(text, 0, found.start())
        reason = mark["reason"] if mark is not None else None
        without = NOT_RUN.get(page.name)
        if reason is None and without is not None and without in body:
            reason = f"calls {without}"
        yield Block(page, text[: found.start()].count("\n") + 1, found["language"], body, reason)


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def named(blocks: list[Block]) -> dict[str, Any]:
    return {"argvalues": blocks, "ids": [f"{block.page.name}:{block.line}" for block in blocks]}


PYTHON = [block for block in BLOCKS if block.language == "python"]
TOML = [block for block in BLOCKS if block.language == "toml"]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE):
        plain = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = 0
        while (wanted := slug if not number else f"{slug}-{number}") in found:
            number += 1
        found.add(wanted)
    return found


# -- generated parts


def test_no_generated_part_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    status = tables.main(["--check"])
    assert (status, capsys.readouterr().err) == (0, "")


def test_a_stale_page_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    page, _ = tables.PARTS["sites"]
    monkeypatch.setitem(tables.PARTS, "sites", (page, lambda: "something else"))
    assert tables.main(["--check"]) == 1
    assert "docs/origin.md is stale (sites)" in capsys.readouterr().err


def test_write_makes_a_stale_page_fresh_and_touches_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for page in {page for page, _ in tables.PARTS.values()}:
        (tmp_path / page).write_text((DOCS / page).read_text("utf-8"), "utf-8")
    fresh = (tmp_path / "origin.md").read_text("utf-8")
    (tmp_path / "origin.md").write_text(tables.with_part(fresh, "sites", "old"), "utf-8")
    monkeypatch.setattr(tables, "DOCS", tmp_path)
    assert tables.main(["--check"]) == 1
    assert tables.main(["--write"]) == 0
    assert (tmp_path / "origin.md").read_text("utf-8") == fresh
    assert tables.main(["--check"]) == 0


def test_a_page_without_its_markers_is_refused() -> None:
    with pytest.raises(SystemExit, match="markers of sites"):
        tables.with_part("no markers", "sites", "x")


def test_an_environment_of_ones_own_does_not_change_the_pages(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCRUBBER_PROFILE", "strict")
    monkeypatch.setenv("SCRUBBER_PROFIL", "no setting")
    assert tables.main(["--check"]) == 0, capsys.readouterr().err


# -- nothing is left out


def test_the_policy_names_every_property() -> None:
    text = (DOCS / "policy.md").read_text("utf-8")
    for name in listed.MCP_KNOWN | listed.EXCEPTION_KNOWN | set(listed.STRICT_LISTED) | {listed.STRICT_GROUPS}:
        assert f"`{name}`" in text, name


def test_the_policy_explains_every_kind_that_it_names() -> None:
    text = (DOCS / "policy.md").read_text("utf-8")
    for name in set(re.findall(r"\[([a-z_]+)\]\(#kinds\)", text)):
        assert name in shapes.KIND_EXAMPLES, name
        assert callable(getattr(kinds, name))


def test_the_origin_page_names_every_site_and_everything_undecidable() -> None:
    text = (DOCS / "origin.md").read_text("utf-8")
    for site in sites.SITES:
        assert f"#### {site.sdk}\n" in text
    for name in test_recorded.UNDECIDABLE:
        assert f"| `{name}` |" in text, name


def test_the_settings_page_shows_every_setting_in_its_complete_file() -> None:
    text = reference.complete_file()
    for name in Settings.model_fields:
        assert re.search(rf"^(# )?{name} = ", text, re.MULTILINE), name


# -- links


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_every_relative_link_leads_to_a_file_and_its_anchor(page: Path) -> None:
    broken = []
    for found in LINK.finditer(FENCE.sub("", page.read_text("utf-8"))):
        to = found["to"]
        if re.match(r"[a-z]+:", to):
            continue
        path, _, anchor = to.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(to)
    assert broken == []


def test_every_page_is_reached_from_the_index() -> None:
    text = (DOCS / "index.md").read_text("utf-8")
    for page in ("policy.md", "settings.md", "origin.md", "benchmarks.md", "mutation.md"):
        assert f"]({page}" in text


# -- examples


@pytest.mark.parametrize("block", **named(PYTHON))
def test_every_python_block_compiles_and_runs(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = compile(block.text, f"{block.page.name}:{block.line}", "exec")
    if block.reason is not None:
        pytest.skip(block.reason)
    monkeypatch.chdir(tmp_path)
    with asking.alone():
        exec(code, {"__name__": "__main__"})
    said = capsys.readouterr().out
    if said:
        following = [one for one in BLOCKS if one.page == block.page and one.line > block.line]
        assert following[0].language == "text", "a block that prints is followed by what it prints"
        assert following[0].text == said


def test_few_blocks_are_not_run() -> None:
    assert sum(block.reason is not None for block in PYTHON) <= 2
    assert sum(block.reason is None for block in PYTHON) >= 6


@pytest.mark.parametrize("block", **named(TOML))
def test_every_toml_block_is_settings(block: Block, tmp_path: Path) -> None:
    name = "pyproject.toml" if "[tool.scrubber" in block.text else "scrubber.toml"
    path = tmp_path / name
    path.write_text(block.text, "utf-8")
    with asking.alone():
        assert isinstance(Settings.from_file(path), Settings)


def test_the_complete_file_is_the_defaults_and_each_other_value_in_it_is_good(tmp_path: Path) -> None:
    text = reference.complete_file().removeprefix("```toml\n").removesuffix("```")
    path = tmp_path / "scrubber.toml"
    path.write_text(text, "utf-8")
    with asking.alone():
        assert Settings.from_file(path) == Settings()
        for line in re.findall(r"^# (\w+ = .+)$", text, re.MULTILINE):
            path.write_text(line, "utf-8")
            assert Settings.from_file(path) != Settings(), line


@pytest.mark.parametrize("name", list(Settings.model_fields))
def test_each_setting_can_be_given_in_the_environment_as_shown(name: str) -> None:
    page = (DOCS / "settings.md").read_text("utf-8")
    shown = re.search(rf"`SCRUBBER_{name.upper()}=(.+)`$", page, re.MULTILINE)
    assert shown is not None
    with asking.alone({f"SCRUBBER_{name.upper()}": shown[1].strip("'")}):
        assert getattr(Settings(), name) == reference.example(name)


# -- messages


@pytest.mark.parametrize("mistake", mistakes.MISTAKES, ids=[mistake.shown for mistake in mistakes.MISTAKES])
def test_every_message_shown_is_what_the_code_says(mistake: Any) -> None:
    page = (DOCS / "settings.md").read_text("utf-8")
    assert f"| `{mistakes.said(mistake).split(' (settings: ')[0]}` |" in page
