"""What the hook promises, asked of any events: raises `AssertionError`, with no value in it, where one is broken."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from scrubber import Scrubber, Settings
from scrubber.words.verdict import Verdict

from .building import CANARY, Case
from .snapshot import holds, parts, snapshot

ONCE = Settings(corroborate=False)
POLICIES = (
    Settings(),
    Settings(error_messages={"ValidationError": "shape"}),
    Settings(profile="strict", error_messages={"ValidationError": "shape"}, annotate=True),
    Settings(error_messages={}, drop_refusals=True, expected_exceptions=["KeyError", "mine.Missing"]),
    Settings(allow=["$mcp_intent"], block=["$lib"], values={"mine": [1, "a", True]}, paths="relative"),
    Settings(profile="strict", allow=["mine"], allow_on={"$exception": ["$set"]}, source_lines="keep"),
)
KEEPS_TEXT = frozenset({0, 4, 5})
"""Policies under which the text of a ValidationError, or a property opened by name, leaves as it came."""

DROPS_MORE = frozenset({3})
"""Policies that drop by types and frames alone, which are still there the second time."""


class Lines(logging.Handler):
    """Keeps what was logged."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append([record.getMessage(), repr(record.args), repr(record.exc_info), repr(record.stack_info)])


@contextmanager
def listening() -> Iterator[list[Any]]:
    """The lines that any logger of the package writes meanwhile."""
    logger, handler = logging.getLogger("scrubber"), Lines()
    before = logger.propagate, logger.level
    logger.addHandler(handler)
    logger.propagate, logger.level = False, logging.DEBUG
    try:
        yield handler.seen
    finally:
        logger.removeHandler(handler)
        logger.propagate, logger.level = before


def check(case: Case, at: int) -> None:
    """Hold one hook with the policy `at` to its promises on the events of a case."""
    hook = Scrubber(POLICIES[at])
    printed = printer(case)
    with listening() as lines:
        for event in case.events:
            before = printed(event)
            sent = hook(event)
            assert printed(event) == before, "the event was changed"
            _check_decision(hook, event, sent, case)
            assert printed(event) == before, "the event was changed by decide"
            if sent is not None:
                _check_sent(hook, sent, case, at)
    assert not holds(lines, CANARY), "a canary in the log"
    assert not holds(hook.counts(), CANARY), "a canary in the counts"
    assert not case.is_json or hook.counts()["failed"] == 0, "a rule failed on JSON"
    # Each costs as much as the rest: half of the policies pay for one, half for the other.
    if at % 2:
        _check_memory(case)
    else:
        _check_comparison(case)


def printer(case: Case) -> Callable[[Any], Any]:
    """How two events are compared: by all that is printed of JSON, by what is in them where they hold objects."""
    return repr if case.is_json else snapshot


def _check_decision(hook: Scrubber, event: Any, sent: Any, case: Case) -> None:
    decision, printed = hook.decide(event), printer(case)
    assert printed(decision.event) == printed(sent), "decide gives another event than the hook"
    assert (decision.verdict is Verdict.DROP) == (sent is None), "decide gives another verdict than the hook"
    assert not holds([[one.rule, one.path, one.reason] for one in decision.findings], CANARY), "a canary in a finding"
    assert decision.verdict is Verdict.PASS or decision.findings, "a verdict without a finding"
    if decision.verdict is Verdict.PASS and case.is_json:
        assert printed(sent) == printed(event), "an event that passes is another"


def _check_sent(hook: Scrubber, sent: Any, case: Case, at: int) -> None:
    assert type(sent) is dict, "neither a dict nor None"
    assert type(sent.get("properties")) is dict, "no properties"
    for is_key, part in parts(sent):
        if is_key:
            key = part.decode("utf-8", "replace") if isinstance(part, bytes) else part
            assert not isinstance(key, str) or str(key).strip().lower() != "$mcp_parameters", "$mcp_parameters left"
    again, printed = hook(sent), printer(case)
    # What was malformed and is put right may be an exception that the settings name as one to drop.
    assert (again is None and at in DROPS_MORE) or printed(again) == printed(sent), "the second time changes the event"
    for entry in sent["properties"].get("$exception_list", ()):
        assert entry.get("value", POLICIES[at].placeholder) == POLICIES[at].placeholder, "a text left"
    if case.planted and at not in KEEPS_TEXT:
        assert not holds(sent, CANARY), "a canary left"


def _check_memory(case: Case) -> None:
    """A hook that has seen events much like these says the same as a new one, but for numbers that are equal: what is
    remembered is found with one comparison, to which 0 and False are the same."""
    if not case.is_json:
        return
    warm, cold = Scrubber(ONCE), Scrubber(ONCE)
    for event in case.before:
        warm(event)
    for event in case.events:
        first, second = _without_numbers(warm(event)), _without_numbers(cold(event))
        assert first == second, "what a hook remembers changes what it says"


def _without_numbers(value: Any) -> Any:
    if type(value) is dict:
        return {key: _without_numbers(item) for key, item in value.items() if not isinstance(item, (int, float))}
    return [_without_numbers(item) for item in value] if type(value) is list else value


def _check_comparison(case: Case) -> None:
    """Comparing with the caller's arguments can only turn a drop into a send."""
    compares, does_not = Scrubber(POLICIES[0]), Scrubber(ONCE)
    for event in case.events:
        first, second = compares(event), does_not(event)
        assert second is None or first is not None, "the comparison dropped what is sent without it"
