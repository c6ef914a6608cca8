"""One time of listening: judges what comes, counts it, writes it down, and has lines for the screen."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scrubber.audit.judging import Judge, Judged
from scrubber.audit.listening.bodies import TOO_DEEP, Arrival, Body
from scrubber.audit.listening.saving import Recording
from scrubber.audit.listening.serving import ListenError
from scrubber.audit.names import Names, plain
from scrubber.audit.reading.json_text import dumps
from scrubber.audit.records import Fate, Row
from scrubber.settings import Settings
from scrubber.words import properties as listed
from scrubber.words.verdict import Verdict

SOURCE = "listen"
"""What stands for a file's name in the rows of a session."""
_MOST_LINES = 10_000
"""Lines that may wait for the screen. Whoever scrolls back must not hold up the app that sends."""
_MOST_NOTES = 64


@dataclass(frozen=True)
class Seen:
    """One event as the screen may show it: names that can be shown, counts and sizes; values only in `revealed`.

    gone and changed: the properties that the policy removes and redacts; a dropped event lists none. size and left:
    bytes as JSON, as it came and as it would leave.
    """

    at: datetime
    event: str
    tool: str
    verdict: Verdict
    rules: tuple[str, ...]
    gone: tuple[str, ...]
    changed: tuple[str, ...]
    size: int
    left: int
    revealed: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Note:
    """Something else to say, once. trouble: whether it keeps the run from being clean."""

    at: datetime
    what: str
    text: str
    trouble: bool = False


@dataclass
class Counts:
    """What a session saw."""

    events: int = 0
    requests: int = 0
    unreadable: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    unshown: int = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    removed: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    """Requests without events, by path."""

    @property
    def clean(self) -> bool:
        """Whether the policy would have sent all of it as it came."""
        return not self.unreadable and self.verdicts[Verdict.PASS] == self.events


class Session:
    """Takes from the server's threads (`take`, `note`); `lines` is read by one other thread.

    recording: where each event is written, as it came. reveal: put what is removed into `Seen.revealed`.
    """

    def __init__(self, settings: Settings, recording: Recording | None = None, reveal: bool = False) -> None:
        self._judge = Judge(settings)
        self._names = Names(settings.policy())
        self._recording = recording
        self._reveal = reveal
        self._lock = threading.Lock()
        self._noted: set[tuple[str, str]] = set()
        self.lines: queue.Queue[Seen | Note] = queue.Queue(_MOST_LINES)
        self.counts = Counts()
        self.failure: ListenError | None = None
        """Why it cannot go on, once it cannot."""

    def take(self, body: Body) -> None:
        """Judge the events of one request, in their order."""
        with self._lock:
            self.counts.requests += 1
            for arrival in body.arrivals:
                try:
                    self._take(arrival)
                except RecursionError:
                    self._unreadable(TOO_DEEP)
                except Exception as error:
                    # Its text may hold content.
                    self.failure = ListenError(f"judging an event failed with {type(error).__name__}; please report it")
                    return
            for reason in body.unreadable:
                self._unreadable(reason)

    def _unreadable(self, reason: str) -> None:
        self.counts.unreadable += 1
        self._say("unreadable", reason, True)

    def note(self, path: str, text: str) -> None:
        """Say once that something without events came to `path`."""
        with self._lock:
            self.counts.requests += 1
            if path in self.counts.others or len(self.counts.others) < _MOST_NOTES:
                self.counts.others[path] += 1
            self._say(path, text)

    def _take(self, arrival: Arrival) -> None:
        counts = self.counts
        counts.events += 1
        row = Row(arrival.event, SOURCE, counts.events, len(arrival.line))
        self._save(arrival.line)
        seen = self._seen(row, self._judge.judge(row))
        counts.verdicts[seen.verdict] += 1
        counts.bytes_in += seen.size
        counts.bytes_out += seen.left
        counts.rules.update(seen.rules)
        counts.removed.update(seen.gone)
        counts.redacted.update(seen.changed)
        self._show(seen)

    def _save(self, line: bytes) -> None:
        if self._recording is None or self.failure is not None:
            return
        try:
            self._recording.add(line)
        except ListenError as error:
            self.failure = error

    def _seen(self, row: Row, judged: Judged) -> Seen:
        name = row.event["event"]
        properties = row.event["properties"]
        fates = judged.fates if judged.verdict is not Verdict.DROP else {}
        gone = [one for one, fate in fates.items() if fate in (Fate.REMOVED, Fate.UNKNOWN)]
        changed = [one for one, fate in fates.items() if fate is Fate.REDACTED]
        tool = properties.get(listed.TOOL_NAME)
        return Seen(
            at=datetime.now().astimezone(),
            event=self._names.shown_event(name),
            tool=plain(tool) if tool is not None else "",
            verdict=judged.verdict,
            rules=judged.fired,
            gone=self._shown(gone, name),
            changed=self._shown(changed, name),
            size=row.size,
            left=len(dumps(judged.event)) if judged.event is not None else 0,
            revealed={one: properties.get(one) for one in (*gone, *changed)} if self._reveal else {},
        )

    def _shown(self, names: list[str], event_name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._names.shown(one, event_name) for one in names))

    def _say(self, what: str, text: str, trouble: bool = False) -> None:
        if (what, text) not in self._noted and len(self._noted) < _MOST_NOTES:
            self._noted.add((what, text))
            self._show(Note(datetime.now().astimezone(), what, text, trouble))

    def _show(self, line: Seen | Note) -> None:
        try:
            self.lines.put_nowait(line)
        except queue.Full:
            self.counts.unshown += 1
