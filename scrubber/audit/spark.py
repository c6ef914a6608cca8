"""The audit on Spark, for exports beyond one machine: the same per-event function, as a map over partitions.

    pip install 'posthog-scrubber[spark]'
    spark-submit --master 'local[4]' "$(python -c 'import scrubber.audit.spark as s; print(s.__file__)')" \\
        's3a://bucket/events/*.jsonl.gz' --config scrubber.toml --format html > report.html

Reads JSON lines, plain or in what Hadoop unpacks by itself. The workers need this package too: install it there, or
send a packed environment with `--archives`.

An `$exception` is judged with the failed call before it, so the two must meet in one partition and in their order. All
events of one `distinct_id` go to one partition and are sorted there by timestamp, calls before exceptions. Two things
follow. The report does not depend on how the input was split. And it is that of one process over the same lines, except
where a file does not have them in the order of capture: one process then does not find a call more than 64 rows away,
or below its exception, and lets the exception's own evidence decide; Spark finds it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from scrubber.audit.auditing import Auditor
from scrubber.audit.desk import Part, Place
from scrubber.audit.reading import loads
from scrubber.audit.reading.events import NO_JSON, row_of
from scrubber.audit.records import FileRead, Report, Row, Unreadable
from scrubber.audit.running import changed_settings
from scrubber.settings import Settings
from scrubber.words.properties import EXCEPTION_EVENT

if TYPE_CHECKING:
    from pyspark import RDD

NAME = "spark"
"""What stands for the name of a file; a line is one of the whole input, in the order in which Spark lists its parts."""


def audit_partition(records: Iterable[Row | Unreadable], settings: Settings, reveal: bool = False) -> Part:
    """Audit the records of one partition, sorted by `order_of`. What goes in and comes out can be pickled, so this is
    the unit of work on any engine; parts are added up with `Part.merge`."""
    auditor, part = Auditor(settings, reveal), Part()
    for number, one in enumerate(records, 1):
        if isinstance(one, Unreadable):
            part.add_unreadable(0, [(Place(0, one.line), one)])
        else:
            auditor.add(one._replace(line=number), one.line)
            part.rows[0] = part.rows.get(0, 0) + 1
    part.tally = auditor.tally()
    return part


def audit_lines(lines: RDD[str], settings: Settings, *, reveal: bool = False, partitions: int = 0) -> Report:
    """Audit JSON texts of events, one each, as `SparkContext.textFile` gives them.

    partitions: how many to sort the events into; as many as they came in, if not given.
    """
    records = lines.zipWithIndex().filter(lambda pair: bool(pair[0].strip())).map(record_of)
    number = partitions or max(lines.getNumPartitions(), 1)
    placed = records.keyBy(order_of).repartitionAndSortWithinPartitions(number, _partition_of)
    parts = placed.values().mapPartitions(lambda each: [audit_partition(each, settings, reveal)])
    part: Part = parts.treeReduce(_merged)
    report: Report = part.tally.report()
    report.settings, report.profile = changed_settings(settings), settings.profile
    report.files = [FileRead(NAME, "JSON lines, Spark", part.rows.get(0, 0), part.unreadable.get(0, 0))]
    report.unreadable = [one for _, one in part.first]
    return report


def record_of(pair: tuple[str, int]) -> Row | Unreadable:
    """The row of a JSON text and its place in the input, or the reason why it is none."""
    text, at = pair
    try:
        return row_of(loads(text), NAME, at + 1, len(text.encode("utf-8", "surrogatepass")))
    except (ValueError, RecursionError):
        return Unreadable(NAME, at + 1, NO_JSON)


def order_of(one: Row | Unreadable) -> tuple[str, str, bool, int]:
    """What records are sorted by: person, time, calls before exceptions, place."""
    if isinstance(one, Unreadable):
        return "", "", False, one.line
    event = one.event
    return str(event.get("distinct_id")), str(event.get("timestamp")), event["event"] == EXCEPTION_EVENT, one.line


def _partition_of(key: tuple[str, str, bool, int]) -> int:
    # Python's own hash of a text differs from process to process.
    return crc32(key[0].encode("utf-8", "surrogatepass"))


def _merged(one: Part, other: Part) -> Part:
    one.merge(other)
    return one


def main(arguments: list[str] | None = None) -> int:
    """What `spark-submit` runs: the report to stdout. Exits 0, or 2 where some of the input could not be read."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    parser = argparse.ArgumentParser(prog="scrubber.audit.spark", description="Audit recorded events on Spark.")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="JSON lines, as Spark names them")
    parser.add_argument("--config", type=Path, help="settings from this file; else SCRUBBER_* and SCRUBBER_CONFIG")
    parser.add_argument("--format", choices=["text", "json", "markdown", "html"], default="json")
    parser.add_argument("--partitions", type=int, default=0, help="how many to sort the events into")
    parser.add_argument("--reveal", action="store_true", help="show the value of each example")
    given = parser.parse_args(arguments)
    settings = Settings.from_file(given.config) if given.config is not None else Settings()
    context = SparkSession.builder.appName("scrubber audit").getOrCreate().sparkContext
    lines = context.textFile(",".join(given.paths))
    report = audit_lines(lines, settings, reveal=given.reveal, partitions=given.partitions)
    sys.stdout.write(_written(report, given.format))
    return 2 if report.unreadable_count else 0


def _written(report: Report, form: str) -> str:
    render: Any
    if form == "html":
        from scrubber.audit.rendering.page import render_html as render  # noqa: PLC0415 - each loads what it needs
    elif form == "markdown":
        from scrubber.audit.rendering.markdown import render_markdown as render  # noqa: PLC0415
    elif form == "json":
        from scrubber.audit.rendering.json_form import render_json as render  # noqa: PLC0415
    else:
        from scrubber.audit.rendering.text import render_text  # noqa: PLC0415

        return render_text(report, width=120, color=False)
    return str(render(report))


if __name__ == "__main__":
    sys.exit(main())
