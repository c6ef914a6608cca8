"""The command line. `main` is what the `scrubber` script and `python -m scrubber` call."""

from __future__ import annotations


def main() -> None:
    """Run the command that `sys.argv` asks for, and exit with its code."""
    from scrubber.cli.app import app  # noqa: PLC0415 - typer is loaded when a command runs, not with the package

    app()
