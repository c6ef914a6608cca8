"""`$exception_list`: every text goes, what groups an issue stays, and malformed lists are survived."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubber import Scrubber, Settings

from ..support import entry, frame, recorded, texts

SECRET = "canary-41f0"


def fault(*entries: Any, **properties: Any) -> dict[str, Any]:
    listed = list(entries) or [entry("app.db", "RowError", SECRET, [frame("app.db", "load", "    return row(x)")])]
    return {
        "event": "$exception",
        "distinct_id": "u1",
        "properties": {"$exception_list": listed, "$exception_level": "error", **properties},
        "timestamp": "2026-11-30T10:07:58+00:00",
        "uuid": "01a22bec-f066-712e-a449-aa93ffa4ab32",
    }


def sent(event: dict[str, Any], **settings: Any) -> dict[str, Any]:
    out = Scrubber(Settings(**settings))(event)
    assert out is not None
    return out["properties"]


@pytest.mark.promise("leaves:exception-text", "keeps:frames")
def test_types_modules_mechanisms_and_frames_stay_and_values_go() -> None:
    event = fault()
    out = sent(event)["$exception_list"][0]
    assert out == {**event["properties"]["$exception_list"][0], "value": "[redacted]"}


def test_the_placeholder_can_be_chosen() -> None:
    assert sent(fault(), placeholder="gone")["$exception_list"][0]["value"] == "gone"


def test_the_second_look_at_a_known_trace_gives_the_same_as_the_first() -> None:
    hook = Scrubber()
    first, second = hook(fault()), hook(fault())
    assert first == second
    leaky = fault()
    leaky["properties"]["$exception_list"][0]["stacktrace"]["frames"][0]["code_variables"] = {"x": SECRET}
    assert SECRET not in texts(hook(leaky))


@pytest.mark.parametrize("key, value", [("context_line", {"x": SECRET}), ("function", f"{SECRET} and more")])
def test_a_known_trace_is_known_by_all_of_its_parts(key: str, value: Any) -> None:
    hook = Scrubber()
    hook(fault())
    other = fault()
    other["properties"]["$exception_list"][0]["stacktrace"]["frames"][0][key] = value
    assert SECRET not in texts(hook(other))


@pytest.mark.promise("hook:bounded")
def test_a_trace_is_looked_at_once_and_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    hook = Scrubber()
    rule = hook._pipeline._closing._exception
    looked: list[Any] = []
    look = rule._look
    monkeypatch.setattr(rule, "_look", lambda *a: looked.append(1) or look(*a))
    for _ in range(3):
        hook(fault())
    assert len(looked) == 1
    for line in range(9000):
        hook(fault(entry("app.db", "RowError", "x", [frame("app.db", "load", lineno=line)])))
    assert len(rule._known._known) <= 8192
    assert rule._known._frames <= 8192
    strict = Scrubber(Settings(profile="strict"))
    for _ in range(3):
        assert SECRET not in texts(strict(fault()))


def test_the_lines_around_are_bounded_lists_of_text() -> None:
    for lines, stay in ((["a"] * 50, True), (["a"] * 51, False), (["a", None], False), ([], True)):
        event = fault()
        event["properties"]["$exception_list"][0]["stacktrace"]["frames"][0]["pre_context"] = lines
        assert ("pre_context" in sent(event)["$exception_list"][0]["stacktrace"]["frames"][0]) is stay


def test_more_entries_and_frames_than_any_sdk_sends_are_cut() -> None:
    many = fault(*[entry("app.db", f"E{at}", "x", [frame("app.db", "load", lineno=at)]) for at in range(60)])
    assert len(sent(many)["$exception_list"]) == 50
    deep = fault(entry("app.db", "E", "x", [frame("app.db", "load", lineno=at) for at in range(300)]))
    assert len(sent(deep)["$exception_list"][0]["stacktrace"]["frames"]) == 200


@pytest.mark.parametrize(
    "key, value",
    [
        ("code_variables", {"x": SECRET}),
        ("vars", {"x": SECRET}),
        ("pre_context", [{"x": SECRET}]),
        ("pre_context", SECRET),
        ("context_line", {"x": SECRET}),
        ("filename", f"see {SECRET}@host?x"),
        ("abs_path", {"x": SECRET}),
        ("function", f"{SECRET} and more"),
        ("module", f"not a module {SECRET}"),
        ("lineno", SECRET),
        ("in_app", SECRET),
        ("platform", f"{SECRET} and more"),
    ],
)
def test_what_a_frame_may_hold_is_listed_by_key_and_kind(key: str, value: Any) -> None:
    event = fault()
    event["properties"]["$exception_list"][0]["stacktrace"]["frames"][0][key] = value
    hook = Scrubber()
    assert SECRET not in texts(hook(event))
    assert SECRET not in texts(hook(event)), "also when the trace was seen before"


@pytest.mark.parametrize("key", ["note", "thread_id", "secrets", "raw"])
def test_an_unlisted_key_of_an_entry_goes(key: str) -> None:
    event = fault()
    event["properties"]["$exception_list"][0][key] = SECRET
    assert SECRET not in texts(sent(event))


@pytest.mark.parametrize("key, value", [("data", SECRET), ("source", f"{SECRET} x"), ("type", {"x": SECRET})])
def test_a_mechanism_keeps_listed_keys_of_their_kinds(key: str, value: Any) -> None:
    event = fault()
    event["properties"]["$exception_list"][0]["mechanism"][key] = value
    out = sent(event)["$exception_list"][0]["mechanism"]
    assert SECRET not in texts(out)
    assert out["handled"] is True


@pytest.mark.promise("leaves:exception-text")
@pytest.mark.parametrize(
    "name",
    [
        "$exception_message",
        "$exception_values",
        "$exception_stack_trace_raw",
        "$exception_personURL",
        "$exception_source",
    ],
)
def test_flat_copies_of_texts_go(name: str) -> None:
    assert name not in sent(fault(**{name: [SECRET]}))


def test_sources_shrink_with_the_paths_and_the_change_is_said() -> None:
    event = fault(**{"$exception_sources": ["/home/jane/app/db.py", None]})
    decision = Scrubber(Settings(paths="relative")).decide(event)
    assert decision.event is not None
    assert decision.event["properties"]["$exception_sources"] == ["db.py", None]
    assert "properties.$exception_sources" in [finding.path for finding in decision.findings]


@pytest.mark.parametrize(
    "path",
    [
        "/opt/homebrew/Cellar/python@3.12/lib/x.py",
        "/srv/.venv/bin/uvicorn",
        "<frozen importlib._bootstrap>",
        "C:\\app\\x.py",
    ],
)
def test_paths_of_code_are_no_content(path: str) -> None:
    event = fault()
    event["properties"]["$exception_list"][0]["stacktrace"]["frames"][0].update(filename=path, abs_path=path)
    assert sent(event)["$exception_list"][0]["stacktrace"]["frames"][0]["abs_path"] == path


@pytest.mark.promise("keeps:frames")
def test_resolved_frames_of_exports_stay() -> None:
    one = {
        "raw_id": "9f8a7c1d/0",
        "mangled_name": "load",
        "resolved_name": "load",
        "source": "app/db.py",
        "module": "app.db",
        "line": 10,
        "in_app": True,
        "lang": "python",
        "resolved": True,
        "synthetic": False,
        "suspicious": False,
    }
    event = fault()
    event["properties"]["$exception_list"][0]["stacktrace"] = {"type": "resolved", "frames": [one]}
    assert sent(event)["$exception_list"][0]["stacktrace"]["frames"] == [one]


def test_flat_copies_of_names_stay() -> None:
    names = {
        "$exception_types": ["RowError"],
        "$exception_functions": ["load"],
        "$exception_sources": ["app/db.py"],
    }
    assert sent(fault(**names)).items() >= names.items()
    assert "$exception_types" not in sent(fault(**{"$exception_types": [f"{SECRET} at once"]}))


@pytest.mark.promise("keeps:frames")
@pytest.mark.parametrize(
    "malformed",
    [
        None,
        SECRET,
        7,
        [],
        {},
        [None],
        [SECRET],
        [[SECRET]],
        {"value": SECRET},
        "[Object]",
        [None, {"value": SECRET}, 4],
    ],
)
def test_a_malformed_list_is_sent_with_its_places_and_nothing_else(malformed: Any) -> None:
    out = sent(fault(**{"$exception_list": malformed}))["$exception_list"]
    assert SECRET not in texts(out)
    assert len(out) == max(1, len(malformed) if isinstance(malformed, list) else 1)
    assert all(isinstance(one["type"], str) for one in out)


def test_objects_cut_by_the_sdk_stay_as_they_are() -> None:
    cut = {
        "type": "RowError",
        "module": "app.db",
        "value": SECRET,
        "mechanism": "[Object]",
        "stacktrace": "[Object]",
    }
    out = sent(fault(cut))["$exception_list"][0]
    assert out == {**cut, "value": "[redacted]"}


@pytest.mark.promise("leaves:exception-text")
def test_any_event_with_an_exception_list_is_redacted() -> None:
    event = fault()
    event["event"] = "my own event"
    assert SECRET not in texts(Scrubber()(event))


def test_a_type_that_is_no_name_becomes_a_constant() -> None:
    out = sent(fault(entry(None, f"Could not find {SECRET}", "x", None)))["$exception_list"][0]
    assert out["type"] == "Error"


@pytest.mark.promise("leaves:strict")
def test_source_lines_and_paths_go_in_the_strict_profile() -> None:
    event = fault()
    event["properties"]["$exception_list"][0]["stacktrace"]["frames"][0]["abs_path"] = "/home/jane/app/db.py"
    one = sent(event, profile="strict")["$exception_list"][0]["stacktrace"]["frames"][0]
    assert one["abs_path"] == one["filename"] == "app/db.py"
    assert not {"context_line", "pre_context", "post_context"} & one.keys()
    assert (one["function"], one["module"], one["lineno"]) == ("load", "app.db", 10)


def test_source_lines_and_paths_are_separate_choices() -> None:
    one = sent(fault(), source_lines=False)["$exception_list"][0]["stacktrace"]["frames"][0]
    assert "context_line" not in one
    assert one["abs_path"].startswith("/srv/")
    one = sent(fault(), profile="strict", source_lines="keep", paths="full")["$exception_list"][0]["stacktrace"][
        "frames"
    ][0]
    assert one["context_line"] == "    return row(x)"
    assert one["abs_path"].startswith("/srv/")


# -- grouping


def frameless(type_: str = "Error", text: str = f"failed for {SECRET}", tool: str = "find") -> dict[str, Any]:
    return fault(entry(None, type_, text, None), **{"$mcp_tool_name": tool})


@pytest.mark.promise("keeps:grouping")
def test_frameless_faults_get_a_fingerprint_from_types_and_tool() -> None:
    one, same, other_tool, other_type = (
        sent(frameless())["$exception_fingerprint"],
        sent(frameless(text="failed for another"))["$exception_fingerprint"],
        sent(frameless(tool="give"))["$exception_fingerprint"],
        sent(frameless(type_="OSError"))["$exception_fingerprint"],
    )
    assert one == same
    assert len({one, other_tool, other_type}) == 3


def test_sdk_constants_in_a_text_keep_faults_apart() -> None:
    prints = {
        sent(frameless(text=text))["$exception_fingerprint"]
        for text in ("Input validation error: 'x'", "Output validation error: 'x'", "anything", "else")
    }
    assert len(prints) == 3


def test_a_users_fingerprint_stays_and_one_that_holds_text_is_hashed() -> None:
    assert sent(frameless() | {}, placeholder="x")["$exception_fingerprint"]
    event = frameless()
    event["properties"]["$exception_fingerprint"] = "payments.timeout"
    assert sent(event)["$exception_fingerprint"] == "payments.timeout"
    event["properties"]["$exception_fingerprint"] = f"mail to {SECRET}@example.test"
    hashed = sent(event)["$exception_fingerprint"]
    assert SECRET not in hashed
    assert hashed == sent(event)["$exception_fingerprint"]
    event["properties"]["$exception_fingerprint"] = {"x": SECRET}
    assert SECRET not in sent(event)["$exception_fingerprint"]


@pytest.mark.promise("keeps:grouping")
def test_faults_with_frames_keep_posthogs_own_grouping() -> None:
    assert "$exception_fingerprint" not in sent(fault())


def test_one_frameless_link_is_enough_to_need_a_fingerprint() -> None:
    framed = entry("app.db", "RowError", "x", [frame("app.db", "load")])
    one = sent(fault(framed, entry(None, "Error", "x", None)))["$exception_fingerprint"]
    other = sent(fault(entry("app.db", "RowError", "x", [frame("app.db", "save")]), entry(None, "Error", "x", None)))
    assert one != other["$exception_fingerprint"], "frames still tell faults apart"


# -- properties

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.just(SECRET) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "value", "module", "mechanism", "stacktrace", "frames", SECRET]), inner
        )
    ),
    max_leaves=12,
)


@pytest.mark.promise("leaves:exception-text", "hook:never-raises")
@given(anything)
def test_no_shape_of_a_list_lets_a_text_out_or_raises(value: Any) -> None:
    event = fault(**{"$exception_list": value})
    before = copy.deepcopy(event)
    hook = Scrubber()
    out = hook(event)
    assert out is not None
    assert repr(event) == repr(before)
    # A canary can only be where a name from code may be: it reads as one.
    for one in out["properties"]["$exception_list"]:
        assert one.get("value", "[redacted]") == "[redacted]"
    assert hook(out) == out or "nan" in repr(out)


@pytest.mark.promise("hook:idempotent")
@pytest.mark.parametrize("settings", [{}, {"profile": "strict"}, {"source_lines": False}])
def test_seeing_a_recorded_fault_twice_changes_nothing_more(settings: dict[str, Any]) -> None:
    hook = Scrubber(Settings(**settings))
    for row in recorded():
        if row.event["event"] == "$exception" and (out := hook(row.event)) is not None:
            assert hook(out) == out, row.id
