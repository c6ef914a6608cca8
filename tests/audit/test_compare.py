"""`scrubber compare`: what newly leaves is found and comes first, whatever the two policies are."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from scrubber import Settings
from scrubber.audit.comparing import Comparer, Comparison, Direction
from scrubber.audit.comparing import comparer as comparing
from scrubber.audit.judging import Judge
from scrubber.audit.records import Row
from scrubber.cli import compare_text
from scrubber.cli.app import app
from scrubber.words.verdict import Verdict

from ..support import call, recorded, refusal

ASSETS = Path(__file__).parent / "assets"
ROWS = [Row(one.event, one.file, at, 0) for at, one in enumerate(recorded(), 1)]
FEW = [row for at, row in enumerate(ROWS) if at % 40 < 3]
"""Calls with their exceptions, from every recording."""


pytestmark = pytest.mark.usefixtures("no_environment")


def compared(old: dict[str, Any], new: dict[str, Any], *events: dict[str, Any]) -> Comparison:
    return over([Row(event, "f", at, 0) for at, event in enumerate(events, 1)], old, new)


def over(rows: list[Row], old: dict[str, Any], new: dict[str, Any]) -> Comparison:
    comparer = Comparer(Settings(**old), Settings(**new))
    for row in rows:
        comparer.see(row)
    return comparer.result()


def changes(found: Comparison) -> list[tuple[str, str, str, str, bool]]:
    return [(one.name, one.old, one.new, str(one.direction), one.first) for one in found.properties]


# -- what newly leaves


def fault() -> dict[str, Any]:
    event = refusal()
    event["properties"]["$exception_list"][0]["stacktrace"]["frames"].append(
        {"module": "app.tools", "function": "find", "filename": "/srv/app/app/tools.py", "context_line": "    x = 1"}
    )
    event["properties"]["$exception_list"].pop()
    return event


@pytest.mark.parametrize(
    "old, new, event, expected",
    [
        ({}, {"allow": ["$mcp_response"]}, call(), [("$mcp_response", "removed", "passes", "opened", True)]),
        ({"block": ["plan"]}, {}, call(plan="pro"), [("plan", "removed", "passes", "opened", True)]),
        ({"profile": "strict"}, {}, call(plan="pro"), [("plan", "unknown", "passes", "opened", True)]),
        ({}, {"values": {"plan": ["free"]}}, call(plan="pro"), [("plan", "passes", "removed", "closed", False)]),
        ({}, {"annotate": True}, call(), [("$scrubber_removed", "absent", "added", "opened", True)]),
        ({"source_lines": "remove"}, {}, fault(), [("$exception_list", "redacted", "redacted", "opened", False)]),
        ({"paths": "relative"}, {}, fault(), [("$exception_list", "redacted", "redacted", "opened", False)]),
        ({}, {"paths": "relative"}, fault(), [("$exception_list", "redacted", "redacted", "closed", False)]),
        ({}, {"placeholder": "[gone]"}, fault(), [("$exception_list", "redacted", "redacted", "changed", False)]),
        ({}, {"allow": ["other"]}, call(plan="pro"), []),
        ({"block": ["absent"]}, {}, call(plan="pro"), []),
    ],
)
def test_each_change_is_found_with_its_direction(
    old: dict[str, Any], new: dict[str, Any], event: dict[str, Any], expected: list[Any]
) -> None:
    assert changes(compared(old, new, event)) == expected


def test_a_text_that_is_kept_instead_of_its_shape_is_opened() -> None:
    event = call(
        "1 validation error for find_bookArguments\nnumber\n  Input [type=int_type, input_value='x', input_type=str]"
    )
    found = compared({"error_messages": {"ValidationError": "shape"}}, {}, event)
    assert changes(found) == [("$mcp_error_message", "redacted", "passes", "opened", False)]
    assert found.opens
    back = compared({}, {"error_messages": {"ValidationError": "shape"}}, event)
    assert changes(back) == [("$mcp_error_message", "passes", "redacted", "closed", False)]
    assert not back.opens


def test_an_event_that_is_no_longer_dropped_newly_leaves_with_all_it_has() -> None:
    event = refusal()
    event["$set"] = {"plan": "pro"}
    found = compared({}, {"drop_argument_rejections": False}, event)
    assert [(one.event, one.old, one.new, one.rules, one.count) for one in found.verdicts] == [
        ("$exception", Verdict.DROP, Verdict.REDACT, ("argument_refusal", "exception"), 1)
    ]
    assert {one.name for one in found.properties} == {*event["properties"], "$set"}
    assert [one.name for one in found.properties if one.beside] == ["$set"]
    assert all(one.direction is Direction.OPENED for one in found.properties)
    assert (found.opened, found.closed) == (1, 0)


def test_what_never_left_comes_before_what_left_elsewhere() -> None:
    left = call(plan="pro")
    now = refusal()
    now["properties"] |= {"plan": "pro", "seats": 3}
    found = compared({}, {"drop_argument_rejections": False}, left, now)
    firsts = [one.name for one in found.properties if one.first]
    assert "seats" in firsts
    assert "plan" not in firsts
    assert [one.first for one in found.properties] == sorted((one.first for one in found.properties), reverse=True)


def test_names_that_may_be_content_are_masked_and_never_called_new() -> None:
    found = compared({"profile": "strict"}, {}, call(**{"jane@example.test": 1, "pin-4242424242": 2}))
    assert changes(found) == [("*", "unknown", "passes", "opened", False)]
    assert found.properties[0].count == 2


def test_names_without_end_do_not_grow_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MOST_NAMES", 5)
    events = [call(**{f"own_{letter}": 1}) for letter in "abcdefgh"]
    found = compared({"profile": "strict"}, {}, *events)
    assert len(found.properties) == 6
    assert sum(one.count for one in found.properties) == 8


# -- any two policies

POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "profile": st.just("strict"),
        "drop_argument_rejections": st.just(False),
        "corroborate": st.just(False),
        "error_messages": st.sampled_from([{}, {"ValidationError": "shape"}]),
        "allow": st.just(["$mcp_response", "$mcp_intent"]),
        "block": st.just(["$mcp_client_name", "$exception_list", "$lib"]),
        "source_lines": st.sampled_from(["keep", "remove"]),
        "paths": st.sampled_from(["full", "relative"]),
        "annotate": st.just(True),
        "placeholder": st.just("[gone]"),
        "expected_exceptions": st.just(["ToolError"]),
    },
)
MIRRORED = {Direction.OPENED: Direction.CLOSED, Direction.CLOSED: Direction.OPENED}


def scalars(value: Any, path: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Every scalar with its keys: another way to ask what leaves of what came."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from scalars(item, (*path, key))
    elif isinstance(value, list):
        for item in value:
            yield from scalars(item, path)
    else:
        yield path, type(value), value


@tried(max_examples=25, deadline=None)
@given(POLICIES, POLICIES)
def test_two_policies_differ_by_what_either_lets_leave(old: dict[str, Any], new: dict[str, Any]) -> None:
    before = copy.deepcopy(FEW[:6])
    found, back = over(FEW, old, new), over(FEW, new, old)
    assert FEW[:6] == before
    one, other = Judge(Settings(**old)), Judge(Settings(**new))
    verdicts: Counter[Any] = Counter()
    more = 0
    for row in FEW:
        was, is_ = one.judge(row), other.judge(row)
        verdicts[was.verdict, is_.verdict] += was.verdict is not is_.verdict
        came = set(scalars(row.event["properties"]))
        left, leaves = (set(scalars(each.event["properties"])) & came if each.event else set() for each in (was, is_))
        more += bool(leaves - left)
    by_verdict: Counter[Any] = Counter()
    for change in found.verdicts:
        by_verdict[change.old, change.new] += change.count
    assert +verdicts == by_verdict
    assert found.opens >= bool(more)
    assert found.opened >= more
    assert found.events == len(FEW)
    mirrored = Counter(
        {(c.name, c.new, c.old, MIRRORED.get(c.direction, c.direction), c.beside): c.count for c in back.properties}
    )
    direct = Counter({(c.name, c.old, c.new, c.direction, c.beside): c.count for c in found.properties})
    both = {key[:3] for key, _ in direct.items() if key[3] is Direction.OPENED} & {
        key[:3] for key, _ in mirrored.items() if key[3] is Direction.CLOSED
    }
    # A value of which some newly leaves and some no longer does counts as opened from either side.
    same = {key: count for key, count in direct.items() if key[:3] not in both}
    assert same == {key: count for key, count in mirrored.items() if key[:3] not in both}


def test_a_policy_compared_with_itself_changes_nothing() -> None:
    found = over(ROWS, {"annotate": True}, {"annotate": True})
    assert not found.changes
    assert compare_text.summary(found) == f"Nothing changes in {len(ROWS):,} events, and no setting differs."


def test_no_canary_is_in_any_form() -> None:
    secrets = {secret for one in recorded() if one.scenario != "unknown_tool" for secret in one.secrets}
    found = over(ROWS, {"profile": "strict"}, {"allow": ["$mcp_response"], "drop_argument_rejections": False})
    said = compare_text.as_json(found) + compare_text.as_markdown(found)
    assert found.opens
    assert [secret for secret in secrets if secret in said] == []


# -- the command


def written() -> None:
    other = refusal()
    other["properties"]["a|b"] = 1
    events = [call(plan="pro"), call("text", plan="pro"), refusal(), other]
    Path("events.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in events))
    Path("a.toml").write_text('profile = "strict"\n')
    Path("b.toml").write_text('allow = ["$mcp_response"]\ndrop_argument_rejections = false\nsource_lines = "remove"\n')


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["compare", *arguments])


@pytest.mark.parametrize("form, ending", [("text", "txt"), ("markdown", "md"), ("json", "json")])
def test_the_whole_report(form: str, ending: str) -> None:
    written()
    result = run("--old", "a.toml", "--new", "b.toml", "events.jsonl", "--format", form)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == (ASSETS / f"compare.{ending}").read_text("utf-8")


@pytest.mark.parametrize(
    "old, new, options, code",
    [
        ("a.toml", "b.toml", (), 1),
        ("b.toml", "a.toml", (), 1),
        ("a.toml", "a.toml", (), 0),
        ("a.toml", "b.toml", ("--fail-on", "opened"), 1),
        ("blocks.toml", "none.toml", ("--fail-on", "opened"), 1),
        ("none.toml", "blocks.toml", ("--fail-on", "opened"), 0),
        ("none.toml", "blocks.toml", ("--fail-on", "changed"), 1),
        ("absent.toml", "a.toml", (), 2),
    ],
)
def test_the_exit_status(old: str, new: str, options: tuple[str, ...], code: int) -> None:
    written()
    Path("none.toml").write_text("")
    Path("blocks.toml").write_text('block = ["plan"]\n')
    assert run("--old", old, "--new", new, "events.jsonl", *options).exit_code == code


def test_what_cannot_be_read_is_said_and_makes_the_exit_status_tell() -> None:
    written()
    with Path("events.jsonl").open("a") as file:
        file.write("no json, secret-9\n")
    result = run("--old", "a.toml", "--new", "a.toml", "events.jsonl")
    assert result.exit_code == 2
    assert "scrubber compare: events.jsonl:5: " in result.stderr
    assert "secret-9" not in result.output
    report = json.loads(run("--old", "a.toml", "--new", "a.toml", "events.jsonl", "--format", "json").stdout)
    assert [one["line"] for one in report["unreadable"]] == [5]
    assert run("--old", "a.toml", "--new", "a.toml", "absent.jsonl").exit_code == 2


def test_nothing_compared_is_no_success() -> None:
    written()
    Path("empty.jsonl").write_text("")
    result = run("--old", "a.toml", "--new", "b.toml", "empty.jsonl")
    assert result.exit_code == 2
    assert result.stdout.startswith("Nothing changes in 0 events.")


def test_a_variable_that_wins_over_both_files_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    written()
    monkeypatch.setenv("SCRUBBER_PROFILE", "strict")
    result = run("--old", "a.toml", "--new", "b.toml", "events.jsonl")
    assert result.stderr == "scrubber compare: SCRUBBER_PROFILE in the environment wins over both files\n"
