"""From a validator's location to a canonical path: only what the tool's JSON schema declares is ever printed.

In:  the schema, and a location as pydantic and jsonschema write it: argument names, indexes, map keys that a client
     chose, and the labels of a union's branches (pydantic 2.7 to 2.14), which are no part of a path.
Out: a `Place`. Nothing here raises on a schema of any shape; what cannot be read ends the walk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from scrubber.guard.nodes import Node, branches, is_list, item_of, leaves, open_of, properties_of, resolve, target

Location = Sequence["str | int"]

_MOST_STEPS = 64

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
    unions: tuple[tuple[str, str], ...]
    """Each union on the way, from outside: its path, and the label of the branch that was tried."""
    depth: int
    key: bool = False
    """The fault is in the name of an entry of a map."""
    stopped: bool = False
    """The location went on to something that the schema does not declare."""


def walk(root: Node, location: Location) -> Place:
    """The place of `location` in the schema `root`."""
    walker = _Walker(root)
    for segment in location[:_MOST_STEPS]:
        if not walker.step(segment):
            break
    else:
        walker.stopped = len(location) > _MOST_STEPS
    return walker.place()


class _Walker:
    def __init__(self, root: Node) -> None:
        self.root = root
        self.nodes: list[Node] = [resolve(root, root)]
        self.path = ""
        self.parts: list[str] = []
        self.unions: list[tuple[str, str]] = []
        self.key = self.stopped = False

    def place(self) -> Place:
        field = ".".join(self.parts)
        return Place(self.path, field, tuple(self.nodes), tuple(self.unions), len(self.parts), self.key, self.stopped)

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
        declared = [props[segment] for leaf in found if segment in (props := properties_of(leaf))]
        if declared:
            self._go(f".{segment}" if self.path else str(segment), str(segment), declared)
            return True
        open_ = [open_of(leaf) for leaf in found]
        values = [value for value in open_ if value is not None]
        if values:
            self._go("[*]", "*", values)
            return True
        name = self._other_style(str(segment), found)
        if name is not None:
            nodes = [properties_of(leaf)[name] for leaf in found if name in properties_of(leaf)]
            self._go(f".{name}" if self.path else name, name, nodes)
            return True
        self.stopped = True
        return False

    def _other_style(self, segment: str, found: list[Node]) -> str | None:
        """The one declared name that a field's own name stands for: a model whose aliases are camel case takes both."""
        plain = _plain(segment)
        names = {name for leaf in found for name in properties_of(leaf) if _plain(name) == plain}
        return names.pop() if len(names) == 1 else None

    def _go(self, printed: str, part: str, nodes: list[Any]) -> None:
        self.path += printed
        self.parts.append(part)
        self.nodes = [resolve(self.root, node) for node in nodes]

    def _index(self, segment: int, found: list[Node]) -> bool:
        items = [item_of(leaf, segment) for leaf in found if is_list(leaf)]
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
            if type(segment) is int and any(map(is_list, found)):
                return False
            if any(segment in properties_of(leaf) for leaf in found):
                return False
        self.unions.append((self.path, str(segment)))
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
    if "enum" in branch or "const" in branch:
        return label.startswith(("literal[", "enum")) or branch.get("title") == label
    if isinstance(reference, str):
        if reference.rpartition("/")[2] == label:
            return True
        title = target(root, reference).get("title")
        return isinstance(title, str) and title == label
    type_ = branch.get("type")
    begins = _LABELS.get(type_, ()) if isinstance(type_, str) else ()
    return label.partition("[")[0] in begins or branch.get("title") == label


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()
