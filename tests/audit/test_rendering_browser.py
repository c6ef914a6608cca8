"""The page in a real headless Chromium: searched, sorted, by keyboard alone, in the dark, on a telephone, without its script.

Skipped where playwright or the system's Chromium is absent.
"""

from __future__ import annotations

import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrubber.audit.records import Fate
from scrubber.audit.rendering.page import render_html

from . import samples

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed")
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync""".split()
WIDE, NARROW = {"width": 1360, "height": 900}, {"width": 390, "height": 844}
CHECKS = (Path(__file__).parent / "page_checks.js").read_text("utf-8")


class Visit:
    """A page in the browser, and what it said and asked for."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def check(self, name: str) -> Any:
        """One of the functions in page_checks.js."""
        return self.page.evaluate(f"() => {{ {CHECKS}; return {name}(); }}")

    def names(self) -> list[str]:
        """The properties that are shown, from top to bottom."""
        return [cell.inner_text() for cell in self.page.locator("#property-table tbody tr:visible th").all()]

    def status(self) -> str:
        return str(self.page.locator("#shown").inner_text())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    # Each launch has a profile of its own, which is deleted with it.
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Any]:
    opened = []

    def go(sample: str = "full", **options: Any) -> Visit:
        context = browser.new_context(**({"viewport": WIDE, "color_scheme": "light"} | options))
        opened.append(context)
        context.set_default_timeout(15_000)
        visited = Visit(context.new_page())
        path = tmp_path / "report.html"
        report = samples.ALL[sample]() if sample in samples.ALL else samples.named(sample)
        path.write_text(render_html(report), "utf-8")
        visited.page.goto(path.as_uri())
        return visited

    yield go
    for context in opened:
        context.close()


# -- it keeps to itself


@pytest.mark.parametrize("sample", samples.ALL)
def test_the_page_asks_for_nothing_but_itself_and_says_nothing(visit: Any, sample: str) -> None:
    visited = visit(sample)
    visited.page.wait_for_load_state("load")
    assert [url for url in visited.asked if not url.startswith("data:")] == [visited.page.url]
    assert visited.said == []


def received(listening: socket.socket) -> bytes:
    """What was sent to a socket; Chromium connects for a frame before it asks the page's policy, and then sends nothing."""
    sent = b""
    try:
        while True:
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(0.3)
                sent += connection.recv(1000)
    except TimeoutError:
        return sent


def test_the_page_forbids_requests_scripts_and_styles_that_are_not_its_own(visit: Any) -> None:
    visited = visit()
    page = visited.page
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.3)
        there = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        assert page.evaluate(f"() => fetch('{there}').then(() => 'went', () => 'refused')") == "refused"
        page.evaluate(
            """(there) => {
                const put = (html) => document.body.append(document.createRange().createContextualFragment(html));
                put("<script>window.ran = 1</script>");
                put(`<script src="${there}"></script>`);
                put(`<img src="${there}" onerror="window.ran = 2">`);
                put(`<iframe src="${there}"></iframe>`);
                put("<style>body { opacity: 0.5 }</style>");
            }""",
            there,
        )
        page.wait_for_timeout(300)
        assert received(listening) == b""
    assert page.evaluate("window.ran") is None
    assert page.evaluate("getComputedStyle(document.body).opacity") == "1"
    assert sum("Content Security Policy" in said for said in visited.said) >= 5


@pytest.mark.parametrize("name", samples.HOSTILE)
def test_a_hostile_name_does_nothing_in_a_browser(visit: Any, name: str) -> None:
    visited = visit(name, viewport=NARROW)
    dialogs: list[str] = []
    visited.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    assert visited.page.locator("img, script ~ script, [onerror], [onload], [onmouseover]").count() == 0
    assert visited.page.locator("#property-table tbody tr").count() == 2
    assert visited.page.evaluate("document.scrollingElement.scrollWidth") <= NARROW["width"]
    assert (visited.said, dialogs) == ([], [])


# -- searching and sorting


def test_the_search_shows_only_the_rows_that_have_every_word(visit: Any) -> None:
    visited = visit()
    search = visited.page.get_by_label("Search properties, events and reasons")
    assert visited.status() == "10 properties"
    search.fill("MCP_ err")
    assert visited.names() == ["$mcp_error_status"]
    assert visited.status() == "1 of 10 properties"
    search.fill("tool's arguments")
    assert visited.names() == ["$mcp_parameters"]
    search.fill("nothing has this")
    assert visited.names() == []
    assert visited.status() == "0 of 10 properties"
    search.press("Escape")
    assert search.input_value() == ""
    assert len(visited.names()) == 10
    assert visited.said == []


def test_the_boxes_show_each_fate_by_itself(visit: Any) -> None:
    visited = visit()
    for fate in Fate:
        visited.page.get_by_label(fate.value, exact=True).uncheck()
    assert visited.names() == []
    for fate in Fate:
        visited.page.get_by_label(fate.value, exact=True).check()
        expected = {one.name for one in samples.full().properties if one.fates.get(fate)}
        assert set(visited.names()) == expected
        visited.page.get_by_label(fate.value, exact=True).uncheck()


COLUMNS = {
    "Property": lambda one: one.name,
    "Seen": lambda one: one.count,
    "Bytes": lambda one: one.bytes,
    "Largest": lambda one: one.largest,
    "On events": lambda one: len(one.events),
}


@pytest.mark.parametrize("way", ["click", "Enter", "Space"])
def test_every_column_sorts_both_ways_by_click_and_by_key(visit: Any, way: str) -> None:
    visited = visit()
    for column, value in COLUMNS.items():
        button = visited.page.locator("#property-table").get_by_role("button", name=column, exact=True)
        head = button.locator("xpath=ancestor::th")
        by_name = {one.name: value(one) for one in samples.full().properties}
        directions = set()
        for _ in range(2):
            if way == "click":
                button.click()
            else:
                button.focus()
                visited.page.keyboard.press(way)
            direction = head.get_attribute("aria-sort")
            found = [by_name[name] for name in visited.names()]
            assert found == sorted(found, reverse=direction == "descending")
            assert visited.page.locator("#property-table [aria-sort]").count() == 1
            directions.add(direction)
        assert directions == {"ascending", "descending"}
    assert visited.said == []


def test_what_matters_comes_first_until_sorted_and_can_be_brought_back(visit: Any) -> None:
    visited = visit()
    before = visited.names()
    table = visited.page.locator("#property-table")
    assert table.locator("th[aria-sort=ascending]").inner_text().startswith("What happens")
    table.get_by_role("button", name="Property").click()
    assert visited.names() != before
    table.get_by_role("button", name="What happens").click()
    assert visited.names() == before


def test_every_other_table_sorts_too(visit: Any) -> None:
    visited = visit()
    for table in visited.page.locator("table[data-sortable]").all():
        heads = table.locator("thead th")
        assert table.locator("thead button").count() == heads.count()
        last = table.locator("thead button").last
        last.click()
        assert heads.last.get_attribute("aria-sort") in ("ascending", "descending")


def test_a_search_survives_sorting(visit: Any) -> None:
    visited = visit()
    visited.page.get_by_label("Search properties, events and reasons").fill("mcp_")
    before = visited.names()
    visited.page.locator("#property-table").get_by_role("button", name="Seen").click()
    assert sorted(visited.names()) == sorted(before)
    assert len(before) < 10


# -- by keyboard alone


def test_slash_goes_to_the_search_and_is_typed_inside_it(visit: Any) -> None:
    visited = visit()
    visited.page.keyboard.press("/")
    search = visited.page.locator("#search")
    assert search.evaluate("(field) => field === document.activeElement")
    assert search.input_value() == ""
    visited.page.keyboard.type("a/b")
    assert search.input_value() == "a/b"


def test_tab_reaches_everything_and_the_focus_is_seen(visit: Any) -> None:
    visited = visit()
    wanted = visited.page.locator("a[href], button, input, summary, [tabindex='0']")
    total = wanted.count()
    reached = set()
    for _ in range(total + 5):
        visited.page.keyboard.press("Tab")
        at = visited.page.evaluate(
            """() => {
                const on = document.activeElement, style = getComputedStyle(on);
                const all = [...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")];
                return [all.indexOf(on), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
            }"""
        )
        if at[0] >= 0:
            assert at[1], wanted.nth(at[0]).evaluate("(one) => one.outerHTML.slice(0, 200)")
            reached.add(at[0])
    assert reached == set(range(total))


def test_the_first_key_offers_to_skip_to_the_report(visit: Any) -> None:
    visited = visit()
    visited.page.keyboard.press("Tab")
    assert visited.page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    visited.page.keyboard.press("Enter")
    assert visited.page.url.endswith("#main")


# -- legible everywhere


@pytest.mark.parametrize("sample", ["full", "revealing", "empty", "incomplete", "one_event"])
def test_text_stands_out_from_its_ground(visit: Any, sample: str) -> None:
    visited = visit(sample)
    for scheme in ("light", "dark"):
        visited.page.emulate_media(color_scheme=scheme)
        for viewport in (WIDE, NARROW):
            visited.page.set_viewport_size(viewport)
            for hovered in visited.page.locator("#property-table tbody tr, thead button").all()[:3]:
                hovered.hover()
                result = visited.check("contrasts")
                assert result["measured"] >= 10
                assert result["failed"] == []
            assert visited.check("contrasts")["failed"] == []


def test_dark_and_light_differ(visit: Any) -> None:
    light, dark = visit(color_scheme="light"), visit(color_scheme="dark")
    assert light.page.screenshot() != dark.page.screenshot()
    assert light.check("ground") > 0.85
    assert dark.check("ground") < 0.02


@pytest.mark.parametrize("sample", samples.ALL)
def test_the_page_never_scrolls_sideways(visit: Any, sample: str) -> None:
    visited = visit(sample)
    for width in (320, 390, 700, 768, 1024, 1920):
        visited.page.set_viewport_size({"width": width, "height": 800})
        assert visited.page.evaluate("document.scrollingElement.scrollWidth") <= width


def test_a_name_of_several_words_stays_on_its_line(visit: Any) -> None:
    names = visit("user signed up for a plan").page.locator(".chart th code, #property-table th code")
    assert names.count() >= 4
    assert max(one.bounding_box()["height"] for one in names.all()) < 30


def test_on_a_telephone_no_number_is_without_its_word(visit: Any) -> None:
    visited = visit(viewport=NARROW)
    assert visited.page.locator(".chart tbody td.n:visible:not([data-label])").count() == 0
    for cell in visited.page.locator(".cards tbody td:visible").all():
        label = cell.evaluate("(one) => getComputedStyle(one, '::before').content")
        assert label.strip('"') == cell.get_attribute("data-label")


def test_printed_it_is_dark_on_white_without_controls(visit: Any) -> None:
    visited = visit(color_scheme="dark")
    visited.page.emulate_media(media="print", color_scheme="dark")
    assert not visited.page.locator("form.controls").is_visible()
    assert not visited.page.locator("nav").is_visible()
    assert visited.check("ground") > 0.85
    assert visited.check("contrasts")["failed"] == []


def test_without_its_script_the_page_is_whole_and_offers_nothing_that_does_not_work(visit: Any) -> None:
    visited = visit(java_script_enabled=False)
    page = visited.page
    assert page.locator("button, input:visible, form:visible").count() == 0
    assert page.locator("#property-table tbody tr:visible").count() == 10
    assert page.get_by_role("columnheader", name="What happens").is_visible()
    assert page.locator("table[data-sortable] thead th").first.inner_text() == "New"


def test_long_charts_are_folded_and_open_by_key(visit: Any) -> None:
    visited = visit("huge")
    fold = visited.page.locator("figure summary").first
    assert fold.inner_text() == "and 288 more"
    fold.focus()
    visited.page.keyboard.press("Enter")
    assert visited.page.get_by_text("custom_event_299", exact=True).first.is_visible()


# -- correct


@pytest.mark.parametrize("sample", samples.ALL)
def test_the_markup_is_what_assistive_technology_needs(visit: Any, sample: str) -> None:
    assert visit(sample).check("faults") == []


def test_tables_are_tables_to_assistive_technology_on_a_telephone_too(visit: Any) -> None:
    for viewport in (WIDE, NARROW):
        tree = visit(viewport=viewport).page.locator("#property-table").aria_snapshot()
        assert re.search(r"^- table", tree)
        assert tree.count("- columnheader") == 8
        assert tree.count("- rowheader") == 10
        assert 'button "Seen"' in tree


def test_a_bar_is_as_wide_as_its_share(visit: Any) -> None:
    visited = visit()
    bar = visited.page.locator("figure", has_text="Verdicts by event").locator("svg").first
    whole = bar.bounding_box()["width"]
    widths = [one.bounding_box()["width"] / whole for one in bar.locator("rect").all()]
    assert widths == pytest.approx([624 / 1312, 688 / 1312], abs=0.01)
