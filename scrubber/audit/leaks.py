"""Content in what was sent: shapes of credentials and e-mail addresses, and the place where something stood.

Pure functions of values. Nothing here decides what may leave: the policy did that. The shapes are a second look at
what it lets pass, for a person to judge, so a miss or a false alarm costs no privacy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scrubber.audit.records import LeakKind
from scrubber.words.paths import shown

LONGEST_EXAMPLE = 60
"""Characters of a masked example."""
LONGEST_REVEALED = 400
"""Characters of an example that `--reveal` shows."""
DEPTH = 32

EMAIL = re.compile(r"(?<![\w.%+-])\w[\w.%+-]{0,63}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?!\w)")
CREDENTIAL = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    # Keys that services hand out, by the prefix each is known by.
    r"(?:sk|rk)[-_](?=[\w-]*\d)[\w-]{12,}|whsec_\w{16,}"
    r"|(?:gh[opsur]|github_pat|ph[xs]|hf|npm|dop_v1)_(?=\w*\d)\w{12,}"
    r"|(?:glpat|xox[abeprs]|pypi)-[\w-]{8,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|ya29\.[\w-]{10,}|SG\.[\w-]{10,}\.[\w-]{10,}"
    r"|eyJ[\w-]{8,}\.[\w-]{4,}"
    r")|[Bb]earer (?=[\w.~+/-]*\d)[\w.~+/-]{12,}"
    r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----"
    r"|[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,64}:[^\s/@]{1,128}@"
)
# The same prefixes, told by a rare letter or sign in each: alternatives that begin with one are found fast.
_SUSPICIOUS = re.compile(
    r"@"
    r"|-(?:(?<=[sr]k-)|(?<=glpat-)|(?<=xox[abeprs]-)|(?<=pypi-)|----BEGIN)"
    r"|_(?:(?<=[sr]k_)|(?<=whsec_)|(?<=gh[opsur]_)|(?<=_pat_)|(?<=ph[xs]_)|(?<=hf_)|(?<=npm_)|(?<=_v1_))"
    r"|\.(?:(?<=SG\.)|(?<=ya29\.))"
    r"|J(?<=eyJ)|K(?<=AK)IA|S(?<=AS)IA|I(?<=AI)za|B(?=earer )|b(?=earer )"
)
# Ids that machines make, one a line: the values that differ from event to event and are the costliest to search.
_IDS = re.compile(r"(?:(?:ses_)?[0-9a-fA-F-]{1,64}(?:\n|\Z))*\Z")


def is_suspicious(text: str) -> bool:
    """Whether a text may hold one of the shapes; cheap, and never False where `shape_of` finds one. Several short texts
    may be given at once, with newlines between them."""
    return _IDS.match(text) is None and _SUSPICIOUS.search(text) is not None


def shape_of(text: str) -> LeakKind | None:
    """The shape that a text has somewhere in it; a credential before an address."""
    if CREDENTIAL.search(text) is not None:
        return LeakKind.CREDENTIAL
    return LeakKind.EMAIL if "@" in text and EMAIL.search(text) is not None else None


def shapes_in(value: Any, path: str, depth: int = 0) -> Iterator[tuple[LeakKind, str, str]]:
    """Kind, path and text of every string in `value`, keys included, that has one of the shapes.

    path: of the value itself, as it is printed. Below `DEPTH` levels nothing passes the policy.
    """
    if type(value) is str:
        kind = shape_of(value)
        if kind is not None:
            yield kind, path, value
    elif depth >= DEPTH:
        return
    elif type(value) is dict:
        for key, item in value.items():
            at = f"{path}.{shown(key)}"
            if type(key) is str and (kind := shape_of(key)) is not None:
                yield kind, at, key
            yield from shapes_in(item, at, depth + 1)
    elif type(value) in (list, tuple):
        for item in value:
            yield from shapes_in(item, f"{path}[N]", depth + 1)


def differences(before: Any, after: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Path and value of whatever stands in `before` and not in `after`; what has no content is passed over."""
    if before is after or depth > DEPTH:
        return
    if type(before) is dict and type(after) is dict:
        for key, item in before.items():
            at = f"{path}.{shown(key)}" if path else shown(key)
            if key in after:
                yield from differences(item, after[key], at, depth + 1)
            elif has_content(item):
                yield at, item
    elif type(before) in (list, tuple) and type(after) is list:
        for index, item in enumerate(before):
            if index < len(after):
                yield from differences(item, after[index], f"{path}[N]", depth + 1)
            elif has_content(item):
                yield f"{path}[N]", item
    elif has_content(before) and not (type(before) is type(after) and before == after):
        yield path, before


def has_content(value: Any) -> bool:
    """Whether a value says anything at all: null, and what is empty, does not."""
    return value is not None and value not in ("", [], {})


def masked(text: str) -> str:
    """The outline of a text: every letter an x or X, every digit a 9, at most `LONGEST_EXAMPLE` characters."""
    cut = text[:LONGEST_EXAMPLE]
    return "".join(map(_outline, cut)) + ("..." if len(text) > LONGEST_EXAMPLE else "")


def _outline(char: str) -> str:
    if char.isdigit():
        return "9"
    if char.isalpha() or not char.isascii():
        return "X" if char.isupper() else "x"
    return char if char.isprintable() else " "
