"""The audit of whole inputs, by one process or several.

The first process reads, and audits whatever the others have no room for; each of the others gets batches as they were
read and gives its tally back at the end. A batch brings the rows above it, so what comes out does not depend on who
audits it, or on how many do.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from scrubber.audit.desk import Desk, Part
from scrubber.audit.reading import Source
from scrubber.audit.records import Report
from scrubber.audit.workers import Workers
from scrubber.settings import Settings

_COLLECT_AFTER = 200_000
"""Objects made before Python looks for cycles; what the audit makes has none, and looking takes a tenth of the time."""

Progress = Callable[[str, "int | None"], AbstractContextManager[Callable[[int], None]]]
"""Name and size of an input in; a context in which to call what it gives with the bytes read so far."""


def audit(
    sources: Sequence[Source],
    settings: Settings,
    *,
    jobs: int = 1,
    reveal: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Audit inputs under one policy.

    jobs: processes, this one included. progress: told for each input how much was read. Whatever ends this call early,
    Ctrl-C too, ends the other processes at once.
    """
    with _few_collections():
        part = _run(sources, settings, jobs, reveal, progress or (lambda name, size: nullcontext(lambda read: None)))
    for at, source in enumerate(sources):
        source.read.rows = part.rows.get(at, 0)
        source.read.unreadable = part.unreadable.get(at, 0)
    report = part.tally.report()
    report.settings = changed_settings(settings)
    report.profile = settings.profile
    report.files = [source.read for source in sources]
    report.unreadable = [one for _, one in part.first]
    return report


def _run(sources: Sequence[Source], settings: Settings, jobs: int, reveal: bool, progress: Progress) -> Part:
    desk = Desk(settings, reveal)
    with Workers(jobs - 1, settings, reveal) as workers:
        for at, source in enumerate(sources):
            with progress(source.name, source.size) as tell:
                for number, batch in enumerate(source.batches()):
                    if not workers.offer(at, number, batch):
                        desk.take(at, number, batch)
                    tell(batch.consumed)
        part = desk.part()
        for other in workers.parts():
            part.merge(other)
    return part


def changed_settings(settings: Settings) -> dict[str, Any]:
    """The settings that differ from the defaults, as given."""
    return {
        name: getattr(settings, name)
        for name, field in Settings.model_fields.items()
        if getattr(settings, name) != field.get_default(call_default_factory=True)
    }


@contextmanager
def _few_collections() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(_COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
