"""What the demo prints: plain ASCII, 100 columns at most, the same in a terminal and in a file."""

from __future__ import annotations

import json
import textwrap
from itertools import zip_longest
from typing import Any

from demo_parts.clinic import CALLS, SECRETS, Call
from demo_parts.wire import Event, Sent

WIDTH = 100
_LABEL = 21
_CELL = 36
_LINES = 3
_HEAD = 31
"""Characters shown of the beginning of a value that is cut before its planted content."""
_BEFORE_SECRET = 13
"""Characters shown before planted content in such a value."""

_TOOL_CALL = (
    "$mcp_parameters",
    "$mcp_response",
    "$mcp_error_type",
    "$mcp_error_message",
    "$mcp_error_code",
    "$mcp_error_field",
)
_CLEAN, _PLANTED = "  ", "! "
"""The margin of a cell, which says whether there is planted content in it."""
_ABSENT = f"{_CLEAN}-"
_SENT = f"{_CLEAN}sent"
_DROPPED = f"{_CLEAN}[X] DROPPED: it never left"
_REMOVED = f"{_CLEAN}[-] removed"

_COLUMNS = (f"{_CLEAN}WITHOUT THE HOOK", f"{_CLEAN}WITH before_send=Scrubber()")

Rows = dict[str, str]
"""Of one event: a label, and what stands beside it."""


def heading(text: str) -> str:
    """A line of text, underlined across the page."""
    return f"{text}\n{'-' * WIDTH}"


def call_table(call: Call, without: list[Event], with_: list[Event], shape: list[Event]) -> str:
    """What left for one call, side by side. shape: the third run, told in a line where it differs."""
    lines = [heading(_title(call)), _line("", *_COLUMNS)]
    for name in ("$mcp_tool_call", "$exception"):
        left, right = _named(without, name), _named(with_, name)
        if left is None and right is None:
            continue
        lines.append(_line(name, _SENT if left else _ABSENT, _SENT if right else _DROPPED))
        lines += _event_lines(_rows(left), _rows(right), dropped=right is None)
        lines += _also_removed(left, right)
    kept, shaped = (_rows(_named(run, "$mcp_tool_call")).get("$mcp_error_message") for run in (with_, shape))
    if shaped is not None and shaped != kept:
        line = f'  * with error_messages={{"ValidationError": "shape"}} it is "{shaped}"'
        lines.append(line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}...")
    return "\n".join(lines)


def summary(without: Sent, with_: Sent, shape: Sent) -> str:
    """The three runs in numbers."""
    runs = (without, with_, shape)
    rows = (
        ("", ("no hook", "Scrubber()", "... with shape")),
        ("events that left", [len(run.events) for run in runs]),
        ("bytes of those events, as JSON", [f"{run.size:,}" for run in runs]),
        (f"planted strings found in the bytes, of {len(SECRETS)}", [len(run.secrets) for run in runs]),
    )
    table = [f"{label:<44}" + "".join(f"{value:>16}" for value in values) for label, values in rows]
    return "\n".join([heading("ALL THAT LEFT"), *table])


def honest(with_: Sent) -> str:
    """What leaves with the default settings all the same, and the setting that changes it."""
    if with_.secrets:
        found = " and ".join(with_.secrets)
        told = f"Not closed by default: $mcp_error_message of a ValidationError. It still held {found}."
    else:
        told = "This posthog sends no $mcp_error_message. Newer ones do, and a ValidationError's is kept."
    return (
        f"{textwrap.fill(told, WIDTH)}\nOne setting sends its shape only; it is the last column above:\n"
        '    Scrubber(Settings(error_messages={"ValidationError": "shape"}))'
    )


def counts(hook_counts: dict[str, Any]) -> str:
    """What `hook.counts()` says, over a few lines."""
    totals = ", ".join(f"{name!r}: {value!r}" for name, value in hook_counts.items() if name != "by_rule")
    # A rule and its number stay on one line: their spaces are no place to break.
    rules = [f"{name!r}: {value!r}".replace(" ", "\0") for name, value in hook_counts["by_rule"].items()]
    wrapped = textwrap.fill(f"'by_rule':\0{{{', '.join(rules)}}}}}", WIDTH - 5, subsequent_indent=" " * 12)
    by_rule = textwrap.indent(wrapped.replace("\0", " "), " " * 5)
    return f"hook.counts() of the middle column:\n    {{{totals},\n{by_rule}"


def _title(call: Call) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return f"{CALLS.index(call) + 1}. {call.story.upper()}\n   {call.tool}({arguments})"


def _named(events: list[Event], name: str) -> Event | None:
    return next((event for event in events if event["event"] == name), None)


def _rows(event: Event | None) -> Rows:
    if event is None:
        return {}
    properties = event["properties"]
    rows = {name: _text(properties[name]) for name in _TOOL_CALL if name in properties}
    for number, entry in enumerate(properties.get("$exception_list") or []):
        rows[f"[{number}].type"] = _text(entry.get("type"))
        rows[f"[{number}].value"] = _text(entry.get("value"))
        frame = innermost(entry)
        if frame is not None:
            file = "/".join(frame["filename"].replace("\\", "/").split("/")[-2:])
            rows[f"[{number}] innermost"] = f"{frame['function']}() {file}:{frame['lineno']}"
    return rows


def innermost(entry: dict[str, Any]) -> dict[str, Any] | None:
    """The innermost frame of an entry of `$exception_list`, if it has frames."""
    frames = (entry.get("stacktrace") or {}).get("frames") or [None]
    frame: dict[str, Any] | None = frames[-1]
    return frame


def _event_lines(left: Rows, right: Rows, dropped: bool) -> list[str]:
    lines: list[str] = []
    for label in dict.fromkeys((*left, *right)):
        cells = [_cell(left[label]) if label in left else [_ABSENT]]
        if label not in right:
            cells.append([] if dropped else [_REMOVED])
        elif label not in left:
            cells.append(_cell(f"{right[label]}  [+]"))
        else:
            star = " *" if label == "$mcp_error_message" else ""
            same = right[label] == left[label]
            cells.append([f"{_margin(right[label])}= the same{star}"] if same else _cell(right[label]))
        texts = zip_longest([f"  {label}"], *cells, fillvalue="")
        lines += [_line(*text) for text in texts]
    return lines


def _also_removed(left: Event | None, right: Event | None) -> list[str]:
    """A line with the names of what the hook removed besides the properties that have a row."""
    if left is None or right is None:
        return []
    gone = [name for name in left["properties"] if name not in right["properties"] and name not in _TOOL_CALL]
    return [_line("  also gone", "", f"{_CLEAN}[-] {name}") for name in gone]


def _line(label: str, left: str, right: str) -> str:
    return f"{label:<{_LABEL}}{left:<{_CELL + 3}}| {right}".rstrip()


def _cell(text: str) -> list[str]:
    """The lines of a cell. A long text is cut to its beginning and to where its planted content is."""
    room = _CELL * _LINES - 16
    if len(text) > room:
        found = [text.find(words) for words in SECRETS.values() if words in text]
        start = min(found, default=0) - _BEFORE_SECRET
        # The beginning of a text says what it is; that of JSON is braces.
        head = "... " if text.startswith("{") else f"{text[:_HEAD]} ... "
        head, start = (head, start) if start > _HEAD else ("", 0)
        end = start + room - len(head)
        text = head + text[start:end] + ("..." if end < len(text) else "")
    margins = [_margin(text), *[_CLEAN] * _LINES]
    wrapped = textwrap.wrap(text, _CELL, break_on_hyphens=False, max_lines=_LINES, placeholder="...")
    return [margin + line for margin, line in zip(margins, wrapped, strict=False)]


def _margin(text: str) -> str:
    return _PLANTED if any(words in text for words in SECRETS.values()) else _CLEAN


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return " ".join(text.encode("ascii", "backslashreplace").decode().split())
