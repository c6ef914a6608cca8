"""`scrubber apply`, as it is run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scrubber import Scrubber, Settings
from scrubber.audit.reading import only_input
from scrubber.audit.records import Row

from ..live.sink import sink
from ..support import ROOT, interruptible
from . import files

EVENTS = files.events(200)
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SCRUBBER_")}


def scrub(*arguments: str | Path, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "scrubber", "apply", *map(str, arguments)],
        input=given,
        capture_output=True,
        cwd=ROOT,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )


def events_in(path: Path) -> list[object]:
    return [row.event for batch in only_input(str(path)).batches() for row in batch.rows() if isinstance(row, Row)]


def test_a_file_goes_through_and_a_pipe_gives_the_same_bytes(tmp_path: Path) -> None:
    path = files.write(tmp_path, EVENTS, "export", "zstd")
    done = scrub(path, "-o", tmp_path / "out")
    hook = Scrubber(Settings())
    sent = [event for event in map(hook, EVENTS) if event is not None]
    counts = hook.counts()
    assert done.returncode == 0
    assert done.stdout == b""
    assert events_in(tmp_path / "out") == sent
    assert done.stderr.decode() == (
        f"scrubber apply: JSON lines, zstd: 200 events read, {counts['sent']} written"
        f" ({counts['redacted']} of them redacted), {counts['dropped']} dropped\n"
        "  beside the events, kept as they came: the hook never judges them:"
        " created_at, person_id, person_properties, team_id\n"
    )
    piped = scrub("-", "-o", "-", given=path.read_bytes())
    assert piped.stdout == (tmp_path / "out").read_bytes()
    assert piped.stderr == done.stderr


@pytest.mark.promise("audit:nothing-skipped")
def test_what_could_not_be_read_is_told_by_file_and_line_and_by_the_exit_status(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_bytes(files.lines(EVENTS[:1]) + b'{"event": "canary-7"\n' * 25)
    done = scrub(path, "-o", tmp_path / "out")
    assert done.returncode == 1
    lines = done.stderr.decode().splitlines()
    assert lines[1] == f"  left out: {path}:2: not valid JSON"
    assert lines[-1] == "  left out: 5 more that could not be read"
    assert b"canary" not in done.stderr
    whole = files.COMPRESSIONS["gzip"](files.lines(EVENTS))
    path.write_bytes(whole[: len(whole) // 2])
    done = scrub(path, "-o", tmp_path / "out", "--force")
    assert done.returncode == 1
    assert b"  ended early: the archive breaks off; what was read before is written\n" in done.stderr


@pytest.mark.parametrize("format_, packed", [("lines", ""), ("csv_columns", ""), ("body", ""), ("hogql", "gzip")])
def test_no_canary_is_in_what_is_said(tmp_path: Path, format_: str, packed: str) -> None:
    strict = tmp_path / "scrubber.toml"
    strict.write_text('profile = "strict"\nerror_messages = {}\n')
    content = files.FORMATS[format_](EVENTS)
    path = tmp_path / "in"
    path.write_bytes(files.COMPRESSIONS[packed](content[: len(content) - 40]))
    done = scrub(path, "-o", tmp_path / "out", "--config", strict)
    said = done.stderr.decode() + (b"" if packed else (tmp_path / "out").read_bytes()).decode()
    assert [secret for secret in files.secrets() if secret in said] == []
    assert done.returncode == 1


def test_what_cannot_be_done_exits_with_2_and_one_line(tmp_path: Path) -> None:
    path = files.write(tmp_path, EVENTS, name="events.jsonl")
    config = tmp_path / "scrubber.toml"
    config.write_text('profil = "strict"\n')
    for arguments, said in [
        ((tmp_path / "event.jsonl", "-o", "-"), f"no such file; did you mean {path}?"),
        ((path, "-o", path), "exists; name another file, or overwrite it with --force"),
        ((path, "-o", "-", "--config", config), "profil: no such setting; did you mean profile?"),
        ((tmp_path, "-o", "-"), "names 2 files; name one"),
    ]:
        done = scrub(*arguments)
        assert done.returncode == 2
        assert done.stdout == b""
        assert done.stderr.decode().startswith("scrubber apply: ")
        assert said in done.stderr.decode()


@pytest.mark.promise("audit:atomic")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_half_written_output(tmp_path: Path, sent: signal.Signals) -> None:
    command = [sys.executable, "-m", "scrubber", "apply", "-", "-o", str(tmp_path / "out")]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=ENVIRONMENT,
        preexec_fn=interruptible,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(files.lines(EVENTS * 4))
        process.stdin.flush()
        waited = time.monotonic() + 20
        while not list(tmp_path.iterdir()) and time.monotonic() < waited:
            time.sleep(0.02)
        assert [one.name.endswith(".part") for one in tmp_path.iterdir()] == [True]
        process.send_signal(sent)
        process.stdin.close()
        assert process.wait(20) == {signal.SIGINT: 130, signal.SIGTERM: 143}[sent]
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.live
@pytest.mark.parametrize("mode", ["v0", "v1"])
def test_what_a_real_client_sends_is_read_back(tmp_path: Path, mode: str) -> None:
    posthog = pytest.importorskip("posthog")
    seen: list[object] = []
    # Not written in the source line of the frame, which leaves.
    canary = f"canary-{id(seen)}"
    with sink() as kept:
        client = posthog.Posthog(
            "phc_test", host=kept.address, before_send=lambda event: seen.append(event) or event, capture_mode=mode
        )
        for number in range(5):
            own = {"n": number, "$session_id": "s", "$mcp_parameters": {"a": canary}}
            client.capture("asked", distinct_id="d", properties=own)
        try:
            raise ValueError(canary)
        except ValueError as error:
            client.capture_exception(error, distinct_id="d")
        client.shutdown()
    path = tmp_path / "in"
    path.write_bytes(b"\n".join(kept.bodies))
    read = events_in(path)
    assert only_input(str(path)).format == "capture body"
    assert [one["event"] for one in read] == [one["event"] for one in seen]
    gone = {"$lib", "$lib_version"} if mode == "v1" else set()
    assert [one["properties"] for one in read] == [
        {name: value for name, value in one["properties"].items() if name not in gone} for one in seen
    ]
    done = scrub(path, "-o", tmp_path / "out")
    assert done.returncode == 0
    assert canary.encode() in path.read_bytes()
    assert canary.encode() not in (tmp_path / "out").read_bytes()
    assert not any("$mcp_parameters" in one["properties"] for one in events_in(tmp_path / "out"))
