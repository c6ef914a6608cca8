"""`scrubber explain`: one event, and why it passes, is redacted or is dropped."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scrubber.words.errors import ScrubberError

if TYPE_CHECKING:
    from scrubber.audit.explaining import Explanation


class Format(str, Enum):
    """How the explanation is written."""

    TEXT = "text"
    JSON = "json"


def explain(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="A file with the event, or - for standard input.")],
    line: Annotated[
        int | None, typer.Option("--line", metavar="N", min=1, help="The event at this line, of a file with several.")
    ] = None,
    uuid: Annotated[
        str | None, typer.Option("--uuid", metavar="UUID", help="The event with this uuid, of a file with several.")
    ] = None,
    call: Annotated[
        Path | None,
        typer.Option("--call", metavar="PATH", help="A file with the call event of an $exception, if not above it."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="PATH", help="Settings from this file; else SCRUBBER_* and SCRUBBER_CONFIG."),
    ] = None,
    format_: Annotated[Format, typer.Option("--format", help="How to write the explanation.")] = Format.TEXT,
    reveal: Annotated[bool, typer.Option("--reveal", help="Show values and texts from the event, too.")] = False,
) -> None:
    """Explain what the hook would do with one event, and on which evidence.

    Each rule's verdict; each property with what happens to it and why; for an $exception, link by link and frame by
    frame why it was held for an argument refusal or not, and whether what the caller sent explains it: the events above
    it in its file are looked at, as the hook would have seen them. No value is shown without --reveal.

    Exits 0 where the event passes unchanged, 1 where something is removed, redacted or dropped, 2 when it could not
    run.
    """
    try:
        found = _explain(event, line, uuid, call, config)
    except ScrubberError as error:
        typer.echo(f"scrubber explain: {error}", err=True)
        raise typer.Exit(2) from None
    from scrubber.cli.explain_text import as_json, render  # noqa: PLC0415 - loads rich

    if format_ is Format.JSON:
        typer.echo(as_json(found, reveal))
    else:
        render(found, reveal)
    raise typer.Exit(found.exit_code)


def _explain(event: str, line: int | None, uuid: str | None, call: Path | None, config: Path | None) -> Explanation:
    from scrubber.audit.explaining import explain as make  # noqa: PLC0415 - the engine loads when the command runs
    from scrubber.audit.explaining.choosing import all_rows, choose  # noqa: PLC0415
    from scrubber.audit.reading import only_input  # noqa: PLC0415
    from scrubber.settings import Settings  # noqa: PLC0415

    settings = Settings.from_file(config) if config is not None else Settings()
    row, above = choose(only_input(event), line, uuid)
    if call is not None:
        above = all_rows(only_input(str(call)))
    return make(row, settings, above)
