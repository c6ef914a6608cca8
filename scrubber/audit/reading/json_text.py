"""JSON text to objects and back, for whatever an SDK can have written."""

from __future__ import annotations

import json
from typing import Any

# orjson: parses events at twice the speed of the standard library, which is most of what reading costs.
import orjson

ParseError = (ValueError, RecursionError)
"""What `loads` raises; the texts of these errors hold the text that was parsed and are never shown."""


def loads(text: bytes | str) -> Any:
    """The value of one JSON text. Also reads what Python's `json` writes and the standard does not know: `NaN`,
    `Infinity` and lone surrogates. Raises `ParseError`."""
    try:
        return orjson.loads(text)
    except ValueError:
        return json.loads(text)


def dumps(value: Any) -> bytes:
    """The JSON text of a value that was read, compact, UTF-8. What orjson does not write (lone surrogates, integers
    beyond 64 bits, more than 254 levels) is written by the standard library; what neither knows, as its type's name.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":"), default=_unknown).encode("ascii")


def _unknown(value: Any) -> str:
    return type(value).__name__
