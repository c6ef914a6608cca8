"""Hostile texts cost a bounded number of steps. Counted in a generous ratio, not timed: benchmarks measure."""

from __future__ import annotations

import time
from typing import Any

import pytest

from scrubber import Scrubber
from scrubber.rules.origin import judge
from scrubber.words import message

from ..support import call, refusal

HOSTILE = [
    "Value error, ",
    "[type=",
    "[type=a]\n",
    "\n",
    "1 validation error for ",
    ", input_type=",
    "  x [type=missing, input_value=",
    "a.",
    "validation error\n",
    "    For further information visit ",
    "9",
]


def seconds(run: Any, *arguments: Any) -> float:
    start = time.perf_counter()
    run(*arguments)
    return time.perf_counter() - start


@pytest.mark.promise("hook:bounded")
@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("end", ["", "\nvalidation error", "]"])
def test_reading_a_hostile_text_is_not_quadratic(piece: str, end: str) -> None:
    def event(size: int) -> dict[str, Any]:
        event = refusal()
        body = (piece * (size // len(piece) + 1))[:size] + end
        for one in event["properties"]["$exception_list"]:
            one["value"] = f"1 validation error for find_bookArguments\n{body}"
        return event

    for run in (
        lambda e: judge(e["properties"]),
        lambda e: message.parse(e["properties"]["$exception_list"][1]["value"]),
    ):
        assert seconds(run, event(100_000)) < 1.0


@pytest.mark.promise("hook:bounded")
def test_a_call_with_a_huge_message_is_cheap_to_scrub() -> None:
    for piece in HOSTILE:
        assert seconds(Scrubber(), call("1 validation error for call[x]\n" + piece * (200_000 // len(piece)))) < 1.0
