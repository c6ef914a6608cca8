"""From faults to sentences, each of which stands alone: `grades[0].quantity must be a whole number`.

In:  the call, and its faults (pydantic's code and location, nothing else of the error). The arguments are only compared
     with the schema (the nearest allowed value, a list that was sent as text).
Out: `Said`s. Pure: imports no SDK, and prints no value of an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from scrubber.guard import shapes
from scrubber.guard.calls import TOGETHER, Call, Fault
from scrubber.guard.names import listed, nearest
from scrubber.guard.nodes import Node, branches, leaves, properties_of
from scrubber.guard.walk import Place, walk
from scrubber.words import message

MISSING = frozenset(message.MISSING_NAME)
_UNDECLARED = frozenset({"extra_forbidden", "unexpected_keyword_argument", "no_such_attribute", "invalid_key"})
_OWN = frozenset({"value_error", "assertion_error"})
_MOST_WAYS = 3


class Said(NamedTuple):
    """A sentence without its full stop, and what it is about."""

    sentence: str
    path: str
    code: str
    field: str


class _Placed(NamedTuple):
    place: Place
    code: str
    loc: tuple[str | int, ...]

    def branch(self, level: int) -> tuple[str, str] | None:
        """The path of the union at this level, and the label of the branch that was tried."""
        unions = self.place.unions
        return unions[level] if level < len(unions) else None


def sentences(call: Call, faults: Sequence[Fault]) -> list[Said]:
    """What is said of the faults, in their order."""
    return _all(call, [_placed(call, fault) for fault in faults], 0)


def _placed(call: Call, fault: Fault) -> _Placed:
    # The last step to a name that is not declared is that name: the sentence is about what holds it.
    location = fault.loc[:-1] if fault.code in _UNDECLARED else fault.loc
    return _Placed(walk(call.schema, location), fault.code, fault.loc)


def _all(call: Call, placed: Sequence[_Placed], level: int) -> list[Said]:
    """The faults under one branch of the unions above `level`; those of a union further down are told together."""
    by_union: dict[str, list[_Placed]] = {}
    for one in placed:
        union = one.branch(level)
        if union is not None:
            by_union.setdefault(union[0], []).append(one)
    said: list[Said] = []
    for one in placed:
        union = one.branch(level)
        if union is None:
            said.append(_said(call, [one]))
        elif union[0] in by_union:
            said += _of_union(call, by_union.pop(union[0]), level)
    return said


def _of_union(call: Call, group: Sequence[_Placed], level: int) -> list[Said]:
    """One union was tried branch by branch: say all its shapes, or what the branch that came furthest lacks."""
    if len({one.place.path for one in group}) == 1:
        return [_said(call, group)]
    deepest = max(one.place.depth for one in group)
    by_branch: dict[str, list[_Placed]] = {}
    for one in group:
        by_branch.setdefault((one.branch(level) or ("", ""))[1], []).append(one)
    near = [tried for tried in by_branch.values() if max(one.place.depth for one in tried) == deepest]
    fewest = min(map(len, near))
    near = [tried for tried in near if len(tried) == fewest]
    if len(near) == 1:
        return _all(call, near[0], level + 1)
    ways = [_all(call, tried, level + 1) for tried in near[:_MOST_WAYS]]
    joined = dict.fromkeys(" and ".join(one.sentence for one in way) for way in ways)
    return [ways[0][0]._replace(sentence=", or ".join(joined))]


def _said(call: Call, group: Sequence[_Placed]) -> Said:
    """The sentence on faults at one place; several only where branches of a union were refused there."""
    place, code, loc = group[0]
    nodes = [node for one in group for node in one.place.nodes]
    found = leaves(call.schema, nodes)
    path = place.path

    def said(sentence: str, at: str = path, field: str = place.field) -> Said:
        return Said(sentence, at, code, field)

    subject = path or "the arguments"
    if place.key:
        shape = shapes.words([], code)
        of = path.removesuffix("[*]") or "the arguments"
        return said(f"a key of {of} {f'must be {shape}' if shape else 'is not valid'}")
    if code in _UNDECLARED:
        names = sorted({name for leaf in found for name in properties_of(leaf)})
        return said(
            f"{subject} {'has' if path else 'have'} an unknown field"
            + (f" (allowed: {listed(names, 20)})" if names else "")
        )
    if place.stopped:
        return said(_invalid(path))
    if code in MISSING:
        return said(f"{subject} is required" if path else "the arguments are invalid")
    if code in ("union_tag_invalid", "union_tag_not_found"):
        return _tag(call.schema, nodes, said, place, code)
    if code in _OWN or code == TOGETHER or not (code in message.KNOWN_CODES or code in shapes.MORE):
        return said(_own_rule(found, path))
    shape = shapes.words(found, code)
    if not path:
        return said("the arguments are invalid")
    if shape is None:
        return said(f"{path} is out of range" if "than" in code else f"{path} is not valid")
    return said(f"{path} must be {shape}{_hint(found, shape, _dig(call.arguments, loc))}")


def _own_rule(found: Sequence[Node], path: str) -> str:
    """A rule of the author's own failed. Over an object it is one over several of its fields: say which there are."""
    names = [name for leaf in found for name in properties_of(leaf)]
    if len(names) > 1:
        inside = [f"{path}.{name}" if path else name for name in names]
        return f"the arguments are invalid: {listed(inside, 8)} do not fit together"
    return _invalid(path)


def _invalid(path: str) -> str:
    return f"{path} is not valid" if path else "the arguments are invalid"


def _tag(schema: Node, nodes: Sequence[Node], said: Callable[..., Said], place: Place, code: str) -> Said:
    for node in nodes:
        discriminator = node.get("discriminator")
        name = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
        if isinstance(discriminator, dict) and isinstance(name, str):
            mapping = discriminator.get("mapping")
            tags = list(mapping if isinstance(mapping, dict) else ()) or _tags(schema, node, name)
            at, field = (f"{before}.{name}" if before else name for before in (place.path, place.field))
            must = f"must be one of: {listed(tags, 24)}" if tags else "is not valid"
            if code == "union_tag_not_found":
                must = f"is required, one of: {listed(tags, 24)}" if tags else "is required"
            return said(f"{at} {must}", at, field)
    return said(_invalid(place.path))


def _tags(schema: Node, node: Node, name: str) -> list[str]:
    """The tags of a discriminated union that declares no mapping, from its branches."""
    found: dict[str, None] = {}
    for leaf in leaves(schema, branches(node)):
        for inner in leaves(schema, [properties_of(leaf).get(name, {})]):
            found.update(dict.fromkeys(shapes.choices_of(inner)))
    return list(found)


def _hint(found: Sequence[Node], shape: str, given: Any) -> str:
    """What else helps: the nearest allowed value; that a list or an object was sent as text."""
    if "one of: " in shape:
        near = nearest(given, [choice for leaf in found for choice in shapes.choices_of(leaf)])
        # The very value, refused all the same, belongs to another branch of a union.
        return f" (did you mean {near[0]}?)" if near and near[0] != given else ""
    if type(given) is str and given[:64].lstrip()[:1] in ("{", "[") and shape.startswith(("a list", "an object")):
        return ", not a string of JSON"
    return ""


def _dig(arguments: Mapping[str, Any], loc: Sequence[str | int]) -> Any:
    """The value at a location; labels of unions are passed over. Only ever compared, never printed."""
    at: Any = arguments
    for segment in loc:
        inside = isinstance(at, list) and type(segment) is int and 0 <= segment < len(at)
        if inside or (isinstance(at, dict) and segment in at):
            at = at[segment]
    return at
