"""Whether two prints can be of one value: pydantic's, shortened in its middle, and that of what posthog kept of the
arguments, cut and redacted by its sanitiser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

MOST_NODES = 5_000
MOST_TEXT = 300_000
DEPTH = 40
NO_MORE = "[MaxProperties ~]"
CUT_CONTAINERS = ("[Object]", "[Array]")
CUT_DEPTH = 5
"""posthog.mcp cuts ten levels below the event's properties (`_truncation`), six below the arguments; what a caller
writes nearer than that is its own."""
# What posthog's sanitiser and pydantic leave in place of what they took out. pydantic's cut may stand right behind a
# dot of the value's own.
_CUT_PATTERN = re.compile(
    r"\[[a-z ]*redacted[^\]\n]{0,60}\]|%5Bredacted%5D|\.{3,}"
    r"|, '\[MaxProperties ~\]'|, '\.\.\.': '\[MaxProperties ~\]'|'\[(?:Object|Array)\]'"
)
_CUT_WORDS = ("redacted", "...", "[MaxProperties ~]", "[Object]", "[Array]")
"""One of them stands in every match of the pattern."""
_LONGEST_BEFORE = 3
"""Characters of a match before the first of the words, but for the words of a bracket with `redacted` in it."""
PYDANTIC_CUTS_AT = 46
"""Bytes of a printed value below which pydantic (2.7 to 2.14) has not cut it: it cuts at 50, on a character's edge."""


def shows(value: Any, printed: str, printing: Callable[[str], str]) -> bool:
    written = printing(repr(value))
    if written == printed:
        return True
    if ("redacted" in printed or len(printed.encode()) >= PYDANTIC_CUTS_AT) and _fits(printed, written):
        return True
    return _is_cut(value) and (_fits(written, printed) or _fit_each_other(written, printed))


def plainly_shows(value: Any, printed: str) -> bool:
    """What `shows` says of nearly all values, at next to no cost. False is no answer: only `shows` can tell.

    Never true where `shows` is not: of a long text only both ends are printed, which is what pydantic shows of it.
    """
    kind = type(value)
    if kind is str and len(value) > _LONG:
        return _shows_ends(value, printed)
    if kind is dict:
        small = len(value) < _FEW and all(map(_is_short, value.values()))
    elif kind is list:
        small = len(value) < _FEW and all(map(_is_short, value))
    else:
        small = kind in _PLAIN
    if not small:
        return False
    written = repr(value)
    if written == printed:
        return True
    start, cut, end = printed.partition("...")
    if not cut or len(printed) < PYDANTIC_CUTS_AT:
        return False
    if kind is str and _ends_cut(value):
        return written.startswith(start) and end.endswith("'") and written.endswith("'")
    return written.startswith(start) and written.endswith(end) and len(written) >= len(start) + len(end)


def plainly_differs(value: Any, printed: str) -> bool:
    """Whether `printed` is plainly of another value: both are whole, and `value` holds nothing that the SDK decodes."""
    if type(value) not in _PLAIN or "redacted" in printed or len(printed.encode()) >= PYDANTIC_CUTS_AT:
        return False
    if type(value) is str and (_is_cut(value) or value.lstrip()[:1] in ("[", "{")):
        return False
    return repr(value) != printed


_PLAIN = frozenset({str, int, float, bool, type(None)})
_FEW = 10
_LONG = 200


def _is_short(item: Any) -> bool:
    return type(item) in _PLAIN and (type(item) is not str or len(item) <= _LONG)


def _shows_ends(value: str, printed: str) -> bool:
    """`plainly_shows` for a long text, from its ends alone."""
    start, cut, end = printed.partition("...")
    if not cut or len(printed) < PYDANTIC_CUTS_AT:
        return False
    # Where a part alone is quoted otherwise than inside the whole, the two differ, and this look says no.
    if not repr(value[:_LONG])[:-1].startswith(start):
        return False
    return end.endswith("'") if _ends_cut(value) else repr(value[-_LONG:])[1:].endswith(end)


def _fit_each_other(one: str, other: str) -> bool:
    """Whether two texts that were both cut can be of one value: pydantic's print in its middle, posthog's copy at its
    end. Only their starts and their ends can be compared."""
    pieces, others = _pieces(one), _pieces(other)
    if len(pieces) < 2 or len(others) < 2:
        return False
    start, other_start, end, other_end = pieces[0], others[0], pieces[-1], others[-1]
    starts = start.startswith(other_start) or other_start.startswith(start)
    return starts and (end.endswith(other_end) or other_end.endswith(end))


def _is_cut(value: Any) -> bool:
    """Whether posthog's sanitiser may have cut or redacted the value that the event holds."""
    if isinstance(value, str):
        return "redacted" in value or _ends_cut(value) or value == NO_MORE or value in CUT_CONTAINERS
    if isinstance(value, Mapping):
        return any(_is_cut(item) for item in value.values())
    return isinstance(value, list) and any(_is_cut(item) for item in value)


def _ends_cut(value: str) -> bool:
    """posthog.mcp cuts only strings over 100 characters, and marks the cut."""
    return value.endswith("...") and len(value) > 90


def _pieces(text: str) -> list[str]:
    """A text split where it was cut or redacted. The pattern is tried from the first place that can hold a cut: over a
    long text that has none it costs a thousand times the search for its words."""
    found = [at for at in map(text.find, _CUT_WORDS) if at >= 0]
    if not found:
        return [text]
    first = min(found)
    start = max(first - _LONGEST_BEFORE, 0)
    if text.startswith("redacted", first):
        start = min(start, max(text.rfind("[", 0, first), 0))
    head, *others = _CUT_PATTERN.split(text[start:])
    return [text[:start] + head, *others]


def _fits(pattern: str, text: str) -> bool:
    """Whether `text` has the pieces of `pattern` in their order, with anything where it was cut or redacted."""
    pieces = _pieces(pattern)
    if len(pieces) == 1 or len(pieces) > 20:
        return False
    first, *middle, last = pieces
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def is_bounded(arguments: Any) -> bool:
    """Whether the arguments are small enough to print and walk: else they prove nothing."""
    nodes = length = 0
    level: list[Any] = [arguments]
    for _ in range(DEPTH):
        nodes += len(level)
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                length += len(value)
            elif type(value) in _PLAIN:
                continue
            elif isinstance(value, Mapping):
                length += sum(len(key) for key in value if isinstance(key, str))
                below.extend(value.values())
            elif isinstance(value, (list, tuple)):
                below.extend(value)
            if nodes + len(below) > MOST_NODES:
                return False
        if length > MOST_TEXT:
            return False
        if not below:
            return True
        level = below
    return False


def decoded(value: str) -> Any:
    """The list or object that a text holds as JSON, as the mcp SDK's `pre_parse_json` decodes it; None for others."""
    if value.lstrip()[:1] not in ("[", "{") or len(value) > MOST_TEXT:
        return None
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, (list, dict)) and is_bounded(found) else None
