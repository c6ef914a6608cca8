"""Arguments against a JSON schema, for servers that declare nothing else (jsonschema 4.20 and newer).

In:  a schema and arguments. Out: faults in pydantic's codes, with the location of each. No message of jsonschema's is
     used: they print the value.
"""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from typing import Any

from scrubber.guard.calls import MOST_FAULTS, TOGETHER, Fault
from scrubber.guard.core import GuardError

_CODES = {
    "minimum": "greater_than_equal",
    "exclusiveMinimum": "greater_than",
    "maximum": "less_than_equal",
    "exclusiveMaximum": "less_than",
    "multipleOf": "multiple_of",
    "minLength": "string_too_short",
    "maxLength": "string_too_long",
    "pattern": "string_pattern_mismatch",
    "minItems": "too_short",
    "maxItems": "too_long",
    "enum": "enum",
    "const": "literal_error",
    "additionalProperties": "extra_forbidden",
    "unevaluatedProperties": "extra_forbidden",
    "format": "string_type",
}
_TYPES = {
    "integer": "int_type",
    "number": "float_type",
    "boolean": "bool_type",
    "string": "string_type",
    "array": "list_type",
    "object": "dict_type",
    "null": "none_required",
}
_TOGETHER = frozenset({"dependentRequired", "dependencies", "not", "if", "minProperties", "maxProperties"})


class Checker:
    """Checks as mcp 1.x does: the draft that the schema names, and no formats."""

    def __init__(self) -> None:
        try:
            self._validators = import_module("jsonschema.validators")
        except ImportError as error:
            raise GuardError("the guard of a low-level server needs jsonschema: pip install jsonschema") from error
        self._known: dict[int, tuple[Any, Any]] = {}

    def faults(self, schema: Any, arguments: Any) -> list[Fault]:
        """What the schema forbids of the arguments, in the order of the declaration."""
        known = self._known.get(id(schema))
        if known is None or known[0] is not schema:
            if len(self._known) >= 4096:
                self._known.clear()
            known = self._known[id(schema)] = (schema, self._validators.validator_for(schema)(schema))
        errors = islice(known[1].iter_errors(arguments), MOST_FAULTS)
        # jsonschema reports each missing name with all of them in it.
        found = list(dict.fromkeys(fault for error in errors for fault in _of(error)))
        found = [fault for fault in found if not _follows(fault, found)]
        order = list(schema.get("properties") or ())
        return sorted(found, key=lambda fault: order.index(fault.loc[0]) if fault.loc and fault.loc[0] in order else -1)


def _follows(fault: Fault, found: list[Fault]) -> bool:
    """Whether a fault is only the echo of another: what is wrong counts as not evaluated too."""
    code, loc = fault
    return code == "extra_forbidden" and any(
        one.code != "extra_forbidden" and one.loc[: len(loc)] == loc and len(one.loc) > len(loc) for one in found
    )


def _of(error: Any) -> list[Fault]:
    at = tuple(error.absolute_path)
    word = error.validator
    if word == "required":
        # jsonschema reports each missing name by itself; which one it is stands in its message only.
        left = [name for name in error.validator_value if isinstance(name, str) and name not in error.instance]
        return [Fault("missing", (*at, name)) for name in left]
    if word == "type":
        types = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
        named = sorted((type_ for type_ in types if isinstance(type_, str)), key="null".__eq__)
        return [Fault(_TYPES[named[0]] if named else "is_instance_of", at)]
    if word in ("anyOf", "oneOf"):
        meant = _meant(error.context)
        if meant:
            return [fault for inner in meant for fault in _of(inner)]
        return [Fault("is_instance_of", at)] if at else [Fault(TOGETHER, at)]
    if word in _TOGETHER:
        return [Fault(TOGETHER, at)]
    return [Fault(_CODES.get(word, "value_error"), at)]


def _meant(errors: Any) -> list[Any]:
    """The errors of the one branch that was most likely meant: no fixed value of it is missed, and the least is wrong.
    [] where two are as likely, or where the value is of no branch's type."""
    by_branch: dict[Any, list[Any]] = {}
    for error in errors:
        # A branch that is `false` has no path: it takes nothing, and nobody meant it.
        if error.schema_path:
            by_branch.setdefault(error.schema_path[0], []).append(error)
    likely = [tried for tried in by_branch.values() if not any(map(_is_other, tried))]
    fewest = min(map(len, likely), default=0)
    likely = [tried for tried in likely if len(tried) == fewest]
    return likely[0] if len(likely) == 1 else []


def _is_other(error: Any) -> bool:
    """Whether an error says that the value is of another branch: another tag, or not of its type at all."""
    return error.validator in ("const", "enum") or (error.validator == "type" and not error.path)
