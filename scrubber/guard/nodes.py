"""Reading a JSON schema of any shape: references, unions, and what a node declares. Nothing here raises.

A schema may name itself, and may come from another server: everything is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Node = dict[str, Any]

_MOST_BRANCHES = 64
_MOST_HOPS = 16
ANY: Node = {}
COMBINATIONS = frozenset({"allOf", "anyOf", "oneOf", "$ref"})


def resolve(root: Node, node: Any) -> Node:
    """The node behind references and single-branch combinations, its own keys kept beside the target's."""
    for _ in range(_MOST_HOPS):
        if not isinstance(node, dict):
            return ANY
        reference = node.get("$ref")
        if isinstance(reference, str):
            node = {**target(root, reference), **{key: value for key, value in node.items() if key != "$ref"}}
            continue
        parts = node.get("allOf")
        if isinstance(parts, list) and 0 < len(parts) <= _MOST_BRANCHES:
            merged: Node = {}
            for part in [*parts, {key: value for key, value in node.items() if key != "allOf"}]:
                once = _resolve_once(root, part)
                merged = {**merged, **once, "properties": {**properties_of(merged), **properties_of(once)}}
            if not merged["properties"]:
                del merged["properties"]
            node = merged
            continue
        single = [branch for branch in branches(node) if branch.get("type") != "null"]
        if len(single) == 1:
            rest = {key: value for key, value in node.items() if key not in ("anyOf", "oneOf")}
            node = {**rest, **single[0]}
            continue
        return node
    return ANY


def _resolve_once(root: Node, node: Any) -> Node:
    """One reference followed, for parts that are merged."""
    if isinstance(node, dict) and isinstance(node.get("$ref"), str):
        return target(root, node["$ref"])
    return node if isinstance(node, dict) else ANY


def target(root: Node, reference: str) -> Node:
    """The node that a reference inside of the schema names; an empty one for any other reference."""
    if reference == "#":
        return root
    if not reference.startswith("#/"):
        return ANY
    at: Any = root
    for part in reference[2:].split("/"):
        at = at.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(at, dict) else None
    return at if isinstance(at, dict) else ANY


def branches(node: Node) -> list[Node]:
    """The alternatives of a union node, unresolved; [] for any other."""
    for word in ("anyOf", "oneOf"):
        found = node.get(word)
        if isinstance(found, list) and found:
            return [branch for branch in found[:_MOST_BRANCHES] if isinstance(branch, dict)]
    return []


def top_level(root: Node) -> tuple[Node, bool]:
    """The properties that a schema declares for its top level, in any of its combinations, and whether those are all.

    A pattern, or a part that takes other names, says that there may be more.
    """
    found: dict[str, list[Any]] = {}
    waiting: list[Any] = [root]
    closed = True
    for _ in range(4 * _MOST_BRANCHES):
        if not waiting:
            return {name: nodes[0] if len(nodes) == 1 else {"anyOf": nodes} for name, nodes in found.items()}, closed
        node = waiting.pop(0)
        if not isinstance(node, dict):
            continue
        closed = closed and not node.get("patternProperties") and node.get("additionalProperties") in (None, False)
        for name, inner in properties_of(node).items():
            if inner not in found.setdefault(name, []):
                found[name].append(inner)
        waiting += _parts(root, node)
    return {}, False


def _parts(root: Node, node: Node) -> list[Any]:
    """What a node is combined of."""
    parts: list[Any] = [node[word] for word in ("if", "then", "else") if word in node]
    if isinstance(node.get("$ref"), str):
        parts.append(target(root, node["$ref"]))
    for word in ("allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies"):
        held = node.get(word)
        parts += held if isinstance(held, list) else held.values() if isinstance(held, dict) else ()
    return parts


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


def properties_of(leaf: Node) -> Node:
    found = leaf.get("properties")
    return found if isinstance(found, dict) else ANY


def open_of(leaf: Node) -> Node | None:
    """The schema of a map's values, or None where the node takes no name that it does not declare."""
    patterns = leaf.get("patternProperties")
    if isinstance(patterns, dict) and patterns:
        return {"anyOf": list(patterns.values())}
    more = leaf.get("additionalProperties")
    if isinstance(more, dict):
        return more
    if more is True or (leaf.get("type") == "object" and more is None and not properties_of(leaf)):
        return ANY
    return None


def is_list(leaf: Node) -> bool:
    return leaf.get("type") == "array" or "items" in leaf or "prefixItems" in leaf


def item_of(leaf: Node, at: int) -> Any:
    first = leaf.get("prefixItems")
    if isinstance(first, list) and 0 <= at < len(first):
        return first[at]
    return leaf.get("items", ANY)
