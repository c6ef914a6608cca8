"""How numbers, sizes, shares and names are written in every form of the report."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from scrubber.audit.records import Fate
from scrubber.words.verdict import Verdict

FATES: dict[Fate, str] = {
    Fate.REMOVED: "known to the policy and kept in: closed, blocked, of another kind, or on an event that is dropped",
    Fate.UNKNOWN: "kept in because no list names it",
    Fate.REDACTED: "leaves, but changed",
    Fate.PASSES: "leaves as it is",
}
"""What each fate means; in the order of what matters first."""

VERDICTS: dict[Verdict, str] = {
    Verdict.PASS: "pass unchanged",
    Verdict.REDACT: "redacted",
    Verdict.DROP: "dropped",
}
"""Each verdict as the end of `12 events ...`, from mildest to strictest."""

EMPTY = "(empty)"
"""Shown for a name without any character."""

_UNITS = ("kB", "MB", "GB", "TB", "PB")


def number(value: int) -> str:
    """A count with thousands set apart: `12,345`."""
    return f"{value:,}"


def counted(value: int, one: str, many: str = "") -> str:
    """A count with its noun: `1 event`, `12,345 events`. `many`: the plural, where it is not `one` and an s."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def size(value: int) -> str:
    """Bytes in decimal units, three figures at most below a thousand petabytes: `812 B`, `1.2 kB`, `123 MB`."""
    if abs(value) < 1000:
        return f"{value} B"
    scaled = float(value)
    text = ""
    for unit in _UNITS:
        scaled /= 1000
        text = f"{scaled:.1f}" if abs(scaled) < 99.95 else f"{scaled:,.0f}"
        if abs(float(text.replace(",", ""))) < 1000:
            return f"{text} {unit}"
    return f"{text} {_UNITS[-1]}"


def share(part: int, whole: int) -> str:
    """A percentage without decimals. Only nothing is `0%` and only all of it is `100%`: between, `<1%` and `>99%`."""
    if part <= 0 or whole <= 0:
        return "0%"
    if part >= whole:
        return "100%"
    if part * 100 < whole:
        return "<1%"
    if part * 100 > whole * 99:
        return ">99%"
    return f"{round(part * 100 / whole)}%"


def printable(text: str) -> str:
    """`text` on one line: what a terminal obeys, what hides or reorders, and what no file can hold is escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(char) if _is_hidden(char) else char for char in text)


def named(text: str) -> str:
    """A name, printable; a word in brackets where it is empty."""
    return printable(text) or EMPTY


def place(path: str) -> str:
    """Where something was found, without the word that nearly every path begins with; printable."""
    return named(path.removeprefix("properties."))


def listing(names: Iterable[str], most: int) -> str:
    """Names with commas, the first `most` of them: `a, b and 3 more`."""
    shown = [named(name) for name in names]
    left = len(shown) - most
    return ", ".join(shown) if left <= 0 else f"{', '.join(shown[:most])} and {left:,} more"


def _is_hidden(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] == "C" or category in ("Zl", "Zp")


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
