"""Properties of the guard's words, on schemas, faults and arguments: each test names a mutation that it catches."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from scrubber.guard import names, shapes, walk
from scrubber.guard.words import MOST_SENTENCES, Call, Fault, refusal
from scrubber.rules.error_message import ErrorMessageRule
from scrubber.words import message
from scrubber.words.policy import Policy

from .property_kit import CANARY, given, json_values, planted, text, view

FIELDS = ("name", "items", "mode", "price", "owner")
schemas: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.sampled_from(
        [
            {"type": "integer", "minimum": 1, "maximum": 9},
            {"type": "string", "maxLength": 4},
            {"enum": ["a", "b", 3, None]},
            {"type": ["string", "null"]},
            {"$ref": "#/$defs/Row"},
            {},
        ]
    ),
    lambda inner: (
        st.builds(lambda item: {"type": "array", "items": item}, inner)
        | st.builds(lambda more: {"type": "object", "additionalProperties": more}, inner | st.booleans())
        | st.builds(
            lambda props: {"type": "object", "properties": props},
            st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
        )
        | st.builds(lambda ways: {"anyOf": ways}, st.lists(inner, min_size=1, max_size=3))
    ),
    max_leaves=6,
)
tools = st.builds(
    lambda props, row: {"type": "object", "properties": props, "$defs": {"Row": row}},
    st.dictionaries(st.sampled_from(FIELDS), schemas, max_size=5),
    schemas,
)
segments = st.sampled_from([*FIELDS, CANARY, f"{CANARY}.a", "[key]", "int", "str", "list[int]", "Row"]) | st.integers(
    -1, 3
)
locations = st.lists(segments, max_size=70 // 10).map(tuple)
codes = st.sampled_from(
    [*sorted(message.KNOWN_CODES)[::6], "missing", "extra_forbidden", "value_error", "own_code", CANARY]
)
faults = st.lists(st.builds(Fault, codes, locations), max_size=14)
arguments = st.dictionaries(st.sampled_from(FIELDS), json_values.map(planted), max_size=4)
strangers = st.lists(st.sampled_from([CANARY, "nmae", "itemz", "sk_live_4242424242424242"]), max_size=3, unique=True)


def asked(schema: dict[str, Any], given_: dict[str, Any], unknown: list[str]) -> Call:
    """A call of a tool with this schema."""
    return Call("find", schema, {**given_, **dict.fromkeys(unknown, CANARY)}, unknown, list(schema["properties"]))


@given(tools, arguments, strangers, faults)
def test_a_reply_holds_nothing_of_the_callers_and_is_one_line(
    schema: dict[str, Any], given_: dict[str, Any], unknown: list[str], found: list[Fault]
) -> None:
    """Broken by: a `step` that prints a map's key; an `is_plain` that any text passes."""
    call = asked(schema, given_, unknown)
    before = copy.deepcopy(call)
    said = refusal(call, found)
    assert call == before
    for part in (said.text, said.code, said.field, *said.paths):
        assert CANARY not in part
        assert "sk_live" not in part
        assert "\n" not in part
    assert len(said.text) <= 2000
    assert len(said.paths) <= MOST_SENTENCES + 1
    assert set(said.field.split(".")) <= {*FIELDS, "*", "N", ""}
    assert refusal(call, found) == said


@given(tools, arguments, strangers, faults)
def test_the_hook_knows_each_reply_as_the_guards(
    schema: dict[str, Any], given_: dict[str, Any], unknown: list[str], found: list[Fault]
) -> None:
    """Broken by: another beginning of the reply."""
    said = refusal(asked(schema, given_, unknown), found)
    if said.text:
        marked = view(
            **{"$mcp_error_type": "invalid_argument", "$scrubber_guard": True, "$mcp_error_message": said.text}
        )
        assert ErrorMessageRule(Policy())(said.text, marked) == said.text


@given(tools | json_values, locations)
def test_a_walk_prints_only_what_the_schema_declares(schema: Any, location: tuple[Any, ...]) -> None:
    """Broken by: a `step` that goes on where nothing is declared."""
    place = walk.walk(schema if isinstance(schema, dict) else {}, location)
    declared = set(FIELDS) | {"*", "N"}
    if isinstance(schema, dict) and "$defs" in schema:
        assert set(filter(None, place.field.split("."))) <= declared
    assert CANARY not in place.path
    assert place.depth <= len(location)


@given(st.lists(schemas, max_size=4), st.sampled_from(sorted(message.KNOWN_CODES)))
def test_the_words_for_a_shape_never_fail(nodes: list[dict[str, Any]], code: str) -> None:
    """Broken by: `leaf["type"]` for `.get`."""
    said = shapes.words(walk.leaves({}, nodes), code)
    assert said is None or (said == said.strip() and said)


ALIKE = ("names", "name", "nome", "item", "items")


@given(
    text | st.sampled_from(["nmae", "ITEMS", "pri-ce", "x" * 70, "NAME", "Mode"]) | json_values,
    st.lists(st.sampled_from(ALIKE), unique=True) | st.permutations(ALIKE),
)
def test_a_hint_is_one_of_the_choices(name: Any, choices: list[str]) -> None:
    """Broken by: a list of hints that begins with the furthest."""
    found = names.nearest(name, choices)
    assert len(found) <= names.MOST_HINTS
    assert set(found) <= set(choices)
    assert len(set(found)) == len(found)
    if isinstance(name, str) and name.casefold() in choices:
        assert found[0] == name.casefold()


@given(st.lists(text.filter(bool), max_size=30), st.integers(1, 20), st.integers(5, 100))
def test_a_list_is_bounded_and_loses_no_count(items: list[str], most: int, longest: int) -> None:
    """Broken by: `left` that does not count what was too long; no bound on the length."""
    said = names.listed(items, most, longest)
    shown = 0
    size = 0
    for item in items[:most]:
        size += len(item) + 2
        if size > longest:
            break
        shown += 1
    assert len(said) <= longest + 20
    assert said.endswith(f"and {len(items) - shown} more") or shown in (0, len(items))
    assert shown or said == f"{len(items)} names"
