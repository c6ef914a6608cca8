"""One property of a shape, or one part of its envelope, and what was added up for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrubber.audit.leaks import LONGEST_REVEALED
from scrubber.audit.measuring import Sizes, size_of, sizes_of
from scrubber.audit.records import LeakKind
from scrubber.audit.tally import Place, text_of

_KINDS: dict[type, str] = {
    str: "text",
    int: "number",
    float: "number",
    bool: "flag",
    type(None): "null",
    list: "list",
    dict: "object",
}


SCALARS = frozenset({str, int, float, bool, type(None)})


_MOST_CLEAN, _LONGEST_CLEAN = 64, 512


def kind_of(value: Any) -> str:
    """A value's kind in the words of a report."""
    return _KINDS.get(type(value), "object")


class Column:
    """One property of a shape, or one part of its envelope, and its sums."""

    __slots__ = (
        "_size",
        "bytes",
        "clean",
        "example",
        "first",
        "found",
        "kind",
        "kind_out",
        "largest",
        "leaks",
        "name",
        "passed",
        "path",
        "reasons",
        "removed",
        "same",
        "searched",
        "type",
    )

    def __init__(self, name: Any, path: str, type_: type) -> None:
        self.name = name
        self.path = path
        """The place of its values, as it is printed."""
        self.type = type_
        self.kind = self.kind_out = _KINDS.get(type_, "object")
        """Of what came, and of what leaves."""
        self.removed = False
        """Whether it does not leave."""
        self.same = True
        """Whether it leaves as it came, without a look at the value."""
        self.searched = False
        """Whether its values are searched for shapes of secrets."""
        self.reasons: set[tuple[str, str]] = set()
        """Rule and reason, where it is removed or changed."""
        self.leaks: LeakKind | None = None
        """What its value is where the policy keeps it in; None where its parts are looked at one by one."""
        self.passed = 0
        """How often it left as it came, where that must be looked at."""
        self.bytes = 0
        self.largest = 0
        self.clean: set[Any] = set()
        """Short texts that were searched and have no shape of a secret: a few of them, started over when full."""
        self.found = 0
        """How often it leaked, by `leaks`."""
        self.first: Place | None = None
        self.example: Any = None
        """The first of what leaked, cut, and its place."""
        self._size: tuple[Any, int] = (None, 4)

    def leaked(self, place: Place, value: Any, count: int = 1) -> None:
        """Count a value, or several of which it is the first, that was sent and is kept in."""
        self.found += count
        if self.first is None or place < self.first:
            self.first, self.example = place, text_of(value)[:LONGEST_REVEALED]

    def keep_clean(self, text: Any) -> None:
        """Remember a text that was searched and has no shape of a secret."""
        if len(text) <= _LONGEST_CLEAN:
            if len(self.clean) >= _MOST_CLEAN:
                self.clean.clear()
            self.clean.add(text)

    def sizes(self, values: Sequence[Any], constant: bool) -> Sizes:
        """The sizes of values of this column. constant: whether all are the same text."""
        if not constant:
            return sizes_of(values, self.type)
        # The same value mostly comes again with the next events.
        if self._size[0] != values[0]:
            self._size = values[0], size_of(values[0])
        return Sizes(self._size[1] * len(values), self._size[1])
