"""Traces that were looked at before, bounded: a few hundred come again and again, and looking at each once is what
makes the rule of exceptions cheap."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from scrubber.rules.nested import detach

MOST_FRAMES = 8192
"""Frames that are remembered; started over when full."""
MOST_ALIKE = 4
"""Traces of one key that are remembered."""

Parts = tuple[Any, Any, Any, Any]
"""Type, module, mechanism and stack trace: an entry without its text."""
_PARTS = itemgetter("type", "module", "mechanism", "stacktrace")
_SIZE = 5

_Alike = tuple[tuple[Parts, ...], tuple[Any, ...]]
"""The parts of traces with one key as they came, and beside each the stack trace that leaves; None where it leaves as
it came."""


class KnownTraces:
    """Entries in which everything was listed and of its kind. Safe from threads: nothing in it is changed, only put in
    its place."""

    def __init__(self, source_lines: bool) -> None:
        """source_lines: whether the traces that leave hold any."""
        self._copy = detach if source_lines else _without_lists
        self._known: dict[tuple[int, ...], _Alike] = {}
        self._frames = 0
        self._shared: dict[tuple[Any, ...], dict[str, Any]] = {}
        """The newest frame of each place in code."""

    def find(self, entry: dict[str, Any]) -> tuple[Parts, Any] | None:
        """The parts of an entry all of which but its text equals one that was remembered, and a stack trace to send in
        place of its own, or None. None for an entry that is not known.

        One comparison of the whole entry costs less than a look at each frame. Its parts are not copied: nothing in
        them changes, and nothing of ours changes them later.
        """
        if len(entry) != _SIZE or "value" not in entry:
            return None
        try:
            parts: Parts = _PARTS(entry)
            known, instead = self._known[_key(parts[3]["frames"])]
            stack = instead[known.index(parts)]
        except Exception:
            # Not known; or another shape than a trace's, or an object that fails when it is compared: looked at.
            return None
        # Whoever gets the event may change what is in it.
        return parts, (self._copy(stack) if stack is not None else None)

    def remember(self, entry: dict[str, Any], stack: dict[str, Any]) -> None:
        """Remember an entry without what is not listed, and the stack trace that leaves in it."""
        if len(entry) != _SIZE:
            return
        parts: Parts = _PARTS(entry)
        frames = parts[3]["frames"]
        if self._frames + len(frames) > MOST_FRAMES:
            self._known.clear()
            self._shared.clear()
            self._frames = 0
        self._frames += len(frames)
        try:
            key = _key(frames)
        except (KeyError, TypeError):
            return
        known, instead = self._known.get(key, ((), ()))
        # New tuples each time: another thread may be reading the old ones.
        most = MOST_ALIKE - 1
        leaves = detach(stack) if stack != parts[3] else None
        self._known[key] = ((self._kept(parts), *known[:most]), (leaves, *instead[:most]))

    def _kept(self, parts: Parts) -> Parts:
        """A copy of the parts whose frames are shared with other traces: most frames are an SDK's own, and what is
        compared stays in the processor's caches only if there is little of it."""
        type_, module, mechanism, stack = parts
        frames = []
        for frame in stack["frames"]:
            get = frame.get
            place = (get("module"), get("function"), get("lineno"))
            shared = self._shared.get(place)
            if shared != frame:
                shared = self._shared[place] = detach(frame)
            frames.append(shared)
        return type_, module, detach(mechanism), {**stack, "frames": frames}


def _without_lists(stack: dict[str, Any]) -> dict[str, Any]:
    """A copy of a stack trace whose frames hold no lists, as frames without source lines are."""
    return {**stack, "frames": list(map(dict.copy, stack["frames"]))}


def _key(frames: list[dict[str, Any]]) -> tuple[int, ...]:
    """Tells most traces apart at the cost of a few look-ups, and by numbers alone, which cost least; the comparison
    decides."""
    size = len(frames)
    last = frames[-1]
    before = frames[-2]["lineno"] if size > 1 else 0
    return (size, len(last), last["lineno"], before, frames[size // 2]["lineno"], frames[0]["lineno"])
