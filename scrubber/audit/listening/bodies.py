"""A request to PostHog's ingestion, as the events in it. Pure; any bytes give events or a reason, never an exception.

Three shapes, told by content: a batch (`{"batch": [...]}`), one event, a list of events. An event is handed on as
`before_send` saw it: what capture mode v1 moved out of `properties` on the way is put back, as PostHog does on arrival
(`posthog.capture_v1._to_v1_event`, posthog 7.79 to 7.91.1). The keys of the project never get past this module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from scrubber.audit.listening.unpacking import BodyError, unpack
from scrubber.audit.reading.json_text import dumps, loads
from scrubber.words.verdict import Event

V1_PATH = "/i/v1/analytics/events"
NO_JSON = "a body that is no JSON"
TOO_DEEP = "a body nested too deeply"
NO_EVENTS = "a body without events"
NO_EVENT = "an entry that is no event"

_FIRST = ("event", "distinct_id", "properties", "timestamp", "uuid")
_OF_THE_REQUEST = frozenset({"api_key", "token", "$token", "sent_at", "historical_migration"})
"""Keys that a request with a single event holds beside it."""
_KEY = re.compile(r"ph[a-z]_")
"""How a key of PostHog begins; posthog-js sends the project's among the properties."""

_LIFTED = {"session_id": "$session_id", "window_id": "$window_id"}
_OPTIONS = {
    "cookieless_mode": "$cookieless_mode",
    "disable_skew_correction": "$ignore_sent_at",
    "product_tour_id": "$product_tour_id",
    "process_person_profile": "$process_person_profile",
}
_SDK = re.compile(r"([a-z][a-z0-9_-]{0,60})/(\d[0-9a-zA-Z.+-]{0,30})\Z")


class Arrival(NamedTuple):
    """One event: as `before_send` saw it, and as a line of JSON."""

    event: Event
    line: bytes


class Body(NamedTuple):
    """What one request held. unreadable: a constant sentence for each entry that is no event, or for the body.

    uuids: of the events, as capture mode v1 wants them in the answer. status: the HTTP status of the answer.
    """

    arrivals: tuple[Arrival, ...] = ()
    unreadable: tuple[str, ...] = ()
    uuids: tuple[str, ...] = ()
    status: int = 200


def read(path: str, headers: Mapping[str, str], query: Mapping[str, str], body: bytes) -> Body:
    """The events in a request. headers: with names in lower case."""
    try:
        text = unpack(
            body,
            headers.get("content-encoding", ""),
            headers.get("content-type", ""),
            query.get("compression", ""),
        )
        entries = _entries(_parse(text))
        is_v1 = path.rstrip("/") == V1_PATH
        return _collect([_event(entry, headers if is_v1 else None) for entry in entries])
    except BodyError as error:
        return Body(unreadable=(error.reason,), status=error.status)
    except RecursionError:
        return Body(unreadable=(TOO_DEEP,), status=400)


def _parse(text: bytes) -> Any:
    try:
        return loads(text)
    except ValueError:
        raise BodyError(NO_JSON) from None


def _entries(content: Any) -> list[Any]:
    if isinstance(content, dict):
        batch = content.get("batch")
        if isinstance(batch, list):
            return batch
        if isinstance(content.get("event"), str):
            return [content]
    elif isinstance(content, list):
        return content
    raise BodyError(NO_EVENTS)


def _event(entry: Any, v1: Mapping[str, str] | None) -> Event | None:
    """The event in an entry. v1: the headers, for one that came by capture mode v1."""
    if not isinstance(entry, dict) or not isinstance(entry.get("event"), str):
        return None
    properties = entry.get("properties")
    if properties is not None and not isinstance(properties, dict):
        return None
    kept = {name: value for name, value in (properties or {}).items() if not _is_key(name, value)}
    rest = {name: value for name, value in entry.items() if name not in _OF_THE_REQUEST}
    if v1 is not None:
        _put_back(kept, rest, v1)
    rest["properties"] = kept
    return {name: rest[name] for name in (*_FIRST, *rest) if name in rest}


def _is_key(name: str, value: Any) -> bool:
    return name in ("token", "api_key", "$token") and isinstance(value, str) and _KEY.match(value) is not None


def _put_back(properties: dict[str, Any], rest: dict[str, Any], headers: Mapping[str, str]) -> None:
    for wire, name in _LIFTED.items():
        if wire in rest:
            properties.setdefault(name, rest.pop(wire))
    options = rest.pop("options", None)
    if isinstance(options, dict):
        for wire, value in options.items():
            if wire in _OPTIONS:
                properties.setdefault(_OPTIONS[wire], value)
            else:
                rest.setdefault("options", {})[wire] = value
    sdk = _SDK.match(headers.get("posthog-sdk-info", ""))
    if sdk is not None:
        properties.setdefault("$lib", sdk[1])
        properties.setdefault("$lib_version", sdk[2])


def _collect(events: list[Event | None]) -> Body:
    arrivals = tuple(Arrival(event, dumps(event)) for event in events if event is not None)
    uuids = tuple(one.event["uuid"] for one in arrivals if isinstance(one.event.get("uuid"), str))
    unreadable = (NO_EVENT,) * (len(events) - len(arrivals))
    # A request is refused as a whole only where nothing in it could be read.
    return Body(arrivals, unreadable, uuids, 400 if unreadable and not arrivals else 200)
