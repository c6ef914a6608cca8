"""The exception list, part by part: what stays, and what is said of what went."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Scrubber, Settings

from ..support import entry, frame, texts

SECRET = "canary-41f0"
LIST = "properties.$exception_list"


def fault(*entries: Any) -> dict[str, Any]:
    return {"event": "$exception", "properties": {"$exception_list": list(entries)}}


def one(**changes: Any) -> dict[str, Any]:
    return {**entry("app.db", "RowError", "x", [frame("app.db", "load", "    return row(x)")]), **changes}


def framed(*frames: Any, **stack: Any) -> dict[str, Any]:
    return one(stacktrace={"frames": list(frames), "type": "raw", **stack})


def sent(event: dict[str, Any], **settings: Any) -> list[dict[str, Any]]:
    out = Scrubber(Settings(**settings))(event)
    assert out is not None
    found: list[dict[str, Any]] = out["properties"]["$exception_list"]
    return found


def said(event: dict[str, Any], **settings: Any) -> set[str]:
    findings = Scrubber(Settings(**settings)).decide(event).findings
    assert all(finding.reason for finding in findings)
    return {finding.path.removeprefix(LIST) for finding in findings if finding.rule == "exception"}


def test_of_a_good_entry_only_the_text_is_said() -> None:
    assert said(fault(one())) == {"[0].value"}
    assert said(fault(one(), one())) == {"[0].value", "[1].value"}
    assert said(fault(one(value="[redacted]"))) == set()
    without = one()
    del without["value"]
    assert said(fault(without)) == set()
    assert "value" not in sent(fault(without))[0]


@pytest.mark.parametrize(
    "changed, path",
    [
        (one(note="x"), "[0]"),
        (one(type="no name at all"), "[0].type"),
        (one(type=7), "[0].type"),
        (one(module="no module at all"), "[0].type"),
        (one(module=7), "[0].type"),
        (one(mechanism=7), "[0].mechanism"),
        (one(mechanism=[]), "[0].mechanism"),
        (one(mechanism="text"), "[0].mechanism"),
        (one(mechanism={"type": "generic", "data": {}}), "[0].mechanism"),
        (one(mechanism={"type": "no name at all"}), "[0].mechanism"),
        (one(stacktrace=7), "[0].stacktrace"),
        (one(stacktrace="text"), "[0].stacktrace"),
        (framed(frame("a", "f"), other=1), "[0].stacktrace"),
        (framed(frame("a", "f"), type="no name at all"), "[0].stacktrace"),
        (one(stacktrace={"frames": 7}), "[0].stacktrace.frames"),
        (framed(None), "[0].stacktrace.frames"),
        (framed("f"), "[0].stacktrace.frames"),
        (framed(frame("a", "f", vars={})), "[0].stacktrace.frames"),
        (framed(frame("a", "f", lineno="7")), "[0].stacktrace.frames"),
        (framed(*[frame("a", "f")] * 201), "[0].stacktrace.frames"),
        (None, "[0]"),
        ("text", "[0]"),
    ],
)
def test_what_is_no_part_of_an_entry_is_said_at_its_place(changed: Any, path: str) -> None:
    assert said(fault(changed)) - {"[0].value"} == {path}
    assert said(fault(one(), changed)) - {"[0].value", "[1].value"} == {path.replace("[0]", "[1]")}


@pytest.mark.parametrize(
    "changed",
    [
        one(mechanism=None),
        one(mechanism="[Object]"),
        one(mechanism={}),
        one(mechanism={"type": None, "handled": None, "source": "__cause__", "is_exception_group": True}),
        one(module=None),
        one(stacktrace=None),
        one(stacktrace="[Object]"),
        one(stacktrace={}),
        one(stacktrace={"frames": []}),
        framed({"filename": None, "function": None, "module": None, "lineno": None, "colno": None, "abs_path": None}),
        framed(frame("a", "f", pre_context=None, post_context=["x"] * 50, in_app=True)),
        framed(*[frame("a", "f")] * 200),
    ],
)
def test_what_sdks_send_stays_whole_and_is_no_finding(changed: dict[str, Any]) -> None:
    for settings in ({}, {"annotate": True}):
        assert sent(fault(changed), **settings) == [{**changed, "value": "[redacted]"}]
        assert said(fault(changed), **settings) == {"[0].value"}


def test_frames_that_are_null_become_an_empty_list() -> None:
    assert sent(fault(one(stacktrace={"frames": None})))[0]["stacktrace"] == {"frames": []}
    assert said(fault(one(stacktrace={"frames": None}))) == {"[0].value"}


def test_an_entry_without_a_type_gets_the_one_that_says_nothing() -> None:
    without = one()
    del without["type"]
    assert sent(fault(without))[0]["type"] == "Error"
    for type_ in (None, 7, "no name at all", ["RowError"]):
        assert sent(fault(one(type=type_)))[0]["type"] == "Error"
    assert sent(fault(one(type="RowError", module="no module at all")))[0]["type"] == "RowError"
    assert sent(fault(one(module="no module at all")))[0]["module"] is None
    assert sent(fault(one(type="no name at all")))[0]["module"] == "app.db"


def test_what_is_no_entry_keeps_its_place() -> None:
    bare = {"type": "Error", "value": "[redacted]"}
    assert [each["type"] for each in sent(fault(one(), None, one(type="B"), "x"))] == [
        "RowError",
        "Error",
        "B",
        "Error",
    ]
    assert sent(fault(None)) == [bare]
    assert sent(fault()) == [bare]
    assert sent(fault(None), placeholder="gone") == [{"type": "Error", "value": "gone"}]


def test_entries_over_the_most_are_cut_and_that_is_said_once() -> None:
    for many, path in ((50, set()), (51, {"[50]"}), (70, {"[50]"})):
        event = fault(*[one(type=f"E{at}") for at in range(many)])
        assert len(sent(event)) == min(many, 50)
        assert said(event) - {f"[{at}].value" for at in range(50)} == path


def test_the_good_parts_of_a_bad_frame_stay() -> None:
    bad = frame("app.db", "load", "    x", vars={"x": SECRET}, lineno=SECRET, filename="app/db.py")
    bad |= {7: SECRET, None: SECRET}  # type: ignore[dict-item]
    out = sent(fault(framed(bad, frame("app.b", "go"))))[0]["stacktrace"]["frames"]
    assert out[0] == {key: item for key, item in bad.items() if key not in ("vars", "lineno", 7, None)}
    assert out[1] == frame("app.b", "go")
    assert sent(fault(framed(None, frame("app.b", "go"), "x")))[0]["stacktrace"]["frames"] == [frame("app.b", "go")]


def test_the_good_parts_of_a_mechanism_stay() -> None:
    mechanism = {"type": "generic", "data": SECRET, "handled": False, "exception_id": "7", "parent_id": 0, "x": None}
    out = sent(fault(one(mechanism=mechanism)))[0]["mechanism"]
    assert out == {"type": "generic", "handled": False, "parent_id": 0}


@pytest.mark.parametrize("settings", [{"source_lines": False}, {"source_lines": False, "paths": "relative"}])
def test_without_source_lines_they_go_on_every_frame_and_each_time(settings: dict[str, Any]) -> None:
    hook = Scrubber(Settings(**settings))
    for _ in range(2):
        out = hook(fault(framed(frame("a", "f", SECRET, pre_context=[SECRET], post_context=[SECRET]))))
        assert SECRET not in texts(out)
    assert "[0].stacktrace.frames" in said(fault(framed(frame("a", "f", "x"))), **settings)


def test_relative_paths_are_said_where_one_changed() -> None:
    here = frame("app.db", "load", filename="app/db.py", abs_path="app/db.py")
    assert said(fault(framed(here)), paths="relative") == {"[0].value"}
    away = {**here, "abs_path": "/home/jane/app/db.py"}
    hook = Scrubber(Settings(paths="relative"))
    for _ in range(2):
        out = hook(fault(framed(away)))
        assert out is not None
        assert out["properties"]["$exception_list"][0]["stacktrace"]["frames"] == [here]
    assert "[0].stacktrace.frames" in said(fault(framed(away)), paths="relative")
    odd = {**away, "module": None}
    assert sent(fault(framed(odd)), paths="relative")[0]["stacktrace"]["frames"][0]["abs_path"] == "db.py"
    resolved = {"source": "/home/jane/app/db.py", "module": "app.db", "resolved_name": "load"}
    assert sent(fault(framed(resolved)), paths="relative")[0]["stacktrace"]["frames"][0]["source"] == "app/db.py"


def test_a_module_that_is_no_text_shrinks_the_path_to_the_files_name() -> None:
    odd = {**frame("app.db", "load", abs_path="/home/jane/app/db.py"), "module": 7}
    assert sent(fault(framed(odd)), paths="relative")[0]["stacktrace"]["frames"][0]["abs_path"] == "db.py"


def test_a_text_in_place_of_a_mechanism_or_a_stack_goes() -> None:
    out = sent(fault(one(mechanism=SECRET), one(stacktrace=SECRET)))
    assert (out[0]["mechanism"], out[1]["stacktrace"]) == (None, None)
    assert SECRET not in texts(out)


def test_a_type_that_is_no_name_goes_each_time_and_an_empty_list_is_said_at_its_first_place() -> None:
    hook = Scrubber()
    for _ in range(3):
        out = hook(fault(one(type=f"{SECRET} and more", module=f"{SECRET} and more")))
        assert SECRET not in texts(out)
    assert said(fault()) == {"[0]"}
