"""What the guard's words are asked about: tools' schemas, real and changed, and faults as a binder reports them."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import pydantic

from scrubber.guard.words import Call, Fault

from . import texts
from .building import CANARY
from .source import Source, json_value

_REAL: tuple[dict[str, Any], ...] = (
    texts.findArguments.model_json_schema(),
    texts.Strict.model_json_schema(),
    {"type": "object", "properties": {"mode": {"enum": ["a", "b"]}, "n": {"type": "integer", "minimum": 1}}},
    {"type": "object", "additionalProperties": {"type": "string"}},
    {},
)
_WORDS = (
    "type properties items anyOf oneOf allOf $ref $defs enum const required additionalProperties patternProperties "
    "prefixItems discriminator mapping propertyName minimum maximum minLength pattern format title integer string "
    "array object null number boolean #/$defs/Owner #/$defs/Cat #/ #/properties/name a b kind cat"
).split()
_CODES = (
    "int_parsing missing missing_argument extra_forbidden unexpected_keyword_argument value_error union_tag_invalid "
    "union_tag_not_found literal_error greater_than fit_together list_type dict_type string_pattern_mismatch "
    "no_such_code decimal_parsing json_invalid enum"
).split()


class Asked(NamedTuple):
    """A call, what a binder refused of it, and whether the schema is a real tool's."""

    call: Call
    faults: list[Fault]
    real: bool


def plainly_named(asked: Asked) -> bool:
    """Whether the names of the tool and of its arguments are the author's, on one line."""
    return asked.real


def asked_of(source: Source) -> Asked:
    """A call from bytes."""
    schema = copy.deepcopy(source.pick(_REAL))
    changes = source.below(4)
    for _ in range(changes):
        _change(source, schema)
    given = _arguments(source)
    faults = _real_faults(given) if source.below(3) == 0 else [_fault(source) for _ in range(source.below(8))]
    properties = schema.get("properties")
    allowed = [name for name in properties if isinstance(name, str)] if isinstance(properties, dict) else []
    unknown = [name for name in given if name not in allowed] if source.below(2) else []
    return Asked(Call("find", schema, given, unknown, allowed), faults, not changes)


def _change(source: Source, schema: dict[str, Any]) -> None:
    node: Any = schema
    for _ in range(8):
        inside = [key for key, item in _items(node) if _items(item)]
        if not inside or source.below(4) == 0:
            break
        node = node[source.pick(inside)]
    made = json_value(source, 0, _schema_word)
    keys = [key for key, _ in _items(node)]
    if type(node) is dict and (not keys or source.below(2)):
        node[source.pick(_WORDS)] = made
    elif keys:
        node[source.pick(keys)] = made


def _schema_word(source: Source) -> str:
    return source.pick(_WORDS) if source.below(8) else source.raw_text(8)


def _items(node: Any) -> list[tuple[Any, Any]]:
    if type(node) is dict:
        return list(node.items())
    return list(enumerate(node)) if type(node) is list else []


def _text(source: Source) -> str:
    """The caller's text: never a word of the schema's alone."""
    return f"{CANARY}{source.text()}" if source.below(2) else f"{texts.WORD}@{source.raw_text(12)}"


def _arguments(source: Source) -> dict[str, Any]:
    return {
        (_text(source) if source.below(3) == 0 else source.pick(texts.FIELDS)): json_value(source, 0, _text)
        for _ in range(source.below(6))
    }


def _real_faults(given: dict[str, Any]) -> list[Fault]:
    try:
        texts.Strict.model_validate(given)
    except pydantic.ValidationError as error:
        return [Fault(one["type"], one["loc"]) for one in error.errors(include_input=False, include_url=False)]
    return []


def _fault(source: Source) -> Fault:
    def segment() -> str | int:
        match source.below(4):
            case 0:
                return source.below(5)
            case 1:
                return _text(source)
            case 2:
                return source.pick(_WORDS)
            case _:
                return source.pick(texts.FIELDS)

    return Fault(
        source.pick(_CODES),
        tuple(segment() for _ in range(source.below(70) if source.below(9) == 1 else source.below(5))),
    )
