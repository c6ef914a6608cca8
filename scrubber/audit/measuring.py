"""How large values are as JSON, a column of them at a time: one call of the encoder costs less than many."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import orjson

from scrubber.audit.reading.json_text import dumps


class Sizes(NamedTuple):
    """Bytes of all values together, and of the largest."""

    total: int
    largest: int


def size_of(value: Any) -> int:
    """Bytes of a value as compact JSON, UTF-8."""
    return len(dumps(value))


def sizes_of(values: Sequence[Any], type_: type) -> Sizes:
    """The sizes of a column of texts, numbers, flags or nulls; at least one."""
    number = len(values)
    if type_ is bool:
        # `true` has four bytes, `false` five.
        return Sizes(5 * number - sum(values), 5 if False in values else 4)
    if type_ is type(None):
        return Sizes(4 * number, 4)
    try:
        text = orjson.dumps(values)
    except TypeError:
        # One of them is what only the standard library writes, and must not change how the others are counted.
        each = [size_of(value) for value in values]
        return Sizes(sum(each), max(each))
    if type_ is not str:
        each = list(map(len, text[1:-1].split(b",")))
        return Sizes(sum(each), max(each))
    # In brackets, with commas between.
    total = len(text) - number - 1
    if total == sum(map(len, values)) + 2 * number:
        # Nothing escaped, nothing beyond ASCII: the longest is the largest.
        return Sizes(total, max(map(len, values)) + 2)
    return Sizes(total, max(map(size_of, values)))


def frame_of(names: Collection[Any]) -> int:
    """Bytes of an object with these keys, without its values."""
    return 2 + sum(len(dumps(name if type(name) is str else str(name))) + 1 for name in names) + max(len(names) - 1, 0)
