"""Names that somebody may have meant: for unknown parameters and for values outside a list of allowed ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rapidfuzz.distance import OSA

from scrubber.words.kinds import looks_secret

FURTHEST = 6
"""Edits at most between a name and a hint."""
MOST_HINTS = 3
_LONGEST = 64
_STYLE = re.compile(r"[\s_.\-]+")


def is_plain(name: object) -> bool:
    """Whether a name that a client chose may be printed: an ASCII identifier of at most 64 characters."""
    return (
        type(name) is str
        and len(name) <= _LONGEST
        and name.isascii()
        and name.isidentifier()
        and not looks_secret(name)
    )


def nearest(name: object, choices: Iterable[str], most: int = MOST_HINTS) -> list[str]:
    """The choices that `name` may stand for: another case or style of it first, then by edits.

    At most 6 edits, and at most half of the longer name: of short names everything is within six edits.
    """
    if type(name) is not str or not 0 < len(name) <= _LONGEST:
        return []
    plain = _plain(name)
    ranked: list[tuple[int, int, str]] = []
    for at, choice in enumerate(choices):
        if len(choice) > 2 * _LONGEST:
            continue
        if _plain(choice) == plain:
            ranked.append((0, at, choice))
            continue
        longer = max(len(name), len(choice))
        allowed = min(FURTHEST, (longer + 1) // 2, longer - 1)
        edits = min(
            OSA.distance(name, choice, score_cutoff=allowed),
            OSA.distance(name.casefold(), choice.casefold(), score_cutoff=allowed),
        )
        if edits <= allowed:
            ranked.append((edits, at, choice))
    return [choice for _, _, choice in sorted(ranked)[:most]]


def _plain(name: str) -> str:
    return _STYLE.sub("", name).casefold()


def listed(items: Sequence[str], most: int, longest: int = 400) -> str:
    """`a, b, c and 4 more`, bounded in number and length."""
    shown: list[str] = []
    size = 0
    for item in items[:most]:
        size += len(item) + 2
        if size > longest:
            break
        shown.append(item)
    left = len(items) - len(shown)
    if not shown:
        return f"{left} names"
    return ", ".join(shown) + (f" and {left} more" if left else "")
