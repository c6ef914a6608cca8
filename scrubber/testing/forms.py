"""The forms a value can leave in: what to look for, and how to open a text to look inside.

Everything here is text in, text out; nothing of it knows events.
"""

from __future__ import annotations

import base64
import html
import math
import re
import unicodedata
from collections.abc import Iterator
from datetime import date, time
from typing import Any, NamedTuple
from urllib.parse import unquote, unquote_plus

SHORTEST = 4
"""Characters of a canary; a shorter one would be found by chance."""
LONG, PART = 40, 20
"""A canary longer than LONG characters is also found by its first or last PART: libraries cut long values."""

AS_IT_IS = "as it is"
_LONGEST_OPENED = 1_000_000
"""Characters of a text that is still unescaped and decoded; a longer one is searched as it stands."""
_MOST_LAYERS = 6

_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "0": "\0", "a": "\a", "v": "\v"}
_URL = re.compile(r"%[0-9a-fA-F]{2}|\+")


class Form(NamedTuple):
    """One thing to look for. name: as the error says it. text: what to look for. folded: whether case is ignored.
    whole: a number, which must not stand inside a longer one."""

    name: str
    text: str
    folded: bool = True
    whole: bool = False


def forms_of(canary: Any) -> list[Form]:
    """Everything that one canary is looked for as. Raises ValueError, without the canary, where it cannot be."""
    if isinstance(canary, bool) or canary is None:
        raise ValueError("is no text, number or bytes")
    if isinstance(canary, (int, float)):
        return _number(canary)
    raw = bytes(canary) if isinstance(canary, (bytes, bytearray)) else None
    text = raw.decode("utf-8", "replace") if raw is not None else _text_of(canary)
    if len(text.strip()) < SHORTEST:
        raise ValueError(f"is shorter than {SHORTEST} characters, and would be found by chance")
    data = raw if raw is not None else text.encode("utf-8", "surrogatepass")
    found = [Form(AS_IT_IS, folded(text)), Form("in hexadecimal", data.hex())]
    found += [Form("in base64", part, folded=False) for part in _base64(data)]
    if raw is not None:
        found.append(Form(AS_IT_IS, folded(raw.decode("latin-1"))))
    if len(text) > LONG:
        found += [Form("its beginning", folded(text[:PART])), Form("its end", folded(text[-PART:]))]
    return found


def _text_of(canary: Any) -> str:
    if isinstance(canary, str):
        return canary
    return canary.isoformat() if isinstance(canary, (date, time)) else str(canary)


def _number(number: float) -> list[Form]:
    if isinstance(number, float) and not math.isfinite(number):
        raise ValueError("is no finite number")
    text = repr(number)
    digits = re.sub(r"\D", "", text)
    if len(digits) < SHORTEST:
        raise ValueError(f"has fewer than {SHORTEST} digits, and would be found by chance")
    spellings = {text, f"{number:,}", f"{number:_}", str(int(number)) if number == int(number) else text}
    return [Form("as a number", spelling.lower(), whole=True) for spelling in sorted(spellings)]


def _base64(data: bytes) -> Iterator[str]:
    """The characters that stand for `data` wherever it begins: three alignments, two alphabets. Those that share bits
    with a neighbour are left out."""
    for offset in range(3):
        coded = base64.b64encode(b"\0" * offset + data).decode("ascii").rstrip("=")
        start = (0, 2, 3)[offset]
        end = len(coded) if (offset + len(data)) % 3 == 0 else len(coded) - 1
        part = coded[start:end]
        if len(part) >= SHORTEST:
            yield part
            if {"+", "/"} & set(part):
                yield part.replace("+", "-").replace("/", "_")


def folded(text: str) -> str:
    """The text as it is compared: without case, and each character in its plainest form (full-width letters,
    ligatures, composed and decomposed accents are one)."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def holds(form: Form, raw: str, plain: str) -> bool:
    """Whether a text has the form in it. raw: the text; plain: the same, folded."""
    if not form.whole:
        return form.text in (plain if form.folded else raw)
    at = plain.find(form.text)
    while at >= 0:
        end = at + len(form.text)
        before, after = plain[at - 1 : at], plain[end : end + 1]
        if not before.isdigit() and not after.isdigit():
            return True
        at = plain.find(form.text, at + 1)
    return False


def layers(text: str) -> Iterator[tuple[str, str]]:
    """The text, and what it becomes when it is unescaped, one way after the other: (how, text)."""
    yield AS_IT_IS, text
    if len(text) > _LONGEST_OPENED:
        return
    known = {text}
    front = [text]
    for _ in range(_MOST_LAYERS):
        following: list[str] = []
        for one in front:
            for how, opened in _opened(one):
                if opened not in known:
                    known.add(opened)
                    following.append(opened)
                    yield how, opened
        if not following:
            return
        front = following


def _opened(text: str) -> Iterator[tuple[str, str]]:
    if "\\" in text:
        yield "escaped", _unescaped(text)
    if _URL.search(text):
        # Latin-1 for bytes that are no UTF-8: nothing may be lost.
        yield "URL-encoded", unquote(text)
        yield "URL-encoded", unquote_plus(text)
    if "&" in text and ";" in text:
        yield "as HTML", html.unescape(text)


def _unescaped(text: str) -> str:
    """Backslash escapes of JSON, Python's repr and JavaScript undone; what is no escape stays."""
    return _SURROGATES.sub(_pair, _ESCAPE.sub(_character, text))


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code is None:
        return _SIMPLE.get(match[4], match[4])
    number = int(code, 16)
    return chr(number) if number <= 0x10FFFF else match[0]


def _pair(match: re.Match[str]) -> str:
    return match[0].encode("utf-16", "surrogatepass").decode("utf-16")
