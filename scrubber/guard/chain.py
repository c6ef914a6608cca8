"""Where the guard stands in a fastmcp server's middleware: next to the tool (fastmcp 2.14 to 4.2).

fastmcp runs `server.middleware` from the first to the last, and `add_middleware` appends. Middleware behind the guard
can put an argument in, or take one out, unknown to the caller: the guard would refuse calls that the SDK takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex

_CACHE = "ResponseCachingMiddleware"


class Innermost(list[Any]):
    """A server's middleware, the guard always the last of it.

    before_cache: of fastmcp 2 and 3.0, whose cache forgets that a result was an error: the guard stays outside of it.
    """

    def __init__(self, others: Iterable[Any], guard: Any, *, before_cache: bool = False) -> None:
        super().__init__(others)
        self._guard = guard
        self._before_cache = before_cache
        self._settle()

    def append(self, one: Any) -> None:
        """As of a list; then the guard goes to its place."""
        super().append(one)
        self._settle()

    def extend(self, more: Iterable[Any]) -> None:
        """As of a list; then the guard goes to its place."""
        super().extend(more)
        self._settle()

    def insert(self, at: SupportsIndex, one: Any) -> None:
        """As of a list; then the guard goes to its place."""
        super().insert(at, one)
        self._settle()

    def __iadd__(self, more: Iterable[Any]) -> Innermost:  # type: ignore[misc]
        self.extend(more)
        return self

    def _settle(self) -> None:
        others = [one for one in self if one is not self._guard]
        at = len(others)
        if self._before_cache:
            at = next((at for at, one in enumerate(others) if type(one).__name__ == _CACHE), at)
        self[:] = [*others[:at], self._guard, *others[at:]]


def has_cache(middleware: Iterable[Any]) -> bool:
    """Whether fastmcp's own cache of results is among them."""
    return any(type(one).__name__ == _CACHE for one in middleware)
