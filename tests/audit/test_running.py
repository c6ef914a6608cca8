"""Auditing whole inputs: the same report from one process and from several, however the input is cut."""

from __future__ import annotations

import gc
import gzip
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest

from scrubber import Settings
from scrubber.audit import running, workers
from scrubber.audit.desk import Desk
from scrubber.audit.reading import lines as reading_lines
from scrubber.audit.reading import open_inputs
from scrubber.audit.records import Report
from scrubber.audit.running import audit
from scrubber.words.errors import ScrubberError

from ..support import RECORDED, call, recorded
from .files import lines

FILES = ("mcp1-1.26.0", "mcp2-2.3.0", "fastmcp4-4.2.3")
EVENTS = [one.event for one in recorded() if one.file.startswith(FILES)]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three recordings in one file, in the order of capture, with a broken line here and there."""
    path = tmp_path_factory.mktemp("audit") / "all.jsonl"
    with path.open("wb") as file:
        for at, event in enumerate(EVENTS):
            file.write(orjson.dumps(event) + b"\n")
            if at % 300 == 100:
                file.write(b"{broken\n\n[]\n")
    return path


def report_of(path: Path, jobs: int = 1, policy: Settings | None = None) -> Report:
    return audit(open_inputs([str(path)]), policy or Settings(), jobs=jobs)


@pytest.mark.parametrize("policy", [Settings(), Settings(profile="strict")], ids=["standard", "strict"])
def test_one_process_and_three_say_the_same(recording: Path, policy: Settings) -> None:
    one = report_of(recording, 1, policy)
    assert one == report_of(recording, 3, policy)
    assert one.rows == len(EVENTS)
    assert one.unreadable_count == len(one.unreadable) == 2 * len(EVENTS[100::300])


@pytest.mark.parametrize("size", [3_000, 70_000])
def test_the_size_of_batches_changes_nothing(recording: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = report_of(recording)
    monkeypatch.setattr(reading_lines, "BLOCK", size)
    assert report_of(recording, 1) == expected
    assert report_of(recording, 2) == expected


def test_batches_in_any_order_add_up_to_the_same(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = report_of(recording)
    monkeypatch.setattr(reading_lines, "BLOCK", 200_000)
    (source,) = open_inputs([str(recording)])
    desk = Desk(Settings(), False)
    for number, batch in reversed(list(enumerate(source.batches()))):
        desk.take(0, number, batch)
    found = desk.part().tally.report()
    assert (found.events, found.properties, found.leaks) == (expected.events, expected.properties, expected.leaks)


def test_several_inputs_are_counted_each(tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"
    first.write_bytes(lines([call(), call()]) + b"nonsense\n")
    second.write_bytes(gzip.compress(lines([call()])))
    report = audit(open_inputs([str(tmp_path)]), Settings(), jobs=2)
    assert [(one.rows, one.unreadable, one.format) for one in report.files] == [
        (2, 1, "JSON lines"),
        (1, 0, "JSON lines, gzip"),
    ]
    assert [(one.file, one.line) for one in report.unreadable] == [(str(first), 3)]


def test_only_the_first_unreadable_records_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines([call()]) + b"nonsense\n" * 250)
    report = report_of(path, 2)
    assert report.unreadable_count == 250
    assert [one.line for one in report.unreadable] == list(range(2, 102))


def test_progress_is_told_for_each_input(recording: Path) -> None:
    said: list[tuple[str, int | None, int]] = []

    @contextmanager
    def progress(name: str, size: int | None) -> Iterator[object]:
        yield lambda read: said.append((name, size, read))

    audit(open_inputs([str(recording)]), Settings(), progress=progress)  # type: ignore[arg-type]
    size = recording.stat().st_size
    assert {(name, total) for name, total, _ in said} == {(str(recording), size)}
    assert [read for *_, read in said] == sorted(read for *_, read in said)
    assert said[-1][2] == size


def test_settings_that_differ_from_the_defaults_are_said(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(lines([call()]))
    report = report_of(tmp_path / "a", 1, Settings(profile="strict", allow=["plan"], annotate=False))
    assert report.settings == {"profile": "strict", "allow": ["plan"]}
    assert report.profile == "strict"


def test_the_collector_of_the_caller_is_left_as_it_was(recording: Path) -> None:
    before = gc.get_threshold()
    report_of(recording)
    assert gc.get_threshold() == before
    assert gc.isenabled()


class Stop(BaseException):
    """As Ctrl-C, from the inside."""


def test_what_ends_the_audit_ends_its_workers(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_lines, "BLOCK", 50_000)

    @contextmanager
    def progress(name: str, size: int | None) -> Iterator[object]:
        def tell(read: int) -> None:
            assert len(multiprocessing.active_children()) == 2
            raise Stop

        yield tell

    with pytest.raises(Stop):
        audit(open_inputs([str(recording)]), Settings(), jobs=3, progress=progress)  # type: ignore[arg-type]
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("dies", [True, False], ids=["is killed", "raises"])
def test_a_worker_that_is_lost_is_an_error_and_no_report(
    recording: Path, monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    def take(self: Desk, source: int, number: int, batch: object) -> None:
        if multiprocessing.parent_process() is None:
            return
        if dies:
            multiprocessing.current_process().kill()
        raise ValueError("secret-7")

    monkeypatch.setattr(Desk, "take", take)
    monkeypatch.setattr(reading_lines, "BLOCK", 50_000)
    monkeypatch.setattr(workers, "_LOOK", 0.05)
    monkeypatch.setattr(workers.threading, "active_count", lambda: 1)
    with pytest.raises(ScrubberError, match="--jobs") as caught:
        report_of(recording, 2)
    assert "secret-7" not in str(caught.value)
    assert multiprocessing.active_children() == []


def test_nothing_is_forked_while_another_thread_may_hold_a_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(lines([call()]))
    used: list[str] = []
    real = multiprocessing.get_context

    def context(method: str) -> object:
        used.append(method)
        return real(method)

    monkeypatch.setattr(workers.multiprocessing, "get_context", context)
    monkeypatch.setattr(workers.threading, "active_count", lambda: 2)
    assert report_of(tmp_path / "a", 2).rows == 1
    assert used == ["spawn"]


def test_the_recordings_as_they_are_stored_can_be_read() -> None:
    report = audit(open_inputs([str(RECORDED)]), Settings())
    assert report.rows == sum(1 for _ in recorded())
    assert not report.unreadable_count
    assert running.changed_settings(Settings()) == {}
