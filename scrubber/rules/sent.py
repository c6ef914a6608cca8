"""The arguments of a call, asked whether they explain one error of a refusal after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scrubber.rules.comparing import CUT_CONTAINERS, CUT_DEPTH, DEPTH, NO_MORE, decoded, shows
from scrubber.words import message
from scrubber.words.message import Problem

MOST_STEPS = 2_000
"""Steps of a walk through the arguments, for all errors of a refusal together."""
REDACTED = "[redacted]"
INJECTED = ("context", "conversation_id", "llm_model")
"""Arguments that posthog.mcp adds to tools and takes out again before the SDK sees them."""

_UNSEEN: Any = object()
"""A value that posthog's sanitiser took out of the arguments: what stood there cannot be compared."""


class Sent:
    """The arguments, asked about the problems of one refusal. All of them share one allowance of steps."""

    def __init__(self, arguments: dict[str, Any], own: list[tuple[str, str]], transformed: bool) -> None:
        self._arguments = arguments
        self._own = own
        self._transformed = transformed
        self._steps = MOST_STEPS
        self._decoded: dict[int, Any] = {}
        self._keys: dict[str, str] = {}
        self._labels = True
        """Whether a segment of a location may be a label that leads nowhere."""

    def explain(self, problem: Problem) -> bool:
        """Whether the caller's arguments explain the problem."""
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
        above, name = _owner_and_name(location)
        if above is None:
            # A transformed tool's own parameter is not the caller's to send.
            return not self._transformed and self._key(name) not in self._arguments and self._is_whole(printed)
        for value in self._at(above):
            for owner in (value, self._decode(value)):
                if owner is _UNSEEN or (self._lacks(owner, name) and self._is(owner, printed)):
                    return True
        return False

    def _is_whole(self, printed: str | None) -> bool:
        """Whether what pydantic printed can be the arguments as the SDK handed them to it: each text that holds JSON
        may have been decoded, and posthog takes out what it injected."""
        if printed is None or self._is(self._arguments, printed):
            return True
        whole = {
            key: value if (found := self._decode(value)) is None else found for key, value in self._arguments.items()
        }
        kept = {key: value for key, value in self._arguments.items() if key not in INJECTED}
        return self._is(whole, printed) or (len(kept) < len(whole) and self._is(kept, printed))

    def _lacks(self, owner: Any, name: str) -> bool:
        if isinstance(owner, Mapping):
            return self._key(name) not in owner
        return isinstance(owner, list) and name.isdecimal() and len(name) < 9 and int(name) >= len(owner)

    def _decode(self, value: Any) -> Any:
        """What a text holds as JSON; decoded once, however often the walk comes by."""
        if not isinstance(value, str):
            return None
        if id(value) not in self._decoded:
            self._decoded[id(value)] = decoded(value)
        return self._decoded[id(value)]

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
        if key not in self._keys:
            self._keys[key] = self._printed(f"`{key}`" if "." in key else key)
        return self._keys[key]

    def _at(self, location: str) -> Iterator[Any]:
        """The values that a location may lead to."""
        if not location:
            yield self._arguments
            if "" in self._arguments:
                yield self._arguments[""]
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
        if depth >= CUT_DEPTH and value in CUT_CONTAINERS:
            yield _UNSEEN
            return
        inside = self._decode(value)
        if inside is not None:
            yield from self._below(inside, location, depth + 1)
        segment, rest = _split(location)
        if isinstance(value, Mapping):
            yield from self._in_mapping(value, location, depth)
        elif isinstance(value, list) and segment.isdecimal() and len(segment) < 9:
            yield from self._in_list(value, int(segment), rest, depth)
            return
        if not top and self._labels and (value != REDACTED or _is_label(segment)):
            # The label of a union, a function or a tuple leads nowhere. Below a value that posthog redacted
            # whole, a name may as well be a field of a row that was never sent.
            yield from self._below(value, rest, depth + 1)

    def _in_list(self, value: list[Any], index: int, rest: str | None, depth: int) -> Iterator[Any]:
        if value and value[-1] == NO_MORE and index >= len(value) - 1:
            yield _UNSEEN
        elif index < len(value):
            yield from self._below(value[index], rest, depth + 1)

    def _in_mapping(self, value: Mapping[Any, Any], location: str, depth: int) -> Iterator[Any]:
        first = _split(location)[0]
        if first in value and self._printed_key(first) == first:
            # Nearly every key is found by itself; only one with a dot or a line break needs the look at all.
            rest = _split(location)[1]
            yield from self._below(value[first], rest, depth + 1)
            if rest == "[key]":
                yield first
            return
        for key, item in value.items():
            self._steps -= 1
            if self._steps < 0:
                return
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
        if printed is None or value is _UNSEEN or value == REDACTED:
            # Printed without inputs (hide_input_in_errors), or not to be seen: the location is all there is.
            return True
        if self._shows(value, printed):
            return True
        inside = self._decode(value)
        return inside is not None and self._shows(inside, printed)

    def _shows(self, value: Any, printed: str) -> bool:
        # pydantic may have cut one of the caller's own words in its middle: what is left of it was not taken out.
        return shows(value, printed, self._printed) or (bool(self._own) and shows(value, printed, str))


def _split(location: str) -> tuple[str, str | None]:
    """The first segment of a location, and the rest; None where there is none."""
    first, dot, rest = location.partition(".")
    return first, rest if dot else None


def _owner_and_name(location: str) -> tuple[str | None, str]:
    """The location of what lacks a member, None for the arguments themselves, and the member's name as printed: one
    that holds a dot stands in backticks."""
    start = location.rfind("`", 0, -1) if location.endswith("`") else location.rfind(".") + 1
    return (location[: start - 1] if start > 0 else None), location[max(start, 0) :]


_TYPE_LABELS = frozenset(
    "int float str bool none bytes date datetime time timedelta uuid decimal url dict list set tuple json".split()
)


def _is_label(segment: str) -> bool:
    """Whether a segment can only be the label of a type: pydantic's short names, or what no field is called."""
    return segment in _TYPE_LABELS or not segment.replace("_", "").isalnum()
