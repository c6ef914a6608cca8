"""The values of a shape's events: sizes, and content in what was sent.

Lists and objects are looked at when their event comes and are not kept; texts and numbers wait, and are measured a
column at a time, since one call for many values costs less than many calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, count
from typing import Any

from scrubber.audit import leaks
from scrubber.audit.column import Column
from scrubber.audit.measuring import size_of
from scrubber.audit.reading.json_text import dumps
from scrubber.audit.records import LeakKind, Row
from scrubber.audit.shapes import Shape
from scrubber.audit.stacks import ENTRY, Stacks
from scrubber.audit.tally import Place, Tally
from scrubber.words.properties import EXCEPTION_LIST, TOP_LEVEL
from scrubber.words.verdict import Event

_PERSON = "distinct_id"
_TEXT = f"{ENTRY}.value"
_JOINT = len(b',"properties":')


class Columns:
    """Measures values into shapes and one tally."""

    def __init__(self, tally: Tally, stacks: Stacks) -> None:
        self._tally = tally
        self._stacks = stacks

    def look(self, shape: Shape, column: Column, value: Any, sent: dict[Any, Any] | None, place: Place) -> bool:
        """Look at a value that does not wait; whether it leaves as it came, or is removed for what its column says.

        sent: the properties that leave, None where the event is dropped.
        """
        if column.name == EXCEPTION_LIST:
            before = column.passed
            size = self._exceptions(shape, column, value, sent, place)
            fine = column.removed or column.passed > before
        elif column.removed or sent is None:
            fine = True
            size = size_of(value)
            if column.leaks is not None and (value or leaks.has_content(value)):
                column.leaked(place, value)
        else:
            text = dumps(value)
            size = len(text)
            after = sent[column.name]
            fine = after == value
            if fine:
                column.passed += 1
            else:
                self._changed(column, value, after, place)
                text = dumps(after)
            shape.bytes_out += len(text)
            if text not in column.clean:
                self._search_one(column, after, text, place)
        column.bytes += size
        column.largest = max(column.largest, size)
        shape.bytes_in += size
        return fine

    def _changed(self, column: Column, before: Any, after: Any, place: Place) -> None:
        if column.leaks is not None:
            column.leaked(place, before)
            return
        for path, value in leaks.differences(before, after, column.path):
            self._tally.leak(LeakKind.CLOSED, path, place, value)

    def _search_one(self, column: Column, value: Any, text: bytes, place: Place) -> None:
        if not leaks.is_suspicious(text.decode("utf-8", "replace")):
            column.keep_clean(text)
            return
        for kind, path, found in leaks.shapes_in(value, column.path):
            self._tally.leak(kind, path, place, found)

    def _exceptions(self, shape: Shape, column: Column, before: Any, sent: dict[Any, Any] | None, place: Place) -> int:
        """Bytes of an exception list that came; what leaves of it, and what leaked in it, is counted."""
        if sent is None or column.removed:
            for entry in before if type(before) is list else [before]:
                text = entry.get("value") if type(entry) is dict else entry
                if leaks.has_content(text):
                    column.leaked(place, text)
            return size_of(before)
        after = sent[EXCEPTION_LIST]
        looked = self._stacks.look(after)
        shape.bytes_out += looked.size
        for kind, path, found in looked.hits:
            self._tally.leak(kind, path, place, found)
        if not shape.text_only:
            for path, value in leaks.differences(before, after, column.path):
                self._tally.leak(LeakKind.EXCEPTION if path == _TEXT else LeakKind.CLOSED, path, place, value)
            column.passed += before == after
            return size_of(before)
        more, changed = self._changed_texts(column, before, after, place)
        column.passed += not changed
        return looked.size + more

    def _changed_texts(
        self, column: Column, before: list[dict[str, Any]], after: list[dict[str, Any]], place: Place
    ) -> tuple[int, bool]:
        """Bytes by which the texts that came are longer than what leaves in their places, and whether any changed."""
        more, changed = 0, False
        for entry, other in zip(before, after, strict=True):
            text, placeholder = entry.get("value"), other.get("value")
            if text != placeholder:
                changed = True
                more += size_of(text) - size_of(placeholder)
                if text or leaks.has_content(text):
                    column.leaked(place, text)
        return more, changed

    def envelope(self, shape: Shape, row: Row, sent: Event | None) -> None:
        """Look at what stands beside the properties of an event that has more or less there than usual."""
        place = row.file, row.line
        before, after = _beside(row.event), _beside(sent or {})
        shape.bytes_in += size_of(before) + _JOINT - (not before)
        if sent is None:
            return
        shape.bytes_out += size_of(after) + _JOINT - (not after)
        for path, value in leaks.differences(before, after, ""):
            self._tally.leak(LeakKind.CLOSED, path, place, value)
        rest = {key: value for key, value in after.items() if key == _PERSON or key not in TOP_LEVEL}
        for kind, path, found in leaks.shapes_in(rest, ""):
            self._tally.leak(kind, path.removeprefix("."), place, found)

    def measure(self, shape: Shape, file: str) -> None:
        """Measure what waits in a shape; all of it came from `file`."""
        rows, shape.waiting = shape.waiting, []
        lines, shape.lines = shape.lines, []
        for column, values in zip(shape.later, zip(*rows, strict=True), strict=True):
            constant = column.type is str and values.count(values[0]) == len(values)
            sizes = column.sizes(values, constant)
            column.bytes += sizes.total
            column.largest = max(column.largest, sizes.largest)
            shape.bytes_in += sizes.total
            if not column.removed:
                shape.bytes_out += sizes.total
                if column.searched and not (constant and values[0] in column.clean):
                    self._search(column, values, constant, file, lines)
            elif column.leaks is not None:
                full = list(map(leaks.has_content, values))
                if True in full:
                    line, at = min(compress(zip(lines, count()), full))
                    column.leaked((file, line), values[at], full.count(True))

    def _search(self, column: Column, values: Sequence[str], constant: bool, file: str, lines: list[int]) -> None:
        """Shapes of secrets in texts that pass."""
        if not leaks.is_suspicious(values[0] if constant else "\n".join(values)):
            column.keep_clean(values[0])
            return
        for line, value in zip(lines, values, strict=True):
            kind = leaks.shape_of(value)
            if kind is not None:
                self._tally.leak(kind, column.path, (file, line), value)


def _beside(event: Event) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key != "properties"}
