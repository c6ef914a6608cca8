"""The listener as a server: its answers, its bounds, its end."""

from __future__ import annotations

import gzip
import json
import os
import socket
import stat
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from scrubber.audit.listening import answers, app, bodies, unpacking
from scrubber.audit.listening.bodies import Arrival, Body
from scrubber.audit.listening.saving import Recording
from scrubber.audit.listening.serving import HOST, ListenError, Listening
from scrubber.audit.listening.session import Session
from scrubber.settings import Settings
from scrubber.words.verdict import Verdict

from ..support import call, refusal
from .listen_kit import heard

SECRET = "-".join(("canary", "0b9e"))
BATCH = json.dumps({"api_key": "phc_hidden", "batch": [call(), refusal()]}).encode()


@pytest.mark.parametrize("path", sorted(answers.EVENT_PATHS))
@pytest.mark.parametrize("end", ["", "/"])
def test_every_path_of_the_ingestion_takes_events(path: str, end: str, tmp_path: Path) -> None:
    with heard(tmp_path) as there:
        status, answer = there.post(path + end, gzip.compress(BATCH), Content_Encoding="gzip")
    expected = {call()["uuid"]: {"result": "ok"}, refusal()["uuid"]: {"result": "ok"}}
    assert (status, answer) == (200, {"results": expected} if path == bodies.V1_PATH else {"status": 1})
    assert there.session.counts.events == 2


@pytest.mark.parametrize(
    "path, answer",
    [
        ("/flags/?v=4", answers._FLAGS),
        ("/flags/?v=2", answers._FLAGS),
        ("/decide/?v=3", answers._FLAGS),
        ("/flags/definitions?token=phc_hidden&send_cohorts", {"flags": [], "group_type_mapping": {}, "cohorts": {}}),
        (
            "/api/feature_flag/local_evaluation/?token=phc_hidden",
            {"flags": [], "group_type_mapping": {}, "cohorts": {}},
        ),
        ("/api/projects/@current/feature_flags/new/remote_config?token=phc_hidden", None),
        ("/array/phc_hidden/config", answers._JS_CONFIG),
        ("/i/v1/traces", {}),
        ("/i/v1/metrics?token=phc_hidden", {}),
        ("/i/v1/logs", {}),
        ("/i/v0/ai/otel", {}),
    ],
)
def test_what_is_no_event_is_answered_harmlessly(path: str, answer: Any, tmp_path: Path) -> None:
    with heard(tmp_path) as there:
        for _ in range(2):
            assert there.post(path, b'{"distinct_id": "u1"}') == (200, answer)
    assert len(there.notes) == (0 if path.startswith("/array") else 1)
    assert "phc_hidden" not in repr(there.lines) + repr(there.session.counts)
    assert there.session.counts.clean


def test_an_unknown_path_is_404_and_said_once_without_what_may_be_content(tmp_path: Path) -> None:
    with heard(tmp_path) as there:
        for _ in range(3):
            assert there.post(f"/api/{SECRET}@example.test/send?mail={SECRET}", b"x") == (404, answers.UNKNOWN)
        head = there.send(b"GET /batch/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 404")
    assert [(note.what, note.text) for note in there.notes] == [
        ("/api/*/send", answers.UNKNOWN_NOTE),
        ("/batch", answers.UNKNOWN_NOTE),
    ]
    assert there.session.counts.others == {"/api/*/send": 3, "/batch": 1}


@pytest.mark.promise("audit:nothing-skipped")
def test_a_body_that_cannot_be_read_is_counted_and_said_once(tmp_path: Path) -> None:
    with heard(tmp_path) as there:
        for _ in range(2):
            assert there.post("/batch/", SECRET.encode()) == (400, {"detail": bodies.NO_JSON})
        assert there.post("/batch/", b"x", Content_Encoding="snappy")[0] == 415
    assert there.session.counts.unreadable == 3
    assert [(note.what, note.trouble) for note in there.notes] == [("unreadable", True)] * 2
    assert not there.session.counts.clean
    assert SECRET not in repr(there.lines)
    assert there.events == []


@pytest.mark.promise("audit:no-value")
def test_names_that_are_content_are_masked_wherever_they_stand(tmp_path: Path) -> None:
    mail = f"{SECRET}@example.test"
    event = call()
    event["properties"] |= {"$mcp_tool_name": mail, mail: 1, "$exception_list": [{"type": "A", "value": SECRET}]}
    batch = [event, {"event": mail, "properties": {mail: {SECRET: 1}, "plain_name": 1}}]
    with heard(tmp_path, profile="strict") as there:
        there.post("/batch/", json.dumps({"batch": batch}).encode())
    first, second = there.seen
    assert (first.event, first.tool) == ("$mcp_tool_call", "*")
    assert "*" in first.gone
    assert (second.event, second.tool, second.gone) == ("*", "", ("*", "plain_name"))
    assert SECRET not in repr(there.lines) + repr(there.session.counts)


def test_a_body_too_large_is_refused_while_it_comes(tmp_path: Path) -> None:
    with heard(tmp_path) as there:
        began = time.monotonic()
        status, answer = there.post("/batch/", bytes(unpacking.MOST_BYTES + 1))
        assert (status, answer) == (413, {"detail": unpacking.TOO_LARGE})
        bomb = gzip.compress(bytes(8 * unpacking.MOST_BYTES))
        assert there.post("/batch/", bomb, Content_Encoding="gzip")[0] == 413
        assert time.monotonic() - began < 20


def test_a_slow_client_is_given_up_and_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "SLOWEST", 0.5)
    head = b"POST /batch/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n"
    with heard(tmp_path) as there:
        slow = socket.create_connection((HOST, there.listening.port), 10)
        slow.sendall(head + b'{"batch": [')
        assert there.post("/batch/", BATCH)[0] == 200
        answer = slow.recv(65536)
        slow.close()
        gone = socket.create_connection((HOST, there.listening.port), 10)
        gone.sendall(head)
        gone.close()
        time.sleep(0.3)
    assert answer.startswith(b"HTTP/1.1 408")
    assert there.session.counts.events == 2


def test_who_comes_with_too_much_at_once_is_asked_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MOST_WAITING", 100)
    with heard(tmp_path) as there:
        answer = there.send(
            b"POST /batch/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 200\r\n\r\n" + bytes(200)
        )
        assert answer.startswith(b"HTTP/1.1 503")
        assert b"retry-after: 1" in answer.lower()
        # What was answered no longer counts.
        monkeypatch.setattr(app, "MOST_WAITING", len(BATCH) + 1)
        assert [there.post("/batch/", BATCH)[0] for _ in range(3)] == [200] * 3
    assert there.session.counts.unreadable == 0


def test_many_clients_at_once_lose_nothing_and_are_judged_one_by_one(tmp_path: Path) -> None:
    inside: list[int] = []
    most = 0

    def slowly(row: Any) -> Any:
        nonlocal most
        inside.append(1)
        most = max(most, len(inside))
        time.sleep(0.001)
        try:
            return judge(row)
        finally:
            inside.pop()

    with heard(tmp_path) as there:
        judge = there.session._judge.judge
        there.session._judge.judge = slowly  # type: ignore[method-assign]
        threads = [threading.Thread(target=lambda: [there.post("/batch/", BATCH) for _ in range(5)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert most == 1
    assert there.session.counts.events == 80
    assert there.session.counts.verdicts == {Verdict.REDACT: 40, Verdict.DROP: 40}
    assert len(there.events) == 80


def test_it_listens_on_loopback_alone(tmp_path: Path) -> None:
    with heard(tmp_path) as there:
        assert there.listening._socket.getsockname()[0] == "127.0.0.1"
        assert there.address == f"http://127.0.0.1:{there.listening.port}"


def test_a_port_in_use_is_said_with_what_to_do() -> None:
    with Listening() as first, pytest.raises(ListenError, match=f"port {first.port} is in use .*--port"):
        Listening(first.port)


def test_a_port_is_free_again_at_once(tmp_path: Path) -> None:
    with heard(tmp_path) as there:
        there.post("/batch/", BATCH)
    with Listening(there.listening.port) as again:
        assert again.port == there.listening.port


@pytest.mark.promise("audit:atomic")
def test_a_recording_is_the_owners_alone_and_never_overwritten_unasked(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    with Recording(path) as recording:
        recording.add(b'{"event":"one"}')
        assert path.read_bytes() == b'{"event":"one"}\n'
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(ListenError, match="exists; give another --save, or --force"):
        Recording(path)
    assert path.read_bytes() == b'{"event":"one"}\n'
    path.chmod(0o644)
    with Recording(path, force=True):
        assert path.read_bytes() == b""
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(ListenError, match="cannot be written"):
        Recording(tmp_path / "absent" / "kept.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_session_and_says_so() -> None:
    session = Session(Settings(), Recording(Path("/dev/full"), force=True))
    session.take(Body((Arrival(call(), b"{}"),)))
    assert "cannot be written on (No space left on device)" in str(session.failure)


@pytest.mark.skipif(os.name != "posix", reason="limits are set the POSIX way")
def test_a_line_that_does_not_fit_is_taken_back(tmp_path: Path) -> None:
    import resource
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with Recording(tmp_path / "kept.jsonl") as recording:
            recording.add(b"1234567")
            resource.setrlimit(resource.RLIMIT_FSIZE, (12, before[1]))
            with pytest.raises(ListenError, match="ends after a whole line"):
                recording.add(b"1234567")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (tmp_path / "kept.jsonl").read_bytes() == b"1234567\n"


def test_an_event_nested_beyond_reason_is_counted_and_costs_no_other(tmp_path: Path) -> None:
    deep: Any = SECRET
    for _ in range(480):
        deep = [deep]
    batch = json.dumps({"batch": [{"event": "deep", "properties": {"a": deep}}, call()]})
    with heard(tmp_path) as there:
        status, _ = there.post("/batch/", batch.encode())
    assert status == 200
    counts = there.session.counts
    assert counts.events == 2
    assert there.session.failure is None
    assert SECRET not in repr(there.lines)


def test_lines_that_nobody_shows_do_not_hold_up_the_sender(monkeypatch: pytest.MonkeyPatch) -> None:
    from scrubber.audit.listening import session as module

    monkeypatch.setattr(module, "_MOST_LINES", 3)
    session = Session(Settings())
    session.take(Body(tuple(Arrival(call(), b"{}") for _ in range(5))))
    assert (session.counts.events, session.counts.unshown, session.lines.qsize()) == (5, 2, 3)


def test_an_error_of_ours_ends_the_session_without_a_value() -> None:
    session = Session(Settings())
    session.take(Body((Arrival({"event": "x", "properties": SECRET}, b"{}"),)))  # what `bodies` never hands on
    assert SECRET not in str(session.failure)
    assert "please report it" in str(session.failure)
