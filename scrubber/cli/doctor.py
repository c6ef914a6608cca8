"""`scrubber doctor`: does the hook do its work here, with what is installed?"""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scrubber.words.errors import ScrubberError

if TYPE_CHECKING:
    from scrubber.doctor import Report


class Format(str, Enum):
    """How the report is written."""

    TEXT = "text"
    JSON = "json"


def doctor(
    client: Annotated[
        str | None,
        typer.Option("--client", metavar="MODULE:ATTRIBUTE", help="Also look at the options of your own client."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="PATH", help="Settings from this file; else SCRUBBER_* and SCRUBBER_CONFIG."),
    ] = None,
    format_: Annotated[Format, typer.Option("--format", help="How to write the report.")] = Format.TEXT,
) -> None:
    """Try the hook on small in-memory servers of every installed MCP SDK.

    Provokes each kind of refusal and fault and says whether the hook dropped or kept it, and whether anything planted
    in it left. Nothing leaves this machine. Exits 0 when sound, 1 on a finding, 2 when it could not run.
    """
    try:
        report = _examine(client, config, format_)
    except ScrubberError as error:
        _refuse(str(error), format_)
        raise typer.Exit(2) from None
    if format_ is Format.JSON:
        typer.echo(json.dumps(report.as_dict(), indent=2))
    else:
        from scrubber.cli.doctor_text import render  # noqa: PLC0415 - rich is loaded for text only

        render(report)
    raise typer.Exit(report.exit_code)


def _examine(client: str | None, config: Path | None, format_: Format) -> Report:
    # The door and the hook load pydantic and, in the end, every SDK: not before the command runs.
    from scrubber.doctor import examine, load_client  # noqa: PLC0415
    from scrubber.hook import Scrubber  # noqa: PLC0415
    from scrubber.settings import Settings  # noqa: PLC0415

    settings = Settings.from_file(config) if config is not None else Settings()
    found: Any = load_client(client) if client is not None else None
    if format_ is Format.JSON or not sys.stderr.isatty():
        return examine(Scrubber, settings, found)
    from rich.console import Console  # noqa: PLC0415

    # This very stream: the doctor swallows whatever else is written to sys.stderr meanwhile.
    with Console(file=sys.stderr).status("scrubber doctor") as status:
        return examine(Scrubber, settings, found, lambda doing: status.update(f"{doing} ..."))


def _refuse(message: str, format_: Format) -> None:
    """Say why nothing was checked."""
    if format_ is Format.JSON:
        typer.echo(json.dumps({"verdict": "could not run", "exit_code": 2, "error": message}, indent=2))
    else:
        typer.echo(f"scrubber doctor: {message}", err=True)
