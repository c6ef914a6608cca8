"""A server in a process of its own, over stdio, streamable HTTP and SSE, at each protocol revision its SDK speaks.

Mutations that turn a test here red: a guard that tells one request from another by something only memory streams have.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..live.families import Family
from . import wire
from .kit import FAMILIES, HAS_SDK, LowLevel, needs_sdk, text_of
from .wire import Way

pytestmark = [pytest.mark.live, pytest.mark.slow, needs_sdk]

CASES: list[tuple[Family, Way]] = []
if HAS_SDK:
    CASES = [(family, way) for family in [*FAMILIES, LowLevel()] for way in wire.ways(family)]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_flocks", {"limit": "CANARY"}),
    ("list_flocks", {"limit": 2147483648}),
    ("list_flocks", {"grades": [{"quantity": "CANARY"}]}),
    ("list_flocks", {"limt": "CANARY"}),
    ("count_eggs", {}),
    ("list_flocks", {"limit": 2}),
]
RANGE = "limit must be a whole number from -2147483648 to 2147483647."
REPLIES = [
    f"Error executing tool 'list_flocks': {RANGE}",
    f"Error executing tool 'list_flocks': {RANGE}",
    "Error executing tool 'list_flocks': grades[0].quantity must be a whole number.",
    "Unknown parameter 'limt' for tool 'list_flocks'. Did you mean: limit? "
    "Allowed parameters: limit, customerId, grades.",
    "Error executing tool 'count_eggs': date is required.",
]
LINES = [
    "list_flocks: limit",
    "list_flocks: limit",
    "list_flocks: grades[0].quantity",
    "list_flocks: *",
    "count_eggs: date",
]


@pytest.mark.parametrize(
    "family, way", CASES, ids=[f"{family.name} {way.transport} {way.revision}" for family, way in CASES]
)
def test_replies_and_log(family: Family, way: Way, tmp_path: Path) -> None:
    log = tmp_path / "log"
    *bad, good = wire.play(family, way, log, CALLS)
    said = []
    for result in bad:
        text, is_error = text_of(result)
        assert is_error
        said.append(text)
    assert said == REPLIES
    assert not text_of(good)[1]
    records = wire.logged(log)
    mine = [record for record in records if record["logger"].startswith("scrubber")]
    assert [record["text"] for record in mine] == [f"refused {line}" for line in LINES]
    assert {record["level"] for record in mine} == {"INFO"}
    assert not any("CANARY" in record["text"] for record in records if record["level"] != "DEBUG")
    window = records[: records.index(mine[-1]) + 1]
    assert not [record for record in window if record["level"] in ("WARNING", "ERROR", "CRITICAL")]
