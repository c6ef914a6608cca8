"""Whether what the caller sent explains a refusal.

Some faults of a server look exactly like the caller's in the `$exception` event alone: a validator that validates a
database row (pydantic merges the nested error), a declared default that does not fit, middleware that rewrites a
good argument. The arguments in the call event beside it tell them apart: an error is the caller's only if its
location leads into what was sent, and the value that was rejected is the one that was sent.

Read with care for what the SDKs do legitimately: text that holds JSON is decoded, a transformed tool renames
arguments, a union's branch adds a label to the location, and posthog's sanitiser cuts and redacts values. And for
what a caller may do: whatever of its own writing stands in the text, keys with line breaks and whole forged blocks,
is taken out before the text is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scrubber.words import message
from scrubber.words.message import Problem

MOST_NODES = 5_000
MOST_TEXT = 300_000
MOST_STEPS = 2_000
DEPTH = 40

UNREADABLE = "the refusal's text cannot be read whole"
UNEXPLAINED = "what the caller sent does not explain the refusal"
TOO_LARGE = "the arguments are too large to compare"

# A cut may stand right behind a dot of the value's own.
_CUT_PATTERN = re.compile(r"\[redacted\]|%5Bredacted%5D|\.{3,}")
_NO_MORE = "[MaxProperties ~]"
_CUT_TEXT_AT = 2_048
"""Characters at which posthog.mcp cuts the text of an error (`_truncation`)."""
_UNKNOWN = frozenset({"unexpected_keyword_argument", "extra_forbidden"})


def arguments_of(parameters: Any, tool: Any) -> dict[str, Any] | None:
    """The arguments in a `$mcp_parameters` value of a call of `tool`, or None where they are not readable there."""
    request = parameters.get("request") if isinstance(parameters, Mapping) else None
    params = request.get("params") if isinstance(request, Mapping) else None
    if not isinstance(params, Mapping) or params.get("name", tool) != tool:
        return None
    arguments = params.get("arguments")
    if arguments is None:
        return {}
    return dict(arguments) if isinstance(arguments, Mapping) else None


def contradiction(text: str, arguments: dict[str, Any], transformed: bool) -> str | None:
    """Why `arguments` do not explain the refusal that `text` prints; None where they explain every error of it.

    transformed: the traceback passes fastmcp's transformation of tools, which may rename arguments.
    """
    quick = message.first(text)
    if quick is not None and text.startswith("1 ") and _plainly(quick[1], text, arguments, transformed):
        return None
    if not _is_bounded(arguments):
        return TOO_LARGE
    own = _own_words(arguments) if _SUSPICIOUS.search(repr(arguments)) else []
    # The first line is pydantic's own.
    head, line, body = text.partition("\n")
    for word, token in own:
        body = body.replace(word, token)
    refusal = message.parse(head + line + body)
    if refusal is None or not refusal.problems:
        return UNREADABLE
    if not refusal.counted and not (text.endswith("...") or len(text) >= _CUT_TEXT_AT):
        return UNREADABLE
    sent = _Sent(arguments, own, transformed)
    return None if all(sent.explain(problem) for problem in refusal.problems) else UNEXPLAINED


def _plainly(problem: Problem, text: str, arguments: dict[str, Any], transformed: bool) -> bool:
    """The common case, one error at a top-level argument, without a walk."""
    name = problem.location
    said = message.MISSING_NAME.get(problem.code)
    if said is not None:
        return said == problem.text and "." not in name and name not in arguments and not transformed
    if name not in arguments:
        return False
    value = arguments[name]
    if type(value) not in (str, int, float, bool):
        return False
    start = text.find(", input_value=") + 14
    printed = text[start : text.find(", input_type=", start)]
    return len(printed) < 60 and repr(value) == printed


_LONGEST_PIECE = len("[type=x, input_value=")
_SUSPICIOUS = re.compile(r"\\n|\[type=|validation error")
"""In printed arguments: what could pass for pydantic's own lines."""


def _is_bounded(arguments: Any) -> bool:
    """Whether the arguments are small enough to print and walk: else they prove nothing."""
    nodes = length = 0
    level: list[Any] = [arguments]
    for _ in range(DEPTH):
        below: list[Any] = []
        for value in level:
            nodes += 1
            if isinstance(value, str):
                length += len(value)
            elif isinstance(value, Mapping):
                length += sum(len(key) for key in value if isinstance(key, str))
                below.extend(value.values())
            elif isinstance(value, (list, tuple)):
                below.extend(value)
            if nodes + len(below) > MOST_NODES or length > MOST_TEXT:
                return False
        if not below:
            return True
        level = below
    return False


def _own_words(arguments: Any) -> list[tuple[str, str]]:
    """What the caller wrote that could pass for pydantic's own lines, with a harmless token for each; longest first."""
    found: dict[str, None] = {}
    for value in _texts(arguments, 0):
        # A word that is only a piece of pydantic's lines forges nothing; taking it out would garble them.
        if "\n" in value or (("[type=" in value or "validation error" in value) and len(value) > _LONGEST_PIECE):
            found[value] = None
    longest = sorted(found, key=len, reverse=True)[:64]
    return [(word, f"own{at}word") for at, word in enumerate(longest) if word.strip()]


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Every string in the arguments, keys and decoded JSON included."""
    if depth > DEPTH:
        return
    if isinstance(value, str):
        yield value
        decoded = _decoded(value)
        if decoded is not None:
            yield from _texts(decoded, depth + 1)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str):
                yield key
            yield from _texts(item, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item, depth + 1)


def _decoded(value: str) -> Any:
    """The list or object that a text holds as JSON, as the mcp SDK's `pre_parse_json` decodes it; None for others."""
    if value.lstrip()[:1] not in ("[", "{") or len(value) > MOST_TEXT:
        return None
    try:
        decoded = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return decoded if isinstance(decoded, (list, dict)) and _is_bounded(decoded) else None


class _Sent:
    """The arguments, asked about one problem at a time."""

    def __init__(self, arguments: dict[str, Any], own: list[tuple[str, str]], transformed: bool) -> None:
        self._arguments = arguments
        self._own = own
        self._transformed = transformed
        self._steps = 0
        self._labels = True
        """Whether a segment of a location may be a label that leads nowhere."""

    def explain(self, problem: Problem) -> bool:
        """Whether the caller's arguments explain the problem."""
        self._steps = MOST_STEPS
        readings = message.readings(problem) if problem.ambiguous else [(problem.code, problem.input)]
        return any(self._explains(problem.location, code, printed) for code, printed in readings)

    def _explains(self, location: str, code: str, printed: str | None) -> bool:
        # Without the rejected value the location is all there is, and must lead there by itself.
        self._labels = printed is not None
        if code in message.MISSING_NAME:
            return self._explains_missing(location, printed)
        return any(self._is(value, printed) for value in self._at(location))

    def _explains_missing(self, location: str, printed: str | None) -> bool:
        """A missing member is explained if it is missing from an object or a list that was sent."""
        above, dot, name = location.rpartition(".")
        if not dot:
            # A transformed tool's own parameter is not the caller's to send.
            return not self._transformed and self._key(name) not in self._arguments
        for value in self._at(above):
            for owner in (value, _decoded(value) if isinstance(value, str) else None):
                if self._lacks(owner, name) and self._is(owner, printed):
                    return True
        return False

    def _lacks(self, owner: Any, name: str) -> bool:
        if isinstance(owner, Mapping):
            return self._key(name) not in owner
        return isinstance(owner, list) and name.isdecimal() and len(name) < 9 and int(name) >= len(owner)

    def _key(self, printed: str) -> str:
        """A key as it was sent, from how it is printed once the caller's own words are taken out."""
        printed = printed.strip("`")
        return next((word for word, token in self._own if token == printed), printed)

    def _printed(self, text: str) -> str:
        for word, token in self._own:
            text = text.replace(word, token)
        return text

    def _printed_key(self, key: str) -> str:
        """A key in a location: pydantic puts one that holds a dot in backticks."""
        return self._printed(f"`{key}`" if "." in key else key)

    def _at(self, location: str) -> Iterator[Any]:
        """The values that a location may lead to."""
        if not location:
            yield self._arguments
            return
        first, rest = _split(location)
        yield from self._below(self._arguments, location, 0, top=True)
        if self._transformed and self._key(first) not in self._arguments:
            # The parent tool knows the argument by another name than the caller.
            for value in self._arguments.values():
                yield from self._below(value, rest, 0)

    def _below(self, value: Any, location: str | None, depth: int, top: bool = False) -> Iterator[Any]:
        """The values that `location` may lead to from `value`; None is the end, "" an empty key."""
        self._steps -= 1
        if self._steps < 0 or depth > DEPTH:
            return
        if location is None:
            yield value
            return
        if isinstance(value, str) and (decoded := _decoded(value)) is not None:
            yield from self._below(decoded, location, depth + 1)
        segment, rest = _split(location)
        if isinstance(value, Mapping):
            yield from self._in_mapping(value, location, depth)
        elif isinstance(value, list) and segment.isdecimal() and len(segment) < 9:
            if int(segment) < len(value):
                yield from self._below(value[int(segment)], rest, depth + 1)
            return
        if not top and self._labels:
            # The label of a union's branch, a function or a tuple: it leads nowhere.
            yield from self._below(value, rest, depth + 1)

    def _in_mapping(self, value: Mapping[Any, Any], location: str, depth: int) -> Iterator[Any]:
        for key, item in value.items():
            if not isinstance(key, str):
                continue
            printed = self._printed_key(key)
            if location == printed:
                yield item
            elif location == f"{printed}.[key]":
                yield key
            elif location.startswith(printed + "."):
                yield from self._below(item, location[len(printed) + 1 :], depth + 1)

    def _is(self, value: Any, printed: str | None) -> bool:
        """Whether pydantic prints `value` as `printed`: its repr, shortened inside, perhaps redacted by posthog."""
        if printed is None:
            # Printed without inputs (hide_input_in_errors): the location is all there is.
            return True
        if _shows(value, printed, self._printed):
            return True
        decoded = _decoded(value) if isinstance(value, str) else None
        return decoded is not None and _shows(decoded, printed, self._printed)


def _split(location: str) -> tuple[str, str | None]:
    """The first segment of a location, and the rest; None where there is none."""
    first, dot, rest = location.partition(".")
    return first, rest if dot else None


def _shows(value: Any, printed: str, printing: Any) -> bool:
    written = printing(repr(value))
    if written == printed:
        return True
    if _fits(printed, written) or (_is_cut(value) and _fits(written, printed)):
        return True
    # Both were cut, pydantic's print in its middle and posthog's copy at its end: only their starts can be compared.
    return (
        isinstance(value, str)
        and _ends_cut(value)
        and "..." in printed
        and written.startswith(_CUT_PATTERN.split(printed)[0])
    )


def _is_cut(value: Any) -> bool:
    """Whether posthog's sanitiser may have cut or redacted the value that the event holds."""
    if isinstance(value, str):
        return "[redacted]" in value or "%5Bredacted%5D" in value or _ends_cut(value)
    if isinstance(value, Mapping):
        return any(_is_cut(item) for item in value.values())
    return isinstance(value, list) and any(item == _NO_MORE or _is_cut(item) for item in value)


def _ends_cut(value: str) -> bool:
    """posthog.mcp cuts only strings over 100 characters, and marks the cut."""
    return value.endswith("...") and len(value) > 90


def _fits(pattern: str, text: str) -> bool:
    """Whether `text` has the pieces of `pattern` in their order, with anything where it was cut or redacted."""
    pieces = _CUT_PATTERN.split(pattern)
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
