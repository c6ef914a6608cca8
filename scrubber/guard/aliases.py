"""The names that bind, where they are not those of the schema: `AliasChoices`, `AliasPath`, fields taken by name too.

A JSON schema shows one name for each parameter, sometimes one that does not bind at all (pydantic 2.7 to 2.14). So what
binds is read from pydantic's own declarations, and put into a copy of the schema beside what it shows.

In:  a model of pydantic's, or the arguments part of a function's core schema. Out: `Parameter`s; and from those the
     schema with all names that bind, as far as the top level goes. Names are the author's, so they may be printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from scrubber.guard.nodes import Node, properties_of

Path = tuple["str | int", ...]
_DEEPEST = 16


class Parameter(NamedTuple):
    """A parameter: what the schema may call it, and each path in the arguments that it binds from."""

    shown: tuple[str, ...]
    binds: tuple[Path, ...]


def of_model(model: Any) -> list[Parameter]:
    """The parameters of a model of arguments (mcp)."""
    config = model.model_config
    by_name = bool(config.get("populate_by_name") or config.get("validate_by_name"))
    fields = model.model_fields
    return [_parameter(name, _paths(field.validation_alias or field.alias), by_name) for name, field in fields.items()]


def of_arguments(schema: Any) -> list[Parameter]:
    """The parameters of a function (fastmcp): `schema` is of type `arguments`."""
    by_name = bool(schema.get("populate_by_name") or schema.get("validate_by_name"))
    return [_parameter(one["name"], _paths(one.get("alias")), by_name) for one in schema["arguments_schema"]]


def _parameter(name: str, aliases: Sequence[Path], by_name: bool) -> Parameter:
    own: list[Path] = [(name,)] if by_name or not aliases else []
    paths = tuple(dict.fromkeys([*aliases, *own]))
    shown = [str(path[0]) for path in aliases if len(path) == 1]
    return Parameter((*shown, name), paths)


def _paths(alias: Any) -> list[Path]:
    """An alias as pydantic writes it, as paths: a text, an `AliasPath` or `AliasChoices`, and as core schemas have
    them: a list of steps, or a list of such lists."""
    if alias is None:
        return []
    if isinstance(alias, str):
        return [(alias,)]
    choices = getattr(alias, "choices", None)
    if choices is not None:
        return [path for choice in choices for path in _paths(choice)]
    steps = list(getattr(alias, "path", alias))
    if all(isinstance(step, list) for step in steps):
        return [tuple(path) for path in steps if path]
    return [tuple(steps)]


def declared(root: Node, parameters: Iterable[Parameter]) -> tuple[Node, list[str]]:
    """The schema with every name that binds, and those names, the schema's own first."""
    shown = properties_of(root)
    properties = dict(shown)
    names: dict[str, None] = {}
    for parameter in parameters:
        node: Node = next((shown[name] for name in parameter.shown if name in shown), {})
        for path in parameter.binds:
            if not isinstance(path[0], str):
                continue
            names[path[0]] = None
            if path[0] not in shown or len(path) > 1:
                properties[path[0]] = _grown(properties.get(path[0]), path[1:_DEEPEST], node)
    order = [name for name in shown if name in names]
    return {**root, "properties": properties}, list(dict.fromkeys([*order, *names]))


def _grown(node: Any, path: Path, leaf: Node) -> Node:
    """A node with `leaf` at the end of `path`, beside what it holds already."""
    if not path:
        return leaf
    held: Node = node if isinstance(node, dict) else {}
    step = path[0]
    if isinstance(step, str):
        inner = properties_of(held)
        return {"type": "object", **held, "properties": {**inner, step: _grown(inner.get(step), path[1:], leaf)}}
    first = held.get("prefixItems")
    items = list(first) if isinstance(first, list) else []
    items += [{}] * (min(max(step, 0), 255) + 1 - len(items))
    if 0 <= step < len(items):
        items[step] = _grown(items[step], path[1:], leaf)
    return {"type": "array", **held, "prefixItems": items}
