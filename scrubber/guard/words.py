"""From what a binder refused to what the model reads. Pure: imports no SDK, and prints no value of an argument.

In:  faults (pydantic's code and location, nothing else of the error), and the call: the tool's JSON schema, the names
     that no parameter has, and the arguments, which are only compared with the schema (the nearest allowed value, a
     list that was sent as text).
Out: a `Refusal`: one text whose sentences each stand alone, a code and a field for analytics, the paths for the log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from scrubber.guard import shapes
from scrubber.guard.names import MOST_HINTS, is_plain, listed, nearest
from scrubber.guard.walk import Node, Place, branches, leaves, walk
from scrubber.words import message

MOST_SENTENCES = 10
MOST_FAULTS = 200
"""Faults of one call that are read; a list of a hundred thousand wrong items has as many."""
_MOST_UNKNOWN = 5
UNKNOWN_CODE = "unknown_argument"
_LONGEST_TEXT = 2000
"""posthog.mcp cuts an error message at 2,048 characters; a cut text could not be recognised."""

_MISSING = frozenset(message.MISSING_NAME)
_UNDECLARED = frozenset({"extra_forbidden", "unexpected_keyword_argument", "no_such_attribute", "invalid_key"})
_OWN = frozenset({"value_error", "assertion_error"})
TOGETHER = "fit_together"
"""The code of a rule over several arguments that JSON schema declares (`dependentRequired`, `not`, ...)."""


class Fault(NamedTuple):
    """One error of a binder: its code and its location, with client-chosen keys and union labels in it."""

    code: str
    loc: tuple[str | int, ...]


class Call(NamedTuple):
    """A call as the words need it. `unknown`: names in the arguments that are none of `allowed`."""

    tool: str
    schema: Node
    arguments: Mapping[str, Any]
    unknown: Sequence[str] = ()
    allowed: Sequence[str] = ()


class Refusal(NamedTuple):
    """What is said of one refused call. Nothing in it is a value of an argument."""

    tool: str
    text: str
    """The whole reply."""
    code: str
    field: str
    paths: tuple[str, ...]
    """Canonical paths, for the log; `*` for names that no parameter has."""


class _Said(NamedTuple):
    sentence: str
    path: str
    code: str
    field: str


class _Placed(NamedTuple):
    place: Place
    code: str
    loc: tuple[str | int, ...]


def refusal(call: Call, faults: Sequence[Fault]) -> Refusal:
    """What is said of a call that a binder refused for `faults`, or that has unknown arguments."""
    said = list({one.sentence: one for one in _sentences(call, faults[:MOST_FAULTS])}.values())
    missing = [one for one in said if call.unknown and one.code in _MISSING and one.path in call.allowed]
    text = _error_line(call.tool, [one for one in said if one not in missing], max(0, len(faults) - MOST_FAULTS))
    if call.unknown:
        text = " ".join(filter(None, (text, _unknown_line(call, missing))))
    if len(text) > _LONGEST_TEXT:
        text = f"{text[: _LONGEST_TEXT - 4].rsplit(' ', 1)[0]} ..."
    paths = [one.path or "arguments" for one in said] + ["*"] * bool(call.unknown)
    return Refusal(
        call.tool,
        text,
        _code(said[0].code) if said else UNKNOWN_CODE,
        next((one.field for one in said if one.field), ""),
        tuple(dict.fromkeys(paths))[: MOST_SENTENCES + 1],
    )


def _code(code: str) -> str:
    return code if code in message.KNOWN_CODES or code in (TOGETHER, UNKNOWN_CODE) else "custom"


def _error_line(tool: str, said: Sequence[_Said], left: int) -> str:
    if not said:
        return ""
    shown = said[:MOST_SENTENCES]
    left += len(said) - len(shown)
    more = f" There {'is 1 more fault' if left == 1 else f'are {left} more faults'}." if left else ""
    return f"Error executing tool '{tool}': " + " ".join(f"{one.sentence}." for one in shown) + more


def _unknown_line(call: Call, missing: Sequence[_Said]) -> str:
    """One mistake, one sentence after the other: what nobody knows, what was meant, what is missing, what exists."""
    tool, unknown, allowed = call.tool, call.unknown, call.allowed
    printed = [f"'{name}'" for name in unknown if is_plain(name)][:_MOST_UNKNOWN]
    noun = "parameter" if len(unknown) == 1 else "parameters"
    hidden = len(unknown) - len(printed)
    if printed:
        named = f"Unknown {noun} {', '.join(printed)}" + (f" and {hidden} more" if hidden else "")
    else:
        named = f"Unknown {noun}" if len(unknown) == 1 else f"{len(unknown)} unknown {noun}"
    sentences = [f"{named} for tool '{tool}'."]
    hints = _hints(call, missing)
    if hints:
        sentences.append(f"Did you mean: {', '.join(hints)}?")
    sentences += [f"{one.sentence}." for one in missing[:MOST_SENTENCES]]
    sentences.append(
        f"Allowed parameters: {listed(list(allowed), 40, 900)}." if allowed else "The tool takes no parameters."
    )
    return " ".join(sentences)


def _hints(call: Call, missing: Sequence[_Said]) -> list[str]:
    """Hints for the first few names; what is missing comes first, because it is what was most likely meant."""
    wanted = {one.path for one in missing}
    found: dict[str, None] = {}
    for name in call.unknown[:_MOST_UNKNOWN]:
        near = nearest(name, call.allowed)
        found.update(dict.fromkeys(near[:1] if len(call.unknown) > 1 else near))
    return sorted(found, key=lambda hint: hint not in wanted)[:MOST_HINTS]


def _sentences(call: Call, faults: Sequence[Fault]) -> list[_Said]:
    placed = [_Placed(walk(call.schema, fault.loc), fault.code, fault.loc) for fault in faults]
    by_union: dict[str, list[_Placed]] = {}
    for one in placed:
        if one.place.union is not None:
            by_union.setdefault(one.place.union[0], []).append(one)
    said: list[_Said] = []
    for one in placed:
        if one.place.union is None:
            said.append(_said(call, [one]))
        else:
            said += _of_union(call, by_union.pop(one.place.union[0], []))
    return said


def _of_union(call: Call, group: Sequence[_Placed]) -> list[_Said]:
    """One union was tried branch by branch: say all its shapes, or what the branch that came furthest lacks."""
    if not group:
        return []
    deepest = max(one.place.depth for one in group)
    if len({one.place.path for one in group}) == 1:
        return [_said(call, group)]
    by_branch: dict[str, list[_Placed]] = {}
    for one in group:
        by_branch.setdefault(one.place.union[1] if one.place.union else "", []).append(one)
    near = [tried for tried in by_branch.values() if max(one.place.depth for one in tried) == deepest]
    fewest = min(map(len, near))
    near = [tried for tried in near if len(tried) == fewest]
    if len(near) == 1:
        return [_said(call, [one]) for one in near[0]]
    ways = [[_said(call, [one]) for one in tried] for tried in near[:3]]
    joined = dict.fromkeys(" and ".join(one.sentence for one in way) for way in ways)
    return [ways[0][0]._replace(sentence=", or ".join(joined))]


def _said(call: Call, group: Sequence[_Placed]) -> _Said:
    """The sentence on faults at one place; several only where branches of a union were refused there."""
    place, code, loc = group[0]
    nodes = [node for one in group for node in one.place.nodes]
    found = leaves(call.schema, nodes)
    path = place.path

    def said(sentence: str, at: str = path, field: str = place.field) -> _Said:
        return _Said(sentence, at, code, field)

    subject = path or "the arguments"
    if place.key:
        shape = shapes.words([], code)
        of = path.removesuffix("[*]") or "the arguments"
        return said(f"a key of {of} {f'must be {shape}' if shape else 'is not valid'}")
    if code in _UNDECLARED:
        names = sorted({name for leaf in found for name in leaf.get("properties", {})})
        return said(
            f"{subject} {'has' if path else 'have'} an unknown field"
            + (f" (allowed: {listed(names, 20)})" if names else "")
        )
    if place.stopped:
        return said(f"{path} is not valid" if path else "the arguments are invalid")
    if code in _MISSING:
        return said(f"{subject} is required" if path else "the arguments are invalid")
    if code in ("union_tag_invalid", "union_tag_not_found"):
        return _tag(call.schema, nodes, said, place, code)
    if code in _OWN or code == TOGETHER or code not in message.KNOWN_CODES:
        return said(_own_rule(found, path))
    shape = shapes.words(found, code)
    if not path:
        return said("the arguments are invalid")
    if shape is None:
        return said(f"{path} is out of range" if "than" in code else f"{path} is not valid")
    return said(f"{path} must be {shape}{_hint(found, shape, _dig(call.arguments, loc))}")


def _own_rule(found: Sequence[Node], path: str) -> str:
    """A rule of the author's own failed. Over an object it is one over several of its fields: say which there are."""
    names = [name for leaf in found for name in leaf.get("properties", {})]
    if len(names) > 1:
        inside = [f"{path}.{name}" if path else name for name in names]
        return f"the arguments are invalid: {listed(inside, 8)} do not fit together"
    return f"{path} is not valid" if path else "the arguments are invalid"


def _tag(schema: Node, nodes: Sequence[Node], said: Callable[..., _Said], place: Place, code: str) -> _Said:
    for node in nodes:
        discriminator = node.get("discriminator")
        name = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
        if isinstance(discriminator, dict) and isinstance(name, str):
            tags = list(discriminator.get("mapping", {})) or _tags(schema, node, name)
            at, field = f"{place.path}.{name}", f"{place.field}.{name}"
            must = f"must be one of: {listed(tags, 24)}" if tags else "is not valid"
            if code == "union_tag_not_found":
                must = f"is required, one of: {listed(tags, 24)}" if tags else "is required"
            return said(f"{at} {must}", at, field)
    return said(f"{place.path or 'the arguments'} is not valid")


def _tags(schema: Node, node: Node, name: str) -> list[str]:
    """The tags of a discriminated union that declares no mapping, from its branches."""
    found: dict[str, None] = {}
    for leaf in leaves(schema, branches(node)):
        for inner in leaves(schema, [leaf.get("properties", {}).get(name, {})]):
            found.update(dict.fromkeys(shapes.choices_of(inner)))
    return list(found)


def _hint(found: Sequence[Node], shape: str, given: Any) -> str:
    """What else helps: the nearest allowed value; that a list or an object was sent as text."""
    if "one of: " in shape:
        near = nearest(given, [choice for leaf in found for choice in shapes.choices_of(leaf)], 1)
        return f" (did you mean {near[0]}?)" if near else ""
    if type(given) is str and given[:64].lstrip()[:1] in ("{", "[") and shape.startswith(("a list", "an object")):
        return ", not a string of JSON"
    return ""


def _dig(arguments: Mapping[str, Any], loc: Sequence[str | int]) -> Any:
    """The value at a location; labels of unions are passed over. Only ever compared, never printed."""
    at: Any = arguments
    for segment in loc[:64]:
        inside = isinstance(at, list) and type(segment) is int and 0 <= segment < len(at)
        if inside or (isinstance(at, dict) and segment in at):
            at = at[segment]
    return at
