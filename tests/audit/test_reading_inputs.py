"""What a path names: files, folders, globs, pipes; and what is said of one that names nothing."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from scrubber.audit.reading import Source, only_input, open_inputs
from scrubber.audit.records import Row, Unreadable
from scrubber.words.errors import ScrubberError

from . import files

EVENTS = files.events(20)


def rows_of(source: Source) -> list[Row | Unreadable]:
    return [row for batch in source.batches() for row in batch.rows()]


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = files.COMPRESSIONS["gzip"](files.FORMATS["hogql_columns_last"](EVENTS))
    writer = threading.Thread(target=lambda: pipe.write_bytes(content), daemon=True)
    writer.start()
    assert [row.event for row in rows_of(only_input(str(pipe)))] == EVENTS
    writer.join(5)


def test_inputs_are_files_folders_globs_and_each_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/2.jsonl", "b/1.jsonl", "b/.hidden", "a.jsonl"):
        files.write(tmp_path, EVENTS[:1], name=name)
    named = [str(tmp_path / "*.jsonl"), str(tmp_path / "b"), str(tmp_path / "a.jsonl"), str(tmp_path / "**" / "1.*")]
    names = [Path(source.name).relative_to(tmp_path).as_posix() for source in open_inputs(named)]
    assert names == ["a.jsonl", "b/1.jsonl", "b/2.jsonl"]


def test_what_names_nothing_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    files.write(tmp_path, EVENTS[:1], name="events.jsonl")
    (tmp_path / "empty").mkdir()
    for path, said in [
        ("event.jsonl", "no such file; did you mean"),
        ("nowhere/x", "there is no folder"),
        ("*.csv", "no file matches"),
        ("empty", "a folder without files"),
    ]:
        with pytest.raises(ScrubberError, match=said):
            open_inputs([str(tmp_path / path)])
    with pytest.raises(ScrubberError, match="name a file"):
        open_inputs([])
    files.write(tmp_path, EVENTS[:1], name="more.jsonl")
    with pytest.raises(ScrubberError, match="names 2 files"):
        only_input(str(tmp_path / "*.jsonl"))


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    for compression in files.COMPRESSIONS:
        path = tmp_path / "x"
        path.write_bytes(files.COMPRESSIONS[compression](b""))
        source = only_input(str(path))
        assert rows_of(source) == []
        assert source.format.startswith("empty")
        assert not source.read.broken
