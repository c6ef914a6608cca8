"""How the cost grows: synthetic events of 1, 2, 4 and 8 times a size, and texts that were made to hurt."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from bench_parts.events import Event, fresh
from bench_parts.timing import best_of, no_collection
from scrubber import Scrubber, Settings
from scrubber.rules.origin import judge

FACTORS = (1, 2, 4, 8)
DEPTH = 100_000

Row = tuple[str, list[float]]
"""What grew, and the microseconds at each factor."""


def _event(name: str, **properties: Any) -> Event:
    return {
        "event": name,
        "distinct_id": "d",
        "timestamp": "2026-01-01T00:00:00+00:00",
        "uuid": "01a22c39-0ff5-722d-b18f-3b45d8c54c9e",
        "properties": {"$lib": "posthog-python", "$lib_version": "7.91.1", **properties},
    }


def _frame(at: int, line: int) -> dict[str, Any]:
    return {
        "platform": "python",
        "filename": f"shop/part{at}.py",
        "abs_path": f"/srv/app/shop/part{at}.py",
        "function": f"step{at}",
        "module": f"shop.part{at}",
        "lineno": line,
        "pre_context": ["    before = 1"] * 5,
        "context_line": f"    step{at}(order)",
        "post_context": ["    after = 1"] * 5,
    }


def _fault(frames: int, line: int) -> Event:
    entry = {
        "mechanism": {"exception_id": 0, "type": "generic", "handled": True, "synthetic": False},
        "module": "builtins",
        "type": "KeyError",
        "value": "content",
        "stacktrace": {"frames": [_frame(at, line) for at in range(frames)], "type": "raw"},
    }
    return _event("$exception", **{"$exception_list": [entry]})


def _refusal(problems: int, value: str, type_: str = "ToolError") -> Event:
    tail = f"[type=int_parsing, input_value='{value}', input_type=str]"
    block = "lines.{}\n  Input should be a valid integer, unable to parse string as an integer " + tail
    text = "\n".join([f"{problems} validation errors for findArguments", *(block.format(at) for at in range(problems))])
    return _event("$mcp_tool_call", **{"$mcp_tool_name": "find", "$mcp_error_type": type_, "$mcp_error_message": text})


def _nested(items: int) -> Event:
    return _event("order placed", cart=[{"sku": "a", "price": 1.5, "tags": ["x", "y"]} for _ in range(items)])


def growing() -> dict[str, Callable[[int], Event]]:
    """Out: makers of an event, by what grows with the factor they are given."""
    lines = itertools.count(1)
    return {
        "properties (25 x)": lambda k: _event("order placed", **{f"own_{at}": at for at in range(25 * k)}),
        "frames seen before (25 x)": lambda k: _fault(25 * k, 1),
        "frames never seen (25 x)": lambda k: _fault(25 * k, next(lines)),
        "text of a refusal: one long value (4 kB x)": lambda k: _refusal(1, "v" * (4000 * k), "ValidationError"),
        "text of a refusal: many errors (20 x)": lambda k: _refusal(20 * k, "v"),
        "nested property (50 items x)": lambda k: _nested(50 * k),
    }


def linearity() -> list[Row]:
    """Out: the hook's cost on each growing event. Each call gets an event of its own, made before the clock starts."""
    rows: list[Row] = []
    with no_collection():
        for what, make in growing().items():
            figures = []
            for factor in FACTORS:
                hook = Scrubber(Settings())
                events = itertools.cycle([fresh(make(factor)) for _ in range(64)])
                figures.append(best_of(lambda hook=hook, events=events: hook(next(events))))  # type: ignore[misc]
            rows.append((what, figures))
    return rows


def _hostile(head: str) -> dict[str, Callable[[int], str]]:
    """In: the first line of a refusal. Out: makers of a text of about so many characters."""

    def of(unit: str) -> Callable[[int], str]:
        return lambda length: head + unit * (length // len(unit))

    return {
        'one line of "[type="': of("[type="),
        'lines of "[type=a]"': of("[type=a]\n"),
        "newlines": of("\n"),
        'one line of "Value error, "': of("Value error, "),
        'one line of "1 validation error for "': of("1 validation error for "),
        'lines of whole blocks, one line of "Value error, "': lambda length: (
            head
            + ("  m [type=missing, input_value={}, input_type=dict]\nshelf\n" * (length // 104))
            + "Value error, 1 validation error for " * (length // 72)
        ),
        'one line of "Value error, ", cut': lambda length: (
            head + "Value error, " * (length // 13) + "\nvalidation error"
        ),
        'lines of "[type=a]", cut': lambda length: f"{head}x\n" + "[type=a]\n" * (length // 9) + "validation error",
        'one line of ", input_type="': of("[type=a, input_value=, input_type="),
        "digits": of("9"),
    }


def hostile(dropped: Event) -> list[Row]:
    """In: a recorded event that the hook drops. Out: the judge's cost on it with hostile texts of 12.5 to 100 kB."""
    rows: list[Row] = []
    title = dropped["properties"]["$exception_list"][-1]["value"].partition("\n")[0]
    with no_collection():
        for what, make in _hostile(f"{title}\nshelf\n").items():
            figures = []
            for factor in FACTORS:
                properties = fresh(dropped["properties"])
                entries = properties["$exception_list"]
                entries[-1]["value"] = make(12_500 * factor)
                for outer in entries[:-1]:
                    outer["value"] = f"Error executing tool {properties['$mcp_tool_name']}: {entries[-1]['value']}"
                figures.append(best_of(lambda properties=properties: judge(properties), 3))  # type: ignore[misc]
            rows.append((what, figures))
    return rows


def deep() -> float:
    """Out: microseconds of the hook on a property nested `DEPTH` lists deep."""
    value: Any = "v"
    for _ in range(DEPTH):
        value = [value]
    event = _event("order placed", cart=value)
    hook = Scrubber(Settings())
    return best_of(lambda: hook(event))
