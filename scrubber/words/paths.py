"""How a path into an event is printed. A key can be content too (a dict keyed by e-mail address), so a
name is printed only when it reads like code; everything else is masked."""

from __future__ import annotations

import re
from typing import Any

MASK = "*"
_CODE_NAME = re.compile(r"\$?[A-Za-z_][A-Za-z_]{0,47}\Z")


def shown(name: Any) -> str:
    """`name` if it can only be an identifier from code (letters and underscores), else the mask."""
    return name if type(name) is str and _CODE_NAME.match(name) else MASK


def at_property(name: Any) -> str:
    """The printed path of one property."""
    return f"properties.{shown(name)}"


def at_entry(index: int, key: str = "") -> str:
    """The printed path of one entry of the exception list, or of `key` in it."""
    return f"properties.$exception_list[{index}]" + (f".{key}" if key else "")
