"""Python values and types in words, in Markdown and in TOML."""

from __future__ import annotations

import json
import types
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Union, get_args, get_origin


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    names = list(head)
    lines = [names, ["---"] * len(names), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """Text as inline code."""
    return f"`{text}`"


def wrapped(text: str, width: int) -> list[str]:
    """Text in lines of at most `width` characters."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def shortened(value: Any) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:8]}... ({len(text)} characters)"


def plain(annotation: Any) -> str:
    """A type in plain words."""
    origin, inner = get_origin(annotation), get_args(annotation)
    simple = {bool: "true or false", str: "text", int: "whole number", float: "number", type(None): "unset"}
    if annotation in simple:
        return simple[annotation]
    if origin is Annotated:
        return plain(inner[0])
    if origin is Literal:
        return either([code(word) for word in inner])
    if origin is list:
        return f"list; each item: {plain(inner[0])}"
    if origin is dict:
        return f"mapping; each key: {plain(inner[0])}; each value: {plain(inner[1])}"
    if origin in (Union, types.UnionType):
        return either([plain(one) for one in inner])
    raise TypeError(f"no words for {annotation}")


def either(words: list[str]) -> str:
    """Alternatives, as a sentence lists them."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def limits(field: Any) -> str:
    """The length that a text may have, in words; empty where there is no limit."""
    least = next((one.min_length for one in field.metadata if hasattr(one, "min_length")), None)
    most = next((one.max_length for one in field.metadata if hasattr(one, "max_length")), None)
    return f", {least or 0} to {most} characters" if most is not None else ""


def toml(value: Any) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, dict):
        inner = ", ".join(f"{k if k.isidentifier() else json.dumps(k)} = {toml(v)}" for k, v in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def in_environment(value: Any) -> str:
    """A value as a shell sets it."""
    if isinstance(value, (dict, list)):
        return f"'{json.dumps(value)}'"
    return json.dumps(value) if isinstance(value, bool) else str(value) if str(value).isalnum() else f"'{value}'"
