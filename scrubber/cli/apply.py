"""`scrubber apply`: a recording as the policy would have let it leave."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scrubber.words.errors import ScrubberError

if TYPE_CHECKING:
    from scrubber.audit.writing import Applied


def apply(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file of recorded events, or - for standard input.")],
    out: Annotated[str, typer.Option("--out", "-o", metavar="OUT", help="Where to write; - for standard output.")],
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="PATH", help="Settings from this file; else SCRUBBER_* and SCRUBBER_CONFIG."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite OUT if it exists.")] = False,
) -> None:
    """Write a recording again as the policy lets it leave, in the format and compression it came in.

    Events that the policy drops are left out. OUT is there whole or not at all. Exits 0 when all was written, 1 when
    records that could not be read were left out, 2 when it could not run.
    """
    from scrubber.audit.reading import only_input  # noqa: PLC0415 - loaded when the command runs
    from scrubber.audit.writing import apply as run  # noqa: PLC0415
    from scrubber.cli.ending import tidy_on_sigterm  # noqa: PLC0415
    from scrubber.cli.progress import reading  # noqa: PLC0415
    from scrubber.settings import Settings  # noqa: PLC0415

    try:
        settings = Settings.from_file(config) if config is not None else Settings()
        source = only_input(path)
        with tidy_on_sigterm(), reading(path, source.size) as seen:
            done = run(source, out, settings, force=force, seen=seen)
    except ScrubberError as error:
        typer.echo(f"scrubber apply: {error}", err=True)
        raise typer.Exit(2) from None
    for line in summary(done, source.format, settings.profile == "strict"):
        typer.echo(line, err=True)
    raise typer.Exit(1 if done.left_out or done.broken else 0)


def summary(done: Applied, format_: str, strict: bool) -> list[str]:
    """What to say of a run, a line each."""
    failed = f" ({done.failed} because a rule failed)" if done.failed else ""
    said = [
        f"scrubber apply: {format_}: {_events(done.read)} read, {done.written} written"
        f" ({done.redacted} of them redacted), {done.dropped} dropped{failed}"
    ]
    if done.beside:
        what = "emptied, as the hook never judges them" if strict else "kept as they came: the hook never judges them"
        said.append(f"  beside the events, {what}: {', '.join(done.beside)}")
    if done.lost:
        said.append(f"  the policy adds these, and the table has no column for them: {', '.join(done.lost)}")
    said += [f"  left out: {one.file}:{one.line}: {one.reason}" for one in done.unreadable]
    if done.left_out > len(done.unreadable):
        said.append(f"  left out: {done.left_out - len(done.unreadable)} more that could not be read")
    if done.broken:
        said.append(f"  ended early: {done.broken}; what was read before is written")
    return said


def _events(number: int) -> str:
    return "1 event" if number == 1 else f"{number} events"
