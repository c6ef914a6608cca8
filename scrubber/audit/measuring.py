"""How large values are as JSON, a column of them at a time: one call of the encoder costs less than many."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from scrubber.audit.reading.json_text import dumps


class Sizes(NamedTuple):
    """Bytes of all values together, and of the largest."""

    total: int
    largest: int


def size_of(value: Any) -> int:
    """Bytes of a value as compact JSON, UTF-8."""
    return len(dumps(value))


def sizes_of(values: Sequence[Any], type_: type) -> Sizes:
    """The sizes of a column whose values all have the type; at least one."""
    number = len(values)
    if type_ is bool:
        # `true` has four bytes, `false` five.
        return Sizes(5 * number - sum(values), 5 if False in values else 4)
    if type_ is str:
        return _texts(values, number)
    if type_ is int or type_ is float:
        written = dumps(values)[1:-1].split(b",")
        return Sizes(sum(map(len, written)), max(map(len, written)))
    if type_ is type(None):
        return Sizes(4 * number, 4)
    each = [len(dumps(value)) for value in values]
    return Sizes(sum(each), max(each))


def _texts(values: Sequence[str], number: int) -> Sizes:
    # In brackets, with commas between.
    total = len(dumps(values)) - number - 1
    if total == sum(map(len, values)) + 2 * number:
        # Nothing escaped, nothing beyond ASCII: the longest is the largest.
        return Sizes(total, max(map(len, values)) + 2)
    return Sizes(total, max(len(dumps(value)) for value in values))


def frame_of(names: Collection[Any]) -> int:
    """Bytes of an object with these keys, without its values."""
    return 2 + sum(len(dumps(name if type(name) is str else str(name))) + 1 for name in names) + max(len(names) - 1, 0)
