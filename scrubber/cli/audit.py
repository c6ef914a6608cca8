"""`scrubber audit`: what the policy does with recorded events, and what had already left in them."""

from __future__ import annotations

import json
import shutil
import sys
import time
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scrubber.words.errors import ScrubberError

if TYPE_CHECKING:
    from scrubber.audit.records import Report

_PLAIN_WIDTH = 120
_INTERRUPTED = 130


class Format(str, Enum):
    """How the report is written."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


class Fail(str, Enum):
    """What makes the exit status 1."""

    LEAK = "leak"
    UNKNOWN = "unknown"
    REFUSAL = "refusal"
    SHAPE = "shape"


def audit(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files, folders or globs of recorded events, or -.")
    ],
    format_: Annotated[Format, typer.Option("--format", help="How to write the report.")] = Format.TEXT,
    fail_on: Annotated[
        list[Fail] | None,
        typer.Option(
            "--fail-on",
            help="Exit 1 only on this; may be given more than once. leak: content in what was sent. unknown: a "
            "property that no list names. refusal: an argument refusal. shape: what passes looks like a credential or "
            "an address.",
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="FILE", help="Exit 1 if something leaves that this baseline does not list."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="How many processes share the work.")] = 1,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Show the value of each example. Mind who reads it.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="PATH", help="Settings from this file; else SCRUBBER_* and SCRUBBER_CONFIG."),
    ] = None,
) -> None:
    """Run the policy over recorded events and report every property, what happens to it, and what leaked.

    Reads JSON lines, JSON, CSV and Parquet, packed or not, as PostHog exports them and as `scrubber listen` saves them.
    A finding is whatever the policy would have removed, redacted or dropped: a recording that went through the hook is
    clean.

    The report goes to stdout and holds no value of an event, unless --reveal asks for it. Exits 0 where clean, 1 on a
    finding, 2 when it could not run, could not read all of the input, or found no event in it.
    """
    started = time.perf_counter()
    try:
        report = _audit(paths, config, baseline, jobs, reveal)
    except ScrubberError as error:
        _refuse(str(error), format_)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo("scrubber audit: interrupted", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    typer.echo(_written(report, format_), nl=False)
    status = exit_status(report, frozenset(fail_on or ()))
    typer.echo(_summary(report, time.perf_counter() - started, status), err=True)
    raise typer.Exit(status)


def _audit(paths: list[str], config: Path | None, baseline: Path | None, jobs: int, reveal: bool) -> Report:
    from scrubber import __version__  # noqa: PLC0415 - the engine loads when the command runs
    from scrubber.audit.reading import open_inputs  # noqa: PLC0415
    from scrubber.audit.running import audit as run  # noqa: PLC0415
    from scrubber.cli.progress import reading  # noqa: PLC0415
    from scrubber.settings import Settings  # noqa: PLC0415

    settings = Settings.from_file(config) if config is not None else Settings()
    if baseline is None:
        report = run(open_inputs(paths), settings, jobs=jobs, reveal=reveal, progress=reading)
    else:
        from scrubber.audit import baseline as against  # noqa: PLC0415

        # First, so that a mistake in it is said before the work and not after.
        listed = against.load(baseline)
        report = run(open_inputs(paths), settings, jobs=jobs, reveal=reveal, progress=reading)
        report.baseline = against.breaches(report, listed)
    report.version = __version__
    return report


def exit_status(report: Report, fail_on: frozenset[Fail] = frozenset()) -> int:
    """The status for a report. fail_on: what alone is a finding, besides what a baseline does not list; nothing given
    means all that the policy would have changed."""
    from scrubber.audit.records import Fate  # noqa: PLC0415
    from scrubber.words.verdict import Verdict  # noqa: PLC0415

    if not report.rows or report.unreadable_count or any(one.broken for one in report.files):
        return 2
    found = {
        Fail.LEAK: any(leak.kind.is_finding for leak in report.leaks),
        Fail.UNKNOWN: any(use.fates.get(Fate.UNKNOWN) for use in report.properties),
        Fail.REFUSAL: bool(report.refusals),
        Fail.SHAPE: any(not leak.kind.is_finding for leak in report.leaks),
    }
    changed = report.rows > report.verdicts[Verdict.PASS]
    failed = any(found[one] for one in fail_on) if fail_on else changed
    return 1 if failed or report.baseline else 0


def _written(report: Report, format_: Format) -> str:
    """The report in its form; each loads what it needs and no more."""
    if format_ is Format.JSON:
        from scrubber.audit.rendering.json_form import render_json  # noqa: PLC0415

        text = render_json(report)
    elif format_ is Format.MARKDOWN:
        from scrubber.audit.rendering.markdown import render_markdown  # noqa: PLC0415

        text = render_markdown(report)
    elif format_ is Format.HTML:
        from scrubber.audit.rendering.page import render_html  # noqa: PLC0415

        text = render_html(report)
    else:
        from scrubber.audit.rendering.text import render_text  # noqa: PLC0415

        color = sys.stdout.isatty()
        text = render_text(report, width=shutil.get_terminal_size().columns if color else _PLAIN_WIDTH, color=color)
    return text if text.endswith("\n") else f"{text}\n"


def _summary(report: Report, seconds: float, status: int) -> str:
    from scrubber.audit.rendering.outcome import outcome  # noqa: PLC0415
    from scrubber.audit.rendering.wording import counted, size  # noqa: PLC0415

    read = f"{counted(report.rows, 'event')} of {counted(len(report.files), 'file')} in {seconds:.1f} s"
    speed = f" ({size(int(report.bytes_in / seconds))}/s)" if seconds else ""
    return f"scrubber audit: {outcome(report).sentence} {read}{speed}; exit status {status}"


def _refuse(message: str, format_: Format) -> None:
    """Say why nothing was audited."""
    if format_ is Format.JSON:
        typer.echo(json.dumps({"state": "could not run", "exit_code": 2, "error": message}, indent=2))
    typer.echo(f"scrubber audit: {message}", err=True)
