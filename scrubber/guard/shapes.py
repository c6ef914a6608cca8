"""The words for what a value must be, read from the tool's own JSON schema, never from the value.

In:  schema nodes at a place, and the code of the fault. Out: `a whole number from 1 to 10`, or None where the schema
     says nothing that helps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scrubber.guard.names import listed
from scrubber.guard.nodes import Node

_FORMATS = {
    "date": "a date, YYYY-MM-DD",
    "date-time": "a date and time",
    "time": "a time",
    "uuid": "an id",
    "duration": "a duration, such as PT1H30M",
    "email": "an email address",
    "name-email": "an email address",
    "uri": "a URL",
    "multi-host-uri": "a URL",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "ipvanyaddress": "an IP address",
    "ipv4network": "an IPv4 network",
    "ipv6network": "an IPv6 network",
    "ipvanynetwork": "an IP network",
    "json-string": "text that holds JSON",
}
MORE = {
    "date_past": "a date in the past, YYYY-MM-DD",
    "date_future": "a date in the future, YYYY-MM-DD",
    "datetime_past": "a date and time in the past",
    "datetime_future": "a date and time in the future",
    "timezone_aware": "a date and time with its offset from UTC",
    "timezone_naive": "a date and time without an offset",
    "finite_number": "a finite number",
    "json_invalid": "text that holds JSON",
    "string_not_ascii": "text of ASCII characters only",
    "none_required": "null",
    "ip_v4_address": "an IPv4 address",
    "ip_v6_address": "an IPv6 address",
    "ip_v4_network": "an IPv4 network",
    "ip_v6_network": "an IPv6 network",
    "ip_v4_interface": "an IPv4 interface",
    "ip_v6_interface": "an IPv6 interface",
    "ip_any_address": "an IP address",
    "ip_any_network": "an IP network",
    "ip_any_interface": "an IP interface",
    "path_type": "a path",
    "base64_decode": "text in Base64",
}
"""Codes that say more than the schema does; some are of pydantic's types in Python, which reports them as custom."""
_BY_CODE = (
    ("int_", "a whole number"),
    ("float_", "a number"),
    ("decimal_", "a number"),
    ("bool_", "true or false"),
    ("datetime_", "a date and time"),
    ("date_", "a date, YYYY-MM-DD"),
    ("time_delta_", "a duration, such as PT1H30M"),
    ("time_", "a time"),
    ("uuid_", "an id"),
    ("url_", "a URL"),
    ("string_", "text"),
    ("bytes_", "text"),
    ("list_", "a list"),
    ("set_", "a list"),
    ("frozen_set_", "a list"),
    ("tuple_", "a list"),
    ("deque_", "a list"),
    ("dict_", "an object"),
    ("mapping_", "an object"),
    ("model_", "an object"),
    ("dataclass_", "an object"),
)
_LONGEST_PATTERN = 80
_BOUNDS = frozenset({"greater_than", "greater_than_equal", "less_than", "less_than_equal"})


def choices_of(leaf: Node) -> list[str]:
    """The allowed values of a node that lists them, as they are written in JSON without quotes."""
    values = [leaf["const"]] if "const" in leaf else leaf.get("enum")
    if not isinstance(values, list):
        return []
    return [_written(value) for value in values if value is None or isinstance(value, (str, int, float, bool))]


def _written(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else _number(value)


def words(leaves: Sequence[Node], code: str) -> str | None:
    """What a value at these nodes must be; the shapes of several joined by `or`."""
    if code in MORE:
        return MORE[code]
    if code.startswith("decimal_"):
        # pydantic declares a Decimal as a number or a text with a pattern; people mean the number.
        leaves = [leaf for leaf in leaves if leaf.get("type") == "number"]
    if code in _BOUNDS:
        # A union may hold a text or a list too, which nothing is wrong with.
        leaves = [leaf for leaf in leaves if _has_range(leaf)]
    listed_ = [choices_of(leaf) for leaf in leaves]
    if len(leaves) > 1 and all(listed_):
        return f"one of: {listed(list(dict.fromkeys(one for choices in listed_ for one in choices)), 24)}"
    found = list(dict.fromkeys(word for leaf in leaves for word in _of(leaf)))
    if "a number" in found:
        found = [word for word in found if not word.startswith("text that matches") or len(leaves) != 2]
    if found:
        return " or ".join(found)
    return next((word for begins, word in _BY_CODE if code.startswith(begins)), None)


def _of(leaf: Node) -> Iterable[str]:
    choices = choices_of(leaf)
    if choices:
        yield f"one of: {listed(choices, 24)}" if len(choices) > 1 else _exactly(choices[0])
        return
    type_ = leaf.get("type")
    for one in type_ if isinstance(type_, list) else [type_]:
        word = _WORDS.get(one) if isinstance(one, str) else None
        if word is not None:
            yield word(leaf)
        elif one is None and ("properties" in leaf or "additionalProperties" in leaf):
            yield "an object"


def _exactly(choice: str) -> str:
    return f"exactly {choice}" if len(choice) <= 200 else "the one allowed value"


def _text(leaf: Node) -> str:
    format_ = leaf.get("format")
    if isinstance(format_, str) and format_ in _FORMATS:
        return _FORMATS[format_]
    if "contentMediaType" in leaf and leaf["contentMediaType"] == "application/json":
        return "text that holds JSON"
    size = _size(leaf, "minLength", "maxLength", "character")
    pattern = leaf.get("pattern")
    if not isinstance(pattern, str):
        return f"text{size}"
    matching = f"that matches {pattern}" if len(pattern) <= _LONGEST_PATTERN else "that matches the declared pattern"
    return f"text{size} {matching}"


def _list(leaf: Node) -> str:
    return f"a list{_size(leaf, 'minItems', 'maxItems', 'item')}"


def _object(leaf: Node) -> str:
    return f"an object{_size(leaf, 'minProperties', 'maxProperties', 'entr')}"


def _size(leaf: Node, least: str, most: str, what: str) -> str:
    low, high = leaf.get(least), leaf.get(most)
    low = low if type(low) is int and low > 0 else None
    high = high if type(high) is int else None

    def counted(number: int) -> str:
        one, many = ("entry", "entries") if what == "entr" else (what, f"{what}s")
        return f"{number} {one if number == 1 else many}"

    if low is not None and high is not None:
        return f" of {counted(low)}" if low == high else f" of {low} to {counted(high)}"
    if low is not None:
        return f" of at least {counted(low)}"
    return f" of at most {counted(high)}" if high is not None else ""


def _has_range(leaf: Node) -> bool:
    return any(word in leaf for word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"))


def _whole(leaf: Node) -> str:
    return f"a whole number{_range(leaf, whole=True)}{_multiple(leaf)}"


def _any_number(leaf: Node) -> str:
    return f"a number{_range(leaf, whole=False)}{_multiple(leaf)}"


def _range(leaf: Node, *, whole: bool) -> str:
    low, high = _bound(leaf.get("minimum")), _bound(leaf.get("maximum"))
    above, below = _bound(leaf.get("exclusiveMinimum")), _bound(leaf.get("exclusiveMaximum"))
    if whole and type(above) is int:
        low, above = max(above + 1, low) if type(low) is int else above + 1, None
    if whole and type(below) is int:
        high, below = min(below - 1, high) if type(high) is int else below - 1, None
    if low is not None and high is not None and above is None and below is None:
        return f" from {_number(low)} to {_number(high)}"
    parts = []
    if above is not None:
        parts.append(f"greater than {_number(above)}")
    elif low is not None:
        parts.append(f"of at least {_number(low)}" if below is None else f"from {_number(low)}")
    if below is not None:
        parts.append(f"less than {_number(below)}")
    elif high is not None:
        parts.append(f"at most {_number(high)}" if parts else f"of at most {_number(high)}")
    return (" " + " and ".join(parts)) if parts else ""


def _multiple(leaf: Node) -> str:
    step = _bound(leaf.get("multipleOf"))
    return f", a multiple of {_number(step)}" if step is not None and step != 1 else ""


def _bound(value: Any) -> int | float | None:
    if type(value) is float and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if type(value) in (int, float) else None


def _number(value: int | float) -> str:
    if isinstance(value, int) and value.bit_length() > 1024:
        return "a very large number"
    return repr(value)


_WORDS = {
    "integer": _whole,
    "number": _any_number,
    "boolean": lambda _: "true or false",
    "string": _text,
    "array": _list,
    "object": _object,
}
