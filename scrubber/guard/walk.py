"""From a validator's location to a canonical path: only what the tool's JSON schema declares is ever printed.

In:  the schema, and a location as pydantic and jsonschema write it: argument names, indexes, map keys that a client
     chose, and the labels of a union's branches (pydantic 2.7 to 2.14), which are no part of a path.
Out: a `Place`. Nothing here raises on a schema of any shape; what cannot be read ends the walk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Node = dict[str, Any]
Location = Sequence["str | int"]

_MOST_STEPS = 64
_MOST_BRANCHES = 64
_MOST_HOPS = 16
_ANY: Node = {}

# How pydantic begins the label of a branch without a name, by the branch's JSON type.
_LABELS = {
    "integer": ("int", "constrained-int"),
    "number": ("float", "constrained-float", "decimal"),
    "boolean": ("bool",),
    "string": ("str", "constrained-str", "date", "time", "uuid", "url", "bytes", "literal", "enum"),
    "array": ("list", "set", "frozenset", "tuple", "deque"),
    "object": ("dict", "mapping"),
    "null": ("none",),
}


class Place(NamedTuple):
    """Where a fault is. `nodes` are the schema nodes that may stand there, references resolved."""

    path: str
    """`grades[0].quantity`, `counts[*]`; empty for the arguments as a whole."""
    field: str
    """The same for an event: `grades.N.quantity`, `counts.*`."""
    nodes: tuple[Node, ...]
    union: tuple[str, str] | None
    """Path of the outermost union on the way, and the label of the branch that was tried."""
    depth: int
    key: bool = False
    """The fault is in the name of an entry of a map."""
    stopped: bool = False
    """The location went on to something that the schema does not declare."""


def resolve(root: Node, node: Any) -> Node:
    """The node behind references and single-branch combinations, its own keys kept beside the target's."""
    for _ in range(_MOST_HOPS):
        if not isinstance(node, dict):
            return _ANY
        reference = node.get("$ref")
        if isinstance(reference, str):
            node = {**_target(root, reference), **{key: value for key, value in node.items() if key != "$ref"}}
            continue
        parts = node.get("allOf")
        if isinstance(parts, list) and 0 < len(parts) <= _MOST_BRANCHES:
            merged: Node = {}
            for part in parts:
                merged.update(resolve_once(root, part))
            node = {**merged, **{key: value for key, value in node.items() if key != "allOf"}}
            continue
        single = [branch for branch in branches(node) if branch.get("type") != "null"]
        if len(single) == 1:
            rest = {key: value for key, value in node.items() if key not in ("anyOf", "oneOf")}
            node = {**rest, **single[0]}
            continue
        return node
    return _ANY


def resolve_once(root: Node, node: Any) -> Node:
    """One reference followed, for parts that are merged."""
    if isinstance(node, dict) and isinstance(node.get("$ref"), str):
        return _target(root, node["$ref"])
    return node if isinstance(node, dict) else _ANY


def _target(root: Node, reference: str) -> Node:
    if not reference.startswith("#/"):
        return _ANY
    at: Any = root
    for part in reference[2:].split("/"):
        at = at.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(at, dict) else None
    return at if isinstance(at, dict) else _ANY


def branches(node: Node) -> list[Node]:
    """The alternatives of a union node, unresolved; [] for any other."""
    for word in ("anyOf", "oneOf"):
        found = node.get(word)
        if isinstance(found, list) and found:
            return [branch for branch in found[:_MOST_BRANCHES] if isinstance(branch, dict)]
    return []


def leaves(root: Node, nodes: Sequence[Node]) -> list[Node]:
    """The nodes without unions: each alternative that is not null, resolved. Bounded, as a schema may name itself."""
    found: list[Node] = []
    waiting = list(reversed(nodes))
    for _ in range(4 * _MOST_BRANCHES):
        if not waiting or len(found) >= _MOST_BRANCHES:
            break
        here = resolve(root, waiting.pop())
        inner = branches(here)
        if inner:
            waiting += reversed([branch for branch in inner if branch.get("type") != "null"])
        else:
            found.append(here)
    return found


def walk(root: Node, location: Location) -> Place:
    """The place of `location` in the schema `root`."""
    walker = _Walker(root)
    for segment in location[:_MOST_STEPS]:
        if not walker.step(segment):
            break
    return walker.place()


class _Walker:
    def __init__(self, root: Node) -> None:
        self.root = root
        self.nodes: list[Node] = [resolve(root, root)]
        self.path = ""
        self.parts: list[str] = []
        self.union: tuple[str, str] | None = None
        self.key = self.stopped = False

    def place(self) -> Place:
        field = ".".join(self.parts)
        return Place(self.path, field, tuple(self.nodes), self.union, len(self.parts), self.key, self.stopped)

    def step(self, segment: str | int) -> bool:
        """Take one segment; False where the walk ends."""
        if self._label(segment):
            return True
        found = leaves(self.root, self.nodes)
        if type(segment) is int:
            return self._index(segment, found)
        if segment == "[key]":
            self.key = True
            return False
        declared = [props[segment] for leaf in found if segment in (props := _properties(leaf))]
        if declared:
            self._go(f".{segment}" if self.path else str(segment), str(segment), declared)
            return True
        open_ = [_open(leaf) for leaf in found]
        values = [value for value in open_ if value is not None]
        if values:
            self._go("[*]", "*", values)
            return True
        self.stopped = True
        return False

    def _go(self, printed: str, part: str, nodes: list[Any]) -> None:
        self.path += printed
        self.parts.append(part)
        self.nodes = [resolve(self.root, node) for node in nodes]

    def _index(self, segment: int, found: list[Node]) -> bool:
        items = [_item(leaf, segment) for leaf in found if _is_list(leaf)]
        if not items:
            self.stopped = True
            return False
        self._go(f"[{segment}]", "N", items)
        return True

    def _label(self, segment: str | int) -> bool:
        """Whether the segment only says which branch of a union was tried."""
        unions = [node for node in self.nodes if len(branches(node)) > 1]
        if not unions:
            return False
        tried = [branch for node in unions for branch in branches(node)]
        fitting = [branch for node in unions for branch in branches(node) if _named(self.root, node, branch, segment)]
        if not fitting:
            found = leaves(self.root, self.nodes)
            if type(segment) is int and any(map(_is_list, found)):
                return False
            if any(segment in _properties(leaf) for leaf in found):
                return False
        if self.union is None:
            self.union = (self.path, str(segment))
        self.nodes = [resolve(self.root, branch) for branch in fitting or tried]
        return True


def _named(root: Node, union: Node, branch: Node, label: str | int) -> bool:
    reference = branch.get("$ref")
    discriminator = union.get("discriminator")
    mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
    if isinstance(mapping, dict) and mapping.get(str(label)) is not None:
        return bool(mapping[str(label)] == reference)
    if type(label) is not str:
        return False
    if isinstance(reference, str):
        if reference.rsplit("/", 1)[-1] == label:
            return True
        title = _target(root, reference).get("title")
        return isinstance(title, str) and title == label
    type_ = branch.get("type")
    begins = _LABELS.get(type_, ()) if isinstance(type_, str) else ()
    return label.split("[", 1)[0] in begins or branch.get("title") == label


def _properties(leaf: Node) -> Node:
    found = leaf.get("properties")
    return found if isinstance(found, dict) else _ANY


def _open(leaf: Node) -> Node | None:
    """The schema of a map's values, or None where the node takes no name that it does not declare."""
    patterns = leaf.get("patternProperties")
    if isinstance(patterns, dict) and patterns:
        return {"anyOf": list(patterns.values())}
    more = leaf.get("additionalProperties")
    if isinstance(more, dict):
        return more
    if more is True or (leaf.get("type") == "object" and more is None and not _properties(leaf)):
        return _ANY
    return None


def _is_list(leaf: Node) -> bool:
    return leaf.get("type") == "array" or "items" in leaf or "prefixItems" in leaf


def _item(leaf: Node, at: int) -> Any:
    first = leaf.get("prefixItems")
    if isinstance(first, list) and 0 <= at < len(first):
        return first[at]
    return leaf.get("items", _ANY)
