"""Arguments that a schema allows, with a canary in every place that can hold one.

Own code, and not hypothesis-jsonschema: that makes arbitrary values, and here each must be recognised when it leaves.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from scrubber.testing import schemas
from scrubber.testing.mint import Mint, T
from scrubber.testing.schemas import Node

DEEPEST = 6
"""Levels of nesting; below them only what is required is filled in."""
_MOST_ITEMS = 20


class Values:
    """Makes the values of one tool. unwatched: the places, in words, that got a value without a canary, and why."""

    def __init__(self, mint: Mint, root: Node, tool: str) -> None:
        self.mint = mint
        self.root = root
        self.tool = tool
        self.unwatched: dict[str, str] = {}

    def good(self, node: Any, where: str, depth: int = 0) -> Any:
        """A value that the node allows, with its first branch where it has several."""
        node = schemas.resolved(node, self.root)
        found = schemas.branches(node, self.root)
        if len(found) > 1 or found[0] is not node:
            # Too deep: the last branch is null, or the one that nests least is not known and any will do.
            return self.good(found[-1] if depth > DEEPEST else found[0], where, depth)
        if schemas.is_choice(node):
            return node["const"] if "const" in node else node["enum"][0]
        kind = schemas.type_of(node)
        if kind == "object":
            return self._object(node, where, depth)
        if kind == "array":
            return self._array(node, where, depth)
        return self._scalar(node, kind, where)

    def planted(self, value: T, where: str) -> T:
        """Watch for a value."""
        return self.mint.plant(value, f"{self.tool}: {where}")

    def _scalar(self, node: Node, kind: str, where: str) -> Any:
        if kind in ("integer", "number"):
            value, is_telling = self._number(node, kind)
            if not is_telling:
                self.unwatched[where] = "its range has only short numbers"
                return value
            return self.planted(value, where)
        if kind == "boolean":
            return True
        return None if kind == "null" else self._text(node, where)

    def _number(self, node: Node, kind: str) -> tuple[float, bool]:
        bounds, step = schemas.bounds_of(node), node.get("multipleOf")
        if kind == "integer" or step:
            return self.mint.whole(bounds, step)
        return self.mint.fraction(bounds)

    def _object(self, node: Node, where: str, depth: int) -> dict[str, Any]:
        required = set(schemas.required_of(node))
        out = {
            name: self.good(inner, f"{where}.{name}", depth + 1)
            for name, inner in schemas.properties_of(node).items()
            if depth < DEEPEST or name in required
        }
        more = node.get("additionalProperties", not out)
        if more and depth < DEEPEST and "propertyNames" not in node:
            key = self.planted(self.mint.phrase(), f"a key of {where}")
            out[key] = self.good(more, f"{where}[...]", depth + 1)
        return out

    def _array(self, node: Node, where: str, depth: int) -> list[Any]:
        fixed = node.get("prefixItems")
        if isinstance(fixed, list):
            return [self.good(one, f"{where}[{at}]", depth + 1) for at, one in enumerate(fixed)]
        least, most = schemas.length_of(node, "minItems", "maxItems")
        if most == 0 or (depth >= DEEPEST and not least):
            return []
        count = min(max(least, 1), _MOST_ITEMS)
        return [self.good(node.get("items", {}), f"{where}[{at}]", depth + 1) for at in range(count)]

    def _text(self, node: Node, where: str) -> str:
        made = self._formatted(node.get("format") or _content(node), where)
        if made is not None:
            return made
        least, most = schemas.length_of(node, "minLength", "maxLength")
        pattern = node.get("pattern")
        if isinstance(pattern, str):
            return self._matching(pattern, least, most, where)
        text = self.mint.text(least, most)
        if len(text.strip()) < 4:
            self.unwatched[where] = "it allows only a few characters"
            return text
        return self.planted(text, where)

    def _formatted(self, name: Any, where: str) -> str | None:
        """A text of a format that is known, the canary being the part that tells."""
        mint = self.mint
        if name in ("date", "date-time"):
            day = self.planted(mint.day(), where)
            return day if name == "date" else f"{day}T03:17:21Z"
        if name in ("time", "duration"):
            self.unwatched[where] = "a time or a duration is found by chance"
            return "03:17:21Z" if name == "time" else "PT3H17M"
        if name == "uuid":
            return self.planted(mint.uuid(), where)
        if name in ("email", "idn-email", "name-email"):
            return f"{self.planted(f'{mint.word()}.{mint.word()}', where)}@example.org"
        if name in ("uri", "url", "iri", "multi-host-uri", "http-url"):
            return f"https://example.org/{self.planted(f'{mint.word()}/{mint.word()}', where)}"
        if name in ("hostname", "idn-hostname"):
            return f"{self.planted(mint.word(), where)}.example.org"
        if name in ("ipv4", "ipvanyaddress"):
            return self.planted(f"198.{mint.number(18, 19)}.{mint.number(100, 255)}.{mint.number(100, 255)}", where)
        if name == "ipv6":
            return self.planted(f"2001:db8:{mint.number(4096, 65535):x}::{mint.number(4096, 65535):x}", where)
        if name == "json-string":
            return json.dumps({"note": self.planted(mint.phrase(), where)})
        if name in ("base64", "byte", "base64url"):
            return base64.urlsafe_b64encode(self.planted(mint.phrase(), where).encode()).decode()
        return None

    def _matching(self, pattern: str, least: int, most: int | None, where: str) -> str:
        """A text for a pattern: one of the usual spellings of a canary, else one that hypothesis finds."""
        for text in self._spellings():
            if _fits(pattern, text) and least <= len(text) <= (most if most is not None else len(text)):
                return self.planted(text, where)
        found = _found(pattern, least, most)
        if found is None:
            self.unwatched[where] = "no value was found for its pattern; give one in arguments="
            return self.mint.text(least, most)
        if len(set(found)) < 6:
            self.unwatched[where] = "its pattern allows nothing that can be told from chance"
            return found
        return self.planted(found, where)

    def _spellings(self) -> list[str]:
        mint = self.mint
        word, number = mint.word(), mint.number(10**12, 10**13 - 1)
        parts = [word, word.upper(), word.capitalize(), f"{word}-{mint.word()}", f"{word}_{mint.word()}", mint.phrase()]
        hexed = f"{mint.number(16**15, 16**16 - 1):x}"
        digits = str(number)
        coded = [f"{word[:k].upper()}-{digits[:n]}" for k in (1, 2, 3, 4) for n in (4, 5, 6, 8)]
        plain = [f"{word[:k].upper()}{digits[:n]}" for k in (1, 2, 3, 4) for n in (4, 5, 6, 8)]
        return [*parts, mint.uuid(), *(digits[:n] for n in (13, 10, 8, 6, 5)), hexed, hexed.upper(), *coded, *plain]


def _content(node: Node) -> str | None:
    if node.get("contentMediaType") == "application/json":
        return "json-string"
    return "base64" if node.get("contentEncoding") in ("base64", "base64url") else None


def _fits(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False


def _found(pattern: str, least: int, most: int | None) -> str | None:
    """The most varied of a few texts that match, or None: no such text, a pattern of another dialect, or no
    hypothesis."""
    try:
        # An optional extra, and slow to load.
        from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: PLC0415
        from hypothesis.strategies import from_regex  # noqa: PLC0415

        kept: list[str] = []
        wanted = from_regex(re.compile(pattern, re.ASCII)).filter(
            lambda text: text.isprintable() and least <= len(text) <= (most if most is not None else 80)
        )

        @seed(0)
        @settings(
            max_examples=25,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(wanted)
        def keep(text: str) -> None:
            kept.append(text)

        keep()
    except Exception:
        # Whatever hypothesis says of a pattern: the place is told as unwatched.
        return None
    return max(kept, key=lambda text: (len(set(text)), text), default=None)
