"""What an input is, told by the first bytes of its content."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from enum import Enum
from typing import Any

from scrubber.audit.reading.events import is_envelope
from scrubber.audit.reading.headings import Heading
from scrubber.audit.reading.json_text import ParseError, loads
from scrubber.audit.reading.streams import PARQUET

_LINES = 20
_DELIMITERS = ",;\t"
_KEY = re.compile(r"\s*:\s*(\S)")
TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*("?)|[\[{]+|[\]}]+', re.DOTALL)
"""What gives JSON its structure: a string (its group is empty where the end is missing) and brackets in a row. It never
goes back over what it matched."""


class Kind(str, Enum):
    """The kinds of content, in the words of a report."""

    EMPTY = "empty"
    LINES = "JSON lines"
    ARRAY = "JSON array"
    EVENTS = "JSON"
    BODY = "capture body"
    PAGE = "events API page"
    HOGQL = "HogQL response"
    CSV = "CSV"
    PARQUET = "Parquet"
    UNKNOWN = "no known format"

    def __str__(self) -> str:
        return self.value


def tell(head: bytes, whole: bool) -> Kind:
    """The kind of what begins with `head`. whole: whether that is all there is."""
    if head.startswith(PARQUET):
        return Kind.PARQUET
    text = head.lstrip()
    if not text:
        return Kind.EMPTY if whole else Kind.LINES
    if text.startswith(b"["):
        return Kind.ARRAY
    if text.startswith(b"{"):
        return _of_objects(text, whole)
    if delimiter(text):
        return Kind.CSV
    return Kind.LINES if any(type(_parsed(line)) is dict for line in _complete_lines(text, whole)) else Kind.UNKNOWN


def _of_objects(text: bytes, whole: bool) -> Kind:
    """The kind of what begins with an object: events by line, or a document that has to be walked."""
    first, newline, _ = text.partition(b"\n")
    if newline or whole:
        record = _parsed(first)
        if type(record) is dict:
            return _of_envelope(text) if is_envelope(record) and type(record.get("event")) is not str else Kind.LINES
        if first.rstrip().endswith(b"}"):
            return Kind.LINES
    kind = _of_envelope(text)
    if kind is Kind.EVENTS and not newline:
        return Kind.LINES
    return kind


def _of_envelope(text: bytes) -> Kind:
    """The kind of the document that begins with an object, by the first of its keys that tells."""
    whole = text.decode("utf-8", "replace")
    for key, start, at in first_keys(whole):
        if key == "event":
            break
        if key == "batch" and start == "[":
            return Kind.BODY
        if key == "columns" and start == "[":
            return Kind.HOGQL
        if key == "results" and start == "[":
            return Kind.HOGQL if whole[at + 1 :].lstrip().startswith("[") else Kind.PAGE
    return Kind.EVENTS


def first_keys(text: str, at: int = 0, end: int = sys.maxsize) -> Iterator[tuple[str, str, int]]:
    """The keys of the object that begins at `at`, as far as the text goes: each with the first character of its value
    and where that stands."""
    depth = 0
    while token := TOKEN.search(text, at, end):
        at = token.end()
        sign = token.group()
        if sign[0] in "[{":
            depth += len(sign)
        elif sign[0] in "]}":
            depth -= len(sign)
            if depth <= 0:
                return
        elif not token.group(1):
            return
        elif depth == 1 and (key := _KEY.match(text, token.end(), end)):
            yield sign[1:-1], key.group(1), key.start(1)
            at = key.start(1)
            if key.group(1) == '"':
                value = TOKEN.match(text, at, end)
                at = value.end() if value is not None else end


def names_columns_first(head: bytes) -> bool:
    """Whether a HogQL response that begins with `head` names its columns before its rows."""
    keys = [key for key, _, _ in first_keys(head.decode("utf-8", "replace"))]
    return "columns" in keys and ("results" not in keys or keys.index("columns") < keys.index("results"))


def _parsed(line: bytes) -> Any:
    try:
        return loads(line)
    except ParseError:
        return None


def _complete_lines(text: bytes, whole: bool) -> list[bytes]:
    lines = text.split(b"\n", _LINES)
    return lines if whole and len(lines) <= _LINES else lines[:-1]


def delimiter(head: bytes) -> str:
    """What separates the cells of a CSV file whose first line names an `event` column; empty where none does."""
    line = head.decode("utf-8", "replace").lstrip().splitlines()[:1]
    for sign in _DELIMITERS:
        try:
            names = next(csv.reader(line, delimiter=sign), [])
        except csv.Error:
            continue
        if len(names) > 1 and Heading(names).has_event:
            return sign
    return ""
