"""The calls that a tool is played with: good ones, and each argument wrong in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scrubber.testing import schemas
from scrubber.testing.mint import Mint
from scrubber.testing.values import Values

MOST_CALLS = 60
"""Of one tool; the good ones come first."""
_DEEPEST_WRONG = 3


class Call(NamedTuple):
    """One call. what: in words, from the server's own schema. is_good: whether the schema allows the arguments."""

    tool: str
    arguments: dict[str, Any]
    what: str
    is_good: bool


class Calls(NamedTuple):
    """The calls of a tool, the places without a canary and why, and how many calls were left out as too many."""

    calls: list[Call]
    unwatched: dict[str, str]
    left_out: int


def calls_of(tool: str, schema: Mapping[str, Any], mint: Mint, given: Sequence[Mapping[str, Any]] = ()) -> Calls:
    """The calls of one tool.

    given: arguments of the user's own; each makes one good call of its own, in which they stand in place of the made
    ones. The first is also what the bad calls are made from.
    """
    values = Values(mint, schema, tool)
    node = schemas.resolved(schema, schema)
    made = _Maker(tool, node, values, given)
    calls = [*made.good(), *made.bad()]
    return Calls(calls[:MOST_CALLS], values.unwatched, max(0, len(calls) - MOST_CALLS))


class _Maker:
    def __init__(self, tool: str, node: schemas.Node, values: Values, given: Sequence[Mapping[str, Any]]) -> None:
        self._tool = tool
        self._node = node
        self._values = values
        self._given = given
        self._properties = schemas.properties_of(node)
        self._required = [name for name in schemas.required_of(node) if name in self._properties]
        self._base = {name: values.good(inner, name) for name, inner in self._properties.items()}
        if given:
            self._base |= given[0]

    def _call(self, arguments: dict[str, Any], what: str, is_good: bool = False) -> Call:
        return Call(self._tool, arguments, what, is_good)

    def good(self) -> Iterator[Call]:
        """All arguments; only the required ones; each other branch of an argument that may be several things."""
        yield self._call(dict(self._base), "all arguments", True)
        for own in self._given[1:]:
            yield self._call({**self._base, **own}, "all arguments", True)
        if len(self._required) < len(self._base):
            kept = {name: self._base[name] for name in self._base if name in self._required}
            yield self._call(kept, "required arguments", True)
        for name, inner in self._properties.items():
            node = schemas.resolved(inner, self._node)
            for at, branch in enumerate(schemas.branches(node, self._node)[1:], 2):
                if schemas.type_of(branch) != "null":
                    value = self._values.good(branch, f"{name} (alternative {at})")
                    yield self._call({**self._base, name: value}, f"{name}, alternative {at}", True)

    def bad(self) -> Iterator[Call]:
        """Each argument wrong, missing, and one that is unknown."""
        for name, inner in self._properties.items():
            for value, what in self._wrong(inner, name, self._base.get(name), 0):
                yield self._call({**self._base, name: value}, f"wrong: {what}")
        for name in self._required:
            rest = {other: value for other, value in self._base.items() if other != name}
            yield self._call(rest, f"missing: {name}")
        key = self._values.planted(self._values.mint.phrase(), "the name of an unknown argument")
        value = self._values.planted(self._values.mint.phrase(), "the value of an unknown argument")
        yield self._call({**self._base, key: value}, "an unknown argument")

    def _wrong(self, inner: Any, where: str, good: Any, depth: int) -> Iterator[tuple[Any, str]]:
        """Values that the node does not allow: of another type, out of its range, and wrong inside."""
        node = schemas.resolved(inner, self._node)
        kinds = {schemas.type_of(one) for one in schemas.branches(node, self._node)}
        if "" in kinds and not schemas.is_choice(node):
            return
        yield self._of_other_type(kinds, node, where), where
        for branch in schemas.branches(node, self._node):
            yield from self._out_of_range(branch, where)
            if depth < _DEEPEST_WRONG:
                yield from self._wrong_inside(branch, where, good, depth)

    def _of_other_type(self, kinds: set[str], node: schemas.Node, where: str) -> Any:
        mint, place = self._values.mint, f"{where} (wrong)"
        text = self._values.planted(mint.phrase(), place)
        if "string" not in kinds or schemas.is_choice(node):
            return text
        return [text] if "array" not in kinds else 1

    def _out_of_range(self, node: schemas.Node, where: str) -> Iterator[tuple[Any, str]]:
        mint, place = self._values.mint, f"{where} (out of range)"
        kind = schemas.type_of(node)
        if kind in ("integer", "number"):
            high = schemas.bounds_of(node).high
            if high is not None and high < 10**12:
                yield self._values.planted(mint.number(10**12, 10**13), place), f"{where} out of range"
        elif kind == "string" and not schemas.is_choice(node):
            _, longest = schemas.length_of(node, "minLength", "maxLength")
            is_shaped = any(key in node for key in ("pattern", "format", "maxLength"))
            if is_shaped and (longest is None or longest < 2_000):
                text = mint.text((longest or 0) + 1)
                yield self._values.planted(text, place), f"{where} out of shape"

    def _wrong_inside(self, node: schemas.Node, where: str, good: Any, depth: int) -> Iterator[tuple[Any, str]]:
        kind = schemas.type_of(node)
        if kind == "array" and isinstance(good, list) and good and "items" in node:
            for value, what in self._wrong(node["items"], f"{where}[0]", good[0], depth + 1):
                yield [value, *good[1:]], what
        elif kind == "object" and isinstance(good, dict):
            for name, inner in schemas.properties_of(node).items():
                for value, what in self._wrong(inner, f"{where}.{name}", good.get(name), depth + 1):
                    yield {**good, name: value}, what
