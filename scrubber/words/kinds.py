"""Kinds of value that a listed property may have. Each is a predicate: any object in, a bool out, never a raise.

The kinds say what a value *is* (a flag, a number, a name from code), so that what does not look like one of
them, whatever put it there, does not pass under an allowed name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

Kind = Callable[[Any], bool]

# Formats of credentials that would otherwise read as a plain name. Not the protection (that is the closed
# list); a second look at the few values that clients and agents may choose.
_SECRET = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct)?[-_]?(?=[A-Za-z_-]*\d)[\w-]{8,}"
    r"|(?:gh[pousr]|github_pat|ph[acxs]|hf|npm|dop_v1)_(?=(?:[A-Za-z_]*\d){2})\w{12,}"
    r"|(?:glpat|xox[abeprs]|pypi)-[\w-]{8,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|ya29\.[\w-]{10,}|eyJ[\w-]{8,}\.[\w-]{4,}|SG\.[\w-]{10,}"
    r")"
)
_LONG_TOKEN = re.compile(r"(?=(?:[A-Za-z]*[0-9]){4})(?=[0-9]*[A-Za-z])[A-Za-z0-9]{25,}")
# Digits in a row, with the signs that people put between them; not behind a letter or a sign of a name, and no date.
_PHONE = re.compile(r"(?<![\w.-])\+?(?!\d{4}[-.]?\d\d[-.]?\d\d(?!\d))(?:\d[\s.()-]{0,2}){7,}")

_PART = r"[A-Za-z0-9][A-Za-z0-9._+-]*"
_NAME = re.compile(rf"(?:@[A-Za-z0-9-]+/)?{_PART}(?:[ /:]{_PART}){{0,3}}\Z")
_WORD = r"[\w(&'+][\w.()&'+/-]*"
_TOOL = re.compile(r"\w[\w./:-]*\Z")
_TITLE = re.compile(rf"{_WORD}(?: {_WORD}){{0,4}}\Z")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$.-]{0,63}\Z")
_TYPE_NAME = re.compile(r"[^\W\d][\w.]*(?:\[[\w., ]*\])?\Z")
_CODE_NAME = re.compile(r"[\w.<>\[\]-]+\Z")
_SLUG = re.compile(r"[a-z][a-z0-9_.-]{0,47}\Z")
_FIELD = re.compile(r"(?:[A-Za-z_]\w{0,63}|\*)(?:\.(?:\w{1,64}|\*)){0,15}\Z")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,47}\Z")
_MODEL = re.compile(r"[A-Za-z0-9][\w.-]*(?:[:/][\w.-]+){0,6}(?:@\d{4,12})?\Z")
_AGENT = re.compile(r"[A-Za-z0-9._-]{1,40}/[0-9A-Za-z._+-]{1,24}(?: [A-Za-z0-9._-]{1,40}/[0-9A-Za-z._+-]{1,24}){0,4}\Z")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}\Z")
_MINTED_ID = re.compile(r"[a-z]{0,8}_?[0-9a-fA-F]{8}[0-9a-fA-F-]{8,56}\Z")
_REFERENCE = re.compile(r"[A-Za-z0-9][\w.:/-]{0,255}\Z")
_FILE = re.compile(
    r"(?:<[\w .\[\]:-]{1,80}>"
    r"|[^\n\r\x00<>?*|\"]{1,512}\.(?:pyi?|pyx|pyc|so|pyd|zip|ipynb|exe)"
    r"|(?=[^\s]*[/\\])(?:[\w./\\:~+-]|@(?=\d)){1,512}(?:(?<=[/\\])<[\w .\[\]:-]{1,80}>)?)\Z"
)
_FINGERPRINT = re.compile(r"[\w.:<>()\[\]/-]{1,128}\Z")


def _text(value: Any, pattern: re.Pattern[str], most: int) -> bool:
    return type(value) is str and len(value) <= most and pattern.match(value) is not None


def looks_secret(value: str) -> bool:
    """Whether a short text has the shape of a credential or a telephone number."""
    return bool(_SECRET.search(value) or _LONG_TOKEN.search(value) or _PHONE.search(value))


def flag(value: Any) -> bool:
    """True or false."""
    return type(value) is bool


def number(value: Any) -> bool:
    """A finite number; no bool, and no integer so long that its digits could carry text."""
    if type(value) is int:
        return -(2**63) <= value < 2**64
    return type(value) is float and math.isfinite(value)


def name(value: Any) -> bool:
    """A plain name: at most four words of letters, digits and `._+-`, no address, no credential shape."""
    return _text(value, _NAME, 80) and not looks_secret(value)


def tool(value: Any) -> bool:
    """A tool's name: what the protocol allows in one (letters, digits, `_-./:`, of any alphabet), or a plain name."""
    return (_text(value, _TOOL, 128) and "//" not in value and not looks_secret(value)) or name(value)


def title(value: Any) -> bool:
    """A name that a server's author gave: at most five words, which may have signs of their own; no address."""
    return _text(value, _TITLE, 80) and not looks_secret(value)


def names(value: Any) -> bool:
    """A list of plain names."""
    return type(value) is list and len(value) <= 2000 and all(name(item) for item in value)


def identifier(value: Any) -> bool:
    """A name as code and JSON schemas declare it."""
    return _text(value, _IDENTIFIER, 64) and not looks_secret(value)


def type_name(value: Any) -> bool:
    """The name of a class, perhaps with its module or type arguments."""
    return _text(value, _TYPE_NAME, 160)


def code_name(value: Any) -> bool:
    """A function's or module's name as a traceback prints it (`<lambda>`, `f.<locals>.g`)."""
    return _text(value, _CODE_NAME, 256)


def slug(value: Any) -> bool:
    """A label that the SDK chose: one lower-case word."""
    return _text(value, _SLUG, 48)


def field(value: Any) -> bool:
    """A field path with indexes written `N`."""
    return _text(value, _FIELD, 256)


def version(value: Any) -> bool:
    """A version or a date; its digits are no telephone number."""
    return _text(value, _VERSION, 48) and not _SECRET.search(value)


def model(value: Any) -> bool:
    """The name of a language model; a date in it is no telephone number."""
    return _text(value, _MODEL, 96) and not _SECRET.search(value)


def agent(value: Any) -> bool:
    """A user agent made of `product/version` tokens and nothing else."""
    return _text(value, _AGENT, 160) and not looks_secret(value)


def identity(value: Any) -> bool:
    """An id: one token without spaces or `@`."""
    return _text(value, _ID, 128)


def reference(value: Any) -> bool:
    """An id that may have parts (the ingestion's `raw_id` of a frame)."""
    return _text(value, _REFERENCE, 256) and "//" not in value


def minted_id(value: Any) -> bool:
    """An id that a machine made: hexadecimal, perhaps with dashes and a short prefix."""
    return type(value) is str and _MINTED_ID.match(value) is not None


def fingerprint(value: Any) -> bool:
    """A fingerprint that can leave as it is: one word."""
    return _text(value, _FINGERPRINT, 128) and "://" not in value and not looks_secret_fingerprint(value)


def looks_secret_fingerprint(value: str) -> bool:
    """As `looks_secret`, but a hash (what most fingerprints are) is no secret."""
    return not minted_id(value) and bool(_SECRET.search(value) or _PHONE.search(value))


def file_name(value: Any) -> bool:
    """The file of a frame: a path to code, a path without an ending that has no spaces, or `<...>` for no file, which
    an absolute path has behind the working directory."""
    return _text(value, _FILE, 600) and "://" not in value


def scalar(value: Any) -> bool:
    """Anything JSON writes without brackets."""
    return value is None or type(value) in (str, int, float, bool)


def either(*kinds: Kind) -> Kind:
    """The kind of a value that has one of `kinds`."""

    def has_one(value: Any) -> bool:
        return any(kind(value) for kind in kinds)

    return has_one


def label(*values: str) -> Kind:
    """The kind of a label of a closed set."""
    allowed = frozenset(values)

    def is_label(value: Any) -> bool:
        return type(value) is str and value in allowed

    return is_label


_MOST_REMEMBERED = 1024


class Remembering:
    """A kind that remembers a bounded number of short texts that had it. Only what may leave is remembered."""

    __slots__ = ("kind", "known")

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.known: set[Any] = set()

    def __call__(self, value: Any) -> bool:
        """Whether `value` has the kind."""
        if type(value) is not str:
            return self.kind(value)
        if value in self.known:
            return True
        if not self.kind(value):
            return False
        if len(self.known) < _MOST_REMEMBERED:
            self.known.add(value)
        return True
