"""What may leave, as a file beside the tests: the file that `scrubber baseline` writes and `audit --baseline` reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrubber.audit import baseline as listing
from scrubber.audit.column import kind_of
from scrubber.audit.names import Names
from scrubber.audit.records import Breach, Report
from scrubber.settings import Settings
from scrubber.testing.errors import TestingError
from scrubber.testing.search import events_of

UPDATE = "POSTHOG_SCRUBBER_UPDATE"
"""The environment variable that `pytest --update-baselines` sets. Not SCRUBBER_*, because those are settings."""
_MOST_SHOWN = 20


def assert_baseline(events: Any, path: str | os.PathLike[str], *, settings: Settings | None = None) -> None:
    """Raise AssertionError, by name and never by value, for every event, property and kind of value in `events` that
    the baseline at `path` does not list.

    events: a wire (what left is compared), one event, or events. path: the file, as `scrubber baseline` writes it.
    settings: whose property names may be printed; a wire has its own. With `pytest --update-baselines` the file is
    written, or added to, and nothing fails.

    Raises `TestingError` where there is no such file, `BaselineError` where it cannot be read.
    """
    __tracebackhide__ = True
    left = events_of(events)
    if not left:
        raise AssertionError("no events left: nothing was compared with the baseline")
    found = settings or getattr(events, "settings", None)
    report = Report(version="", leaving=_leaving(left, Names((found or Settings()).policy())))
    file = Path(path)
    if os.environ.get(UPDATE):
        made = listing.make(report)
        listing.dump(listing.merged(listing.load(file), made) if file.exists() else made, file, force=True)
        return
    if not file.exists():
        raise TestingError(f"{file}: there is no baseline; pytest --update-baselines writes it, and you review it")
    breaches = listing.breaches(report, listing.load(file))
    if breaches:
        raise AssertionError(_told(breaches, file))


def _leaving(events: list[Any], names: Names) -> dict[str, dict[str, dict[str, int]]]:
    """How often each kind of value leaves, by the printed names of event and property: the audit's way to count."""
    leaving: dict[str, dict[str, dict[str, int]]] = {}
    for event in events:
        if not isinstance(event, Mapping):
            raise TestingError("assert_baseline: an event is a mapping with properties")
        name = event.get("event")
        of_event = leaving.setdefault(names.shown_event(name), {})
        properties = event.get("properties")
        for key, value in properties.items() if isinstance(properties, Mapping) else ():
            kinds = of_event.setdefault(names.shown(key, str(name)), {})
            kinds[kind_of(value)] = kinds.get(kind_of(value), 0) + 1
    return leaving


def _told(breaches: list[Breach], file: Path) -> str:
    lines = [f"  {_line(breach)}" for breach in breaches[:_MOST_SHOWN]]
    more = len(breaches) - _MOST_SHOWN
    lines += [f"  and {more} more"] if more > 0 else []
    head = f"what leaves is not all in {file.name}; block it, or let it in with pytest --update-baselines:"
    return "\n".join([head, *lines])


def _line(breach: Breach) -> str:
    times = "once" if breach.count == 1 else f"{breach.count} times"
    if breach.what == listing.EVENT:
        return f"new event {breach.event}, {times}"
    kinds = " and ".join(breach.kinds)
    if breach.what == listing.PROPERTY:
        return f"new property {breach.name} ({kinds}) on {breach.event}, {times}"
    return f"new kind of value of {breach.name} ({kinds}) on {breach.event}, {times}"
