"""Containers under names that pass: rebuilt, bounded, and closed to the SDK's own names inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubber.rules.base import REMOVE
from scrubber.words.properties import EXCEPTION_TEXTS_ELSEWHERE

DEPTH = 32
NODES = 20_000
CUT = "[cut]"

_CLOSED_PREFIXES = ("$mcp_", "$exception_")


def close(value: Any) -> tuple[Any, bool]:
    """A copy of `value` without any `$mcp_*` or `$exception_*` key at any depth (they have no place below the top
    level, and `$mcp_parameters` leaves by no path), cut at `DEPTH` levels and `NODES` nodes; a cycle is cut where
    it closes. What is no container is returned as it is. The second item says whether anything was taken out."""
    walk = _Walk()
    return walk.visit(value, 0), walk.changed


class _Walk:
    __slots__ = ("changed", "left", "open")

    def __init__(self) -> None:
        self.left = NODES
        self.open: set[int] = set()
        self.changed = False

    def visit(self, value: Any, depth: int) -> Any:
        if not isinstance(value, (Mapping, list, tuple, set, frozenset)):
            return value
        if depth >= DEPTH or id(value) in self.open:
            self.changed = True
            return CUT
        self.open.add(id(value))
        try:
            if isinstance(value, Mapping):
                return self._mapping(value, depth)
            return self._items(value, depth)
        finally:
            self.open.discard(id(value))

    def _spend(self) -> bool:
        self.left -= 1
        if self.left < 0:
            self.changed = True
        return self.left >= 0

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        for key, item in value.items():
            if not self._spend():
                break
            if _is_closed(key):
                self.changed = True
                continue
            out[key] = self.visit(item, depth + 1)
        return out

    def _items(self, value: Any, depth: int) -> list[Any]:
        out: list[Any] = []
        for item in value:
            if not self._spend():
                break
            out.append(self.visit(item, depth + 1))
        return out


def _is_closed(key: Any) -> bool:
    if isinstance(key, bytes):
        key = key.decode("utf-8", "replace")
    if not isinstance(key, str):
        return False
    key = key.strip().lower()
    return key.startswith(_CLOSED_PREFIXES) or key in EXCEPTION_TEXTS_ELSEWHERE


def detach(value: Any) -> Any:
    """A copy of the dicts and lists of an event that was already bounded, for user code to change at will."""
    if type(value) is dict:
        return {key: detach(item) for key, item in value.items()}
    if type(value) is list:
        return [detach(item) for item in value]
    if type(value) is tuple:
        return tuple(detach(item) for item in value)
    return value


def groups(value: Any) -> Any:
    """`$groups` for the strict profile: group keys by type, one level, short scalars only."""
    if not isinstance(value, Mapping):
        return REMOVE
    kept = {
        key: item
        for key, item in value.items()
        if type(key) is str
        and len(key) <= 128
        and not _is_closed(key)
        and type(item) in (str, int, float, bool)
        and len(str(item)) <= 256
    }
    return kept if kept else REMOVE
