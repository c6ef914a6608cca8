"""The corpus of recorded truth and the public reports, where the checkout has them beside it."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest

from scrubber import Scrubber, Settings

from .support import SHARED, recorded, texts, without_source_lines

CORPUS, CASES = SHARED / "corpus", SHARED / "cases"
DEBATABLE = {
    "transform_fn_bad_args",
    "middleware_translates_error",
    "transformed_missing_arg",
    "tool_is_model_class",
    "tool_is_validate_call_args",
}
# Middleware above posthog's own seam: even the call event shows the rewritten arguments.
UNDECIDABLE = {"user_middleware_rewrites_args"}
# Nothing in the `$exception` event tells; the call event before it does.
BY_THE_CALL = {
    "middleware_rewrites_args",
    "transformed_hidden_default_bad",
    "validate_default_bad",
    "validator_nested_validation_error",
    "validator_nested_in_model",
}

corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="no shared corpus beside this checkout")


@corpus
@pytest.mark.parametrize("corroborate", [True, False])
def test_every_event_of_the_corpus_gets_the_verdict_its_truth_says(corroborate: bool) -> None:
    hook = Scrubber(Settings(corroborate=corroborate))
    aside = DEBATABLE | UNDECIDABLE | (set() if corroborate else BY_THE_CALL)
    wrong, judged = [], 0
    for row in recorded(CORPUS):
        got = "drop" if hook(row.event) is None else "keep"
        if row.truth == "not-exception" or row.scenario in aside:
            continue
        judged += 1
        if got != row.truth:
            wrong.append((row.id, row.truth))
    assert not wrong
    assert judged > 800


@corpus
@pytest.mark.parametrize("profile", ["standard", "strict"])
def test_no_canary_of_the_corpus_leaves(profile: Any) -> None:
    hook = Scrubber(Settings(profile=profile, error_messages={"ValidationError": "shape"}))
    for row in recorded(CORPUS):
        decision = hook.decide(row.event)
        out = texts(without_source_lines(decision.event)) + texts(decision.findings)
        for secret in row.secrets:
            assert secret not in out, row.id


@corpus
def test_the_corpus_is_scrubbed_once_and_for_all() -> None:
    for settings in (
        {},
        {"profile": "strict", "annotate": True},
        {"error_messages": {"ValidationError": "shape"}},
    ):
        hook = Scrubber(Settings(**settings))  # type: ignore[arg-type]
        for row in recorded(CORPUS):
            before = copy.deepcopy(row.event)
            out = hook(row.event)
            assert row.event == before, row.id
            assert out is None or hook(out) == out, row.id


def event_cases() -> list[Any]:
    if not CASES.is_dir():
        return []
    cases = [json.loads(path.read_text("utf-8")) for path in sorted(CASES.glob("C*.json"))]
    return [pytest.param(case, id=case["id"]) for case in cases if "event" in case]


def at(value: Any, path: str) -> Any:
    for part in re.findall(r"[^.\[\]]+|\[\d+\]", path):
        value = value[int(part[1:-1])] if part[0] == "[" else value[part]
    return value


@pytest.mark.skipif(not CASES.is_dir(), reason="no shared cases beside this checkout")
@pytest.mark.parametrize("case", event_cases())
def test_a_public_report_is_met_under_its_own_settings(case: dict[str, Any]) -> None:
    hook = Scrubber(Settings(**case["settings"]))
    outs = []
    for event in [case["event"], *([case["pair"]] if case.get("pair") else [])]:
        before = copy.deepcopy(event)
        decision, out = hook.decide(event), hook(event)
        outs.append(out)
        assert event == before
        if case["expect"] != "send_or_drop":
            assert ("drop" if out is None else "send") == case["expect"]
        everything = texts(out) + texts(decision.findings) + texts(hook.counts())
        for secret in case["secrets"]:
            assert secret not in everything
        for path in case["must_keep"] if out is not None else []:
            had, has = at(event, path), at(out, path)
            assert has == had or any(secret in texts(had) for secret in case["secrets"]), path
    if case.get("check") == "pair_equal_after_filter":
        first, second = ({**out, "timestamp": 0, "uuid": 0} for out in outs)
        assert first == second
    if case.get("check") == "pair_groups_apart":
        assert grouping(outs[0]) != grouping(outs[1])


def grouping(event: dict[str, Any]) -> Any:
    """What PostHog groups by: an own fingerprint, else types and frames."""
    properties = event["properties"]
    chosen = properties.get("$exception_fingerprint")
    return chosen or [
        (
            one.get("type"),
            [(each.get("filename"), each.get("function")) for each in (one.get("stacktrace") or {}).get("frames", [])],
        )
        for one in properties["$exception_list"]
    ]
