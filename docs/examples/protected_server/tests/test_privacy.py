"""What PostHog is told by the shop's server, and what it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conftest import ADDRESS, CUSTOMER

from scrubber.testing import assert_baseline, assert_nothing_leaves, leak_check

BASELINE = Path(__file__).parent.parent / "baseline.json"
# A call that finds the customer: made-up names find nobody.
CALLS = {"address_of": {"customer": CUSTOMER}}


def test_nothing_of_a_call_leaves(server: Any) -> None:
    report = leak_check(server, arguments=CALLS, canaries=[CUSTOMER, ADDRESS])
    assert report.unreached == []


def test_only_what_we_reviewed_leaves(server: Any) -> None:
    assert_baseline(leak_check(server, arguments=CALLS), BASELINE)


def test_an_event_of_our_own_is_closed_too(wire: Any) -> None:
    wire.client.capture("order_placed", distinct_id="shop", properties={"copies": 2, "to": ADDRESS})
    assert_nothing_leaves(wire, [ADDRESS])
    assert wire.left[0]["properties"]["copies"] == 2
