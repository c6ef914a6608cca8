"""An event as a value that two can be compared by: types and contents, with nothing asked of unknown objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_PLAIN = (str, int, float, bool, type(None), bytes)


_MOST = 50_000
"""Parts that are listed."""


def snapshot(value: Any) -> list[Any]:
    """What a value holds, in a flat list; an object that is neither plain nor a container stands for itself by id.

    A container that stands in two places is listed twice: whether two equal ones are one object is nobody's business.
    Of one that holds itself the list ends somewhere.
    """
    out: list[Any] = []
    waiting: list[Any] = [value]
    while waiting and len(out) < _MOST:
        item = waiting.pop()
        kind = type(item)
        if kind in _PLAIN:
            # NaN is no NaN's equal; its print is.
            out.append((kind.__name__, repr(item) if kind is float else item))
        elif kind in (dict, list, tuple):
            out.append((kind.__name__, len(item)))
            waiting += [part for pair in item.items() for part in pair] if kind is dict else list(item)
        else:
            out.append((kind.__name__, id(item)))
    return out


def parts(value: Any, most: int = 200_000) -> Iterator[tuple[bool, Any]]:
    """Every key (True) and every other part (False) of a value, at any depth, each container once."""
    waiting: list[tuple[bool, Any]] = [(False, value)]
    seen: set[int] = set()
    while waiting and len(seen) < most:
        is_key, item = waiting.pop()
        yield is_key, item
        if not isinstance(item, (Mapping, list, tuple, set, frozenset)) or id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, Mapping):
            # A dict's own methods may be overridden by hostile ones.
            pairs = list(dict.items(item) if isinstance(item, dict) else item.items())
            waiting += [(True, key) for key, _ in pairs] + [(False, inner) for _, inner in pairs]
        else:
            waiting += [(False, inner) for inner in item]


def holds(value: Any, canary: str) -> bool:
    """Whether a canary is in a value: as a key, a part of a text, in bytes, or in a text that is escaped."""
    escaped = canary.encode("unicode_escape").decode()
    for _, part in parts(value):
        if isinstance(part, (bytes, bytearray)):
            part = part.decode("utf-8", "replace")  # noqa: PLW2901
        if isinstance(part, str) and (str.__contains__(part, canary) or str.__contains__(part, escaped)):
            return True
    return False
