"""Events from bytes: recorded ones, changed in up to eight places, with a canary planted where nothing may leave."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from .objects import any_value
from .source import Source, json_value

HERE = Path(__file__).resolve().parent
BASES = HERE / "bases.jsonl.gz"
CANARY = "c@nary q7"
"""A sentence and an address: no kind of a closed property takes it for a name."""

Event = dict[str, Any]
Value = Callable[[Source], Any]


class Case(NamedTuple):
    """What a target is given: events in their order, the unchanged ones before them, and what was planted."""

    events: list[Any]
    before: list[Event]
    planted: bool
    is_json: bool


@lru_cache(maxsize=1)
def bases() -> list[list[Event]]:
    """The recorded events that are changed: each a call with its exception, or an event alone."""
    with gzip.open(BASES, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def case(source: Source) -> Case:
    """Events from bytes."""
    form = source.below(8)
    if form == 0:
        return _from_json(source)
    is_json = form < 6
    value: Value = json_value if is_json else any_value
    before = source.pick(bases())
    events: list[Any] = _copy(before)
    for _ in range(source.below(9)):
        _change(source, events[-1 - source.below(len(events))], value)
    planted = source.below(3) > 0 and _plant(source, events)
    if source.below(16) == 1:
        events[-1] = value(source)
    return Case(events, before, planted, is_json)


def _from_json(source: Source) -> Case:
    """Whatever JSON stands in the bytes, as one event or a list of events."""
    try:
        found = json.loads(source.rest())
    except (ValueError, RecursionError):
        return Case([], [], False, True)
    return Case(found[:4] if isinstance(found, list) else [found], [], False, True)


def _copy(value: Any, depth: int = 0) -> Any:
    """A copy of the dicts and lists of a value, as deep as anything here goes by itself."""
    if depth > 60:
        return None
    if type(value) is dict:
        return {key: _copy(item, depth + 1) for key, item in value.items()}
    return [_copy(item, depth + 1) for item in value] if type(value) is list else value


def _children(node: Any) -> list[Any]:
    if type(node) is dict:
        return list(node)
    return list(range(len(node))) if type(node) is list else []


def _change(source: Source, event: Any, value: Value) -> None:
    """Change one place of an event, in place."""
    node = event
    for _ in range(12):
        inside = [key for key in _children(node) if _children(node[key])]
        if not inside or source.below(4) == 0:
            break
        node = node[source.pick(inside)]
    keys = _children(node)
    action = source.below(7)
    if not keys or action == 0:
        _add(source, node, value)
        return
    key = source.pick(keys)
    match action:
        case 1 | 2:
            node[key] = value(source)
        case 3:
            del node[key]
        case 4:
            other = source.pick(keys)
            node[key], node[other] = node[other], node[key]
        case 5 if type(node[key]) is str:
            at = source.below(min(len(node[key]) + 1, 65_536))
            node[key] = node[key][:at] + source.text() + node[key][at + source.below(8) :]
        case 5 if type(node) is list:
            node.insert(source.below(len(node) + 1), _copy(node[key]))
        case _:
            moved = _copy(node[key])
            _put(node, source.text(), moved)


def _add(source: Source, node: Any, value: Value) -> None:
    made = value(source)
    if type(node) is list:
        node.insert(source.below(len(node) + 1), made)
    elif type(node) is dict:
        _put(node, source.text(), made)


def _put(node: Any, key: str, made: Any) -> None:
    if type(node) is dict:
        node[key] = made
    elif type(node) is list:
        node.append(made)


def _planted(source: Source) -> Any:
    """A value with the canary in it: a text, a key, deep inside, or inside a text that holds JSON."""
    around = source.raw_text(6)
    match source.below(5):
        case 0:
            return CANARY
        case 1:
            return f"{around}{CANARY}{around}"
        case 2:
            return [{CANARY: around}, [CANARY]]
        case 3:
            return json.dumps({"inner": [CANARY, around]})
        case _:
            return {"a": {CANARY: [f"{around}\n{CANARY}"]}}


_CLOSED = (
    "$mcp_parameters $MCP_PARAMETERS $mcp_response $mcp_intent $mcp_feedback_summary $mcp_client_name $mcp_source "
    "$mcp_tool_name $mcp_resource_name $mcp_server_name $mcp_listed_tool_names $mcp_input_keys $mcp_error_code "
    "$mcp_error_field $mcp_error_type $mcp_llm_model $mcp_unheard_of $exception_message $exception_values "
    "$exception_fingerprint $exception_types $exception_functions $exception_level $exception_unheard_of $ai_error"
).split()
_IN_ENTRY = ("value", "type", "module", "mechanism", "stacktrace", "notes", "vars")
_IN_FRAME = ("function", "module", "vars", "lineno", "platform", "in_app", "unheard_of", "lang")


def _plant(source: Source, events: list[Any]) -> bool:
    """Plant the canary in one closed place; whether there was one."""
    event = source.pick(events)
    properties = event.get("properties") if type(event) is dict else None
    if type(properties) is not dict:
        return False
    made = _planted(source)
    place = source.below(5)
    if place == 0:
        properties[source.pick(_CLOSED)] = made
    elif place == 1:
        mine: Any = {source.pick(_CLOSED[:-10]): made}
        for _ in range(source.below(5)):
            mine = source.pick([{"k": mine}, [mine]])
        properties["mine"] = mine
    elif place == 2:
        event[source.pick(["$mcp_intent", "$exception_message", "$mcp_parameters", "$exception"])] = made
    else:
        return _plant_in_entry(source, properties, made)
    return True


def _plant_in_entry(source: Source, properties: dict[str, Any], made: Any) -> bool:
    entries = properties.get("$exception_list")
    if type(entries) is not list or not entries:
        properties["$exception_list"] = made
        return True
    entry = source.pick(entries)
    if type(entry) is not dict:
        return False
    stack = entry.get("stacktrace")
    frames = stack.get("frames") if type(stack) is dict else None
    if source.below(2) and type(frames) is list and frames and set(map(type, frames)) == {dict}:
        frames[-1 - source.below(min(3, len(frames)))][source.pick(_IN_FRAME)] = made
    else:
        entry[source.pick(_IN_ENTRY)] = made
    return True
