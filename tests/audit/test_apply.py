"""What `apply` writes is what the hook would have sent, in the kind of file it came in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scrubber import Scrubber, Settings
from scrubber.audit.reading import only_input
from scrubber.audit.records import Row
from scrubber.audit.writing import Applied, apply
from scrubber.words.errors import ScrubberError

from . import files

EVENTS = files.events(200)
SECRETS = files.secrets()
SILENT = Settings(error_messages={}, source_lines="remove")
"""Without the one text that the defaults keep, no canary of the recording may be anywhere in what is written."""
TABLES = {"hogql_by_property", "csv_columns"}
NEW = {"$mcp_error_code", "$mcp_error_field"}


def sent(settings: Settings) -> list[Any]:
    hook = Scrubber(settings)
    return [event for event in map(hook, EVENTS) if event is not None]


def read(path: Path) -> list[Any]:
    return [row.event for batch in only_input(str(path)).batches() for row in batch.rows() if isinstance(row, Row)]


def run(tmp_path: Path, content: bytes, settings: Settings | None = None, out: str = "out") -> tuple[Applied, bytes]:
    (tmp_path / "in").write_bytes(content)
    done = apply(only_input(str(tmp_path / "in")), str(tmp_path / out), settings or Settings(), force=True)
    return done, (tmp_path / out).read_bytes()


def without(events: list[Any], names: set[str]) -> list[str]:
    """As text, because a cell tells null from nothing at all no more than the order of names."""
    return [
        json.dumps(
            {**one, "properties": {k: v for k, v in one["properties"].items() if k not in names and v is not None}},
            sort_keys=True,
        )
        for one in events
    ]


@pytest.mark.parametrize("profile", ["standard", "strict"])
@pytest.mark.parametrize("format_", files.FORMATS)
def test_what_is_written_is_what_the_hook_would_have_sent(tmp_path: Path, format_: str, profile: str) -> None:
    if format_ == "parquet":
        pytest.importorskip("pyarrow")
    settings = Settings(profile=profile)
    done, first = run(tmp_path, files.FORMATS[format_](EVENTS), settings, "first")
    gone = NEW if format_ in TABLES else {"$lib", "$lib_version"} if format_ == "bodies_v1" else set()
    assert without(read(tmp_path / "first"), gone) == without(sent(settings), gone)
    assert only_input(str(tmp_path / "first")).format == only_input(str(tmp_path / "in")).format
    assert (done.read, done.written, done.left_out, done.failed) == (len(EVENTS), len(sent(settings)), 0, 0)
    assert done.dropped == len(EVENTS) - len(sent(settings)) > 0
    assert set(done.lost) == (NEW if format_ in TABLES else set())
    again, second = run(tmp_path, first, settings, "second")
    assert again.dropped == again.left_out == 0
    assert second == first


@pytest.mark.parametrize("format_", files.FORMATS)
def test_no_canary_is_in_what_is_written(tmp_path: Path, format_: str) -> None:
    if format_ == "parquet":
        pytest.importorskip("pyarrow")
    content = files.FORMATS[format_](EVENTS)
    _, written = run(tmp_path, content, SILENT)
    # In the packed columns of Parquet text cannot be looked for.
    text = written if format_ != "parquet" else json.dumps(read(tmp_path / "out")).encode()
    assert [secret for secret in SECRETS if secret.encode() in text] == []
    assert format_ == "parquet" or any(secret.encode() in content for secret in SECRETS)


@pytest.mark.parametrize("compression", files.COMPRESSIONS)
def test_the_packing_stays(tmp_path: Path, compression: str) -> None:
    _, written = run(tmp_path, files.COMPRESSIONS[compression](files.lines(EVENTS)))
    source = only_input(str(tmp_path / "out"))
    assert source.packed == compression
    assert read(tmp_path / "out") == sent(Settings())
    assert not source.read.broken
    assert not compression or len(written) < len(files.lines(sent(Settings()))) / 3


def test_what_stands_beside_the_event_is_kept_or_emptied_and_said(tmp_path: Path) -> None:
    for format_ in ("export", "export_text"):
        content = files.FORMATS[format_](EVENTS[:1])
        done, written = run(tmp_path, content)
        assert {**json.loads(written), "properties": 0} == {**json.loads(content), "properties": 0}
        assert done.beside == ["created_at", "person_id", "person_properties", "team_id"]
        done, written = run(tmp_path, content, Settings(profile="strict"))
        record = json.loads(written)
        assert list(record) == list(json.loads(content))
        assert {record[name] for name in files.BESIDE} == {None}
        assert done.beside == ["created_at", "person_id", "person_properties", "team_id"]


def test_the_names_of_the_sdk_are_closed_beside_the_event_too(tmp_path: Path) -> None:
    held = {"$mcp_parameters": "canary", "kept": [{"$exception_list": "canary", "a": 1}]}
    beside = {"id": 1, "$mcp_parameters": "canary", "person_properties": held}
    texts = [
        json.dumps({"event": EVENTS[0], **beside}),
        json.dumps({**EVENTS[0], "person_properties": held, "$mcp_parameters": "canary"}),
        json.dumps({"next": held, "results": [EVENTS[0]]}),
        json.dumps({"columns": ["event", "person_properties"], "results": [["x", held]]}),
    ]
    for text in texts:
        _, written = run(tmp_path, text.encode())
        assert b"canary" not in written
        assert b'"kept":[{"a":1}]' in written


def test_properties_stay_an_object_or_a_text(tmp_path: Path) -> None:
    for format_, kind in (("lines", dict), ("export_text", str), ("hogql", str)):
        _, written = run(tmp_path, files.FORMATS[format_](EVENTS[:1]))
        record = json.loads(written)
        found = record["results"][0][2] if format_ == "hogql" else record["properties"]
        assert type(found) is kind


def test_an_envelope_stays_what_it_was(tmp_path: Path) -> None:
    before = json.loads(files.body(EVENTS))
    _, written = run(tmp_path, files.body(EVENTS), Settings(profile="strict"))
    after = json.loads(written)
    assert {**after, "batch": 0} == {**before, "batch": 0}
    done, written = run(tmp_path, files.page(EVENTS))
    assert json.loads(written)["next"] == json.loads(files.page(EVENTS))["next"]
    assert "next" in done.beside
    _, written = run(tmp_path, files.page(EVENTS), Settings(profile="strict"))
    assert json.loads(written)["next"] is None
    _, written = run(tmp_path, files.bodies(EVENTS))
    assert written.count(b'{"api_key"') == len(files.bodies(EVENTS).splitlines())


def test_pretty_events_stay_pretty(tmp_path: Path) -> None:
    _, written = run(tmp_path, files.pretty_events(EVENTS[:2]))
    assert written.startswith(b'{\n  "')


def test_v1_stays_v1(tmp_path: Path) -> None:
    from posthog.capture_v1 import _build_v1_batch_body, _to_v1_event

    _, written = run(tmp_path, files.bodies_v1(EVENTS))
    stripped = [_to_v1_event(one) for one in sent(Settings())]
    assert json.loads(written)["batch"] == _build_v1_batch_body(stripped)["batch"]


def test_a_key_that_stands_twice_does_not_carry_anything_along(tmp_path: Path) -> None:
    text = '{"event":"x","event":"y","properties":{"$mcp_parameters":"canary"},"properties":{"a":"canary","a":1}}'
    _, written = run(tmp_path, text.encode())
    assert b"canary" not in written


def test_records_that_cannot_be_read_are_left_out_and_counted(tmp_path: Path) -> None:
    good = files.lines(EVENTS[:1])
    done, written = run(tmp_path, good + b'{"event": "canary"\n[1]\n' + good)
    assert (done.written, done.left_out) == (2, 2)
    assert [(one.line, one.reason) for one in done.unreadable] == [(2, "not valid JSON"), (3, "no JSON object")]
    assert b"canary" not in written


def test_a_broken_document_is_closed_again(tmp_path: Path) -> None:
    for format_ in ("array", "page", "body", "pretty_body", "hogql"):
        whole = files.FORMATS[format_](EVENTS)
        done, written = run(tmp_path, whole[: len(whole) // 2])
        assert done.left_out == 1
        assert done.written > 50
        json.loads(written)


def test_an_archive_that_breaks_off_is_written_as_far_as_it_went(tmp_path: Path) -> None:
    whole = files.COMPRESSIONS["gzip"](files.lines(files.events(None) * 3))
    done, _ = run(tmp_path, whole[: len(whole) // 2])
    assert done.broken == "the archive breaks off"
    assert len(read(tmp_path / "out")) == done.written > 0


def test_new_properties_of_a_csv_that_has_their_columns_are_written(tmp_path: Path) -> None:
    call = next(one for one in EVENTS if "ValidationError" in json.dumps(one["properties"].get("$mcp_error_type")))
    found = [{**call, "properties": {**call["properties"], "$mcp_error_code": None, "$mcp_error_field": None}}]
    settings = Settings(error_messages={"ValidationError": "shape"})
    done, _ = run(tmp_path, files.csv_columns(found), settings)
    (event,) = read(tmp_path / "out")
    assert not done.lost
    assert event["properties"]["$mcp_error_code"] == Scrubber(settings)(call)["properties"]["$mcp_error_code"]


def test_csv_keeps_its_delimiter_and_the_end_of_its_lines(tmp_path: Path) -> None:
    for sign, end in ((",", "\r\n"), (";", "\n"), ("\t", "\n")):
        text = end.join([sign.join(["event", "$mcp_parameters", "mine"]), sign.join(["x", "canary", "1.50"]), ""])
        _, written = run(tmp_path, text.encode())
        assert written.decode() == text.replace("canary", "")


def test_parquet_keeps_its_schema_and_codec(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    for codec in ("zstd", "snappy", "gzip", "none"):
        run(tmp_path, files.parquet(EVENTS, codec), Settings(profile="strict"))
        before, after = pq.ParquetFile(tmp_path / "in"), pq.ParquetFile(tmp_path / "out")
        assert after.schema_arrow == before.schema_arrow
        assert after.metadata.row_group(0).column(0).compression == before.metadata.row_group(0).column(0).compression
        assert set(after.read(["person_properties"]).column(0).to_pylist()) == {None}
    run(tmp_path, files.parquet([]))
    assert pq.ParquetFile(tmp_path / "out").metadata.num_rows == 0


def test_an_empty_file_gives_an_empty_file(tmp_path: Path) -> None:
    done, written = run(tmp_path, b"")
    assert written == b""
    assert done.read == 0


@pytest.mark.promise("audit:atomic")
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_nothing_stays_of_what_was_not_finished(tmp_path: Path, error: type[BaseException]) -> None:
    path = files.write(tmp_path, EVENTS * 5)

    def stop(consumed: int) -> None:
        raise error

    with pytest.raises(error):
        apply(only_input(str(path)), str(tmp_path / "out"), Settings(), seen=stop)
    assert [one.name for one in tmp_path.iterdir()] == ["input"]


@pytest.mark.promise("audit:atomic")
def test_a_file_that_exists_is_not_overwritten_unasked(tmp_path: Path) -> None:
    path, out = files.write(tmp_path, EVENTS), tmp_path / "out"
    out.write_text("mine")
    with pytest.raises(ScrubberError, match="exists; name another file, or overwrite it with --force"):
        apply(only_input(str(path)), str(out), Settings())
    assert out.read_text() == "mine"
    out.unlink()
    # One that comes to exist while the recording is read is not overwritten either.
    with pytest.raises(ScrubberError, match="came to exist meanwhile"):
        apply(only_input(str(path)), str(out), Settings(), seen=lambda consumed: out.write_text("mine") and None)
    assert out.read_text() == "mine"
    apply(only_input(str(path)), str(path), Settings(), force=True)
    assert read(path) == sent(Settings())
    assert sorted(one.name for one in tmp_path.iterdir()) == ["input", "out"]


def test_what_cannot_be_done_is_refused(tmp_path: Path) -> None:
    path = files.write(tmp_path, EVENTS)
    for out, said in ((tmp_path, "is a folder"), (tmp_path / "no" / "x", "there is no folder")):
        with pytest.raises(ScrubberError, match=said):
            apply(only_input(str(path)), str(out), Settings())
    path.write_bytes(b"\0\1\2")
    with pytest.raises(ScrubberError, match="no format that is known"):
        apply(only_input(str(path)), str(tmp_path / "out"), Settings())
    path.write_bytes(b"PAR1 canary")
    pytest.importorskip("pyarrow")
    with pytest.raises(ScrubberError, match="the Parquet file is damaged; nothing in it can be read"):
        apply(only_input(str(path)), str(tmp_path / "out"), Settings())
    assert [one.name for one in tmp_path.iterdir()] == ["input"]
