"""A progress bar for long reading, on stderr, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def reading(name: str, size: int | None) -> Iterator[Callable[[int], None]]:
    """Show how much of an input was read while the block runs, with the rate and the time left.

    size: its bytes, None where that is not known. Gives the function to call with the bytes read so far.
    """
    if not sys.stderr.isatty():
        yield lambda consumed: None
        return
    from rich.console import Console  # noqa: PLC0415 - loaded for a terminal only
    from rich.markup import escape  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(name), total=size)
        yield lambda consumed: bar.update(task, completed=consumed)
