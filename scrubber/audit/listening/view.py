"""What listening looks like: a line for each event as it comes, and what it came to at the end.

Three ways: a terminal (colour, and a line with the counts below), plain lines elsewhere, JSON lines for programs. No
value of an event, but under `--reveal`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.padding import Padding
from rich.status import Status
from rich.text import Text

from scrubber.audit.listening.outcome import plural
from scrubber.audit.listening.session import Counts, Note, Seen
from scrubber.audit.reading.json_text import dumps, loads
from scrubber.words.verdict import Verdict

_STYLES = {Verdict.PASS: "green", Verdict.REDACT: "yellow", Verdict.DROP: "magenta"}
_INDENT = 10
_LONGEST_VALUE = 400
_MOST_NAMES = 12

Say = Callable[[str], None]


class View(Protocol):
    """One way to show a session."""

    def begin(self, address: str) -> Any:
        """A context in which lines are shown."""

    def line(self, line: Seen | Note, counts: Counts) -> None:
        """Show what came."""

    def end(self, counts: Counts, saved: Path | None, outcome: str, exit_code: int) -> None:
        """Show what it came to. outcome: the sentence about it."""


class Lines:
    """Plain lines, or JSON lines; `say` prints one and `aside` says what is no part of the result."""

    def __init__(self, say: Say, aside: Say, as_json: bool = False) -> None:
        self._say = say
        self._aside = aside
        self._json = as_json

    @contextmanager
    def begin(self, address: str) -> Iterator[None]:
        """Say where it listens."""
        if self._json:
            self._dump("listening", address=address)
        else:
            self._aside(listening(address))
        yield

    def line(self, line: Seen | Note, counts: Counts) -> None:
        """One line; those of `--reveal` below it."""
        if self._json:
            self._dump("event" if isinstance(line, Seen) else "note", **as_dict(line))
        elif isinstance(line, Note):
            self._say(f"{line.at:%H:%M:%S}  {'note':<6}  {line.what}: {line.text}")
        else:
            self._say("  ".join(filter(None, (*_columns(line), *(text for text, _ in _details(line))))).rstrip())
            for text in _revealed(line):
                self._say(" " * _INDENT + text)

    def end(self, counts: Counts, saved: Path | None, outcome: str, exit_code: int) -> None:
        """The summary."""
        if self._json:
            self._dump("summary", **summary_dict(counts, saved), outcome=outcome, exit_code=exit_code)
            return
        for label, text in summary(counts, saved):
            self._say(f"{label:<{_INDENT}}{text}".rstrip())
        self._say(outcome)

    def _dump(self, kind: str, **content: Any) -> None:
        self._say(json.dumps({"kind": kind, **content}))


class Live:
    """A terminal: coloured lines that scroll, and the counts so far below them."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status: Status | None = None
        self._address = ""

    @contextmanager
    def begin(self, address: str) -> Iterator[None]:
        """Say where it listens, and keep the counts in the last line."""
        self._address = address
        self._console.print(Text(listening(address), style="bold"))
        with self._console.status(Text("waiting for events; Ctrl-C ends")) as self._status:
            yield

    def line(self, line: Seen | Note, counts: Counts) -> None:
        """One line, or two where the names of properties need the room."""
        if isinstance(line, Note):
            text = Text.assemble((f"{line.at:%H:%M:%S}  ", "dim"), ("note    ", "bold red" if line.trouble else "bold"))
            self._print(text.append(f"{line.what}: {line.text}"))
        else:
            self._event(line)
        if self._status is not None:
            self._status.update(Text(f"{_verdicts(counts)}; Ctrl-C ends"))

    def _event(self, seen: Seen) -> None:
        at, verdict, event, tool, size = _columns(seen)
        text = Text.assemble((f"{at}  ", "dim"), (verdict, _STYLES[seen.verdict]), f"  {event}  {tool}  {size}  ")
        details = Text("  ").join(Text(part, style=style) for part, style in _details(seen))
        on_one_line = text.cell_len + details.cell_len <= self._console.width
        if on_one_line:
            text.append_text(details)
        text.rstrip()
        self._print(text)
        if details and not on_one_line:
            self._print(details, _INDENT)
        for revealed in _revealed(seen):
            self._print(Text(revealed, style="red"), _INDENT)

    def _print(self, text: Text, indent: int = 0) -> None:
        self._console.print(Padding(text, (0, 0, 0, indent)) if indent else text)

    def end(self, counts: Counts, saved: Path | None, outcome: str, exit_code: int) -> None:
        """The summary."""
        self._console.print()
        for label, text in summary(counts, saved):
            self._console.print(Text.assemble((f"{label:<{_INDENT}}", "bold"), text))
        style = {0: "bold green", 1: "bold yellow"}.get(exit_code, "bold red")
        self._console.print(Text(outcome, style=style))


def listening(address: str) -> str:
    """What is said first."""
    return f'Listening on {address} for Posthog(..., host="{address}")'


def _columns(seen: Seen) -> tuple[str, str, str, str, str]:
    size = size_text(seen.size)
    if seen.verdict is Verdict.REDACT:
        size = f"{size}, leaves {size_text(seen.left)}"
    return f"{seen.at:%H:%M:%S}", f"{seen.verdict:<6}", f"{seen.event:<20}", f"{seen.tool:<14}", f"{size:<24}"


def _details(seen: Seen) -> list[tuple[str, str]]:
    parts = []
    if seen.gone:
        parts.append((f"removes {_names(seen.gone)}", ""))
    if seen.changed:
        parts.append((f"redacts {_names(seen.changed)}", ""))
    if seen.rules:
        parts.append((f"[{', '.join(seen.rules)}]", "dim"))
    return parts


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return " ".join(names[:_MOST_NAMES]) + more


def _revealed(seen: Seen) -> list[str]:
    """Each revealed value on a line of its own, cut, and without anything that a terminal would obey."""
    return [f"{printable(name)} = {printable(_json(value))}" for name, value in seen.revealed.items()]


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}... ({len(text)} characters)"


def printable(text: str) -> str:
    """`text` with every control character written as an escape."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)


def size_text(size: int) -> str:
    """Bytes in words: `812 B`, `1.9 kB`, `3.4 MB`."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def _verdicts(counts: Counts) -> str:
    return f"{plural(counts.events, 'event')}: " + ", ".join(f"{counts.verdicts[one]} {one}" for one in Verdict)


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(counter.items(), key=lambda one: (-one[1], one[0])))


def summary(counts: Counts, saved: Path | None) -> list[tuple[str, str]]:
    """What it came to, as lines of a label and a text."""
    sizes = f"{size_text(counts.bytes_in)} came, {size_text(counts.bytes_out)} would leave"
    lines = [("Came", f"{_verdicts(counts)}; {sizes}")]
    for label, counter in (
        ("Removed", counts.removed),
        ("Redacted", counts.redacted),
        ("Rules", counts.rules),
        ("Others", counts.others),
    ):
        if counter:
            lines.append((label, _counted(counter)))
    if counts.unshown:
        lines.append(("Unshown", f"{counts.unshown} lines came faster than they could be shown"))
    if saved is not None:
        lines.append(("Saved", f"{plural(counts.events, 'event')} in {saved}"))
    return lines


def as_dict(line: Seen | Note) -> dict[str, Any]:
    """A line as JSON has it."""
    if isinstance(line, Note):
        return {"at": line.at.isoformat(), "what": line.what, "text": line.text, "trouble": line.trouble}
    content = {
        "at": line.at.isoformat(),
        "event": line.event,
        "tool": line.tool,
        "verdict": str(line.verdict),
        "rules": list(line.rules),
        "removed": list(line.gone),
        "redacted": list(line.changed),
        "bytes_in": line.size,
        "bytes_out": line.left,
    }
    # By way of our own JSON, because Python's would write NaN, which other programs do not read.
    return {**content, "revealed": loads(dumps(line.revealed))} if line.revealed else content


def summary_dict(counts: Counts, saved: Path | None) -> dict[str, Any]:
    """The counts as JSON has them."""
    return {
        "events": counts.events,
        "verdicts": {str(one): counts.verdicts[one] for one in Verdict},
        "unreadable": counts.unreadable,
        "bytes_in": counts.bytes_in,
        "bytes_out": counts.bytes_out,
        "removed": dict(counts.removed),
        "redacted": dict(counts.redacted),
        "rules": dict(counts.rules),
        "others": dict(counts.others),
        "saved": str(saved) if saved is not None else None,
    }
