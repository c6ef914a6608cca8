"""Values that come again and again in the events of a shape: names, versions, flags.

They are looked at once for each set of them, and then only counted: most of what an event holds is of that kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from scrubber.audit import leaks
from scrubber.audit.measuring import size_of
from scrubber.audit.records import LeakKind
from scrubber.words import kinds
from scrubber.words import properties as listed

MOST_SETS = 256
"""Sets of values that are told apart at one time, for each shape."""

_IDS = frozenset({kinds.identity, kinds.minted_id, kinds.number})
NAMES = frozenset(
    name
    for names in (listed.MCP_LISTED, listed.EXCEPTION_LISTED, listed.STRICT_LISTED)
    for name, kind in names.items()
    if kind not in _IDS
)
"""Properties whose values are labels and no ids: in every event of a server, or of a client, the same."""


class Met:
    """One set of values: how often it came, the bytes of each, and which of them has the shape of a secret."""

    __slots__ = ("count", "hits", "sizes")

    def __init__(self, columns: Sequence[Any], values: Sequence[Any]) -> None:
        self.count = 0
        self.sizes = [size_of(value) for value in values]
        self.hits: list[tuple[LeakKind, str, str]] = []
        for column, value in zip(columns, values, strict=True):
            if column.searched and (kind := leaks.shape_of(value)) is not None:
                self.hits.append((kind, column.path, value))


class Labels:
    """The columns of a shape that hold labels."""

    __slots__ = ("bytes_in", "bytes_out", "columns", "met", "pick")

    def __init__(self, columns: Sequence[Any], positions: Sequence[int]) -> None:
        self.columns = columns
        self.pick: Callable[[tuple[Any, ...]], Any] = itemgetter(*positions)
        """Takes the labels out of all values of an event; at least two."""
        self.met: dict[Any, Met] = {}
        self.bytes_in = 0
        self.bytes_out = 0

    def meet(self, values: tuple[Any, ...]) -> Met:
        """What is known of a set of values that is new."""
        if len(self.met) >= MOST_SETS:
            self.fold()
        found = self.met[values] = Met(self.columns, values)
        return found

    def fold(self) -> None:
        """Add up what was counted, and forget the sets."""
        for met in self.met.values():
            for column, size in zip(self.columns, met.sizes, strict=True):
                column.bytes += size * met.count
                column.largest = max(column.largest, size)
                self.bytes_in += size * met.count
                if not column.removed:
                    self.bytes_out += size * met.count
        self.met.clear()
