"""The project's own recordings of real servers: the verdict their truth says, and no canary out.

Truth `either` is debatable. For the scenarios in `UNDECIDABLE` nothing in the `$exception` event tells; the call event
before it does.
"""

from __future__ import annotations

import pytest

from scrubber import Scrubber, Settings

from ..support import RECORDED, Recorded, recorded, texts, without_source_lines

FILES = sorted(path.name for path in RECORDED.glob("*.jsonl.gz"))
ROWS = list(recorded())

UNDECIDABLE = {
    # scenario: what alone would tell
    "bad_default": "the declared default is rejected; the caller sent nothing",
    "merged_nested_error": "pydantic merges a validator's own ValidationError",
    "merged_error_in_model": "pydantic merges a validator's own ValidationError",
    "mounted_middleware_spoils": "middleware rewrote a good argument",
    "transformed_hidden_bad": "a hidden argument's default is rejected",
    "wrapper_loses_argument": "a wrapper removed an argument",
    "wrapper_redirects": "a wrapper called another tool with the caller's arguments",
    "wrapper_spoils_argument": "a wrapper rewrote a good argument",
    "body_hidden_lookalike": "a body without a frame raises under the SDK's own title",
}


def exceptions(name: str) -> list[Recorded]:
    return [row for row in ROWS if row.file == name and row.event["event"] == "$exception"]


def wrong_verdicts(name: str, hook: Scrubber) -> list[tuple[str, str]]:
    """The events of a file that do not get the verdict their truth says, by scenario."""
    wrong = []
    for row in ROWS:
        if row.file != name:
            continue
        got = "drop" if hook(row.event) is None else "keep"
        if row.event["event"] == "$exception" and row.truth not in ("either", got):
            wrong.append((row.scenario, row.truth))
    return wrong


@pytest.mark.parametrize("name", FILES)
def test_every_recorded_exception_gets_the_verdict_its_truth_says(name: str) -> None:
    assert wrong_verdicts(name, Scrubber()) == []


@pytest.mark.parametrize("name", FILES)
def test_without_the_call_event_only_the_undecidable_differ_and_only_as_drops(name: str) -> None:
    wrong = wrong_verdicts(name, Scrubber(Settings(corroborate=False)))
    assert {scenario for scenario, _ in wrong} <= set(UNDECIDABLE)
    assert all(truth == "keep" for _, truth in wrong)


@pytest.mark.parametrize("name", FILES)
def test_recordings_hold_both_truths(name: str) -> None:
    truths = [row.truth for row in exceptions(name)]
    assert truths.count("drop") >= 20
    assert truths.count("keep") >= 40


def test_every_undecidable_scenario_is_still_recorded() -> None:
    assert set(UNDECIDABLE) <= {row.scenario for row in ROWS}


@pytest.mark.parametrize("profile", ["standard", "strict"])
def test_no_canary_leaves_but_where_a_setting_keeps_a_text(profile: str) -> None:
    hook = Scrubber(Settings(profile=profile, error_messages={"ValidationError": "shape"}))  # type: ignore[arg-type]
    for row in ROWS:
        decision = hook.decide(row.event)
        out = texts(without_source_lines(decision.event)) + texts(decision.findings)
        # An agent may choose a plain name for a tool that does not exist; that is its name, and the one thing kept.
        for secret in [] if row.scenario == "unknown_tool" else row.secrets:
            assert secret not in out, row.id


def test_the_default_policy_keeps_canaries_in_the_kept_message_alone() -> None:
    hook = Scrubber()
    for row in ROWS:
        out = without_source_lines(hook(row.event))
        if out is None or row.scenario == "unknown_tool":
            continue
        out["properties"].pop("$mcp_error_message", None)
        for secret in row.secrets:
            assert secret not in texts(out), row.id


def test_naive_type_matching_would_hide_real_faults() -> None:
    """The reason for the project, on its own recordings: the type's name is no evidence."""
    hidden = [
        row
        for row in ROWS
        if row.truth == "keep"
        and any(
            isinstance(one, dict) and one.get("type") == "ValidationError"
            for one in row.event["properties"]["$exception_list"]
        )
    ]
    assert len(hidden) > 300
