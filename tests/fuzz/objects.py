"""Python objects that are no JSON: what user code may put into an event, and what no user code should."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections import ChainMap, OrderedDict, UserDict, defaultdict, namedtuple
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from .source import Source, json_value

Pair = namedtuple("Pair", "first second")


class Text(str):
    """A text that says it is another when printed."""

    def __repr__(self) -> str:
        return "'plain'"


class Number(int):
    """An integer that is no plain one."""


class Hostile:
    """Raises whatever is asked of it."""

    def __repr__(self) -> str:
        raise ValueError("repr of a hostile object")

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        raise ValueError("comparison with a hostile object")

    def __hash__(self) -> int:
        raise ValueError("hash of a hostile object")

    def __bool__(self) -> bool:
        raise ValueError("truth of a hostile object")

    def __len__(self) -> int:
        raise ValueError("length of a hostile object")

    def __iter__(self) -> Any:
        raise ValueError("iteration over a hostile object")


class HostileMapping(dict[Any, Any]):
    """A dict whose items cannot be had."""

    def items(self) -> Any:
        raise RuntimeError("no items")

    def get(self, *_: Any) -> Any:
        raise RuntimeError("no get")


def _cycle(inner: Any) -> Any:
    around: dict[str, Any] = {"inner": inner}
    around["again"] = [around]
    return around


def _deep(inner: Any) -> Any:
    for _ in range(3000):
        inner = [inner]
    return inner


_WRAPPERS: tuple[Callable[[Any], Any], ...] = (
    lambda inner: (inner,),
    lambda inner: Pair(inner, 1),
    lambda inner: UserDict({"k": inner}),
    lambda inner: OrderedDict(k=inner),
    lambda inner: defaultdict(list, k=inner),
    lambda inner: MappingProxyType({"$mcp_parameters": inner, "k": inner}),
    lambda inner: ChainMap({"k": inner}, {"$mcp_parameters": 1}),
    lambda inner: {b"$mcp_parameters": inner, 7: inner, None: 1, (1, 2): 2},
    lambda inner: {Text("$mcp_parameters"): inner, Text("mine"): 1},
    lambda inner: {"a", "b"},
    lambda inner: frozenset({1, "$mcp_parameters"}),
    _cycle,
    _deep,
    lambda inner: HostileMapping(k=inner),
)
_SINGLE: tuple[Callable[[str], Any], ...] = (
    Text,
    lambda text: Number(len(text)),
    lambda text: text.encode("utf-8", "surrogatepass"),
    lambda text: bytearray(8),
    lambda text: datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc),
    lambda text: uuid.UUID(int=len(text)),
    lambda text: decimal.Decimal("NaN"),
    lambda text: float("nan"),
    lambda text: complex(1, 2),
    lambda text: (one for one in text),
    lambda text: Hostile(),
    lambda text: Hostile,
    ValueError,
    lambda text: 10 ** (len(text) * 100),
)


def any_value(source: Source) -> Any:
    """A JSON value, an object that is none, or one around the other."""
    match source.below(3):
        case 0:
            return json_value(source)
        case 1:
            return source.pick(_SINGLE)(source.text())
        case _:
            wrapper = source.pick(_WRAPPERS)
            inner = source.pick(_SINGLE)(source.text()) if source.below(3) == 0 else json_value(source)
            return wrapper(inner)
