"""The wire: a real client, what its hook saw, and what left, decoded from the bytes."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from typing import Any

import pytest

from scrubber import Scrubber, Settings
from scrubber.testing import TestingError, assert_nothing_leaves, open_wire

pytest.importorskip("posthog")
pytestmark = pytest.mark.live
# Put together here: a literal would stand in a source line of a frame, and those stay.
SECRET = " ".join(("Tovelina", "rasumeko"))
PACKAGES = ["posthog", "posthoganalytics"]


@pytest.fixture(params=PACKAGES)
def package(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param)
    return str(request.param)


def fault(client: Any) -> None:
    try:
        raise KeyError(SECRET)
    except KeyError as error:
        client.capture_exception(error)


def asked(client: Any) -> None:
    client.capture("asked", distinct_id="u", properties={"$mcp_parameters": {"q": SECRET}, "plan": "pro"})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gzip": True},
        {"sync_mode": True},
        {"capture_mode": "v1"},
        {"capture_mode": "v1", "capture_compression": "deflate"},
        {"capture_mode": "v1", "capture_compression": "gzip"},
    ],
    ids=["batch", "gzip", "sync", "v1", "v1 deflate", "v1 gzip"],
)
def test_what_left_is_read_from_every_way_of_sending(package: str, options: dict[str, Any]) -> None:
    with ExitStack() as open_:
        try:
            wire = open_.enter_context(open_wire(package=package, **options))
        except TypeError:
            pytest.skip("this posthog has no such option")
        asked(wire.client)
        fault(wire.client)
        assert [event["event"] for event in wire.seen] == ["asked", "$exception"]
        assert [event["event"] for event in wire.left] == ["asked", "$exception"]
        assert wire.left[0]["properties"]["plan"] == "pro"
        assert wire.seen[0]["properties"]["$mcp_parameters"] == {"q": SECRET}
        assert_nothing_leaves(wire, [SECRET])


def test_without_a_hook_that_closes_it_is_found() -> None:
    with open_wire(before_send=lambda event: event) as wire:
        asked(wire.client)
        with pytest.raises(AssertionError, match=r"properties\.\$mcp_parameters\.q"):
            assert_nothing_leaves(wire, [SECRET])
        assert wire.settings is None


def test_what_the_hook_changes_afterwards_does_not_change_what_was_seen() -> None:
    def hook(event: Any) -> Any:
        event["properties"].clear()
        return event

    with open_wire(before_send=hook) as wire:
        asked(wire.client)
        assert wire.seen[0]["properties"]["plan"] == "pro"
        assert "plan" not in wire.left[0]["properties"]


def test_dropped_events_are_told() -> None:
    with open_wire(before_send=lambda event: None if event["event"] == "asked" else event) as wire:
        asked(wire.client)
        fault(wire.client)
        assert [event["event"] for event in wire.dropped] == ["asked"]
        assert [event["event"] for event in wire.left] == ["$exception"]


def test_settings_make_the_hook() -> None:
    settings = Settings(block=["plan"])
    with open_wire(settings) as wire:
        asked(wire.client)
        assert "plan" not in wire.left[0]["properties"]
        assert wire.settings is settings
        assert isinstance(wire.hook, Scrubber)
    with open_wire(before_send=Scrubber(settings)) as wire:
        assert wire.settings is settings


def test_a_wire_without_events_proves_nothing() -> None:
    with open_wire() as wire, pytest.raises(AssertionError, match="nothing was checked"):
        assert_nothing_leaves(wire, [SECRET])
    with open_wire(before_send=lambda _: None) as wire:
        asked(wire.client)
        assert_nothing_leaves(wire, [SECRET])


def test_flags_are_answered_with_none() -> None:
    with open_wire(feature_flags_request_timeout_seconds=2) as wire:
        assert not wire.client.get_all_flags("u")


@pytest.mark.parametrize(
    "options, said",
    [
        ({"settings": Settings(), "before_send": print}, "not both"),
        ({"settings": {"profile": "strict"}}, r"settings=Settings\("),
        ({"before_send": "x"}, "must be a callable"),
        ({"host": "http://x"}, "host is the wire's own"),
        ({"send": False}, "send is always on"),
        ({"package": "no_such_posthog"}, r"no no_such_posthog\.Posthog here"),
    ],
)
def test_options_that_cannot_be_honoured_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TestingError, match=said), open_wire(**options):
        pass


def test_a_body_that_cannot_be_read_is_no_silence() -> None:
    with open_wire() as wire:
        wire._sink.keep("/batch/", "zstd", b"\x28\xb5\x2f\xfd....")
        with pytest.raises(TestingError, match="cannot be read here"):
            _ = wire.left


def test_events_that_do_not_arrive_are_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the environment's, for instance, swallows what the client sends."""
    with open_wire() as wire:
        monkeypatch.setattr(wire._sink, "keep", lambda *_: None)
        asked(wire.client)
        with pytest.raises(TestingError, match=r"1 of the events .* did not arrive"):
            _ = wire.left


def test_a_wire_shows_no_event() -> None:
    with open_wire() as wire:
        asked(wire.client)
        wire.flush()
        assert repr(wire) == "<Wire seen=1 left=1>"


def test_a_closed_wire_leaves_no_thread_and_takes_no_time() -> None:
    before = threading.active_count()
    began = time.monotonic()
    for _ in range(5):
        with open_wire() as wire:
            asked(wire.client)
            assert len(wire.left) == 1
    assert time.monotonic() - began < 10
    until = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.02)
    assert threading.active_count() <= before
