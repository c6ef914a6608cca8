"""Fingerprints: what keeps two faults together, what keeps them apart, and what of a user's own stays."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from scrubber import Scrubber, Settings

from ..support import REFUSAL, entry, frame

FINGERPRINT = "$exception_fingerprint"


def fault(*entries: Any, **properties: Any) -> dict[str, Any]:
    return {"event": "$exception", "properties": {"$exception_list": list(entries), **properties}}


def printed(event: dict[str, Any]) -> Any:
    out = Scrubber()(event)
    assert out is not None
    return out["properties"].get(FINGERPRINT)


def said(event: dict[str, Any]) -> list[tuple[str, bool]]:
    """Where the rule says that it changed something, and whether it says why."""
    findings = [one for one in Scrubber().decide(event).findings if one.rule == "fingerprint"]
    return [(one.path, bool(one.reason)) for one in findings]


def bare(text: Any = "x", type_: str = "Error") -> dict[str, Any]:
    return entry(None, type_, text, None)


def framed(*frames: dict[str, Any], type_: str = "RowError") -> dict[str, Any]:
    """A fault with frames and, so that it needs a fingerprint, a link without any."""
    return fault(entry("app", type_, "x", list(frames)), bare())


def test_a_fingerprint_is_a_hash_and_the_same_for_the_same_fault() -> None:
    one = printed(fault(bare()))
    assert len(one) == 64
    assert int(one, 16)
    assert one == printed(fault(bare("another text")))
    assert one == printed(fault(bare(None)))


@pytest.mark.parametrize(
    "text",
    [
        "Input validation error: 'x'",
        "Output validation error: 'x'",
        "Unknown tool 'x'",
        "Error executing tool x",
        "Error calling tool 'x'",
        "Internal error: x",
        "Invalid params: x",
    ],
)
def test_what_an_sdk_reports_in_words_of_its_own_is_an_issue_of_its_own(text: str) -> None:
    assert printed(fault(bare(text))) != printed(fault(bare("x")))
    assert printed(fault(bare(text))) == printed(fault(bare(text + " and more")))
    assert printed(fault(bare("see: " + text))) == printed(fault(bare("x")))


def test_refusals_are_told_apart_by_field_and_code_and_not_by_value() -> None:
    one, same = (printed(fault(bare(REFUSAL.format(value=value)))) for value in ("a", "b"))
    assert one == same
    other = REFUSAL.format(value="a").replace("number\n", "name\n")
    assert printed(fault(bare(other))) != one
    assert printed(fault(bare("x"))) != one
    assert printed(fault(bare("a validation error of another kind"))) == printed(fault(bare("x")))


def test_the_tool_keeps_faults_apart_and_a_name_that_is_content_does_not() -> None:
    def of(**names: Any) -> Any:
        return printed(fault(bare(), **{f"$mcp_{key}_name": value for key, value in names.items()}))

    assert len({of(), of(tool="a"), of(tool="b"), of(resource="c")}) == 4
    assert of(tool="a", resource="c") == of(tool="a", resource="d")
    assert of(tool="a sentence that no tool is called by, ever") == of()
    assert of(tool="file:///home/jane", resource="c") == of(resource="c")


def test_each_link_counts_with_its_type_in_its_place() -> None:
    a, b = bare(type_="A"), bare(type_="B")
    assert len({printed(fault(*links)) for links in ([a], [b], [a, b], [b, a], [a, a])}) == 5


def test_frames_of_a_link_keep_faults_apart_by_file_function_and_module() -> None:
    base = frame("app.db", "load")
    changed = [
        base,
        frame("app.db", "save"),
        {**base, "module": "app.other"},
        {**base, "filename": "app/other.py"},
    ]
    assert len({printed(framed(one)) for one in changed}) == 4
    assert printed(framed(base)) == printed(framed({**base, "lineno": 99, "context_line": "other"}))
    assert printed(framed(base)) != printed(framed(base, type_="Other"))


def test_only_the_frames_of_the_app_group_and_the_first_one_where_none_is_known_to_be() -> None:
    inside, library, other = frame("app.db", "load", in_app=True), frame("lib.x", "go"), frame("lib.y", "on")
    assert printed(framed(library, inside)) == printed(framed(other, inside)) == printed(framed(inside, library))
    assert printed(framed(inside, {**inside, "function": "save"})) != printed(framed(inside))
    assert printed(framed(library, other)) == printed(framed(library))
    assert printed(framed(other, library)) != printed(framed(library, other))
    assert printed(framed({**library, "in_app": False}, other)) == printed(framed(library))


def test_frames_of_exports_group_like_raw_ones() -> None:
    raw = {"filename": "app/db.py", "function": "load", "module": "app.db"}
    resolved = {"source": "app/db.py", "resolved_name": "load", "module": "app.db"}
    assert printed(framed(raw)) == printed(framed(resolved))
    assert printed(framed(raw)) != printed(framed({**resolved, "resolved_name": "save"}))
    assert printed(framed(raw)) != printed(framed({**resolved, "source": "app/other.py"}))


def test_a_list_that_is_malformed_gets_one_too() -> None:
    for malformed in (None, "text", [], {}, [None], [None, bare("Unknown tool x")]):
        event = fault()
        event["properties"]["$exception_list"] = malformed
        assert len(printed(event)) == 64
    assert printed(fault(None, bare("Unknown tool x"))) != printed(fault(None, bare("x")))


def test_a_users_fingerprint_stays_if_it_is_a_word_or_a_list_of_words() -> None:
    for own in ("payments.timeout", "a" * 128, ["a"], ["a", "b"], ["x"] * 20):
        assert printed(fault(bare(), **{FINGERPRINT: own})) == own
    own = ["a", "b"]
    assert printed(fault(bare(), **{FINGERPRINT: own})) is not own


def test_a_users_fingerprint_that_may_hold_text_is_hashed() -> None:
    for own in ("mail to jane@example.test", "a" * 129, "see\nthis", "", "\udce4"):
        event = fault(bare(), **{FINGERPRINT: own})
        assert printed(event) == hashlib.sha256(own.encode("utf-8", "replace")).hexdigest()
        assert said(event) == [("properties.$exception_fingerprint", True)]


def test_a_users_fingerprint_of_another_shape_counts_as_none() -> None:
    without = printed(fault(bare()))
    for own in (7, None, {}, [], ["a b c @"], ["x"] * 21, [["x"]], ("a",)):
        event = fault(bare(), **{FINGERPRINT: own})
        assert printed(event) == without
        # One for what is taken away, one for what is put in its place.
        assert said(event) == [("properties.$exception_fingerprint", True)] * 2


def test_a_blocked_fingerprint_is_not_made_up() -> None:
    out = Scrubber(Settings(block=[FINGERPRINT]))(fault(bare(), **{FINGERPRINT: "mine"}))
    assert out is not None
    assert FINGERPRINT not in out["properties"]
