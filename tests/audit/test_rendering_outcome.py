"""The head of a report says what it comes to, and what matters stands first."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubber.audit.records import Breach, EventUse, Fate, Leak, LeakKind, PropertyUse, Report
from scrubber.audit.rendering import charts, outcome, wording
from scrubber.audit.rendering.json_form import render_json
from scrubber.audit.rendering.markdown import render_markdown
from scrubber.audit.rendering.page import render_html
from scrubber.audit.rendering.text import render_text
from scrubber.audit.rendering.text_tables import FATE_STYLES, VERDICT_STYLES
from scrubber.words.verdict import Verdict

from . import samples

FORMS = {
    "text": lambda report: render_text(report, width=160, color=False),
    "json": render_json,
    "markdown": render_markdown,
    "html": render_html,
}
STATES = {
    "full": outcome.State.FINDINGS,
    "empty": outcome.State.EMPTY,
    "nothing_read": outcome.State.EMPTY,
    "one_event": outcome.State.CLEAN,
    "incomplete": outcome.State.INCOMPLETE,
    "revealing": outcome.State.FINDINGS,
    "huge": outcome.State.FINDINGS,
}


@pytest.mark.parametrize("name", samples.ALL)
def test_each_sample_comes_to_its_state_in_every_form(name: str) -> None:
    report = samples.ALL[name]()
    assert outcome.outcome(report).state is STATES[name]
    for render in FORMS.values():
        assert STATES[name].value in render(report).lower()


def test_every_state_is_met_by_a_sample() -> None:
    assert set(STATES.values()) == set(outcome.State)
    assert set(STATES) == set(samples.ALL)


def test_a_baseline_alone_makes_a_finding_and_an_empty_one_is_said_to_hold() -> None:
    report = samples.one_event()
    report.baseline = []
    held = outcome.outcome(report)
    assert held.state is outcome.State.CLEAN
    assert "Nothing leaves that the baseline does not list." in held.more
    report.baseline = [Breach("event", "$mcp_tool_call", "$mcp_tool_call", 1)]
    broken = outcome.outcome(report)
    assert broken.state is outcome.State.FINDINGS
    assert "1 thing leaves that the baseline does not list." in broken.more


def test_a_shape_in_what_passes_is_a_notice_and_no_finding() -> None:
    report = samples.one_event()
    report.leaks = [Leak(LeakKind.EMAIL, "properties.note", 1, "x@x")]
    result = outcome.outcome(report)
    assert result.state is outcome.State.CLEAN
    assert "1 value that the policy passes has the shape of a credential or an e-mail address." in result.more


def test_more_that_leaves_than_came_is_said() -> None:
    report = samples.one_event()
    report.events[0].bytes_out += 12
    assert "812 B came, 824 B would leave: 12 B more." in outcome.outcome(report).totals


# -- nothing of the records is forgotten


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", LeakKind)
def test_every_kind_of_leak_is_named_in_every_form(kind: LeakKind, form: str) -> None:
    report = samples.one_event()
    before = FORMS[form](report)
    report.leaks = [Leak(kind, "properties.some_place", 7, "xx-9")]
    after = FORMS[form](report)
    assert kind.value in after
    assert "some_place" in after
    assert "xx-9" in after
    assert "some_place" not in before


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fate", Fate)
def test_every_fate_is_named_in_every_form(fate: Fate, form: str) -> None:
    report = samples.one_event()
    other = Fate.REDACTED if fate is Fate.PASSES else Fate.PASSES
    report.properties = [PropertyUse("some_name", {fate: 1_234_567, other: 2})]
    after = FORMS[form](report)
    assert fate.value in after
    assert ("1234567" if form == "json" else "1,234,567") in after


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_counted_in_every_form(verdict: Verdict, form: str) -> None:
    report = Report(
        "0.1.0",
        events=[EventUse("some_event", {verdict: 1_234_567}, 10, 10)],
        rules={"some_rule": {verdict: 7_654_321}},
    )
    after = FORMS[form](report)
    assert verdict.value in after.lower()
    for count in (1_234_567, 7_654_321):
        assert (str(count) if form == "json" else f"{count:,}") in after


def test_every_fate_and_verdict_has_its_words_and_style() -> None:
    assert set(wording.FATES) == set(FATE_STYLES) == set(Fate)
    assert list(wording.VERDICTS) == list(Verdict)
    assert set(VERDICT_STYLES) == set(Verdict)


# -- order


def test_findings_stand_before_what_passes_and_the_most_frequent_first() -> None:
    names = [one.name for one in outcome.by_what_matters(samples.full())]
    assert names == [
        "$exception_list",
        "$mcp_parameters",
        "$mcp_response",
        "$mcp_error_status",
        "$mcp_flavour",
        # Closed on no event, but on some that are dropped.
        "$mcp_tool_name",
        "$lib",
        "$mcp_duration_ms",
        "import_source",
        "shelf_owner",
    ]


uses = st.builds(
    PropertyUse, st.text("ab", max_size=3), st.dictionaries(st.sampled_from(Fate), st.integers(0, 9)), st.just({})
)


@given(st.lists(uses, max_size=8, unique_by=lambda one: one.name), st.randoms())
def test_the_order_is_that_of_the_worst_fate_whatever_order_they_come_in(
    found: list[PropertyUse], random: Random
) -> None:
    ordered = outcome.by_what_matters(Report("0.1.0", properties=found))
    shuffled = list(found)
    random.shuffle(shuffled)
    assert outcome.by_what_matters(Report("0.1.0", properties=shuffled)) == ordered
    ranks = [list(wording.FATES).index(outcome.worst(one)) for one in ordered]
    assert ranks == sorted(ranks)


def test_findings_stand_before_notices() -> None:
    found = [leak.kind.is_finding for leak in outcome.leaks_in_order(samples.full().leaks[::-1])]
    assert found == sorted(found, reverse=True)


# -- bars

counts = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 10**12)), max_size=6)


@given(counts, st.integers(0, 10**13))
def test_a_bar_shows_everything_that_is_there_and_stays_in_its_chart(found: list[tuple[str, int]], more: int) -> None:
    whole = sum(count for _, count in found) + more
    drawn = charts.pieces(found, whole)
    assert [piece.of for piece in drawn] == [name for name, count in found if count]
    at = 0.0
    for piece in drawn:
        assert piece.width > 0
        assert piece.start == pytest.approx(at, abs=0.05)
        at = piece.start + piece.width
    assert at <= 100.05


def test_the_longest_bar_fills_the_chart() -> None:
    bars = charts.verdict_bars(samples.full().events)
    assert sum(piece.width for piece in bars[0].pieces) == pytest.approx(100, abs=0.05)
    assert bars[0].numbers == [0, 624, 688]
    assert charts.verdict_bars([]) == charts.byte_bars([]) == charts.fate_bars(samples.empty()) == []
