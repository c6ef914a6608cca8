"""The hook against the strategies that users get: what must hold for every event."""

from __future__ import annotations

import pytest

st = pytest.importorskip("hypothesis.strategies")
from hypothesis import HealthCheck, Phase, find, given, settings

from scrubber import Scrubber, Settings
from scrubber.testing import find_leaks, strategies
from scrubber.testing.recorder import copied
from scrubber.words import properties as listed

CANARY = "Tovelina rasumeko"
planted = st.just(CANARY) | st.just(f"about {CANARY}, and then more")
slow = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None, max_examples=150
)
# One example is enough: shrinking it takes longer than finding it.
quick = settings(
    max_examples=1000,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
HOOKS = [Scrubber(), Scrubber(Settings(profile="strict", annotate=True, error_messages={}))]


def spelt(value: object) -> object:
    """A value as a text that two equal values share, for values that do not compare."""
    seen: set[int] = set()

    def visit(one: object) -> object:
        if isinstance(one, (dict, list, tuple)):
            if id(one) in seen:
                return "..."
            seen.add(id(one))
            try:
                if type(one) is dict:
                    # Two dicts in different orders are equal.
                    return sorted(((visit(key), visit(item)) for key, item in one.items()), key=repr)
                return [*map(visit, one)]
            finally:
                seen.discard(id(one))
        return id(one) if isinstance(one, strategies.Hostile) else (type(one).__name__, repr(one))

    return visit(value)


@slow
@given(strategies.events())
def test_no_event_makes_the_hook_raise_or_is_changed_by_it(event: object) -> None:
    before = spelt(event)
    for hook in HOOKS:
        out = hook(event)
        assert out is None or type(out) is dict
        assert spelt(event) == before


@slow
@given(strategies.events())
def test_what_went_through_the_hook_goes_through_it_again_unchanged(event: object) -> None:
    for hook in HOOKS:
        out = hook(event)
        if out is not None:
            assert spelt(hook(out)) == spelt(out)


@slow
@given(strategies.events(planted))
def test_the_parameters_never_leave_under_any_name_or_depth(event: object) -> None:
    for hook in (Scrubber(), Scrubber(Settings(profile="strict"))):
        assert f"'{listed.PARAMETERS}'" not in str(spelt(hook(event)))


@slow
@given(strategies.exception_events(planted) | strategies.mcp_call_events(planted))
def test_no_text_leaves_of_what_an_sdk_sends_where_messages_are_closed(event: object) -> None:
    hook = Scrubber(Settings(error_messages={}))
    assert find_leaks([hook(event)], [CANARY]) == []


@pytest.mark.parametrize(
    "strategy",
    [
        strategies.values(planted),
        strategies.hostile_values(planted),
        strategies.frames(planted),
        strategies.exception_lists(planted),
        strategies.exception_events(planted),
        strategies.mcp_call_events(planted),
        strategies.events(planted),
    ],
    ids=["values", "hostile", "frames", "lists", "exceptions", "calls", "events"],
)
def test_every_strategy_plants_the_texts_it_is_given(strategy: st.SearchStrategy[object]) -> None:
    """Without this, a property about a canary could hold because there is none."""
    assert find_leaks([find(strategy, lambda one: bool(find_leaks([one], [CANARY])), settings=quick)], [CANARY])


def test_events_hold_hostile_values_unless_they_are_not_wanted() -> None:
    def is_hostile(event: dict[str, object]) -> bool:
        return any(isinstance(one, strategies.Hostile) for one in event["properties"].values())  # type: ignore[attr-defined]

    assert is_hostile(find(strategies.events(), is_hostile, settings=quick))
    with pytest.raises(Exception, match=r"NoSuchExample|did not satisfy|No examples"):
        find(strategies.events(hostile=False), is_hostile, settings=settings(quick, max_examples=100))


@given(strategies.exception_lists())
def test_a_list_is_chained_from_the_outermost_to_its_root(entries: list[dict[str, dict[str, object]]]) -> None:
    assert [entry["mechanism"]["exception_id"] for entry in entries] == list(range(len(entries)))
    assert [entry["mechanism"].get("parent_id") for entry in entries] == [None, *range(len(entries) - 1)]


def test_a_copy_is_equal_and_shares_no_container() -> None:
    event = {"properties": {"a": [{"b": (1, [2])}]}}
    twin = copied(event)
    assert twin == event
    twin["properties"]["a"][0]["b"][1].append(3)
    assert event == {"properties": {"a": [{"b": (1, [2])}]}}
