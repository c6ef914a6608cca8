"""Real PostHog clients, pointed at a listener: what they send is what their `before_send` saw."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrubber import Scrubber
from scrubber.audit.listening import answers
from scrubber.words.verdict import Verdict

posthog = pytest.importorskip("posthog")
pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from ..live.families import Family, installed_families
from .listen_kit import Heard, heard

pytestmark = pytest.mark.live

KEY = "phc_do_not_show"
SECRET = "-".join(("canary", "77c1"))


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The SDKs log what fails; nothing of it belongs here."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(before)


class Recorder:
    """A `before_send` that keeps what it sees and lets it through."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def __call__(self, event: Any) -> Any:
        self.events.append(json.loads(json.dumps(copy.deepcopy(event), default=str)))
        return event


def takes(client: Any, name: str) -> bool:
    return name in inspect.signature(client).parameters


def fault() -> RuntimeError:
    try:
        raise RuntimeError(f"could not serve {SECRET}")
    except RuntimeError as error:
        return error


def by_uuid(events: list[Any]) -> dict[str, Any]:
    return {event["uuid"]: event for event in events}


WAYS: list[dict[str, Any]] = [
    {},
    {"gzip": True},
    {"sync_mode": True},
    {"capture_mode": "v1"},
    {"capture_mode": "v1", "gzip": True},
    {"capture_mode": "v1", "capture_compression": "deflate"},
    {"capture_mode": "v1", "capture_compression": "zstd"},
]


@pytest.mark.parametrize(
    "options", WAYS, ids=lambda options: " ".join(f"{k}={v}" for k, v in options.items()) or "plain"
)
@pytest.mark.parametrize("package", ["posthog", "posthoganalytics"])
def test_what_comes_is_what_before_send_saw(package: str, options: dict[str, Any], tmp_path: Path) -> None:
    module = pytest.importorskip(package)
    if not all(takes(module.Posthog, name) for name in options):
        pytest.skip(f"this {package} has no such way to send")
    if options.get("capture_compression") == "zstd":
        pytest.importorskip("zstandard")
    recorder = Recorder()
    with heard(tmp_path) as there:
        client = module.Posthog(KEY, host=there.address, before_send=recorder, max_retries=0, **options)
        client.capture("asked", distinct_id="u1", properties={"plan": "pro", "name": "Jürgen 😀", "$session_id": "s1"})
        client.capture("asked", distinct_id="u2", properties={"$process_person_profile": False}, groups={"org": "7"})
        client.capture_exception(fault(), distinct_id="u1")
        client.flush()
        client.shutdown()
    assert len(recorder.events) == 3
    assert by_uuid(there.events) == by_uuid(recorder.events)
    assert [seen.verdict for seen in there.seen] == [Verdict.PASS, Verdict.PASS, Verdict.REDACT]
    assert KEY not in there.saved.read_text("utf-8")
    assert SECRET in there.saved.read_text("utf-8")
    assert not there.notes


def test_v1_gets_an_answer_for_each_event(tmp_path: Path) -> None:
    if not takes(posthog.Posthog, "capture_mode"):
        pytest.skip("this posthog has no capture modes")
    failed: list[Any] = []
    with heard(tmp_path) as there:
        client = posthog.Posthog(
            KEY, host=there.address, capture_mode="v1", max_retries=0, on_error=lambda error, _: failed.append(error)
        )
        for number in range(250):
            client.capture("asked", distinct_id=f"u{number}")
        client.flush()
        client.shutdown()
    assert failed == []
    assert len(there.events) == 250
    status, answer = there_answer(tmp_path / "again")
    assert (status, answer) == (200, {"results": {"id-1": {"result": "ok"}}})


def there_answer(folder: Path) -> tuple[int, Any]:
    folder.mkdir()
    with heard(folder) as there:
        body = json.dumps({"batch": [{"event": "asked", "uuid": "id-1", "distinct_id": "u", "properties": {}}]})
        return there.post("/i/v1/analytics/events", body.encode())


def test_an_async_client_is_heard(tmp_path: Path) -> None:
    if not hasattr(posthog, "AsyncPosthog"):
        pytest.skip("this posthog has no AsyncPosthog")
    recorder = Recorder()

    async def go(address: str) -> None:
        client = posthog.AsyncPosthog(KEY, host=address, before_send=recorder, gzip=True)
        for answer in (client.capture("asked", distinct_id="u1", properties={"plan": "pro"}),):
            if asyncio.iscoroutine(answer):
                await answer
        for name in ("flush", "shutdown"):
            answer = getattr(client, name)()
            if asyncio.iscoroutine(answer):
                await answer

    with heard(tmp_path) as there:
        asyncio.run(go(there.address))
    assert len(recorder.events) == 1
    assert there.events == recorder.events


def test_events_of_the_ai_lane_are_heard(tmp_path: Path) -> None:
    if not hasattr(posthog.Posthog, "capture_ai"):
        pytest.skip("this posthog has no AI lane")
    recorder = Recorder()
    with heard(tmp_path, profile="strict") as there:
        client = posthog.Posthog(KEY, host=there.address, before_send=recorder)
        client.capture_ai("$ai_generation", distinct_id="u1", properties={"$ai_input": [SECRET], "$ai_model": "m-1"})
        client.flush()
        client.shutdown()
    assert there.events == recorder.events
    (seen,) = there.seen
    assert seen.verdict is Verdict.REDACT
    assert "$ai_input" in seen.gone
    assert SECRET not in repr(there.lines)


def test_flags_are_answered_with_none_and_without_an_error(tmp_path: Path) -> None:
    errors: list[Any] = []
    with heard(tmp_path) as there:
        client = posthog.Posthog(
            KEY, host=there.address, personal_api_key="phx_" + SECRET, on_error=lambda *one: errors.append(one)
        )
        client.debug = True  # errors of the flags are raised
        client.load_feature_flags()
        assert client.get_all_flags("u1", person_properties={"mail": SECRET}) in ({}, None)
        assert client.get_feature_flag("new-page", "u1") in (None, False)
        assert client.get_remote_config_payload("new-page") is None
        client.flush()
        client.shutdown()
    assert errors == []
    assert [seen.event for seen in there.seen] == ["$feature_flag_called"]
    assert {note.text for note in there.notes} == {answers.FLAGS_NOTE}
    assert {note.what for note in there.notes} >= {"/flags", "/api/projects/*/feature_flags/*/remote_config"}
    assert not any(note.trouble for note in there.notes)
    for word in (SECRET, KEY, "phx_"):
        assert word not in repr(there.lines) + there.saved.read_text("utf-8")


def test_persons_and_groups_are_heard_as_the_hook_sees_them(tmp_path: Path) -> None:
    recorder = Recorder()
    with heard(tmp_path, profile="strict") as there:
        client = posthog.Posthog(KEY, host=there.address, before_send=recorder)
        client.set(distinct_id="u1", properties={"mail": SECRET})
        client.group_identify("org", "7", {"name": SECRET})
        client.alias("u1", "u2")
        client.flush()
        client.shutdown()
    assert by_uuid(there.events) == by_uuid(recorder.events)
    assert SECRET not in repr(there.lines)
    hook = Scrubber(there_settings())
    assert [hook.decide(event).verdict for event in there.events] == [seen.verdict for seen in there.seen]


def there_settings() -> Any:
    from scrubber import Settings

    return Settings(profile="strict")


def serve(client: Any, family: Family) -> None:
    """Tools that work, fail, and refuse, called by the SDK's own client."""

    def find(number: int) -> str:
        return f"found {number}"

    def broken(number: int) -> str:
        raise RuntimeError(f"row {number} holds {SECRET}")

    server = family.make("shop")
    for tool in (find, broken):
        family.add_tool(server, tool, None)
    analytics = pytest.importorskip("posthog.mcp").instrument(server, client)

    async def go() -> None:
        async with family.connect(server) as caller:
            await family.list_tools(caller)
            for name, number in (("find", SECRET), ("find", 7), ("broken", 7)):
                try:
                    await asyncio.wait_for(family.call_tool(caller, name, {"number": number}), 20)
                except Exception as error:
                    del error
                if hasattr(analytics, "flush"):
                    await analytics.flush()
                else:
                    await asyncio.sleep(0.05)

    asyncio.run(go())


def listen_to_a_server(folder: Path, recorder: Any) -> Heard:
    with heard(folder) as there:
        client = posthog.Posthog(KEY, host=there.address, before_send=recorder)
        serve(client, installed_families()[0])
        client.flush()
        client.shutdown()
    return there


@pytest.mark.promise("audit:same-engine", "audit:no-value")
def test_an_instrumented_server_is_judged_as_its_own_hook_would(tmp_path: Path) -> None:
    recorder = Recorder()
    there = listen_to_a_server(tmp_path, recorder)
    assert by_uuid(there.events) == by_uuid(recorder.events)
    names = [seen.event for seen in there.seen]
    assert names.count("$mcp_tool_call") == 3
    assert names.count("$exception") == 2
    hook = Scrubber()
    assert [hook.decide(event).verdict for event in recorder.events] == [seen.verdict for seen in there.seen]
    verdicts = [seen.verdict for seen in there.seen if seen.event == "$exception"]
    assert verdicts == [Verdict.DROP, Verdict.REDACT]
    assert not there.session.counts.clean
    assert SECRET in there.saved.read_text("utf-8")
    assert SECRET not in repr(there.lines) + repr(there.session.counts)


@pytest.mark.promise("audit:clean")
def test_a_server_with_the_hook_is_clean(tmp_path: Path) -> None:
    from scrubber import Settings

    there = listen_to_a_server(tmp_path, Scrubber(Settings(error_messages={"ValidationError": "shape"})))
    assert there.session.counts.events >= 4
    assert there.session.counts.clean
    assert SECRET not in there.saved.read_text("utf-8")
