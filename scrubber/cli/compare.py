"""`scrubber compare`: what changes between two policies, over recorded events."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scrubber.words.errors import ScrubberError

if TYPE_CHECKING:
    from scrubber.audit.comparing import Comparison


class Format(str, Enum):
    """How the comparison is written."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


class Fail(str, Enum):
    """What makes the exit status 1."""

    CHANGED = "changed"
    OPENED = "opened"


def compare(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Files, folders or globs of recorded events, or -.")
    ],
    old: Annotated[Path, typer.Option("--old", metavar="PATH", help="The settings as they are.")],
    new: Annotated[Path, typer.Option("--new", metavar="PATH", help="The settings as they would be.")],
    fail_on: Annotated[
        Fail, typer.Option("--fail-on", help="Exit 1 on any change, or only if something newly leaves.")
    ] = Fail.CHANGED,
    format_: Annotated[Format, typer.Option("--format", help="How to write the comparison.")] = Format.TEXT,
) -> None:
    """Show what changes between two policies: what newly leaves, what no longer does, and which verdicts.

    Both are run over the same events by the hook's engine. A property that leaves under both is looked into: it newly
    leaves where some of what came in it does. Exits 0 where nothing changes, 1 where something does, 2 when it could
    not run, could not read all of the input, or found no event in it.
    """
    try:
        found = _compare(paths, old, new)
    except ScrubberError as error:
        typer.echo(f"scrubber compare: {error}", err=True)
        raise typer.Exit(2) from None
    from scrubber.cli import compare_text as text  # noqa: PLC0415 - loads rich

    if format_ is Format.JSON:
        typer.echo(text.as_json(found))
    elif format_ is Format.MARKDOWN:
        typer.echo(text.as_markdown(found), nl=False)
    else:
        text.render(found)
    for line in text.unread(found):
        typer.echo(f"scrubber compare: {line}", err=True)
    if found.incomplete or not found.events:
        raise typer.Exit(2)
    raise typer.Exit(int(found.opens if fail_on is Fail.OPENED else found.changes))


def _compare(paths: list[str], old: Path, new: Path) -> Comparison:
    from scrubber.audit.comparing import compare as run  # noqa: PLC0415 - the engine loads when the command runs
    from scrubber.audit.reading import open_inputs  # noqa: PLC0415
    from scrubber.cli.progress import reading  # noqa: PLC0415
    from scrubber.settings import Settings  # noqa: PLC0415
    from scrubber.settings_help import CONFIG, PREFIX  # noqa: PLC0415

    before, after = Settings.from_file(old), Settings.from_file(new)
    given = sorted(name for name in os.environ if name.upper().startswith(PREFIX) and name.upper() != CONFIG)
    if given:
        typer.echo(f"scrubber compare: {', '.join(given)} in the environment wins over both files", err=True)
    return run(open_inputs(paths), before, after, reading)
