"""From one decoded record to a row, whatever kind of file it stood in."""

from __future__ import annotations

from typing import Any

from scrubber.audit.reading import v1
from scrubber.audit.reading.json_text import ParseError, dumps, loads
from scrubber.audit.records import Row, Unreadable
from scrubber.words.verdict import Event

PROPER = frozenset({"event", "distinct_id", "properties", "timestamp", "uuid", "$set", "$set_once"})
"""The keys of an event proper; exports have others beside them, which the hook never sees."""

NO_JSON = "not valid JSON"
NO_UTF8 = "not valid UTF-8"
TOO_DEEP = "nested too deeply"
TOO_LONG = "longer than 16 MiB"
NO_OBJECT = "no JSON object"
NO_NAME = "no event: it has no event name"
NO_PROPERTIES = "no event: its properties are no JSON object"
BODY_AMONG_EVENTS = "a capture body or page in a file of single events; read it as a file of its own"
BROKEN_OFF = "the file breaks off here"


def row_of(record: Any, file: str, line: int, size: int, wire: bool = False) -> Row | Unreadable:
    """The row of a decoded record that stands in `line`, `size` bytes long; any object in, never a raise.

    wire: whether it came out of a capture body. Then nothing stands beside the event proper: the hook had all of it.
    """
    if type(record) is not dict:
        return Unreadable(file, line, NO_OBJECT)
    inner = record.get("event")
    if type(inner) is str and type(record.get("properties")) is dict and PROPER.issuperset(record):
        return Row(record, file, line, size)
    columns: dict[str, Any] = {}
    if type(inner) is dict:
        columns = {key: value for key, value in record.items() if key != "event"}
        record = inner
    elif type(inner) is not str:
        return Unreadable(file, line, BODY_AMONG_EVENTS if is_envelope(record) else NO_NAME)
    event, beside = split(record, wire)
    columns.update(beside)
    if type(event.get("event")) is not str:
        return Unreadable(file, line, NO_NAME)
    text = event.get("properties")
    properties = as_properties(text)
    if properties is None:
        return Unreadable(file, line, NO_PROPERTIES)
    event["properties"] = v1.restored(properties, columns) if v1.is_v1(columns) else properties
    if type(text) is str:
        # The string counts as the object that it holds, without the quoting of its quotes.
        size -= len(dumps(text)) - len(text.encode("utf-8", "surrogatepass"))
    if columns:
        size -= len(dumps(columns))
    return Row(event, file, line, max(size, 2), columns or None)


def split(record: dict[str, Any], wire: bool = False) -> tuple[Event, dict[str, Any]]:
    """The event proper, and what an export has beside it. A `$` key is the SDK's own, and the hook judges it."""
    of_v1 = v1.is_v1(record)
    event: Event = {}
    beside: dict[str, Any] = {}
    for key, value in record.items():
        if key in PROPER or key.startswith("$") or (wire and not (of_v1 and key in v1.LIFTED)):
            event[key] = value
        else:
            beside[key] = value
    return event, beside


def as_properties(value: Any) -> dict[str, Any] | None:
    """Properties as a mapping: an object as it is, a JSON string parsed, none at all as empty; else None."""
    if type(value) is dict:
        return value
    if value is None or value == "":
        return {}
    if type(value) is str:
        try:
            parsed = loads(value)
        except ParseError:
            return None
        return parsed if type(parsed) is dict else None
    return None


def is_envelope(record: dict[str, Any]) -> bool:
    """Whether a record holds events rather than being one."""
    return any(type(record.get(key)) is list for key in ("batch", "results"))


def why_no_json(text: bytes) -> str | None:
    """Why a text that cannot be parsed cannot; None where there is nothing in it."""
    if not text.strip():
        return None
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return NO_UTF8
    return NO_JSON
