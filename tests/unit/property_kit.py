"""What the property tests draw from: JSON, Python objects in it, and a canary in every text of a value."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from scrubber.rules.base import View

CANARY = "canary q7@x"
"""A sentence and an address: no kind takes it for a name."""

Test = TypeVar("Test", bound=Callable[..., None])


def given(*strategies: st.SearchStrategy[Any]) -> Callable[[Test], Test]:
    """hypothesis's `given`, with no limit of time: the machine may be doing other things."""
    return lambda test: settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])(drawn(*strategies)(test))


class Hostile(Mapping[str, Any]):
    """A mapping that raises for everything that is asked of it."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError(CANARY)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError(CANARY)

    def __len__(self) -> int:
        raise RuntimeError(CANARY)


text = st.text(max_size=10)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=15,
)
objects = st.recursive(
    scalars | st.binary(max_size=4) | st.builds(object) | st.just(float("nan")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(text, inner, max_size=3)
        | st.dictionaries(text, inner, max_size=3).map(MappingProxyType)
        | st.dictionaries(text, inner, max_size=3).map(UserDict)
        | st.dictionaries(text, inner, max_size=3).map(OrderedDict)
    ),
    max_leaves=10,
)


def planted(value: Any) -> Any:
    """`value` with the canary in every text, keys included."""
    if isinstance(value, str):
        return f"{CANARY} {value}"
    if isinstance(value, list):
        return [planted(item) for item in value]
    if isinstance(value, dict):
        return {planted(key): planted(item) for key, item in value.items()}
    return value


def view(name: str = "$mcp_tool_call", **properties: Any) -> View:
    """An event as rules see it, with a list for what they note."""
    return View({"event": name, "properties": properties}, name, properties, [])


def containers(value: Any) -> list[Any]:
    """Every dict, list and tuple in a value, itself included."""
    found, waiting = [], [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, (dict, list, tuple)):
            found.append(item)
            waiting += item.values() if isinstance(item, dict) else item
    return found
