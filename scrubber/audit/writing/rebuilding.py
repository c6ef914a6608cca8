"""A record as it stood in the file, with the event in it replaced by what the policy lets leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrubber.audit.reading import v1
from scrubber.audit.reading.events import PROPER, as_properties
from scrubber.audit.reading.headings import WHOLE, Heading, cell_value
from scrubber.audit.reading.json_text import dumps
from scrubber.rules.nested import close
from scrubber.words.paths import shown
from scrubber.words.verdict import Event


class Rebuilder:
    """Puts scrubbed events back into their records.

    empty: whether what stands beside the event proper, which the hook never judges, is emptied (`strict`).
    beside: the names of such columns that were seen with something in them. lost: the names of properties that the
    policy adds and the table has no column for. Both are printed by `words.paths.shown`.
    """

    def __init__(self, empty: bool) -> None:
        self._empty = empty
        self.beside: set[str] = set()
        self.lost: set[str] = set()

    def record(self, original: dict[str, Any], event: Event, wire: bool = False) -> dict[str, Any]:
        """A JSON record, its keys in the order they came."""
        if type(original["event"]) is dict:
            return {
                key: self.record(value, event, wire) if key == "event" else self.column(key, value)
                for key, value in original.items()
            }
        properties: dict[str, Any] = event["properties"]
        lifted: dict[str, Any] = {}
        if v1.is_v1(original):
            properties, lifted = v1.lifted(properties, original)
        out: dict[str, Any] = {}
        for key, value in original.items():
            if lifted and key in v1.LIFTED:
                if key in lifted:
                    out[key] = lifted[key]
            elif key == "properties":
                out[key] = self._properties(value, properties)
            elif key in event:
                out[key] = event[key]
            elif not wire and key not in PROPER and not key.startswith("$"):
                out[key] = self.column(key, value)
        return out

    def cells(self, heading: Heading, original: Sequence[Any], event: Event, text: bool) -> list[Any]:
        """A row of a table. text: whether cells are text, as in CSV; there a cell that did not change stays as it is,
        and none is empty."""
        properties = event["properties"]
        out: list[Any] = list(original)
        none = "" if text else None
        for at, name in heading.properties.items():
            out[at] = self._cell(name, original[at], properties, text) if name in properties else none
        kept = set(heading.properties.values())
        for at, key in heading.record.items():
            if key == "properties":
                inside = {name: value for name, value in properties.items() if name not in kept}
                kept |= set(inside)
                out[at] = self._properties(original[at], inside)
            elif key == WHOLE:
                out[at] = self._whole(original[at], event, text)
            elif key in PROPER or key.startswith("$"):
                out[at] = original[at] if key in event else none
            else:
                column = self.column(key, original[at])
                out[at] = none if column is None else column
        if WHOLE not in heading.record.values():
            self.lost |= {shown(name) for name in properties if name not in kept}
        return out

    def column(self, name: str, value: Any) -> Any:
        """The value of what the hook never judges: closed to the SDK's own names all the same, as containers are."""
        if value not in (None, "", [], {}):
            self.beside.add(shown(name))
        return None if self._empty or name.startswith(("$mcp_", "$exception")) else close(value)[0]

    @staticmethod
    def _properties(original: Any, properties: dict[str, Any]) -> Any:
        """Properties as they came: an object, or its JSON text; nothing where there was nothing."""
        if not properties and (original is None or original == ""):
            return original
        return dumps(properties).decode("utf-8") if type(original) is str else properties

    @staticmethod
    def _cell(name: str, original: Any, properties: dict[str, Any], text: bool) -> Any:
        value = properties[name]
        if not text:
            return value
        if original != "" and cell_value(name, original) == value:
            return original
        return value if type(value) is str else "" if value is None else dumps(value).decode("utf-8")

    def _whole(self, original: Any, event: Event, text: bool) -> Any:
        """The whole event in one cell; nothing where the cell could not be judged."""
        inner = as_properties(original)
        if not inner or type(inner.get("event")) is not str:
            return "" if text else None
        rebuilt = self.record(inner, event)
        return dumps(rebuilt).decode("utf-8") if type(original) is str else rebuilt
