"""The comparison with the peers is computed, from the recordings and their truth, and the page shows what was computed."""

from __future__ import annotations

import json
import re
import sys
from functools import lru_cache
from typing import Any

import pytest

from scrubber import Scrubber, Settings

from ..support import RECORDED, ROOT, Recorded, call, recorded, refusal

sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "tools")) if path not in sys.path]

from bench_parts import contenders, peers, report

OF_OURS = ("hook", "hook, messages as shapes", "by type", "by frames", "no hook")
"""The rows that need no other package."""


@lru_cache(maxsize=1)
def measured() -> tuple[peers.Truth, dict[str, peers.Quality]]:
    truth, rows = peers.measure(OF_OURS)
    return truth, {one.name: one for one in rows}


def one_row(event: dict[str, Any], secrets: list[str], truth: str, scenario: str = "s") -> Recorded:
    return Recorded("file", "id", scenario, truth, None, secrets, event)


def judged(
    event: dict[str, Any], hook: Any, secrets: tuple[str, ...] = ("secret-7", "secret-8"), truth: str = "keep"
) -> Any:
    return peers.judged(peers.Peer("one", lambda: hook), [one_row(event, list(secrets), truth)])


def test_the_hook_hides_no_fault_sends_no_refusal_and_leaks_only_what_its_policy_keeps() -> None:
    truth, rows = measured()
    for name in ("hook", "hook, messages as shapes"):
        assert (rows[name].elsewhere, rows[name].hidden, rows[name].noise) == (0, 0, 0)
    assert rows["hook, messages as shapes"].in_messages == 0
    assert rows["hook"].in_names == rows["hook, messages as shapes"].leaking <= 12
    assert truth.faults > 600
    assert truth.refusals > 500


def test_no_hook_leaves_all_there_is_and_the_naive_hooks_hide_faults() -> None:
    truth, rows = measured()
    left = rows["no hook"]
    assert (left.leaking, left.canaries, left.hidden, left.noise) == (truth.leaking, truth.canaries, 0, truth.refusals)
    assert rows["by type"].hidden > 300
    assert rows["by frames"].hidden > 100
    for name in ("by type", "by frames"):
        assert rows["hook"].leaking < rows[name].leaking < truth.leaking


def test_faults_and_refusals_are_counted_one_by_one() -> None:
    """The figures of one naive hook, counted here in another way."""
    hidden = noise = 0
    for row in recorded():
        if row.event["event"] == "$exception":
            types = re.findall(r'"type": "(\w+)", "value"', json.dumps(row.event["properties"]["$exception_list"]))
            hidden += "ValidationError" in types and row.truth == "keep"
            noise += "ValidationError" not in types and row.truth == "drop"
    by_type = measured()[1]["by type"]
    assert (by_type.hidden, by_type.noise) == (hidden, noise)


@pytest.mark.parametrize(
    "value",
    [
        "secret-7",
        "a secret-7 b",
        {"secret-7": 1},
        [[{"a": ("secret-7",)}]],
        json.dumps(json.dumps({"a": "secret-7 \n\u2028"})),
    ],
    ids=["whole", "part", "key", "nested", "JSON in JSON"],
)
def test_a_canary_counts_wherever_it_leaves(value: Any) -> None:
    event = {"event": "mine", "distinct_id": "u", "properties": {"mine": value}}
    found = judged(event, lambda event: event)
    assert (found.leaking, found.canaries, found.elsewhere) == (1, 1, 1)
    assert judged(event, lambda event: None).leaking == 0


def test_where_a_canary_leaves_is_told_apart() -> None:
    kept = call("1 validation error: secret-7")
    assert judged(kept, Scrubber(Settings()))._asdict().items() >= {"leaking": 1, "in_messages": 1}.items()
    named = {"event": "$mcp_unknown_tool", "properties": {"$mcp_tool_name": "secret-7"}}
    row = one_row(named, ["secret-7"], "not-exception", "unknown_tool")
    assert peers.judged(peers.Peer("one", lambda: lambda event: event), [row]).in_names == 1
    assert judged(named, lambda event: event).elsewhere == 1, "only a tool that does not exist has a made-up name"


def test_source_lines_are_the_authors() -> None:
    event = refusal("secret-9")
    for frame in event["properties"]["$exception_list"][0]["stacktrace"]["frames"]:
        frame["context_line"] = "secret-7"
    assert judged(event, lambda event: event, ("secret-7",)).leaking == 0
    assert judged(event, lambda event: event, ("secret-9",)).leaking == 1


def test_a_canary_that_json_would_escape_is_refused() -> None:
    with pytest.raises(ValueError, match="escape"):
        judged(call(), lambda event: event, ('a"b',))


def test_each_contender_sees_an_event_of_its_own() -> None:
    event = call()

    def spoil(given: dict[str, Any]) -> Any:
        given["properties"].clear()
        return given

    judged(event, spoil)
    assert event == call()


# -- the peers themselves


def test_told_the_keys_sentry_takes_out_whole_values() -> None:
    pytest.importorskip("sentry_sdk")
    assert judged(call(), peers.sentry()).leaking == 1
    assert judged(call(), peers.sentry(peers.CONTENT_KEYS)).leaking == 0
    secret = {"event": "mine", "properties": {"deep": [{"password": "secret-7"}]}}
    assert judged(secret, peers.sentry()).leaking == 0


def test_told_the_keys_logfire_takes_out_whole_values() -> None:
    pytest.importorskip("logfire")
    # A text of the default patterns' own, like "secret", would be found by them.
    quiet = call(**{"$mcp_parameters": {"a": "quiet-7"}, "$mcp_response": "x"})
    assert judged(quiet, peers.logfire(), ("quiet-7",)).leaking == 1
    assert judged(quiet, peers.logfire(peers.CONTENT_KEYS), ("quiet-7",)).leaking == 0
    secret = {"event": "mine", "properties": {"deep": [{"password": "secret-7"}]}}
    assert judged(secret, peers.logfire()).leaking == 0


def test_the_sanitiser_takes_out_what_looks_like_a_credential() -> None:
    pytest.importorskip("posthog.mcp")
    secret = {"event": "mine", "properties": {"deep": [{"password": "secret-7"}]}}
    assert judged(secret, contenders.sanitiser()).leaking == 0
    assert judged(call(), contenders.sanitiser()).leaking == 1


# -- the page


def test_the_page_shows_what_is_computed() -> None:
    truth, rows = measured()
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    shown = page.partition("<!-- peers:begin -->")[2].partition("<!-- peers:end -->")[0]
    for line in report.quality(truth, list(rows.values())).splitlines()[5:]:
        assert re.search(re.sub(r" +", " +", re.escape(line).replace(r"\ ", " ")), shown), line
    assert f"{truth.events:,} events, {truth.leaking:,} of them with a canary" in shown
    assert len(list(RECORDED.glob("*.gz"))) == 10


def test_the_page_shows_the_picture_with_the_same_figures() -> None:
    picture = (ROOT / "docs" / "images" / "peers.svg").read_text("utf-8")
    assert "](images/peers.svg)" in (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    truth, rows = measured()
    for figure in (
        truth.leaking,
        rows["hook"].leaking,
        rows["by type"].hidden,
        rows["by frames"].hidden,
        truth.refusals,
    ):
        assert f">{figure:,}<" in picture or f"of {figure:,}" in picture
