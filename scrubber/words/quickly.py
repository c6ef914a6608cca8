"""Reading a refusal's text by position, where it can be read in one way only. Runs in every request that was refused;
what cannot be read so is left to `scrubber.words.message`."""

from __future__ import annotations

import re

from scrubber.words import message
from scrubber.words.message import KNOWN_CODES, LONGEST, Problem, Refusal

_PLAIN_BLOCK = re.compile(
    r"\n(?P<location>(?!  )[^\n]+)\n  (?P<said>[^\n\[]*) \[type=(?P<code>[a-z_]{1,64}), input_value=(?P<input>[^\n]*?)"
    r", input_type=[^\],\n]{1,120}\](?=\n|\Z)(?:\n    For further information visit \S+)?"
)

First = tuple[str, Problem]
"""The title and the first problem of a refusal."""


def first(text: str) -> First | None:
    """Title and first problem of a refusal, read without reading the rest; None where only `parse` can tell.

    Certain only if tails stand in the text exactly as often as its first line counts errors: a value or a key that
    holds one makes them more, a cut makes them fewer.
    """
    head = text.find("\n")
    below = text.find("\n", head + 1)
    tail = text.find(" [type=", below)
    comma = text.find(", input_value=", tail)
    if not 0 < head < below < tail < comma or not text.startswith("  ", below + 1) or text.startswith("  ", head + 1):
        return None
    code = text[tail + 7 : comma]
    said = text[below + 3 : tail]
    number, _, rest = text[:head].partition(" validation error")
    plural, found, title = rest.partition(" for ")
    if code not in KNOWN_CODES or "\n" in said or not found or plural not in ("", "s"):
        return None
    if not number.isdecimal() or len(number) > 5 or text.count("[type=") != int(number):
        return None
    if len(text) > LONGEST or text.endswith("..."):
        return None
    # The last one in the line: what was printed of the value may hold the same words, and never a line break.
    end = text.find("\n", comma)
    end = text.rfind(", input_type=", comma, end if end > 0 else len(text))
    if end < 0:
        return None
    return title, Problem(text[head + 1 : below], code, said, text[comma + 14 : end])


def certain(text: str, quick: First | None) -> list[Problem] | None:
    """The problems of a refusal, where each stands in lines that can be read in one way only; None where only `parse`
    can tell. Certain for the reason that `first` is.

    quick: what `first` says of the text.
    """
    if quick is None:
        return None
    if text.startswith("1 "):
        return [quick[1]]
    return _blocks(text)


def parse(text: str) -> Refusal | None:
    """What `message.parse` says of the text, read by position where that is certain to its end."""
    quick = first(text)
    problems = _blocks(text) if quick is not None else None
    if quick is None or problems is None:
        return message.parse(text)
    return Refusal("", len(problems), quick[0], tuple(problems), True)


def _blocks(text: str) -> list[Problem] | None:
    """Every block of a text whose first one is certain, to its end; None where one can be read in another way."""
    problems: list[Problem] = []
    at = text.find("\n")
    while at < len(text):
        block = _PLAIN_BLOCK.match(text, at)
        if block is None or block["code"] not in KNOWN_CODES:
            return None
        problems.append(Problem(block["location"], block["code"], block["said"], block["input"]))
        at = block.end()
    return problems if text.startswith(f"{len(problems)} ") else None
