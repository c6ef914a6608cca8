"""Pairing: which calls wait for an exception, and which of those that wait it belongs to."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber.pairing import LONGEST, MOST, Pairing
from scrubber.rules.corroboration import arguments_of

from ..support import call, refusal


def failed(number: str, **more: Any) -> dict[str, Any]:
    event = call("text") | {"timestamp": number}
    event["properties"]["$mcp_parameters"] = {"request": {"params": {"arguments": {"number": number}}}}
    event["properties"] |= more
    return event


def fault(number: str) -> dict[str, Any]:
    event = refusal() | {"timestamp": number}
    event["properties"]["$mcp_conversation_id"] = failed("0")["properties"]["$mcp_conversation_id"]
    return event


def taken(pairing: Pairing, number: str, now: float = 0.0) -> Any:
    called = pairing.see(fault(number), 1, now)
    return arguments_of(*called) if called is not None else None


@pytest.mark.parametrize("order", ["012", "021", "102", "120", "201", "210"])
def test_of_several_calls_that_wait_each_exception_finds_its_own(order: str) -> None:
    pairing = Pairing()
    for number in "012":
        assert pairing.see(failed(number), 1, 0.0) is None
    for number in order:
        assert taken(pairing, number) == {"number": number}
    assert len(pairing) == 0


def test_an_exception_that_fits_no_waiting_call_takes_none() -> None:
    pairing = Pairing()
    for number in "012":
        pairing.see(failed(number), 1, 0.0)
    assert taken(pairing, "7") is None
    assert len(pairing) == 3


@pytest.mark.parametrize("change", [{"$mcp_is_error": False}, {"$mcp_is_error": None}, {"$mcp_is_error": "true"}])
def test_only_a_call_that_failed_waits(change: dict[str, Any]) -> None:
    pairing = Pairing()
    pairing.see(failed("0", **change), 1, 0.0)
    assert len(pairing) == 0


def test_a_failed_call_whose_arguments_are_not_there_does_not_wait() -> None:
    event = failed("0")
    del event["properties"]["$mcp_parameters"]
    pairing = Pairing()
    pairing.see(event, 1, 0.0)
    assert len(pairing) == 0


def test_a_call_without_a_time_or_a_tool_to_know_it_by_does_not_wait() -> None:
    for event in (failed("0") | {"timestamp": None}, failed("0", **{"$mcp_tool_name": 7})):
        pairing = Pairing()
        pairing.see(event, 1, 0.0)
        assert len(pairing) == 0


def test_a_call_waits_its_time_and_no_longer() -> None:
    for late, found in ((LONGEST - 0.5, {"number": "0"}), (LONGEST + 0.5, None)):
        pairing = Pairing()
        pairing.see(failed("0"), 1, 10.0)
        assert taken(pairing, "0", 10.0 + late) == found


def test_an_old_call_goes_and_a_young_one_stays() -> None:
    pairing = Pairing()
    pairing.see(failed("0"), 1, 0.0)
    pairing.see(failed("1"), 1, LONGEST)
    assert taken(pairing, "0", LONGEST + 1) is None
    assert taken(pairing, "1", LONGEST + 1) == {"number": "1"}


def test_arguments_are_read_where_the_request_does_not_repeat_the_tools_name() -> None:
    assert arguments_of({"request": {"params": {"arguments": {"a": 1}}}}, "t") == {"a": 1}


def test_a_call_of_another_worker_is_not_this_ones() -> None:
    pairing = Pairing()
    pairing.see(failed("0"), 2, 0.0)
    assert taken(pairing, "0") is None
    assert len(pairing) == 1


@pytest.mark.parametrize("event", [None, 7, "text", [], {}, {"properties": None}, {"properties": {}}])
def test_what_is_no_event_belongs_to_no_call(event: Any) -> None:
    assert Pairing().see(event, 1, 0.0) is None


@pytest.mark.parametrize("name", ["$mcp_tool_name", "$session_id", "$mcp_conversation_id"])
def test_an_event_with_a_list_in_place_of_a_name_neither_waits_nor_takes(name: str) -> None:
    pairing = Pairing()
    assert pairing.see(failed("0", **{name: [1]}), 1, 0.0) is None
    assert len(pairing) == 0
    pairing.see(failed("0"), 1, 0.0)
    event = fault("0")
    event["properties"][name] = [1]
    assert pairing.see(event, 1, 0.0) is None
    assert len(pairing) == 1


def test_of_two_calls_that_nothing_tells_apart_the_later_one_waits() -> None:
    pairing = Pairing()
    for sent in ("first", "second"):
        event = failed("0")
        event["properties"]["$mcp_parameters"]["request"]["params"]["arguments"] = {"number": sent}
        pairing.see(event, 1, 0.0)
    assert len(pairing) == 1
    assert taken(pairing, "0") == {"number": "second"}
    assert taken(pairing, "0") is None


def test_only_the_newest_of_very_many_failed_calls_wait() -> None:
    pairing = Pairing()
    for at in range(MOST + 10):
        pairing.see(failed(str(at)), 1, 0.0)
    assert len(pairing) == MOST
    assert taken(pairing, "0") is None
    assert taken(pairing, str(MOST + 9)) == {"number": str(MOST + 9)}


def test_a_call_that_comes_again_waits_anew_behind_the_others() -> None:
    pairing = Pairing()
    pairing.see(failed("0"), 1, 0.0)
    pairing.see(failed("1"), 1, 1.0)
    pairing.see(failed("0"), 1, LONGEST - 0.5)
    assert taken(pairing, "1", LONGEST + 1.5) is None
    assert taken(pairing, "0", LONGEST + 1.5) == {"number": "0"}
