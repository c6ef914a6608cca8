"""`scrubber explain`: never another conclusion than the engine's, no value without --reveal, and how it looks."""

from __future__ import annotations

import ast
import copy
import inspect
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from scrubber import Settings
from scrubber.audit.explaining import Answer, Call, Explanation, explain
from scrubber.audit.explaining import origin as questions
from scrubber.audit.explaining.origin import origin
from scrubber.audit.judging import NEAR, Judge
from scrubber.audit.records import Row
from scrubber.cli import explain_text
from scrubber.cli.app import app
from scrubber.rules import origin as engine
from scrubber.rules import structure, trace
from scrubber.rules.origin import judge
from scrubber.testing import strategies
from scrubber.words.verdict import Verdict

from ..support import SHARED, Recorded, entry, frame, recorded, refusal
from ..support import call as any_call

ASSETS = Path(__file__).parent / "assets"
CORPUS = SHARED / "corpus"
ROWS = list(recorded())


pytestmark = pytest.mark.usefixtures("no_environment")


def call(message: str | None = None, **more: Any) -> dict[str, Any]:
    """The call event of `refusal()`, which has no conversation."""
    event = any_call(message, **more)
    del event["properties"]["$mcp_conversation_id"]
    return event


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["explain", *arguments], input=stdin)


def written(*events: dict[str, Any], name: str = "events.jsonl") -> str:
    Path(name).write_text("".join(f"{json.dumps(event)}\n" for event in events), "utf-8")
    return name


def in_files(rows: list[Recorded]) -> Iterator[tuple[Recorded, Row, list[Row]]]:
    """Each recorded event as a row of its file, with the rows above it."""
    above: list[Row] = []
    for at, one in enumerate(rows, 1):
        if above and above[-1].file != one.file:
            above.clear()
        row = Row(one.event, one.file, at, 0)
        yield one, row, above[-NEAR:]
        above.append(row)


def shown(found: Explanation, reveal: bool = False) -> str:
    from rich.console import Console

    console = Console(width=200, record=True, file=io.StringIO())
    explain_text.render(found, reveal, console)
    return console.export_text() + explain_text.as_json(found, reveal)


# -- the engine's conclusion


def same_conclusion(properties: dict[str, Any]) -> bool:
    """Whether the engine holds it for a refusal; fails where the explanation says otherwise."""
    found, judgement = origin(properties), judge(properties)
    answers = [one.answer for one in found.questions]
    assert (found.refusal, found.reason, found.site) == (judgement.refusal, judgement.reason, judgement.site)
    assert (set(answers) == {Answer.YES}) == judgement.refusal, judgement
    assert (Answer.NO in answers) != judgement.refusal, judgement
    assert sum(bool(one.breaks) for link in found.links for one in link.frames) <= (not judgement.refusal)
    return judgement.refusal


@pytest.mark.parametrize("folder", [None, CORPUS], ids=["own recordings", "corpus"])
def test_the_conclusion_is_the_engines_on_every_recording(folder: Path | None) -> None:
    if folder is not None and not folder.exists():
        pytest.skip("no corpus here")
    rows = ROWS if folder is None else list(recorded(folder))
    held = [same_conclusion(one.event["properties"]) for one in rows if one.event["event"] == "$exception"]
    assert 100 < sum(held) < len(held) - 100


@pytest.mark.parametrize("profile", ["standard", "strict"])
def test_the_verdict_is_the_audits_on_every_recording(profile: Any) -> None:
    policy = Settings(profile=profile, annotate=True, expected_exceptions=["KeyError"], drop_refusals=True)
    judging = Judge(policy)
    for _, row, above in in_files(ROWS):
        judged, found = judging.judge(row), explain(row, policy, above)
        assert found.verdict is judged.verdict
        drops = [one.rule for one in found.rules if one.verdict is Verdict.DROP]
        assert drops == (list(judged.fired) if judged.verdict is Verdict.DROP else [])
        assert {str(one.fate) for one in found.properties} >= {str(fate) for fate in judged.fates.values()}
        assert all(one.why for one in (*found.properties, *found.beside))
        assert (found.call is Call.CONTRADICTS) == ("corroboration" in judged.fired)
        if found.call is Call.EXPLAINS:
            assert drops == ["argument_refusal"]


def test_the_table_of_questions_knows_every_reason_of_the_engine() -> None:
    """A new reason of the engine's fails here by name, so that it gets a question of its own."""
    reasons = set()
    for module in (engine, structure, trace):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if (
                isinstance(node, ast.Return)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                reasons.add(node.value.value)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Judgement":
                reasons |= {one.value for one in node.args[1:2] if isinstance(one, ast.Constant)}
    starts = tuple(start for _, starts in questions._BEHIND_SITE for start in starts)
    by_structure = (structure.MALFORMED, structure.OTHER_ROOT, structure.BY_HAND, structure.NO_SITE)
    answered_by_themselves = {one.reason for one in vars(engine).values() if isinstance(one, engine.Judgement)}
    answered_by_themselves |= set(by_structure)
    assert len(reasons) > 12
    assert {one for one in reasons if not one.startswith(starts)} <= answered_by_themselves - {
        engine._NESTED_TEXT.reason
    }


EXCEPTIONS = [one.event["properties"] for one in ROWS if one.event["event"] == "$exception"]
SCRAPS = st.none() | st.integers(-2, 60) | st.text(max_size=4) | st.lists(st.none(), max_size=2) | st.just({})


@st.composite
def damaged(draw: Any) -> dict[str, Any]:
    """A recorded exception with something of its evidence taken out, doubled, moved or replaced."""
    properties = copy.deepcopy(draw(st.sampled_from(EXCEPTIONS)))
    for _ in range(draw(st.integers(1, 3))):
        entries = properties["$exception_list"]
        one = draw(st.sampled_from(entries)) if isinstance(entries, list) and entries else None
        stack = one.get("stacktrace") if isinstance(one, dict) else None
        frames = stack.get("frames") if isinstance(stack, dict) else None
        what = draw(st.integers(0, 7))
        if what == 0:
            properties["$mcp_tool_name"] = draw(SCRAPS | st.just("other_tool"))
        elif what == 1 and isinstance(entries, list):
            properties["$exception_list"] = draw(st.permutations(entries))
        elif what == 2 and isinstance(one, dict):
            one[draw(st.sampled_from(["type", "module", "value", "mechanism", "stacktrace"]))] = draw(SCRAPS)
        elif what == 3 and isinstance(frames, list) and frames:
            del frames[draw(st.integers(0, len(frames) - 1))]
        elif what == 4 and isinstance(frames, list) and frames:
            frames.insert(draw(st.integers(0, len(frames))), copy.deepcopy(draw(st.sampled_from(frames))))
        elif what == 5 and isinstance(frames, list) and frames:
            frames.insert(draw(st.integers(0, len(frames))), frame("app.tools", "find"))
        elif what == 6 and isinstance(frames, list) and frames and isinstance(frames[-1], dict):
            key = draw(st.sampled_from(["module", "function", "context_line", "filename", "in_app", "lineno"]))
            frames[-1][key] = draw(SCRAPS)
        elif what == 7 and isinstance(one, dict) and isinstance(one.get("mechanism"), dict):
            one["mechanism"]["source"] = draw(st.sampled_from(["cause", "context", "exceptions[0]", None]))
    return properties


@settings(max_examples=200, deadline=None)
@given(damaged())
def test_the_conclusion_is_the_engines_on_damaged_evidence(properties: dict[str, Any]) -> None:
    same_conclusion(properties)
    event = {"event": "$exception", "distinct_id": "d", "properties": properties, "timestamp": "t", "uuid": "u"}
    found = explain(Row(event, "f", 1, 0), Settings())
    assert (found.verdict is Verdict.DROP) == found.origin.refusal  # type: ignore[union-attr]
    assert shown(found)


# -- no value


@pytest.mark.parametrize("folder", [None, CORPUS], ids=["own recordings", "corpus"])
def test_no_canary_is_shown_without_reveal(folder: Path | None) -> None:
    if folder is not None and not folder.exists():
        pytest.skip("no corpus here")
    rows = ROWS if folder is None else list(recorded(folder))
    seen = 0
    for one, row, above in in_files(rows):
        if not one.secrets:
            continue
        said = json.dumps(explain_text._plain(explain(row, Settings(), above), reveal=False))
        # An agent may choose a plain name for a tool that does not exist; that is its name.
        for secret in [] if one.scenario == "unknown_tool" else one.secrets:
            seen += 1
            assert secret not in said, (one.id, secret)
    assert seen > 1000


CANARY = "jane@example.test, room 12"


def as_json(event: dict[str, Any]) -> dict[str, Any] | None:
    """An event as a file gives it, None for one that no file can hold."""
    try:
        return json.loads(json.dumps(event))  # type: ignore[no-any-return]
    except (TypeError, ValueError, RecursionError):
        return None


@settings(max_examples=150, deadline=None)
@given(strategies.events(st.just(CANARY)).map(as_json).filter(bool), strategies.mcp_call_events(st.just(CANARY)))
def test_any_event_is_explained_as_it_is_judged_and_without_its_content(
    event: dict[str, Any], above: dict[str, Any]
) -> None:
    if not isinstance(event.get("properties"), dict) or not isinstance(event.get("event"), str):
        return
    for policy in (Settings(), Settings(profile="strict", annotate=True, drop_refusals=True)):
        rows = Row(as_json(above) or {"properties": {}}, "f", 1, 0), Row(event, "f", 2, 0)
        judging = Judge(policy)
        judging.judge(rows[0])
        found = explain(rows[1], policy, rows[:1])
        assert found.verdict is judging.judge(rows[1]).verdict
        assert len(found.properties) >= len(event["properties"])
        said = shown(found)
        assert CANARY not in said
        assert "jane" not in said


def test_the_text_shows_no_canary_either_and_reveal_does() -> None:
    rows = [one for one in in_files(ROWS) if one[0].secrets and one[0].scenario != "unknown_tool"][::43]
    revealed = 0
    for one, row, above in rows:
        found = explain(row, Settings(), above)
        hidden, open_ = shown(found), shown(found, reveal=True)
        for secret in one.secrets:
            assert secret not in hidden, (one.id, secret)
            revealed += secret in open_
    assert revealed > len(rows) / 2


def test_names_that_may_be_content_are_masked() -> None:
    event = refusal()
    event["event"] = "jane@example.test bought"
    event["properties"] = {"jane@example.test": 1, "sk-live-4242424242": 2, "plan": 3, "$feature/new": True}
    event["jane@example.test"] = 1
    found = explain(Row(event, "f", 1, 0), Settings())
    assert found.event == "*"
    assert [one.name for one in found.properties] == ["*", "*", "plan", "$feature/new"]
    assert "jane" not in shown(found)


# -- how it looks


def forged(value: str = "secret-7") -> dict[str, Any]:
    """A fault of the tool's body that raises pydantic's error."""
    event = refusal(value)
    entries = event["properties"]["$exception_list"]
    entries[1]["stacktrace"]["frames"].append(frame("app.tools", "find_book", "    row = Row.model_validate(found)"))
    return event


@pytest.mark.parametrize(
    "name, events, options, code",
    [
        ("explain-refusal", (call("text"), refusal()), ("--line", "2"), 1),
        ("explain-fault", (forged(),), (), 1),
        ("explain-call", (call("1 validation error for find_bookArguments\nnumber\n  x [type=int_type]"),), (), 1),
        ("explain-strict", (call(plan="pro", **{"$set": {"a": 1}}),), ("--config", "strict.toml"), 1),
        ("explain-reveal", (forged(),), ("--reveal",), 1),
        ("explain-clean", ({**call(), "properties": {"plan": "pro", "$lib": "posthog-python"}},), (), 0),
    ],
)
def test_the_whole_text(name: str, events: tuple[dict[str, Any], ...], options: tuple[str, ...], code: int) -> None:
    Path("strict.toml").write_text('profile = "strict"\nallow = ["plan"]\n')
    result = run(written(*events), *options)
    assert (result.exit_code, result.stderr) == (code, "")
    assert result.stdout == (ASSETS / f"{name}.txt").read_text("utf-8")


def test_the_whole_json() -> None:
    result = run(written(call("text"), refusal()), "--line", "2", "--format", "json")
    assert result.exit_code == 1
    assert result.stdout == (ASSETS / "explain-refusal.json").read_text("utf-8")
    assert json.loads(result.stdout)["exit_code"] == 1


# -- the call event


def explained(*events: dict[str, Any], **given_: Any) -> Explanation:
    rows = [Row(event, "f", at, 0) for at, event in enumerate(events, 1)]
    return explain(rows[-1], Settings(**given_), rows[:-1])


def arguments(given_: dict[str, Any]) -> dict[str, Any]:
    return {"$mcp_parameters": {"request": {"method": "tools/call", "params": {"arguments": given_}}}}


def test_what_the_call_event_says_is_shown() -> None:
    assert explained(call("text"), refusal()).call is Call.EXPLAINS
    other = explained(call("text", **arguments({"number": "another"})), refusal())
    assert (other.call, other.verdict) == (Call.CONTRADICTS, Verdict.REDACT)
    assert other.rules[0].evidence == "held for a refusal, but what the caller sent does not explain the refusal"
    assert explained(refusal()).call is Call.UNSEEN
    assert explained(call(), refusal()).call_said.startswith("no failed call event stands above it")
    unlike = explained(call("text", **{"$session_id": "ses_2", "$mcp_tool_name": "other"}), refusal())
    assert "differs in $session_id, $mcp_tool_name" in unlike.call_said
    assert "ses_2" not in shown(unlike)
    unreadable = explained(call("text", **{"$mcp_parameters": "gone"}), refusal())
    assert (unreadable.call, unreadable.verdict) == (Call.UNSEEN, Verdict.DROP)
    assert explained(call("text"), refusal(), corroborate=False).call is Call.NOT_ASKED
    assert explained(call("text"), forged()).call_said == "nothing was held for a refusal"
    assert explained(call("text")).call_said == ""


def test_a_call_event_of_a_file_of_its_own_is_looked_at() -> None:
    event = written(refusal(), name="event.jsonl")
    bad = written(call("text", **arguments({"number": "another"})), name="call.jsonl")
    assert "contradicts" in run(event, "--call", bad).stdout
    good = written(call("text"), name="good.jsonl")
    assert "explains" in run(event, "--call", good).stdout
    assert "not seen" in run(event).stdout


# -- the other rules


def test_each_rule_says_why_it_keeps() -> None:
    found = explained(forged(), expected_exceptions=["KeyError"], drop_refusals=True)
    assert [(one.rule, one.verdict.value) for one in found.rules] == [
        ("argument_refusal", "pass"),
        ("guard_refusal", "pass"),
        ("expected_exception", "pass"),
        ("deliberate_refusal", "pass"),
        ("exception", "redact"),
    ]
    marked = forged()
    marked["properties"]["$scrubber_guard"] = True
    assert explained(marked).rules[1].evidence == "marked by the argument guard, but something was raised"
    assert explained(forged(), expected_exceptions=["ToolError"]).rules[-1].rule == "expected_exception"
    kept = explained(refusal(), drop_argument_rejections=False)
    assert (kept.origin.refusal, kept.verdict) == (True, Verdict.REDACT)  # type: ignore[union-attr]


def test_what_a_setting_opens_closes_and_adds_is_said() -> None:
    event = call("text", **{"$mcp_intent": "x", "$mcp_feedback": "y", "plan": "pro", "tier": "gold", "seats": 3})
    event["$set"] = {"$mcp_intent": "x", "a": 1}
    found = explained(
        event, allow=["$mcp_intent"], block=["plan"], values={"tier": ["gold"], "seats": [1]}, annotate=True
    )
    said = {one.name: (str(one.fate), one.rule, one.why) for one in (*found.properties, *found.beside)}
    assert said["$mcp_intent"] == ("passes", "", "opened by a setting")
    assert said["$mcp_feedback"] == ("unknown", "mcp_closed", "an $mcp_* property that nobody listed")
    assert said["plan"] == ("removed", "block", "blocked by a setting")
    assert said["tier"] == ("passes", "values", "one of the values that the settings list")
    assert said["seats"] == ("removed", "values", "not among the values the settings list")
    assert said["$scrubber_removed"] == ("added", "annotate", "made by the rule")
    assert said["$set"] == ("redacted", "top_level", "closed to the SDK's names inside")
    assert said["$mcp_error_message"] == ("passes", "error_message", "kept for its error type")


def test_a_frameless_entry_gets_a_fingerprint() -> None:
    event = refusal()
    event["properties"]["$exception_list"] = [entry("builtins", "KeyError", "secret", None)]
    found = explained(event)
    assert ("$exception_fingerprint", "added", "fingerprint") in [
        (one.name, str(one.fate), one.rule) for one in found.properties
    ]
    assert found.origin is not None
    assert found.origin.links[0].frames == ()


# -- choosing


def test_one_event_is_chosen_by_line_or_uuid() -> None:
    path = written(call(), call("text"), refusal())
    for options in (("--line", "3"), ("--uuid", refusal()["uuid"]), ("--line", "3", "--uuid", refusal()["uuid"])):
        assert run(path, *options).stdout.startswith("$exception is dropped"), options
    assert run("-", stdin=json.dumps(refusal())).stdout.startswith("$exception is dropped")
    pretty = Path("pretty.json")
    pretty.write_text(json.dumps(refusal(), indent=2))
    assert run(str(pretty)).stdout.startswith("$exception is dropped")


@pytest.mark.parametrize(
    "options, said",
    [
        (("events.jsonl",), "has more than one event; choose one with --line or --uuid"),
        (("events.jsonl", "--line", "9"), "events.jsonl: has no event at line 9"),
        (("events.jsonl", "--line", "2"), "events.jsonl, line 2: is no event ("),
        (("events.jsonl", "--uuid", "none"), "events.jsonl: has no event with that uuid"),
        (("events.jsonl", "--uuid", call()["uuid"]), "choose one with --line as well"),
        (("event.jsonl",), "event.jsonl: no such file; did you mean events.jsonl?"),
        (("*.jsonl",), "names 2 files; name one"),
        (("events.jsonl", "--line", "1", "--call", "empty.jsonl"), "empty.jsonl: has no event"),
        (("events.jsonl", "--line", "1", "--config", "absent.toml"), "absent.toml: cannot be read"),
    ],
)
def test_what_cannot_be_explained_exits_2_and_says_why(options: tuple[str, ...], said: str) -> None:
    written(call(), name="events.jsonl")
    with Path("events.jsonl").open("a") as file:
        file.write(f"no json, secret-9\n{json.dumps(call())}\n")
    Path("empty.jsonl").write_text("")
    result = run(*options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("scrubber explain: ")
    assert said in result.stderr
    assert "secret-9" not in result.stderr
