"""What happens to each property of an event, worked out once for each set of names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from scrubber.rules.closing import Handling, Mode

_MOST_VALUES = 64
_LONGEST_VALUES = 2048


class Plan:
    """What happens to each property of events that have the same names in the same order, sorted by how it is told."""

    __slots__ = (
        "_seen",
        "closed",
        "closed_rules",
        "kinds",
        "known",
        "known_values",
        "open",
        "open_values",
        "rules",
    )

    def __init__(self, handled: Sequence[tuple[Any, Handling]]) -> None:
        def of(mode: Mode) -> list[tuple[Any, Handling]]:
            return [(name, handling) for name, handling in handled if handling.mode is mode]

        self.closed = tuple(of(Mode.CLOSED))
        self.closed_rules = frozenset(handling.rule for _, handling in self.closed)
        self.known = tuple(of(Mode.KNOWN_TEXT))
        self.known_values = _values_of([name for name, _ in self.known])
        self.kinds = tuple((name, handling.check, handling) for name, handling in of(Mode.KIND))
        self.rules = tuple((name, handling.check) for name, handling in of(Mode.RULE))
        self.open = tuple(name for name, _ in of(Mode.OPEN))
        self.open_values = _values_of(self.open)
        self._seen: set[tuple[Any, ...]] = set()

    def has_known(self, out: dict[Any, Any]) -> bool:
        """Whether the values under `known` were all found to have their kinds before, together."""
        try:
            return self.known_values(out) in self._seen
        except Exception:
            # A value that cannot be looked up: each is then looked at by itself.
            return False

    def remember(self, values: tuple[Any, ...]) -> None:
        """Remember names and labels that leave. Bounded in number and size; started over when full."""
        if set(map(type, values)) != {str} or sum(map(len, values)) > _LONGEST_VALUES:
            return
        if len(self._seen) >= _MOST_VALUES:
            self._seen.clear()
        self._seen.add(values)


def _values_of(names: Sequence[Any]) -> Callable[[dict[Any, Any]], tuple[Any, ...]]:
    """A getter of the values of `names`, always as a tuple."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda out: tuple(out[name] for name in names)
