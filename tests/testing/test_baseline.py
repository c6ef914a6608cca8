"""`assert_baseline`: anything new that leaves fails by name, and the file is the command's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("orjson")

from scrubber import Scrubber, Settings
from scrubber.audit import baseline as listing
from scrubber.audit.auditing import Auditor
from scrubber.audit.records import Row
from scrubber.testing import TestingError, assert_baseline

from ..support import call, recorded, refusal

LISTED = '{"schema": 1, "events": {"signed_up": {"plan": ["text"], "seats": ["number"]}}}'


def event(name: str = "signed_up", **properties: Any) -> dict[str, Any]:
    return {"event": name, "distinct_id": "u", "properties": properties}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "baseline.json"
    path.write_text(LISTED, "utf-8")
    return path


def test_what_is_listed_passes(file: Path) -> None:
    assert_baseline([event(plan="pro", seats=3), event(plan="free")], file)
    assert_baseline(event(plan="pro"), str(file))


def test_what_is_not_listed_fails_by_name_and_not_by_value(file: Path) -> None:
    events = [
        event(plan="secret-7", trial="secret-8"),
        event(seats="secret-9"),
        event("left", plan="x"),
        event(trial=1),
    ]
    with pytest.raises(AssertionError) as caught:
        assert_baseline(events, file)
    assert str(caught.value).splitlines()[1:] == [
        "  new event left, once",
        "  new property trial (number and text) on signed_up, 2 times",
        "  new kind of value of seats (text) on signed_up, once",
    ]
    assert "secret" not in str(caught.value)


def test_a_name_that_may_be_content_is_masked(file: Path) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_baseline([event(**{"anna@example.org": 1})], file)
    assert "new property * (number)" in str(caught.value)
    assert "anna" not in str(caught.value)


def test_no_events_and_no_file_prove_nothing(file: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="nothing was compared"):
        assert_baseline([], file)
    with pytest.raises(TestingError, match="there is no baseline"):
        assert_baseline([event(plan="pro")], tmp_path / "none.json")
    with pytest.raises(TestingError, match="an event is a mapping"):
        assert_baseline(["text"], file)


def test_an_update_adds_to_the_file_and_writes_a_new_one(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTHOG_SCRUBBER_UPDATE", "1")
    assert_baseline([event(trial=True)], file)
    assert_baseline([event(plan="x")], tmp_path / "new.json")
    monkeypatch.delenv("POSTHOG_SCRUBBER_UPDATE")
    assert_baseline([event(trial=True, plan="pro", seats=1)], file)
    assert_baseline([event(plan="pro")], tmp_path / "new.json")
    with pytest.raises(AssertionError):
        assert_baseline([event(trial=True)], tmp_path / "new.json")


@pytest.mark.parametrize("settings", [Settings(), Settings(profile="strict"), Settings(allow=["$mcp_intent"])])
def test_the_file_is_the_one_that_the_audit_makes_of_the_same_events(settings: Settings, tmp_path: Path) -> None:
    """What is counted here of events that left is what the audit says will leave of the same events."""
    events = [refusal(), call(), call("1 validation error", **{"$mcp_intent": "why"}), event(plan="pro", made=[1])]
    events += [one.event for one in list(recorded())[:200]]
    auditor, hook = Auditor(settings), Scrubber(settings)
    left = []
    for number, one in enumerate(events):
        auditor.add(Row(one, "f", number + 1, 1))
        left.append(hook(one))
    report = auditor.tally().report()
    file = tmp_path / "baseline.json"
    listing.dump(listing.make(report), file)
    left = [one for one in left if one is not None]
    assert_baseline(left, file, settings=settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POSTHOG_SCRUBBER_UPDATE", "1")
        assert_baseline(left, tmp_path / "mine.json", settings=settings)
    assert (tmp_path / "mine.json").read_text("utf-8") == file.read_text("utf-8")
