"""The saved inputs of the fuzz runs, in plain Python: every promise is kept on each, in bounded time."""

from __future__ import annotations

import random
import time

import pytest

from scrubber import Scrubber

from . import building, promises
from .building import CANARY, Case
from .saved import CORPUS, path_of, read, written
from .snapshot import holds, snapshot
from .source import Source
from .targets import TARGETS

LONGEST = 3.0
"""Seconds for one input, on a machine that does other things meanwhile."""


@pytest.mark.parametrize("target", TARGETS)
def test_every_saved_input_keeps_the_promises_in_bounded_time(target: str) -> None:
    for at, data in enumerate(read(target)):
        start = time.perf_counter()
        try:
            TARGETS[target](data)
        except Exception as error:
            pytest.fail(f"input {at} of {path_of(target).name} breaks a promise: {type(error).__name__} {error}")
        assert time.perf_counter() - start < LONGEST, f"input {at} of {path_of(target).name} is slow"


@pytest.mark.parametrize("target", TARGETS)
def test_bytes_of_chance_keep_the_promises(target: str) -> None:
    chance = random.Random(target)
    for _ in range(150):
        TARGETS[target](chance.randbytes(chance.choice([0, 3, 30, 200])))


@pytest.mark.parametrize("target", TARGETS)
def test_many_different_inputs_are_saved(target: str) -> None:
    lines = path_of(target).read_text("ascii").split()
    assert len(lines) >= 60
    assert len(set(lines)) == len(lines)
    assert [written(data) for data in read(target)] == lines


def test_the_corpus_is_small() -> None:
    files = [*CORPUS.iterdir(), building.BASES]
    assert sum(path.stat().st_size for path in files) <= 300_000


def test_the_same_bytes_are_the_same_case() -> None:
    for data in read("hook")[:100]:
        first, second = (building.case(Source(data[1:])) for _ in range(2))
        if first.is_json:
            assert repr(first) == repr(second)


def test_saved_cases_cover_what_they_are_for() -> None:
    """A corpus of which no case plants a canary, or drops an event, would prove nothing."""
    seen: set[str] = set()
    for data in read("hook"):
        found = building.case(Source(data[1:]))
        seen |= {"planted"} if found.planted else set()
        seen |= {"json"} if found.is_json else {"objects"}
        hook = Scrubber(promises.ONCE)
        seen |= {"dropped" if hook(event) is None else "sent" for event in found.events}
        seen |= {"failed"} if hook.counts()["failed"] else set()
    assert seen == {"planted", "json", "objects", "dropped", "sent", "failed"}


# -- the checks themselves: a broken promise is seen


def _case(properties: dict[str, object]) -> Case:
    return Case([{"event": "mine", "distinct_id": "u", "properties": properties}], [], True, True)


@pytest.mark.parametrize(
    "name, broken, said",
    [
        ("changes its input", lambda event: event["properties"].update(a=1) or event, "changed"),
        ("returns a text", lambda event: "event", "another event than the hook"),
        ("sends what it got", lambda event: event, "another event than the hook"),
        ("raises", lambda event: 1 / 0, "division"),
    ],
)
def test_a_hook_that_breaks_a_promise_is_caught(
    name: str, broken: object, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Scrubber, "__call__", lambda self, event: broken(event))  # type: ignore[operator]
    with pytest.raises((AssertionError, ZeroDivisionError), match=said):
        promises.check(_case({"$mcp_intent": CANARY}), 1)


def test_a_canary_that_leaves_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "KEEPS_TEXT", frozenset())
    with pytest.raises(AssertionError, match="a canary left"):
        promises.check(_case({"$mcp_error_type": "ValidationError", "$mcp_error_message": CANARY}), 0)


@pytest.mark.parametrize(
    "value",
    [
        {CANARY: 1},
        [[{"a": f"x{CANARY}x"}]],
        ({"a": {CANARY}},),
        CANARY.encode(),
        f'{{"a": "{CANARY}"}}',
    ],
)
def test_a_canary_is_found_wherever_it_is(value: object) -> None:
    assert holds(value, CANARY)
    assert not holds(value, "another")


def test_a_snapshot_tells_apart_what_is_equal_and_not_the_same() -> None:
    values = [0, False, 0.0, "", None, [], (), {}, [0], [False], {"a": 1}, {"a": True}, {"b": 1}, [[]], [[], []]]
    prints = [repr(snapshot(value)) for value in values]
    assert len(set(prints)) == len(values)
    nan = float("nan")
    assert snapshot([nan]) == snapshot([float("nan")])
