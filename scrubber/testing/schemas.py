"""Reading a tool's JSON schema: as much of it as a value needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubber.testing.mint import Bounds

Node = Mapping[str, Any]
ANY: Node = {}

_DEEPEST_REFS = 16


def resolved(node: Any, root: Node) -> Node:
    """A node with its references followed and its `allOf` joined. What is no object is a node that allows anything."""
    for _ in range(_DEEPEST_REFS):
        if not isinstance(node, Mapping):
            return ANY
        reference = node.get("$ref")
        if isinstance(reference, str):
            target = _target(reference, root)
            rest = {key: value for key, value in node.items() if key != "$ref"}
            node = {**target, **rest}
        elif isinstance(node.get("allOf"), list):
            parts = [resolved(part, root) for part in node["allOf"]]
            node = _joined([*parts, {key: value for key, value in node.items() if key != "allOf"}])
        else:
            return node
    return ANY


def _target(reference: str, root: Node) -> Node:
    found: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        if part:
            name = part.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else ANY


def _joined(parts: list[Node]) -> Node:
    out: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            if key == "properties" and isinstance(out.get(key), Mapping):
                out[key] = {**out[key], **value}
            elif key == "required" and isinstance(out.get(key), list):
                out[key] = [*out[key], *value]
            else:
                out[key] = value
    return out


def branches(node: Node, root: Node) -> list[Node]:
    """What a node may be instead: its `anyOf` or `oneOf`, or its list of types; the node itself where it has none.
    `null` comes last."""
    for key in ("anyOf", "oneOf"):
        if isinstance(node.get(key), list) and node[key]:
            around = {name: value for name, value in node.items() if name not in (key, "default", "title")}
            found = [resolved({**around, **one}, root) for one in node[key] if isinstance(one, Mapping)]
            return sorted(found, key=lambda one: one.get("type") == "null") or [ANY]
    types = node.get("type")
    if isinstance(types, list) and types:
        return [{**node, "type": one} for one in sorted(types, key=lambda one: one == "null")]
    return [node]


def type_of(node: Node) -> str:
    """The JSON type of a node that has no branches; empty where any is allowed."""
    found = node.get("type")
    if isinstance(found, str):
        return found
    if "properties" in node or "additionalProperties" in node:
        return "object"
    return "array" if "items" in node or "prefixItems" in node else ""


def properties_of(node: Node) -> dict[str, Any]:
    """The named properties of an object."""
    found = node.get("properties")
    return {str(name): value for name, value in found.items()} if isinstance(found, Mapping) else {}


def required_of(node: Node) -> list[str]:
    """The names that must be given, as far as the node describes them."""
    found = node.get("required")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def is_choice(node: Node) -> bool:
    """Whether the schema lists the values: none of them is content."""
    return "const" in node or (isinstance(node.get("enum"), list) and bool(node["enum"]))


def bounds_of(node: Node) -> Bounds:
    """The range of a number; exclusive ends are moved by one, or by a little for fractions."""
    little = 1 if type_of(node) == "integer" else 0.5
    low, high = _number(node.get("minimum")), _number(node.get("maximum"))
    above, below = _number(node.get("exclusiveMinimum")), _number(node.get("exclusiveMaximum"))
    if above is not None:
        low = max(above + little, low) if low is not None else above + little
    if below is not None:
        high = min(below - little, high) if high is not None else below - little
    return Bounds(low, high)


def length_of(node: Node, shortest: str, longest: str) -> tuple[int, int | None]:
    """The least and the most of a length or a count."""
    low, high = node.get(shortest), node.get(longest)
    return (low if isinstance(low, int) else 0), (high if isinstance(high, int) else None)


def _number(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
