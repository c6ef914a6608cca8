"""What listening looks like, whole: in a terminal, as plain lines, as JSON lines."""

from __future__ import annotations

import io
import json
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import pytest
from rich.console import Console

from scrubber.audit.listening.outcome import NOTHING, outcome
from scrubber.audit.listening.session import Counts, Note, Seen
from scrubber.audit.listening.view import Lines, Live, printable, size_text
from scrubber.words.verdict import Verdict

AT = datetime(2026, 11, 30, 14, 2, 7, tzinfo=timezone.utc)
CALL = Seen(
    AT,
    "$mcp_tool_call",
    "book_visit",
    Verdict.REDACT,
    ("mcp_closed", "mcp_parameters"),
    ("$mcp_parameters", "$mcp_response"),
    (),
    1593,
    894,
    {"$mcp_response": {"text": "Ada\x1b[2J\u202e"}},
)
FAULT = Seen(AT, "$exception", "next_visit", Verdict.REDACT, ("exception",), (), ("$exception_list",), 8200, 7800)
REFUSED = Seen(AT, "$exception", "book_visit", Verdict.DROP, ("argument_refusal",), (), (), 5900, 0)
PASSED = Seen(AT, "asked", "", Verdict.PASS, (), (), (), 390, 390)
NOTE = Note(AT, "/flags", "no flags are set here")
LINES = (CALL, FAULT, REFUSED, PASSED, NOTE)


def counts() -> Counts:
    return Counts(
        events=4,
        bytes_in=16083,
        bytes_out=9084,
        verdicts=Counter({Verdict.PASS: 1, Verdict.REDACT: 2, Verdict.DROP: 1}),
        rules=Counter({"exception": 1, "argument_refusal": 1, "mcp_closed": 2}),
        removed=Counter({"$mcp_response": 1, "$mcp_parameters": 1}),
        redacted=Counter({"$exception_list": 1}),
        others=Counter({"/flags": 2}),
        unshown=3,
    )


SUMMARY = """\
Came      4 events: 1 pass, 2 redact, 1 drop; 16.1 kB came, 9.1 kB would leave
Removed   $mcp_parameters 1, $mcp_response 1
Redacted  $exception_list 1
Rules     mcp_closed 2, argument_refusal 1, exception 1
Others    /flags 2
Unshown   3 lines came faster than they could be shown
Saved     4 events in heard.jsonl
Not clean.
"""

PLAIN = (
    """\
14:02:07  redact  $mcp_tool_call        book_visit      1.6 kB, leaves 894 B      \
removes $mcp_parameters $mcp_response  [mcp_closed, mcp_parameters]
          $mcp_response = {"text": "Ada\\u001b[2J\\u202e"}
14:02:07  redact  $exception            next_visit      8.2 kB, leaves 7.8 kB     redacts $exception_list  [exception]
14:02:07  drop    $exception            book_visit      5.9 kB                    [argument_refusal]
14:02:07  pass    asked                                 390 B
14:02:07  note    /flags: no flags are set here
"""
    + SUMMARY
)


def show(view: Lines | Live) -> None:
    with view.begin("http://127.0.0.1:8000"):
        for line in LINES:
            view.line(line, counts())
    view.end(counts(), Path("heard.jsonl"), "Not clean.", 1)


def test_plain_lines_are_these() -> None:
    said: list[str] = []
    aside: list[str] = []
    show(Lines(said.append, aside.append))
    assert "\n".join(said) + "\n" == PLAIN
    assert aside == ['Listening on http://127.0.0.1:8000 for Posthog(..., host="http://127.0.0.1:8000")']


TERMINAL = (
    """\
Listening on http://127.0.0.1:8000 for Posthog(..., host="http://127.0.0.1:8000")
14:02:07  redact  $mcp_tool_call        book_visit      1.6 kB, leaves 894 B
          removes $mcp_parameters $mcp_response  [mcp_closed, mcp_parameters]
          $mcp_response = {"text": "Ada\\u001b[2J\\u202e"}
14:02:07  redact  $exception            next_visit      8.2 kB, leaves 7.8 kB
          redacts $exception_list  [exception]
14:02:07  drop    $exception            book_visit      5.9 kB                    [argument_refusal]
14:02:07  pass    asked                                 390 B
14:02:07  note    /flags: no flags are set here

"""
    + SUMMARY
)


def test_a_terminal_shows_the_same_and_breaks_where_it_must() -> None:
    out = Console(file=io.StringIO(), width=100, highlight=False, force_terminal=False)
    show(Live(out))
    assert "\n".join(line.rstrip() for line in out.file.getvalue().splitlines()) + "\n" == TERMINAL  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [40, 62, 80, 200])
def test_no_width_loses_a_word(width: int) -> None:
    out = Console(file=io.StringIO(), width=width, highlight=False, color_system=None)
    show(Live(out))
    assert sorted(out.file.getvalue().split()) == sorted(TERMINAL.split())  # type: ignore[attr-defined]


def test_json_lines_hold_the_same() -> None:
    said: list[str] = []
    show(Lines(said.append, said.append, as_json=True))
    first, call, fault, refused, passed, note, summary = map(json.loads, said)
    assert first == {"kind": "listening", "address": "http://127.0.0.1:8000"}
    assert call == {
        "kind": "event",
        "at": "2026-11-30T14:02:07+00:00",
        "event": "$mcp_tool_call",
        "tool": "book_visit",
        "verdict": "redact",
        "rules": ["mcp_closed", "mcp_parameters"],
        "removed": ["$mcp_parameters", "$mcp_response"],
        "redacted": [],
        "bytes_in": 1593,
        "bytes_out": 894,
        "revealed": {"$mcp_response": {"text": "Ada\x1b[2J\u202e"}},
    }
    assert (fault["redacted"], refused["verdict"], passed["removed"]) == (["$exception_list"], "drop", [])
    assert note == {
        "kind": "note",
        "at": "2026-11-30T14:02:07+00:00",
        "what": "/flags",
        "text": "no flags are set here",
        "trouble": False,
    }
    assert summary == {
        "kind": "summary",
        "events": 4,
        "verdicts": {"pass": 1, "redact": 2, "drop": 1},
        "unreadable": 0,
        "bytes_in": 16083,
        "bytes_out": 9084,
        "removed": {"$mcp_response": 1, "$mcp_parameters": 1},
        "redacted": {"$exception_list": 1},
        "rules": {"exception": 1, "argument_refusal": 1, "mcp_closed": 2},
        "others": {"/flags": 2},
        "saved": "heard.jsonl",
        "outcome": "Not clean.",
        "exit_code": 1,
    }


def clean(events: int) -> Counts:
    return Counts(events=events, verdicts=Counter({Verdict.PASS: events}))


@pytest.mark.parametrize(
    "counted, wanted, code, sentence",
    [
        (clean(3), None, 0, "Clean: the policy would have sent everything as it came."),
        (clean(3), 3, 0, "Clean: the policy would have sent everything as it came."),
        (clean(3), 4, 2, "Fewer events came than the 4 that were asked for."),
        (clean(0), None, 2, NOTHING),
        (counts(), None, 1, "Not clean: the policy would have redacted 2 and dropped 1 of 4 events."),
        (
            Counts(events=1, verdicts=Counter({Verdict.DROP: 1}), unreadable=1),
            9,
            1,
            "Not clean: the policy would have dropped 1 of 1 event; 1 record could not be read.",
        ),
        (Counts(unreadable=2), None, 1, "Not clean: 2 records could not be read."),
    ],
)
def test_what_it_came_to(counted: Counts, wanted: int | None, code: int, sentence: str) -> None:
    assert outcome(counted, wanted) == (code, sentence)


@pytest.mark.parametrize("size, text", [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (3_400_000, "3.4 MB")])
def test_sizes_are_said_in_words(size: int, text: str) -> None:
    assert size_text(size) == text


def test_nothing_that_a_terminal_obeys_is_printed() -> None:
    every = "".join(map(chr, range(0x3000)))
    assert printable(every).isprintable()
    assert printable("Jürgen, 漢字 and 😀") == "Jürgen, 漢字 and 😀"


def test_a_long_value_is_cut_and_a_long_list_of_names_too() -> None:
    said: list[str] = []
    many = tuple(f"name_{at}" for at in range(15))
    seen = Seen(AT, "asked", "", Verdict.REDACT, ("strict",), many, (), 9, 2, {"a": "x" * 1000})
    Lines(said.append, said.append).line(seen, counts())
    assert said[0].endswith("name_11 and 3 more  [strict]")
    assert said[1].endswith("xxx... (1002 characters)")
    assert len(said[1]) < 450
