"""The frame of the command line: one file for each command, which loads its door when it runs."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer

from scrubber.cli import apply, audit, baseline, compare, doctor, explain, listen, settings

app = typer.Typer(
    name="scrubber",
    help="The hook that decides what may leave a Python MCP server for PostHog.",
    no_args_is_help=True,
    add_completion=False,
    # A traceback with local variables would print what the hook is there to keep in.
    pretty_exceptions_enable=False,
)
app.command("audit")(audit.audit)
app.command("apply")(apply.apply)
app.command("explain")(explain.explain)
app.command("compare")(compare.compare)
app.command("baseline")(baseline.baseline)
app.command("settings")(settings.settings)
app.command("listen")(listen.listen)
app.command("doctor")(doctor.doctor)


def _unwrapped(text: str) -> str:
    """A docstring's paragraphs, each on one line: the width of the terminal breaks them, not that of the code."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n"))


for _command in app.registered_commands:
    _command.help = _unwrapped((_command.callback and _command.callback.__doc__) or "")


def _version(wanted: bool) -> None:
    if wanted:
        from scrubber import __version__  # noqa: PLC0415 - the front door imports the hook

        typer.echo(f"scrubber {__version__}")
        raise typer.Exit


@app.callback()
def scrubber(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """The hook that decides what may leave a Python MCP server for PostHog."""
