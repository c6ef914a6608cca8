"""`scrubber listen` as people and CI run it: a process, its two streams, its exit code."""

from __future__ import annotations

import json
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

posthog = pytest.importorskip("posthog")
pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from ..support import ROOT, call, refusal

pytestmark = pytest.mark.live

SECRET = "-".join(("canary", "5d13"))
SECRETS = (SECRET, "secret-7", "secret-8", "phc_hidden")


@contextmanager
def listener(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The running command and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "scrubber", "listen", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        first = (process.stdout if "json" in options else process.stderr).readline()  # type: ignore[union-attr]
        found = re.search(r"http://127\.0\.0\.1:\d+", first)
        assert found is not None, first + process.communicate(timeout=20)[1]
        yield process, found[0]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def send(address: str, *events: dict[str, Any]) -> None:
    client = posthog.Posthog("phc_hidden", host=address)
    for event in events:
        client.capture(event["event"], distinct_id="u1", properties=event["properties"])
    client.flush()
    client.shutdown()


ASKED = {"event": "asked", "properties": {"plan": "pro"}}


def end(process: subprocess.Popen[str]) -> tuple[str, str, int]:
    out, err = process.communicate(timeout=30)
    return out, err, process.returncode


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_a_summary(number: signal.Signals) -> None:
    with listener() as (process, address):
        send(address, call(), refusal(), ASKED)
        # What is no HTTP is not worth a line of the server's own either.
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), 10) as other:
            other.sendall(f"{SECRET}\r\n\r\n".encode())
            assert b"400" in other.recv(1000)
        process.send_signal(number)
        out, err, code = end(process)
    assert code == 1
    assert err == ""
    lines = out.splitlines()
    assert [line.split()[1] for line in lines[:3]] == ["redact", "drop", "pass"]
    assert "removes $mcp_parameters $mcp_response" in lines[0]
    assert lines[3].startswith("Came      3 events: 1 pass, 1 redact, 1 drop; ")
    assert lines[-1] == "Not clean: the policy would have redacted 1 and dropped 1 of 3 events."
    assert not [secret for secret in SECRETS if secret in out]


def test_it_ends_by_itself_after_a_number_of_events() -> None:
    with listener("--events", "2", "--for", "60") as (process, address):
        send(address, ASKED, ASKED)
        out, _, code = end(process)
    assert code == 0
    assert out.splitlines()[-1] == "Clean: the policy would have sent everything as it came."


def test_it_ends_by_itself_after_a_time_and_nothing_heard_is_no_success() -> None:
    with listener("--for", "0.3") as (process, _):
        out, _, code = end(process)
    assert code == 2
    assert out.splitlines()[-1].startswith("No event came.")


def test_fewer_events_than_asked_for_is_no_success() -> None:
    with listener("--for", "6", "--events", "5") as (process, address):
        send(address, ASKED)
        out, _, code = end(process)
    assert (code, out.splitlines()[-1]) == (2, "Fewer events came than the 5 that were asked for.")


def test_json_lines_are_for_programs() -> None:
    with listener("--format", "json", "--events", "2") as (process, address):
        send(address, call(), refusal())
        out, err, code = end(process)
    assert (code, err) == (1, "")
    first, second, summary = [json.loads(line) for line in out.splitlines()]
    assert (first["kind"], first["event"], first["verdict"], first["tool"]) == (
        "event",
        "$mcp_tool_call",
        "redact",
        "find_book",
    )
    assert first["removed"] == ["$mcp_parameters", "$mcp_response"]
    assert "revealed" not in first
    assert (second["verdict"], second["rules"]) == ("drop", ["argument_refusal"])
    assert summary["kind"] == "summary"
    assert summary["verdicts"] == {"pass": 0, "redact": 1, "drop": 1}
    assert summary["exit_code"] == 1
    assert not [secret for secret in SECRETS if secret in out]


def test_reveal_shows_what_is_taken_out() -> None:
    with listener("--events", "1", "--reveal") as (process, address):
        send(address, call())
        out, _, _ = end(process)
    assert '          $mcp_parameters = {"request"' in out
    assert "secret-7" in out
    assert "phc_hidden" not in out


@pytest.mark.promise("audit:no-value")
def test_what_was_saved_is_audited_to_the_same(tmp_path: Path) -> None:
    from scrubber.audit.judging import Judge
    from scrubber.audit.reading import open_inputs
    from scrubber.audit.records import Row
    from scrubber.settings import Settings

    saved = tmp_path / "heard.jsonl"
    odd = {"event": "asked", "properties": {"$mcp_new": SECRET, f"{SECRET}@example.test": 1, "name": "Jürgen"}}
    with listener("--events", "4", "--save", str(saved), "--format", "json") as (process, address):
        send(address, call(), refusal(), ASKED, odd)
        out, err, _ = end(process)
    assert err == f"Saving what comes to {saved}, content and all; only you can read it\n"
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert "phc_hidden" not in saved.read_text("utf-8")
    judge = Judge(Settings())
    rows = [row for source in open_inputs([str(saved)]) for batch in source.batches() for row in batch.rows()]
    assert all(isinstance(row, Row) for row in rows)
    judged = [(str(judge.judge(row).verdict), row.size) for row in rows if isinstance(row, Row)]
    shown = [json.loads(line) for line in out.splitlines()[:-1]]
    assert [(line["verdict"], line["bytes_in"]) for line in shown] == judged
    assert shown[-1]["removed"] == ["$mcp_new"]
    assert not [secret for secret in SECRETS if secret in out]


def refused(*options: str) -> tuple[str, str, int]:
    done = subprocess.run(
        [sys.executable, "-m", "scrubber", "listen", *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
    )
    return done.stdout, done.stderr, done.returncode


def test_a_port_in_use_is_exit_2_and_begins_no_file(tmp_path: Path) -> None:
    saved = tmp_path / "heard.jsonl"
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        out, err, code = refused("--port", str(port), "--save", str(saved))
    assert (out, code) == ("", 2)
    assert err.startswith(f"scrubber listen: port {port} is in use (")
    assert not saved.exists()


def test_a_file_that_exists_is_exit_2_and_stays(tmp_path: Path) -> None:
    saved = tmp_path / "heard.jsonl"
    saved.write_text("mine")
    out, err, code = refused("--port", "0", "--save", str(saved))
    assert (out, code) == ("", 2)
    assert err == f"scrubber listen: {saved} exists; give another --save, or --force to overwrite it\n"
    assert saved.read_text() == "mine"
    out, _, code = refused("--port", "0", "--save", str(saved), "--force", "--for", "0.2")
    assert (code, saved.read_text()) == (2, "")


def test_a_mistake_in_the_settings_is_exit_2_in_either_form(tmp_path: Path) -> None:
    config = tmp_path / "scrubber.toml"
    config.write_text('profil = "strict"\n')
    _, err, code = refused("--config", str(config))
    assert code == 2
    assert "did you mean profile?" in err
    out, err, code = refused("--config", str(config), "--format", "json")
    assert (code, err, json.loads(out)["exit_code"]) == (2, "", 2)


def test_settings_are_those_of_the_hook(tmp_path: Path) -> None:
    config = tmp_path / "scrubber.toml"
    config.write_text('profile = "strict"\n')
    with listener("--events", "1", "--config", str(config)) as (process, address):
        send(address, ASKED)
        out, _, code = end(process)
    assert code == 1
    assert "removes plan  [strict]" in out
