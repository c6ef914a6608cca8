"""`scrubber settings`: the policy in effect, its JSON Schema, a file to start from."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scrubber.words.errors import ScrubberError

if TYPE_CHECKING:
    from rich.console import Console

    from scrubber.audit.policy_view import Effective, InEffect


class Format(str, Enum):
    """How the settings are written."""

    TEXT = "text"
    JSON = "json"


def settings(
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of scrubber.toml instead.")] = False,
    init: Annotated[
        bool, typer.Option("--init", help="Print a commented scrubber.toml to start from instead.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="PATH", help="Settings from this file; else SCRUBBER_* and SCRUBBER_CONFIG."),
    ] = None,
    format_: Annotated[Format, typer.Option("--format", help="How to write the settings.")] = Format.TEXT,
) -> None:
    """Show the policy in effect, and where each setting came from.

    Reads what the hook reads: SCRUBBER_* variables, and the file that --config or SCRUBBER_CONFIG names. Exits 0, or 2
    where a setting cannot be honoured.
    """
    from scrubber.audit.policy_view import in_effect, starter  # noqa: PLC0415 - loads pydantic

    if schema and init:
        _refuse("--schema and --init each print a document; give one of them")
    if schema:
        from scrubber.audit.policy_schema import schema as make  # noqa: PLC0415

        typer.echo(json.dumps(make(), indent=2))
        return
    if init:
        typer.echo(starter(), nl=False)
        return
    try:
        found = in_effect(config)
    except ScrubberError as error:
        _refuse(str(error))
    if format_ is Format.JSON:
        typer.echo(json.dumps(_as_dict(found), indent=2))
    else:
        from rich.console import Console  # noqa: PLC0415 - rich is loaded for text only

        render(found, Console(highlight=False))


def _refuse(message: str) -> None:
    typer.echo(f"scrubber settings: {message}", err=True)
    raise typer.Exit(2)


def _as_dict(found: InEffect) -> dict[str, Any]:
    def one(setting: Effective) -> dict[str, Any]:
        return {"value": setting.value, "source": str(setting.source), "where": setting.where}

    return {"file": found.file, "settings": {setting.name: one(setting) for setting in found.settings}}


def render(found: InEffect, out: Console) -> None:
    """Print the settings: a table in a terminal, aligned plain lines elsewhere."""
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    rows = [(one.name, one.written, one.where or str(one.source)) for one in found.settings]
    if not out.is_terminal:
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for name, value, source in rows:
            typer.echo(f"{name:<{widths[0]}}  {value:<{widths[1]}}  {source}")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("Setting", no_wrap=True)
    table.add_column("Value", overflow="fold")
    table.add_column("From", overflow="fold")
    given = {one.name for one in found.set}
    for name, value, source in rows:
        style = "bold" if name in given else "dim"
        table.add_row(*(Text(cell, style=style) for cell in (name, value, source)))
    out.print(table)
    number = len(given)
    said = f"{number} of {len(rows)} settings given" if number else "The built-in policy: no setting is given"
    out.print(Text(f"{said}{f'; file {found.file}' if found.file else ''}."))
