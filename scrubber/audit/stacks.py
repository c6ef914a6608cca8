"""Exception lists that leave: their sizes, and what in them has the shape of a secret.

Stack traces are most of a recording's bytes and repeat all the time, so one that was searched is known again by its
JSON text, which is needed for its size anyway.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from scrubber.audit import leaks
from scrubber.audit.reading.json_text import dumps
from scrubber.audit.records import LeakKind
from scrubber.words.properties import EXCEPTION_LIST

_LIST = f"properties.{EXCEPTION_LIST}"
ENTRY = f"{_LIST}[N]"
"""Every entry's place, as it is printed."""
MOST_BYTES = 4 << 20
"""Bytes of searched texts that are kept."""

_MOST_ALIKE = 16

Hits = tuple[tuple[LeakKind, str, str], ...]


class Looked(NamedTuple):
    """Bytes of an exception list as JSON; kind, path and text of what in it has the shape of a secret."""

    size: int
    hits: Hits


class Stacks:
    """Looks at exception lists, and remembers those it has searched: bounded, started over when full."""

    def __init__(self) -> None:
        # By length, which tells most texts apart without hashing a few kilobytes for each event.
        self._known: dict[int, list[tuple[bytes, Hits]]] = {}
        self._kept = 0

    def look(self, entries: list[dict[str, Any]]) -> Looked:
        """The size and the hits of a list as the policy lets it leave: its texts are all the same placeholder."""
        text = dumps(entries)
        known = self._known.get(len(text))
        if known is not None:
            for seen, hits in known:
                if seen == text:
                    return Looked(len(text), hits)
        found = leaks.shapes_in(entries, _LIST) if leaks.is_suspicious(text.decode("utf-8", "replace")) else ()
        hits = tuple(found)
        if self._kept + len(text) > MOST_BYTES:
            self._known.clear()
            self._kept = 0
        if len(text) <= MOST_BYTES:
            self._kept += len(text)
            alike = self._known.setdefault(len(text), [])
            alike.append((text, hits))
            # So that many of one length cost no more than a few.
            del alike[:-_MOST_ALIKE]
        return Looked(len(text), hits)


def is_text_only(before: Any, after: list[dict[str, Any]]) -> bool:
    """Whether two exception lists differ in the texts of their entries and in nothing else."""
    if type(before) is not list or len(before) != len(after):
        return False
    for one, other in zip(before, after, strict=True):
        if type(one) is not dict or len(one) != len(other):
            return False
        for key, value in other.items():
            # The engine hands on what it found whole, so most parts are the very same objects.
            if key != "value" and not (key in one and (one[key] is value or one[key] == value)):
                return False
    return True
