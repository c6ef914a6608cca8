"""From a row of cells to a record, by the names of the columns: CSV, HogQL and Parquet."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from scrubber.audit.reading.events import PROPER, as_properties
from scrubber.audit.reading.json_text import ParseError, loads
from scrubber.words import properties as listed
from scrubber.words.kinds import Kind

EXPORT_COLUMNS = frozenset(
    "created_at distinct_id_created_at elements elements_chain elements_hash group_properties id inserted_at ip now"
    " offset person person_created_at person_id person_mode person_properties sent_at set set_once site_url team_id"
    " _timestamp _offset bytes".split()
)
"""What PostHog's exports have beside the event proper; every other column without `properties.` is a property."""

WHOLE = "*"
_QUOTES = re.compile(r"properties\.(?:`([^`]+)`|\"([^\"]+)\"|'([^']+)'|(.+))\Z", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?\Z")
_TEXTS = frozenset({listed.ERROR_MESSAGE, "$exception_message", "$mcp_intent"})
"""Properties that are text even where it looks like JSON."""
_KINDS: dict[str, Kind] = {**listed.STRICT_LISTED, **listed.EXCEPTION_LISTED, **listed.MCP_LISTED}


class Heading:
    """The names of a table's columns.

    properties: by column, the name of the property in it. record: by column, the key of the event or of what stands
    beside it.
    """

    def __init__(self, names: Sequence[Any]) -> None:
        self.names = tuple(name if type(name) is str else "" for name in names)
        plain = [_bare(name) for name in self.names]
        self.properties: dict[int, str] = {}
        self.record: dict[int, str] = {}
        for at, name in enumerate(plain):
            dotted = _QUOTES.match(name)
            if dotted is not None:
                self.properties[at] = next(part for part in dotted.groups() if part is not None)
            elif name in PROPER or name in EXPORT_COLUMNS or name == WHOLE or name.startswith(("person.", "group_")):
                self.record[at] = name
            elif name.startswith("$") or "properties" not in plain:
                # A bare name is a property: judged rather than passed over.
                self.properties[at] = name
            else:
                self.record[at] = name
        self.has_event = "event" in plain or WHOLE in plain

    def record_of(self, cells: Sequence[Any], text: bool) -> dict[str, Any]:
        """The record of one row. text: whether the cells are text, as in CSV; an empty one is then none at all."""
        record: dict[str, Any] = {}
        for at, key in self.record.items():
            value = cells[at]
            if key == WHOLE:
                # The whole event in one cell; what is no object there can be judged by nobody and is left out.
                record = {**(as_properties(value) or {}), **record}
            elif not text or value or key == "distinct_id":
                record[key] = value
        if not self.properties:
            return record
        own = {
            name: cell_value(name, cells[at]) if text else cells[at]
            for at, name in self.properties.items()
            if cells[at] is not None and not (text and cells[at] == "")
        }
        whole = record.get("properties")
        if whole is None or type(whole) is dict:
            record["properties"] = {**(whole or {}), **own}
        return record


def _bare(name: str) -> str:
    """A column's name without what a query puts in front of it."""
    for prefix in ("*.", "events.", "event."):
        name = name.removeprefix(prefix)
    return name.strip()


def cell_value(name: str, cell: str) -> Any:
    """The value that a CSV cell of a property stands for.

    A cell is text whatever the value was. A listed property is text where its kind takes the text; everything else is
    what the text says as JSON: an object, a list, a number, true or false (also as Python writes them), else text.
    """
    kind = _KINDS.get(name)
    if name in _TEXTS or (kind is not None and kind(cell)):
        return cell
    lowered = cell.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    if _NUMBER.match(cell):
        value = loads(cell)
        return value if math.isfinite(value) else cell
    if cell[0] in "[{":
        try:
            return loads(cell)
        except ParseError:
            return cell
    return cell
