"""`scrubber baseline`: the list of what may leave, to be kept beside the code and reviewed like it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scrubber.words.errors import ScrubberError

if TYPE_CHECKING:
    from scrubber.audit.baseline import Baseline
    from scrubber.audit.records import Breach, Report

_STDOUT = Path("-")


def baseline(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Files, folders or globs of recorded events, or -.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where to write; - for standard output.")],
    update: Annotated[bool, typer.Option("--update", help="Add to FILE what is new, and say what was added.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="PATH", help="Settings from this file; else SCRUBBER_* and SCRUBBER_CONFIG."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="How many processes share the work.")] = 1,
) -> None:
    """Write down which events, properties and kinds of value leave under the policy.

    The file holds names alone, sorted: no value, no count, no date. The audit with --baseline FILE fails on anything
    that leaves and is not in it. Exits 0 when it was written, 1 when something could not be read, 2 when it could not
    run.
    """
    try:
        report, made, added = _make(paths, out, update, force, config, jobs)
    except ScrubberError as error:
        typer.echo(f"scrubber baseline: {error}", err=True)
        raise typer.Exit(2) from None
    for breach in added:
        typer.echo(said(breach))
    for line in _summary(report, made, out, len(added) if update else None):
        typer.echo(f"scrubber baseline: {line}", err=True)
    unread = report.unreadable_count or any(one.broken for one in report.files)
    raise typer.Exit(1 if unread else 0)


def _make(
    paths: list[str], out: Path, update: bool, force: bool, config: Path | None, jobs: int
) -> tuple[Report, Baseline, list[Breach]]:
    from scrubber.audit import baseline as door  # noqa: PLC0415 - the engine loads when the command runs
    from scrubber.audit.reading import open_inputs  # noqa: PLC0415
    from scrubber.audit.running import audit  # noqa: PLC0415
    from scrubber.cli.progress import reading  # noqa: PLC0415
    from scrubber.settings import Settings  # noqa: PLC0415

    if update and out == _STDOUT:
        raise ScrubberError("--update adds to a file; name one with -o")
    settings = Settings.from_file(config) if config is not None else Settings()
    before = door.load(out) if update and out.exists() else None
    if before is None and out != _STDOUT:
        door.check_free(out, force)
    report = audit(open_inputs(paths), settings, jobs=jobs, progress=reading)
    if not report.rows:
        raise ScrubberError("no event was read; nothing is written")
    made = door.make(report)
    added = door.breaches(report, before if before is not None else door.Baseline()) if update else []
    if before is not None:
        made = door.merged(before, made)
    if out == _STDOUT:
        typer.echo(door.dumps(made), nl=False)
    else:
        door.dump(made, out, force or before is not None)
    return report, made, added


def said(breach: Breach) -> str:
    """One thing that leaves and was in no baseline, on a line."""
    if breach.what == "event":
        return f"event     {breach.name}"
    return f"{breach.what:<8}  {breach.name} on {breach.event}: {', '.join(breach.kinds)}"


def _summary(report: Report, made: Baseline, out: Path, added: int | None) -> list[str]:
    from scrubber.audit.rendering.wording import counted  # noqa: PLC0415

    properties = len({name for names in made.events.values() for name in names})
    what = f"{counted(len(made.events), 'event name')} and {counted(properties, 'property', 'properties')} may leave"
    more = "" if added is None else f"; {counted(added, 'line')} added" if added else "; nothing was new"
    lines = [f"{out}: {what}{more} ({counted(report.rows, 'event')} read)"]
    if made.masked:
        names = counted(made.masked, "name")
        lines.append(
            f"{names} may be content and stand{'s' if made.masked == 1 else ''} as *, which covers every such name"
        )
    lines += [f"{one.file}:{one.line}: {one.reason}" for one in report.unreadable]
    left = report.unreadable_count - len(report.unreadable)
    lines += [f"{counted(left, 'more record')} could not be read"] if left > 0 else []
    return lines + [f"{one.name}: ended early: {one.broken}" for one in report.files if one.broken]
