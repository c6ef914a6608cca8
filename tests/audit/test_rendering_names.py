"""A name, a path or a masked example can be anything: no form of the report is broken by it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

# Comes with rich.
from markdown_it import MarkdownIt

from scrubber.audit.rendering.json_form import as_dict, render_json
from scrubber.audit.rendering.markdown import render_markdown
from scrubber.audit.rendering.page import render_html
from scrubber.audit.rendering.text import render_text
from scrubber.audit.rendering.wording import named, place, printable

from . import samples

VOID = {"meta", "link", "br", "input", "rect"}
MARKDOWN = MarkdownIt("commonmark").enable("table")
names = (
    st.text(max_size=60) | st.text("<>&\"'`|\\$*_[](){}%#!-/ \n\x1b", max_size=30) | st.sampled_from(samples.HOSTILE)
)


class Page(HTMLParser):
    """The elements of a page in their order, with the names of their attributes; the texts between its tags; what is not
    closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.texts: list[str] = [""]
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.texts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.texts.append("")
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["style"], ["script"]):
            self.texts[-1] += data


def hostile(test: object) -> object:
    for name in samples.HOSTILE:
        test = example(name)(test)  # type: ignore[arg-type, type-var]
    return test


WORD = "zqx"
PLAIN = Page(render_html(samples.named(WORD)))


@pytest.mark.parametrize("name", samples.ALL)
def test_every_element_of_a_page_is_closed_where_it_should_be(name: str) -> None:
    assert Page(render_html(samples.ALL[name]())).open == []


@hostile
@given(names)
@settings(max_examples=60, deadline=None)
def test_a_name_adds_no_element_and_no_attribute_to_the_page(name: str) -> None:
    page = Page(render_html(samples.named(name)))
    assert page.open == []
    assert page.elements == PLAIN.elements
    # Where one name stands in one page the other stands in the other, and nothing else differs.
    assert len(page.texts) == len(PLAIN.texts)
    for found, plain in zip(page.texts, PLAIN.texts, strict=True):
        said = [plain.replace(WORD, shown).strip() for shown in (named(name), place(name), printable(name))]
        # The sample and the page put a word where an empty text would say something else.
        said += ["text", "breaks off", "-"] if not name else []
        assert found.strip() in said


@hostile
@given(names)
@settings(max_examples=60, deadline=None)
def test_a_markdown_table_keeps_its_columns_and_its_words_whatever_the_names(name: str) -> None:
    text = render_markdown(samples.named(name))
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        # No pipe, escaped or not, stands inside a cell: every reader of tables counts the same.
        assert len({row.count("|") for row in table.splitlines()}) == 1
    tokens = MARKDOWN.parse(text)
    rows = sum(token.type == "tr_open" for token in tokens)
    assert rows == sum(token.type == "tr_open" for token in MARKDOWN.parse(render_markdown(samples.named("x"))))
    shown = []
    for token in tokens:
        for child in token.children or ():
            if child.type == "html_inline":
                assert child.content in ("<code>", "</code>", "<br>")
            assert child.type in ("text", "code_inline", "html_inline", "strong_open", "strong_close", "softbreak")
        if token.type == "inline":
            shown.append("".join(child.content for child in token.children or () if child.type != "html_inline"))
    assert not any(token.type in ("html_block", "fence", "code_block", "hr") for token in tokens)
    # The parser trims a cell, and no more.
    assert named(name).strip() in [one.strip() for one in shown]


@hostile
@given(names)
@settings(max_examples=60, deadline=None)
def test_a_name_gives_a_terminal_nothing_to_obey(name: str) -> None:
    text = render_text(samples.named(name), width=3000, color=False)
    text.encode("utf-8")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text)
    assert named(name).strip() in text


@given(names)
@settings(max_examples=60, deadline=None)
def test_json_gives_every_name_back_as_it_was(name: str) -> None:
    report = samples.named(name)
    text = render_json(report)
    assert text.isascii()
    assert json.loads(text) == json.loads(json.dumps(as_dict(report)))
    assert json.loads(text)["properties"][0 if name <= "other" else 1]["name"] == name
