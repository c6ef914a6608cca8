"""Promises are data: each has a test, and each test that names one names one that exists."""

from __future__ import annotations

import re
import sys

import pytest

from .test_docs import tables

promises = sys.modules[tables.PARTS["promises"][1].__module__]
AREAS = [area["id"] for area in promises.manifest()["area"]]
PROMISES = promises.manifest()["promise"]
IDS = [promise["id"] for promise in PROMISES]
MARKED = promises.marked()


@pytest.mark.parametrize("promise", IDS)
def test_every_promise_is_held_by_a_test(promise: str) -> None:
    assert MARKED.get(promise), f"no test is marked @pytest.mark.promise({promise!r})"


@pytest.mark.parametrize("promise", sorted(MARKED))
def test_every_mark_names_a_promise(promise: str) -> None:
    assert promise in IDS, f"docs/promises.toml has no {promise}; marked: {MARKED[promise]}"


def test_an_id_is_an_area_and_a_name_and_stands_once() -> None:
    assert len(set(IDS)) == len(IDS)
    for promise in IDS:
        assert re.fullmatch(r"[a-z]+:[a-z-]+", promise)
        assert promise.partition(":")[0] in AREAS


@pytest.mark.parametrize("promise", PROMISES, ids=IDS)
def test_a_promise_is_one_sentence_with_a_source(promise: dict[str, str]) -> None:
    assert set(promise) == {"id", "says", "source"}
    assert promise["says"].endswith(".")
    assert promise["source"].partition(" ")[0].rstrip(":") in {
        "house",
        "posthog",
        "posthog.mcp",
        "mcp",
        "fastmcp",
        "pydantic",
    }
