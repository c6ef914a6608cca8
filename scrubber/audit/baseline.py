"""The baseline: which events, properties and kinds of value may leave, in a file that is reviewed like code.

It is made from what leaves now (`Report.leaving`) and holds names alone: no value, no count, no date, so that the same
recording always writes the same bytes and a change of one property is a change of one line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrubber.audit.records import Breach, Report
from scrubber.audit.writing.output import output
from scrubber.settings_help import nearest
from scrubber.words.errors import ScrubberError
from scrubber.words.paths import MASK
from scrubber.words.verdict import Verdict

SCHEMA = 1
"""The number of the file's format; one that a later release writes is refused, not guessed at."""
KINDS = ("text", "number", "flag", "null", "list", "object")

EVENT, PROPERTY, KIND = "event", "property", "kind"


class BaselineError(ScrubberError):
    """A baseline that cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What may leave: kinds of value, by event name and property. An event without properties may leave bare."""

    events: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)

    @property
    def masked(self) -> int:
        """Names that could not be written because they may be content. Each covers every name like it."""
        return (MASK in self.events) + sum(MASK in properties for properties in self.events.values())


def make(report: Report) -> Baseline:
    """The baseline that lets leave what `report` says leaves, and nothing else."""
    return Baseline(
        {
            event: {name: frozenset(kinds) for name, kinds in properties.items()}
            for event, properties in report.leaving.items()
        }
    )


def merged(one: Baseline, other: Baseline) -> Baseline:
    """What either lets leave."""
    events = {event: dict(properties) for event, properties in one.events.items()}
    for event, properties in other.events.items():
        into = events.setdefault(event, {})
        for name, kinds in properties.items():
            into[name] = into.get(name, frozenset()) | kinds
    return Baseline(events)


def breaches(report: Report, baseline: Baseline) -> list[Breach]:
    """What leaves by `report` and is not in `baseline`, sorted: events, then properties, then kinds.

    The properties of a new event are held against those of all events, so that a property nobody ever listed is named
    even where its event is new too.
    """
    return sorted(_breaches(report, baseline), key=lambda one: (_ORDER.index(one.what), one.event, one.name))


_ORDER = (EVENT, PROPERTY, KIND)


def _breaches(report: Report, baseline: Baseline) -> Iterator[Breach]:
    anywhere: dict[str, frozenset[str]] = {}
    for properties in baseline.events.values():
        for name, kinds in properties.items():
            anywhere[name] = anywhere.get(name, frozenset()) | kinds
    for event, leaving in report.leaving.items():
        listed: Mapping[str, frozenset[str]] | None = baseline.events.get(event)
        if listed is None:
            yield Breach(EVENT, event, event, _sent(report, event, leaving))
            listed = anywhere
        for name, counts in leaving.items():
            if name not in listed:
                yield Breach(PROPERTY, name, event, sum(counts.values()), tuple(sorted(counts)))
                continue
            new = {kind: count for kind, count in counts.items() if kind not in listed[name]}
            if new:
                yield Breach(KIND, name, event, sum(new.values()), tuple(sorted(new)))


def _sent(report: Report, event: str, leaving: Mapping[str, Mapping[str, int]]) -> int:
    """How many events of the name leave; by their properties where the report has no counts."""
    for use in report.events:
        if use.name == event:
            return sum(count for verdict, count in use.verdicts.items() if verdict is not Verdict.DROP)
    return max((sum(counts.values()) for counts in leaving.values()), default=0)


def dumps(baseline: Baseline) -> str:
    """The file: sorted, one property a line."""
    events = []
    for event, properties in sorted(baseline.events.items()):
        lines = [f"      {_quoted(name)}: {_kinds(kinds)}" for name, kinds in sorted(properties.items())]
        body = "{\n" + ",\n".join(lines) + "\n    }" if lines else "{}"
        events.append(f"    {_quoted(event)}: {body}")
    inner = "{\n" + ",\n".join(events) + "\n  }" if events else "{}"
    return f'{{\n  "schema": {SCHEMA},\n  "events": {inner}\n}}\n'


def _quoted(name: str) -> str:
    return json.dumps(name)


def _kinds(kinds: Iterable[str]) -> str:
    return json.dumps(sorted(kinds))


def loads(text: str, name: str = "baseline") -> Baseline:
    """The baseline in `text`. name: what to call it in an error. Raises `BaselineError`."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise BaselineError(f"{name}: is no JSON; write it with `scrubber baseline PATH -o {name}`") from None
    if not isinstance(content, dict) or "schema" not in content or not isinstance(content.get("events"), dict):
        raise BaselineError(f"{name}: is no baseline; write one with `scrubber baseline PATH -o FILE`")
    if type(content["schema"]) is not int or content["schema"] != SCHEMA:
        raise BaselineError(
            f"{name}: is a baseline of another format than {SCHEMA}; write it anew, or use the release that wrote it"
        )
    unknown = sorted(set(content) - {"schema", "events"})
    if unknown:
        raise BaselineError(f"{name}: has {unknown[0]!r} beside schema and events; remove it")
    return Baseline({event: _properties(event, found, name) for event, found in content["events"].items()})


def _properties(event: str, found: Any, name: str) -> dict[str, frozenset[str]]:
    if not isinstance(found, dict):
        raise BaselineError(f"{name}: {event}: must be an object of properties, each with a list of kinds")
    return {property_: _checked(kinds, f"{name}: {event}: {property_}") for property_, kinds in found.items()}


def _checked(kinds: Any, where: str) -> frozenset[str]:
    if not isinstance(kinds, list) or not kinds or not all(isinstance(kind, str) for kind in kinds):
        raise BaselineError(f"{where}: must be a list of kinds, of {', '.join(KINDS)}")
    for kind in kinds:
        if kind not in KINDS:
            near = nearest(kind, KINDS)
            hint = f"did you mean {near}?" if near is not None else f"kinds are {', '.join(KINDS)}"
            raise BaselineError(f"{where}: {kind!r} is no kind; {hint}")
    return frozenset(kinds)


def load(path: Path) -> Baseline:
    """The baseline in a file. Raises `BaselineError`."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise BaselineError(
            f"{path}: cannot be read ({error.strerror}); write it with `scrubber baseline PATH -o {path}`"
        ) from None
    except UnicodeDecodeError:
        raise BaselineError(f"{path}: is no text; write it with `scrubber baseline PATH -o {path}`") from None
    return loads(text, str(path))


def check_free(path: Path, force: bool = False) -> None:
    """Refuse, before a long run, what `dump` would refuse after it. Raises `BaselineError`."""
    if path.exists() and not force:
        raise BaselineError(f"{path}: exists; --force replaces it, --update adds to it")
    if not path.parent.is_dir():
        raise BaselineError(f"{path}: there is no folder {path.parent}")


def dump(baseline: Baseline, path: Path, force: bool = False) -> None:
    """Write the file, whole or not at all. An existing one is replaced only with `force`. Raises `ScrubberError`."""
    check_free(path, force)
    with output(str(path), force) as file:
        file.write(dumps(baseline).encode())
