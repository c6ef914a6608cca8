"""Finding what must not leave: every key and value of an event, at any depth, in every form that is known.

A place is told by event and path; a canary by its number. No value is ever told, and a key that holds a canary is
masked like any other key that may be content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from scrubber.testing.errors import TestingError
from scrubber.testing.forms import AS_IT_IS, Form, folded, forms_of, holds, layers
from scrubber.words.paths import MASK, shown
from scrubber.words.verdict import Event

MOST_SHOWN = 12
_LONGEST_PATH = 240
_MOST_KNOWN, _LONGEST_KNOWN = 20_000, 400


class Place(NamedTuple):
    """Where a canary was found. event: the index of the event; name: its name, masked where it may be content;
    path: masked likewise; canary: its number, from 0; form: how it stood there; source_line: whether it is a line
    of source code in a frame."""

    event: int
    name: str
    path: str
    canary: int
    form: str
    source_line: bool = False

    def __str__(self) -> str:
        where = " (a line of source code: make the canary at run time, or set source_lines)" if self.source_line else ""
        path = self.path if len(self.path) <= _LONGEST_PATH else f"{self.path[:_LONGEST_PATH]}..."
        return f"event {self.event} ({self.name}) {path}: canary {self.canary}, {self.form}{where}"


class _Needles:
    """The forms of all canaries."""

    def __init__(self, canaries: Iterable[Any]) -> None:
        self.forms: list[tuple[int, Form]] = []
        self._known: dict[str, dict[int, str]] = {}
        listed = _listed(canaries)
        for number, canary in enumerate(listed):
            try:
                self.forms += [(number, form) for form in forms_of(canary)]
            except ValueError as error:
                raise TestingError(f"canary {number} {error}; plant another one") from None
        if not listed:
            raise TestingError("no canaries: nothing could be found; give the values that must not leave")

    def found_in(self, text: str) -> dict[int, str]:
        """By canary: how it stands in a text."""
        if len(text) > _LONGEST_KNOWN:
            return self._look(text)
        # Most texts of events are the same in all of them.
        if text not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[text] = self._look(text)
        return self._known[text]

    def _look(self, text: str) -> dict[int, str]:
        found: dict[int, str] = {}
        for how, layer in layers(text):
            plain = folded(layer)
            for number, form in self.forms:
                if number not in found and holds(form, layer, plain):
                    found[number] = form.name if how == AS_IT_IS else _joined(how, form.name)
        return found


def _joined(how: str, name: str) -> str:
    return how if name == AS_IT_IS else f"{how}, {name}"


def _listed(canaries: Iterable[Any]) -> list[Any]:
    if isinstance(canaries, (str, bytes, bytearray)):
        raise TestingError("canaries must be a list; write [canary], or its characters would be looked for one by one")
    return list(canaries)


def find_leaks(events: Any, canaries: Iterable[Any]) -> list[Place]:
    """Where canaries stand in events, in order.

    events: a wire (what left is searched), one event, or any iterable of events; an event may be any object.
    canaries: texts, bytes, numbers, or objects whose text is looked for (dates, UUIDs, decimals).

    Found are keys and values at any depth; inside texts, such as JSON in a text; behind backslash, URL and HTML
    escapes, one in the other; in any case of letters; in hexadecimal; in base64 at any alignment; a long value by its
    beginning or its end. Not found is what was compressed, encrypted, hashed, reversed or split.

    Raises `TestingError` where there is nothing to look for, or a canary is too short to be told from chance.
    """
    needles = _Needles(canaries)
    return [place for index, event in enumerate(events_of(events)) for place in _search(index, event, needles)]


def assert_nothing_leaves(events: Any, canaries: Iterable[Any], *, allow_no_events: bool = False) -> None:
    """Raise AssertionError, with the places and without any value, if a canary stands in an event (`find_leaks`).

    allow_no_events: no events are good. Else they fail too, because then nothing was checked. A wire fails only if
    its hook saw none: that all were dropped is a result.
    """
    __tracebackhide__ = True  # pytest would print the arguments of this frame, and they are the values
    places = find_leaks(events, canaries)
    if places:
        raise AssertionError(told(places))
    if not allow_no_events and not (getattr(events, "seen", None) or events_of(events)):
        raise AssertionError("no events: nothing was checked; give allow_no_events=True if that is right")


def told(places: list[Place]) -> str:
    """The places as a text, one a line, the same place once."""
    lines = list(dict.fromkeys(map(str, places)))
    more = len(lines) - MOST_SHOWN
    tail = [f"and {more} more places"] if more > 0 else []
    return "\n  ".join([f"what must not leave is in {_events(places)}:", *lines[:MOST_SHOWN], *tail])


def _events(places: list[Place]) -> str:
    number = len({place.event for place in places})
    return "1 event" if number == 1 else f"{number} events"


def events_of(events: Any) -> list[Event]:
    """What is searched: a wire's `left`, one event by itself, or the items of an iterable."""
    left = getattr(events, "left", None)
    if isinstance(left, list):
        return left
    if events is None:
        return []
    if isinstance(events, (Mapping, str, bytes, bytearray)):
        return [events]  # type: ignore[list-item]
    return list(events)


def _search(index: int, event: Any, needles: _Needles) -> Iterator[Place]:
    found = event.get("event") if isinstance(event, Mapping) else None
    name = MASK if isinstance(found, str) and needles.found_in(found) else shown(found)
    for path, is_source, canary, form in _walk(event, needles):
        yield Place(index, name, path or "itself", canary, form, is_source)


class _Open(NamedTuple):
    """A value that is still to be looked at. above: the containers around it, by id, for a cycle to end."""

    path: str
    is_source: bool
    value: Any
    above: frozenset[int]


def _walk(event: Any, needles: _Needles) -> Iterator[tuple[str, bool, int, str]]:
    """(path, whether in a source line, canary, form) for every find. Without recursion, because depth is the event's
    to choose."""
    stack = [_Open("", False, event, frozenset())]
    while stack:
        path, is_source, value, above = stack.pop()
        if not isinstance(value, (Mapping, list, tuple, set, frozenset)):
            for canary, form in needles.found_in(_text(value)).items():
                yield path, is_source, canary, form
            continue
        if id(value) in above:
            continue
        around = above | {id(value)}
        following: list[_Open] = []
        if isinstance(value, Mapping):
            for key, item in value.items():
                hits = needles.found_in(_text(key))
                at = f"{path}.{MASK if hits else shown(key)}".lstrip(".")
                for canary, form in hits.items():
                    yield at, is_source, canary, f"{form}, in the key"
                following.append(_Open(at, is_source or _names_source(key), item, around))
        else:
            following += [_Open(f"{path}[{at}]", is_source, item, around) for at, item in enumerate(value)]
        stack += reversed(following)


def _names_source(key: Any) -> bool:
    return isinstance(key, str) and key in ("context_line", "pre_context", "post_context")


def _text(value: Any) -> str:
    """What a key or a scalar would be written as."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"{bytes(value).decode('utf-8', 'replace')}\n{bytes(value).decode('latin-1')}"
    try:
        text = str(value)
        # An object of the user's: its repr may say more than its text.
        return text if type(value) in (int, float, bool, type(None)) else f"{text}\n{value!r}"
    except Exception:
        return type(value).__name__
