"""What differs in what two policies let leave of one event.

Both may let a property leave, in two forms (source lines kept or not, a text or its shape): what leaves is then held
against what came, piece by piece, to tell whether more of it leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scrubber.audit.comparing.records import ABSENT, ADDED, STAYS, Direction
from scrubber.audit.judging import Judged
from scrubber.audit.records import Fate
from scrubber.words import properties as listed
from scrubber.words.paths import MASK
from scrubber.words.verdict import Event

Change = tuple[str, str, str, Direction, bool]


def changes_of(event: Event, old: Judged, new: Judged) -> Iterator[Change]:
    """Name, fate before, fate after, direction, and whether it stands beside `properties`: of each that changes."""
    came = event["properties"]
    was, is_ = _fates(came, old), _fates(came, new)
    before, after = _sent(old), _sent(new)
    for name in dict.fromkeys((*came, *before, *after)):
        change = _change(name, came, (was, before), (is_, after))
        if change is not None:
            yield (name if type(name) is str else MASK, *change, False)
    beside = {key: value for key, value in event.items() if key != "properties"}
    sent = [{key: value for key, value in (one.event or {}).items() if key != "properties"} for one in (old, new)]
    if old.event is None or new.event is None:
        # What posthog needs of every event comes and goes with the event itself.
        beside = {key: value for key, value in beside.items() if key not in listed.TOP_LEVEL}
    for key in beside:
        fates = [_fate_beside(key, beside, one) for one in sent]
        change = _change(key, beside, ({key: fates[0]}, sent[0]), ({key: fates[1]}, sent[1]))
        if change is not None:
            yield (key, *change, True)


def _sent(judged: Judged) -> Mapping[Any, Any]:
    return judged.event["properties"] if judged.event is not None else {}


def _fates(came: Mapping[Any, Any], judged: Judged) -> dict[Any, str]:
    fates: dict[Any, str] = {name: judged.fates[name if type(name) is str else MASK] for name in came}
    fates.update(dict.fromkeys((name for name in _sent(judged) if name not in came), ADDED))
    return fates


def _fate_beside(key: str, came: Mapping[str, Any], sent: Mapping[str, Any]) -> str:
    if key not in sent:
        return Fate.REMOVED
    return Fate.PASSES if sent[key] == came[key] else Fate.REDACTED


_Side = tuple[Mapping[Any, str], Mapping[Any, Any]]


def _change(name: Any, came: Mapping[Any, Any], old: _Side, new: _Side) -> tuple[str, str, Direction] | None:
    was, is_ = old[0].get(name, ABSENT), new[0].get(name, ABSENT)
    left, leaves = was not in STAYS, is_ not in STAYS
    if left != leaves:
        return str(was), str(is_), Direction.OPENED if leaves else Direction.CLOSED
    if not leaves or old[1][name] == new[1][name]:
        return None
    original = set(_pieces(came.get(name)))
    before, after = set(_pieces(old[1][name])) & original, set(_pieces(new[1][name])) & original
    more, less = after - before, before - after
    direction = Direction.OPENED if more else Direction.CLOSED if less else Direction.CHANGED
    return str(was), str(is_), direction


def _pieces(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every scalar in a value with the keys above it. Places in lists do not count: an item that is taken out moves
    those behind it."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _pieces(item, (*path, key))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _pieces(item, path)
    else:
        # By its text: a value of any type, with True apart from 1.
        yield (*path, repr(value))
