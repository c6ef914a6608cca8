"""`scrubber listen`: a stand-in for PostHog on this machine, which shows what an app sends and what would leave."""

from __future__ import annotations

import json
import queue
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from scrubber.words.errors import ScrubberError

if TYPE_CHECKING:
    from scrubber.audit.listening.session import Session
    from scrubber.audit.listening.view import View

_TICK = 0.1
"""Seconds between two looks at whether it is time to end."""


class Format(str, Enum):
    """How what came is written."""

    TEXT = "text"
    JSON = "json"


class _Wish(NamedTuple):
    """What the user asked for."""

    port: int
    save: Path | None
    force: bool
    config: Path | None
    seconds: float | None
    events: int | None
    format: Format
    reveal: bool


def listen(
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")
    ] = 8000,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Also write each event to this file, as it came, as JSON lines."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file of --save.")] = False,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="PATH", help="Settings from this file; else SCRUBBER_* and SCRUBBER_CONFIG."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", min=0.1, help="End by itself after this time.")
    ] = None,
    events: Annotated[
        int | None, typer.Option("--events", metavar="N", min=1, help="End by itself after this many events.")
    ] = None,
    format_: Annotated[Format, typer.Option("--format", help="Lines for people, or JSON lines.")] = Format.TEXT,
    reveal: Annotated[bool, typer.Option("--reveal", help="Show the values that the policy takes out.")] = False,
) -> None:
    """Stand in for PostHog on 127.0.0.1, and show live what an app sends and what the policy would do with it.

    Point the app at it: Posthog("phc_any", host="http://127.0.0.1:8000"). Ctrl-C ends it with a summary. Exits 0 when
    the policy would have sent everything as it came, 1 when not, 2 when it could not run or less came than was asked.
    """
    wish = _Wish(port, save, force, config, seconds, events, format_, reveal)
    try:
        code = _listen(wish)
    except ScrubberError as error:
        if format_ is Format.JSON:
            typer.echo(json.dumps({"kind": "summary", "exit_code": 2, "error": str(error)}))
        else:
            typer.echo(f"scrubber listen: {error}", err=True)
        raise typer.Exit(2) from None
    raise typer.Exit(code)


def _listen(wish: _Wish) -> int:
    # The door is loaded when the command runs.
    from scrubber.audit.listening.outcome import outcome  # noqa: PLC0415
    from scrubber.audit.listening.saving import Recording  # noqa: PLC0415
    from scrubber.audit.listening.serving import Listening  # noqa: PLC0415
    from scrubber.audit.listening.session import Session  # noqa: PLC0415
    from scrubber.settings import Settings  # noqa: PLC0415

    settings = Settings.from_file(wish.config) if wish.config is not None else Settings()
    with ExitStack() as stack:
        ended = stack.enter_context(_signals())
        # The port first: where it is taken, no file is begun and none overwritten.
        listening = stack.enter_context(Listening(wish.port))
        recording = stack.enter_context(Recording(wish.save, wish.force)) if wish.save is not None else None
        session = Session(settings, recording, wish.reveal)
        view = _view(wish.format)
        with view.begin(listening.address):
            if wish.save is not None:
                typer.echo(f"Saving what comes to {wish.save}, content and all; only you can read it", err=True)
            with listening.serve(session):
                _watch(session, view, ended, wish)
            # What came while the server ended.
            _show(session, view)
        code, sentence = outcome(session.counts, wish.events)
        view.end(session.counts, wish.save, sentence, code)
        if session.failure is not None:
            raise session.failure
        return code


def _view(format_: Format) -> View:
    from rich.console import Console  # noqa: PLC0415

    from scrubber.audit.listening.view import Lines, Live  # noqa: PLC0415

    console = Console(highlight=False)
    if format_ is Format.TEXT and console.is_terminal:
        return Live(console)
    return Lines(typer.echo, lambda text: typer.echo(text, err=True), format_ is Format.JSON)


@contextmanager
def _signals() -> Iterator[threading.Event]:
    """Set when the user, or whoever runs this in the background, wants it to end. The second time ends it at once."""
    ended = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def end(*_: Any) -> None:
        ended.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    for number in before:
        signal.signal(number, end)
    try:
        yield ended
    finally:
        restore()


def _watch(session: Session, view: View, ended: threading.Event, wish: _Wish) -> None:
    """Show what comes until it is time to end."""
    deadline = time.monotonic() + wish.seconds if wish.seconds is not None else None
    while not ended.is_set() and session.failure is None:
        if wish.events is not None and session.counts.events >= wish.events:
            return
        if deadline is not None and time.monotonic() >= deadline:
            return
        _show(session, view, _TICK)


def _show(session: Session, view: View, wait: float = 0.0) -> None:
    """Show the lines that are there, the first of them within `wait` seconds."""
    try:
        line = session.lines.get(timeout=wait) if wait else session.lines.get_nowait()
        while True:
            view.line(line, session.counts)
            line = session.lines.get_nowait()
    except queue.Empty:
        return
