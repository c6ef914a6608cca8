"""`scrubber audit` as it is run: its reports, its exit status, and what it never prints."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner, Result

from scrubber import Scrubber, Settings
from scrubber.cli.app import app

from ..support import ROOT, SHARED, call, interruptible, recorded, refusal
from .files import lines

FORMATS = ["text", "json", "markdown", "html"]


def run(*arguments: str, stdin: bytes | None = None, **environment: str) -> Result:
    return CliRunner().invoke(app, ["audit", *arguments], input=stdin, env=environment)


def file_of(folder: Path, *events: dict[str, Any] | None, name: str = "events.jsonl") -> str:
    path = folder / name
    path.write_bytes(b"".join(orjson.dumps(event) + b"\n" for event in events if event is not None))
    return str(path)


SETTINGS: list[dict[str, Any]] = [
    {},
    {"profile": "strict"},
    {"error_messages": {"ValidationError": "shape"}, "annotate": True},
    {"error_messages": {}, "corroborate": False},
    {"drop_argument_rejections": False, "paths": "relative", "source_lines": "remove"},
    {"profile": "strict", "allow": ["$mcp_intent"], "placeholder": "gone", "drop_refusals": True},
    {"block": ["$os"], "values": {"$mcp_source": ["x"]}, "expected_exceptions": ["KeyError"]},
]


@pytest.mark.promise("audit:clean")
@pytest.mark.parametrize("given", SETTINGS, ids=[",".join(one) or "default" for one in SETTINGS])
def test_a_recording_that_went_through_the_hook_is_clean(tmp_path: Path, given: dict[str, Any]) -> None:
    hook = Scrubber(Settings(**given))
    path = file_of(tmp_path, *(hook(one.event) for one in recorded()))
    result = run(
        path, "--format", "json", **{f"SCRUBBER_{name}".upper(): _text(value) for name, value in given.items()}
    )
    report = json.loads(result.stdout)
    assert report["state"] == "clean"
    assert result.exit_code == 0
    assert report["totals"]["events"] > 3_000
    assert report["totals"]["bytes_in"] == report["totals"]["bytes_out"]
    assert report["settings"].keys() == given.keys()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, set[str]]:
    """Every recorded event in one file, with canaries as keys, tools and event names too; and the canaries."""
    found = list(recorded())
    secrets = {secret for one in found for secret in one.secrets if len(secret) > 5}
    some = sorted(secrets)[:3]
    more = [{"event": one, "properties": {one: {one: one}, "$mcp_tool_name": one}} for one in some]
    more += [refusal(one, tool=one) for one in some]
    return file_of(tmp_path_factory.mktemp("all"), *(one.event for one in found), *more), secrets


@pytest.mark.promise("audit:no-value")
@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("profile", ["standard", "strict"])
def test_no_canary_is_in_a_report(everything: tuple[str, set[str]], format_: str, profile: str) -> None:
    path, secrets = everything
    result = run(path, "--format", format_, SCRUBBER_PROFILE=profile)
    assert result.exit_code == 1
    assert [secret for secret in secrets if secret in result.output] == []


@pytest.mark.skipif(not (SHARED / "corpus").is_dir(), reason="no shared corpus beside this checkout")
@pytest.mark.parametrize("format_", FORMATS)
def test_no_canary_of_the_corpus_is_in_a_report(tmp_path: Path, format_: str) -> None:
    found = list(recorded(SHARED / "corpus"))
    secrets = {secret for one in found for secret in one.secrets if len(secret) > 5}
    assert len(secrets) > 100
    result = run(file_of(tmp_path, *(one.event for one in found)), "--format", format_)
    assert [secret for secret in secrets if secret in result.output] == []


def test_values_are_shown_when_they_are_asked_for(tmp_path: Path) -> None:
    path = file_of(tmp_path, call(**{"$mcp_intent": "Ask for secret-7"}))
    assert "Ask for secret-7" not in run(path).output
    assert "Ask for secret-7" in run(path, "--reveal").stdout


@pytest.mark.parametrize(
    "events, fail_on, status",
    [
        ([call()], [], 1),
        ([call()], ["leak"], 1),
        ([call()], ["unknown"], 0),
        ([call()], ["refusal"], 0),
        ([call()], ["shape"], 0),
        ([call()], ["unknown", "leak"], 1),
        ([{"event": "x", "properties": {"$mcp_new": None}}], ["unknown"], 1),
        ([{"event": "x", "properties": {"$mcp_new": None}}], ["leak"], 0),
        ([refusal()], ["refusal"], 1),
        ([{"event": "x", "properties": {"plan": "jane@example.test"}}], [], 0),
        ([{"event": "x", "properties": {"plan": "jane@example.test"}}], ["shape"], 1),
        ([{"event": "x", "properties": {"plan": "basic"}}], ["leak", "unknown", "refusal", "shape"], 0),
    ],
)
def test_what_fails_can_be_narrowed(
    tmp_path: Path, events: list[dict[str, Any]], fail_on: list[str], status: int
) -> None:
    wanted = [part for one in fail_on for part in ("--fail-on", one)]
    assert run(file_of(tmp_path, *events), *wanted).exit_code == status


@pytest.mark.promise("audit:nothing-skipped")
def test_a_record_that_cannot_be_read_makes_the_exit_status_tell(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines([{"event": "x", "properties": {}}]) + b"secret-7\n")
    result = run(str(path))
    assert result.exit_code == 2
    assert "secret-7" not in result.output
    report = json.loads(run(str(path), "--format", "json").stdout)
    assert report["unreadable"] == [{"file": str(path), "line": 2, "reason": "not valid JSON"}]
    assert report["totals"]["events"] == 1


def test_an_input_without_an_event_is_not_clean(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert run(str(tmp_path / "empty")).exit_code == 2


def test_a_file_that_is_not_there_is_said_with_the_nearest_that_is(tmp_path: Path) -> None:
    file_of(tmp_path, call(), name="events.jsonl")
    result = run(str(tmp_path / "event.jsonl"))
    assert result.exit_code == 2
    assert "events.jsonl" in result.stderr
    assert result.stdout == ""
    wrong = json.loads(run(str(tmp_path / "event.jsonl"), "--format", "json").stdout)
    assert wrong["exit_code"] == 2


def test_a_mistake_in_the_settings_stops_it(tmp_path: Path) -> None:
    config = tmp_path / "scrubber.toml"
    config.write_text('profil = "strict"\n')
    result = run(file_of(tmp_path, call()), "--config", str(config))
    assert result.exit_code == 2
    assert "profile" in result.stderr


def test_settings_come_from_the_file_that_is_named(tmp_path: Path) -> None:
    config = tmp_path / "scrubber.toml"
    config.write_text('profile = "strict"\nallow = ["plan"]\n')
    path = file_of(tmp_path, {"event": "x", "properties": {"plan": "basic", "other": 1}})
    report = json.loads(run(path, "--config", str(config), "--format", "json").stdout)
    assert report["settings"] == {"profile": "strict", "allow": ["plan"]}
    assert {one["name"]: one["fates"] for one in report["properties"]} == {
        "plan": {"passes": 1},
        "other": {"unknown": 1},
    }


def test_standard_input_is_read_and_the_report_alone_goes_to_stdout() -> None:
    result = run("-", "--format", "json", stdin=lines([call()]))
    assert json.loads(result.stdout)["files"][0]["name"] == "-"
    assert "exit status 1" in result.stderr
    assert result.stderr.count("\n") == 1


def test_what_leaves_and_is_not_in_the_baseline_fails_by_name(tmp_path: Path) -> None:
    event = {"event": "x", "properties": {"plan": "basic"}}
    listed = tmp_path / "baseline.json"
    listed.write_text(json.dumps({"schema": 1, "events": {"x": {"plan": ["text"]}}}))
    assert run(file_of(tmp_path, event), "--baseline", str(listed)).exit_code == 0
    event["properties"] = {"plan": 7, "colour": "red"}
    result = run(file_of(tmp_path, event), "--baseline", str(listed), "--format", "json")
    assert result.exit_code == 1
    assert {(one["what"], one["name"]) for one in json.loads(result.stdout)["baseline"]} == {
        ("kind", "plan"),
        ("property", "colour"),
    }


def test_a_baseline_that_is_none_stops_it(tmp_path: Path) -> None:
    result = run(file_of(tmp_path, call()), "--baseline", str(tmp_path / "none.json"))
    assert result.exit_code == 2
    assert result.stdout == ""


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "scrubber", "audit", *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=interruptible,
    )


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a group of processes")
def test_ctrl_c_ends_all_of_it_at_once_and_prints_no_report() -> None:
    process = start("-", "--jobs", "3", "--format", "json")
    assert process.stdin is not None
    # Enough for every worker to have been given something, and then no end of the input.
    block = lines([call(), refusal()] * 200)
    for _ in range(40):
        process.stdin.write(block)
    process.stdin.flush()
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert out == b""
    assert err == b"scrubber audit: interrupted\n"
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_the_report_is_the_same_however_many_jobs(everything: tuple[str, set[str]]) -> None:
    path, _ = everything
    assert run(path, "--format", "json").stdout == run(path, "--format", "json", "--jobs", "2").stdout
