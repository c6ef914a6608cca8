"""The baseline: what may leave, by name alone; anything new fails by name."""

from __future__ import annotations

import gzip
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from scrubber import Scrubber, Settings
from scrubber.audit import baseline as door
from scrubber.audit.baseline import KINDS, SCHEMA, Baseline, BaselineError, breaches, dumps, load, loads, make, merged
from scrubber.audit.reading import open_inputs
from scrubber.audit.records import Breach, EventUse, Report
from scrubber.audit.running import audit
from scrubber.cli.app import app
from scrubber.words.verdict import Verdict

from ..support import RECORDED, call, recorded, refusal

ASSETS = Path(__file__).parent / "assets"


pytestmark = pytest.mark.usefixtures("no_environment")


def report(leaving: dict[str, dict[str, dict[str, int]]], **sent: int) -> Report:
    events = [EventUse(name, {Verdict.PASS: count, Verdict.DROP: 100}) for name, count in sent.items()]
    return Report("0", leaving=leaving, events=events)


NAMES = st.text(max_size=6) | st.sampled_from(["$exception", "plan", "*", 'a"b', "é\n"])
LEAVING = st.dictionaries(
    NAMES,
    st.dictionaries(
        NAMES, st.dictionaries(st.sampled_from(KINDS), st.integers(1, 9), min_size=1, max_size=3), max_size=4
    ),
    max_size=4,
)
REPORTS = LEAVING.map(report)

# -- what fails


@given(REPORTS)
def test_what_it_was_made_from_is_in_it(one: Report) -> None:
    assert breaches(one, make(one)) == []


@given(REPORTS, st.data())
def test_whatever_is_taken_out_of_a_baseline_fails_by_its_name(one: Report, data: st.DataObject) -> None:
    made = make(one)
    things = [
        (event, name, kind) for event, names in made.events.items() for name, kinds in names.items() for kind in kinds
    ]
    if not things:
        return
    event, name, kind = data.draw(st.sampled_from(sorted(things)))
    kinds = made.events[event][name] - {kind}
    properties = {key: value for key, value in made.events[event].items() if key != name} | (
        {name: kinds} if kinds else {}
    )
    found = breaches(one, Baseline({**made.events, event: properties}))
    assert found == [
        Breach(
            "kind" if kinds else "property",
            name,
            event,
            one.leaving[event][name][kind] if kinds else sum(one.leaving[event][name].values()),
            (kind,) if kinds else tuple(sorted(one.leaving[event][name])),
        )
    ]


@given(REPORTS, REPORTS)
def test_an_update_lets_leave_what_either_did_and_nothing_else(one: Report, other: Report) -> None:
    both = merged(make(one), make(other))
    assert breaches(one, both) == breaches(other, both) == []
    assert both == merged(make(other), make(one))
    for event, names in both.events.items():
        for name, kinds in names.items():
            for kind in kinds:
                assert kind in {*one.leaving.get(event, {}).get(name, {}), *other.leaving.get(event, {}).get(name, {})}


def test_a_new_event_is_named_with_the_properties_that_no_event_had() -> None:
    before = make(report({"call": {"plan": {"text": 1}, "seats": {"number": 1}}}))
    now = report(
        {
            "call": {"plan": {"text": 5}},
            "bought": {"plan": {"text": 2, "null": 3}, "price": {"number": 4}, "seats": {"number": 4}},
        },
        bought=7,
        call=5,
    )
    assert breaches(now, before) == [
        Breach("event", "bought", "bought", 7),
        Breach("property", "price", "bought", 4, ("number",)),
        Breach("kind", "plan", "bought", 3, ("null",)),
    ]


def test_an_event_without_properties_counts_by_what_the_report_has() -> None:
    assert breaches(report({"bare": {}}, bare=3), Baseline()) == [Breach("event", "bare", "bare", 3)]
    assert breaches(report({"bare": {}}), Baseline()) == [Breach("event", "bare", "bare", 0)]
    assert breaches(report({"bare": {}}), make(report({"bare": {}}))) == []


# -- the file


@given(REPORTS)
def test_the_file_is_read_back_as_it_was_and_does_not_depend_on_order_or_counts(one: Report) -> None:
    text = dumps(make(one))
    assert loads(text) == make(one)
    turned = {
        event: {name: dict.fromkeys(reversed(kinds), 1000) for name, kinds in reversed(names.items())}
        for event, names in reversed(one.leaving.items())
    }
    assert dumps(make(report(turned))) == text
    assert list(json.loads(text)) == ["schema", "events"]


def test_a_property_more_is_a_line_more() -> None:
    before = dumps(make(report({"call": {"a": {"text": 1}, "c": {"text": 1}}, "empty": {}})))
    after = dumps(
        make(report({"call": {"a": {"text": 1}, "b": {"null": 1, "flag": 1}, "c": {"text": 1}}, "empty": {}}))
    )
    assert [line for line in after.splitlines() if line not in before.splitlines()] == ['      "b": ["flag", "null"],']
    assert [line for line in before.splitlines() if line not in after.splitlines()] == []


@pytest.mark.parametrize(
    "text, said",
    [
        ("no", "b.json: is no JSON; write it with `scrubber baseline PATH -o b.json`"),
        ("[" * 100_000, "is no JSON"),
        ("[]", "is no baseline"),
        ('{"events": {}}', "is no baseline"),
        ('{"schema": 1, "events": []}', "is no baseline"),
        ('{"schema": 2, "events": {}}', "is a baseline of another format than 1"),
        ('{"schema": true, "events": {}}', "is a baseline of another format than 1"),
        ('{"schema": 1, "events": {}, "event": {}}', "has 'event' beside schema and events; remove it"),
        ('{"schema": 1, "events": {"call": []}}', "b.json: call: must be an object"),
        ('{"schema": 1, "events": {"call": {"plan": "text"}}}', "b.json: call: plan: must be a list of kinds"),
        ('{"schema": 1, "events": {"call": {"plan": []}}}', "must be a list of kinds, of text, number, flag"),
        ('{"schema": 1, "events": {"call": {"plan": ["txt"]}}}', "'txt' is no kind; did you mean text?"),
        ('{"schema": 1, "events": {"call": {"plan": ["something"]}}}', "'something' is no kind; kinds are text"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused_in_words(text: str, said: str) -> None:
    Path("b.json").write_text(text)
    with pytest.raises(BaselineError) as caught:
        load(Path("b.json"))
    assert said in str(caught.value)


def test_a_file_that_cannot_be_read_is_refused_in_words() -> None:
    with pytest.raises(
        BaselineError, match=r"absent\.json: cannot be read \(No such file or directory\); write it with"
    ):
        load(Path("absent.json"))
    Path("latin.json").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(BaselineError, match="is no text"):
        load(Path("latin.json"))


def test_the_file_is_whole_or_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(report({"call": {"plan": {"text": 1}}}))
    path = Path("b.json")
    door.dump(made, path)
    with pytest.raises(BaselineError, match="exists; --force replaces it, --update adds to it"):
        door.dump(Baseline(), path)
    assert load(path) == made

    def fails(baseline: Baseline) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(door, "dumps", fails)
    with pytest.raises(KeyboardInterrupt):
        door.dump(Baseline(), path, force=True)
    assert load(path) == made
    assert [path.name for path in Path().iterdir()] == ["b.json"]


# -- the command


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["baseline", *arguments], input=stdin)


def written(*events: dict[str, Any], name: str = "events.jsonl") -> str:
    Path(name).write_text("".join(f"{json.dumps(event)}\n" for event in events), "utf-8")
    return name


def test_the_whole_file_and_what_is_said() -> None:
    path = written(call(plan="pro", **{"jane@example.test": 1}), call("text", plan=None), refusal())
    result = run(path, "-o", "b.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "scrubber baseline: b.json: 1 event name and 21 properties may leave (3 events read)\n"
        "scrubber baseline: 1 name may be content and stands as *, which covers every such name\n"
    )
    assert Path("b.json").read_text("utf-8") == (ASSETS / "baseline.json").read_text("utf-8")
    assert stat.S_IMODE(Path("b.json").stat().st_mode) & 0o044
    assert run(path, "-o", "-").stdout == Path("b.json").read_text("utf-8")


def test_an_existing_file_is_replaced_only_when_asked_and_before_anything_is_read() -> None:
    Path("b.json").write_text("mine")
    result = run("absent.jsonl", "-o", "b.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "scrubber baseline: b.json: exists; --force replaces it, --update adds to it\n"
    assert Path("b.json").read_text() == "mine"
    assert run(written(call()), "-o", "b.json", "--force").exit_code == 0
    assert load(Path("b.json")).events.keys() == {"$mcp_tool_call"}


def test_an_update_adds_and_says_what() -> None:
    first = written(call(plan="pro"))
    assert run(first, "-o", "b.json", "--update").stdout.startswith(
        "event     $mcp_tool_call\nproperty  $lib on $mcp_tool_call: text\n"
    )
    more = written(call(plan=None, seats=3), {**call(), "event": "bought"}, name="more.jsonl")
    result = run(more, "-o", "b.json", "--update")
    assert result.stdout == (
        "event     bought\nproperty  seats on $mcp_tool_call: number\nkind      plan on $mcp_tool_call: null\n"
    )
    assert "; 3 lines added (2 events read)" in result.stderr
    again = run(more, "-o", "b.json", "--update")
    assert (again.stdout, again.exit_code) == ("", 0)
    assert "; nothing was new (2 events read)" in again.stderr
    assert load(Path("b.json")).events["$mcp_tool_call"]["plan"] == {"text", "null"}


@pytest.mark.parametrize(
    "options, said",
    [
        (("-o", "-", "--update"), "--update adds to a file; name one with -o"),
        (("-o", "broken.json", "--update"), "broken.json: is no JSON"),
        (("-o", "absent/b.json"), "absent/b.json: there is no folder absent"),
        (("-o", "b.json", "--config", "absent.toml"), "absent.toml: cannot be read"),
    ],
)
def test_what_cannot_be_done_exits_2_and_leaves_nothing(options: tuple[str, ...], said: str) -> None:
    Path("broken.json").write_text("{")
    result = run(written(call()), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert sorted(path.name for path in Path().iterdir()) == ["broken.json", "events.jsonl"]
    assert Path("broken.json").read_text() == "{"


def test_what_cannot_be_read_is_said_and_makes_the_exit_status_tell() -> None:
    path = written(call())
    with Path(path).open("a") as file:
        file.write("no json, secret-9\n")
    result = run(path, "-o", "b.json")
    assert result.exit_code == 1
    assert "scrubber baseline: events.jsonl:2: " in result.stderr
    assert "secret-9" not in result.output
    assert load(Path("b.json")).events


def test_without_an_event_no_baseline_is_written() -> None:
    Path("empty.jsonl").write_text("")
    result = run("empty.jsonl", "-o", "b.json")
    assert (result.exit_code, result.stderr) == (2, "scrubber baseline: no event was read; nothing is written\n")
    assert not Path("b.json").exists()


# -- the recordings


@pytest.fixture(scope="module")
def of_recordings(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("baseline") / "b.json"
    result = CliRunner().invoke(app, ["baseline", str(RECORDED), "-o", str(path)])
    assert result.exit_code == 0, result.output
    return path.read_text("utf-8")


def kind(value: Any) -> str:
    kinds = {
        str: "text",
        bool: "flag",
        int: "number",
        float: "number",
        type(None): "null",
        list: "list",
        dict: "object",
    }
    return kinds[type(value)]


def test_it_is_what_the_hook_sends_and_nothing_else(of_recordings: str) -> None:
    hook = Scrubber()
    expected: dict[str, dict[str, set[str]]] = {}
    for one in recorded():
        sent = hook(one.event)
        if sent is None:
            continue
        properties = expected.setdefault(sent["event"], {})
        for name, value in sent["properties"].items():
            properties.setdefault(name, set()).add(kind(value))
    assert {
        event: {name: set(kinds) for name, kinds in names.items()}
        for event, names in loads(of_recordings).events.items()
    } == (expected)


def test_no_canary_and_no_count_is_in_it(of_recordings: str) -> None:
    assert [secret for one in recorded() for secret in one.secrets if secret in of_recordings] == []
    assert json.loads(of_recordings)["schema"] == SCHEMA
    assert [char for char in of_recordings if char.isdigit()] == [str(SCHEMA)]


def test_other_processes_another_order_or_another_packing_write_the_same(of_recordings: str) -> None:
    files = sorted(str(path) for path in RECORDED.glob("*.gz"))
    plain = Path("plain.jsonl")
    plain.write_bytes(gzip.decompress(Path(files[0]).read_bytes()))
    assert run(*files[:0:-1], str(plain), "-o", "b.json", "--jobs", "2").exit_code == 0
    assert Path("b.json").read_text("utf-8") == of_recordings


def test_what_leaves_beside_the_properties_is_listed_too(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    person = {**call(), "event": "$identify", "$set": {"mail": "jane@example.test"}}
    path.write_text(json.dumps(person) + "\n", "utf-8")
    report = audit(open_inputs([str(path)]), Settings())
    assert report.leaving["$identify"]["$set"] == {"object": 1}
    without = make(audit(open_inputs([str(path)]), Settings(block=["$set"])))
    assert [(one.what, one.name) for one in breaches(report, without)] == [("property", "$set")]
