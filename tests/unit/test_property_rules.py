"""Properties of the rules one by one, on any value: each test names a mutation of the rule that it catches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from scrubber.rules import grouping
from scrubber.rules.base import REMOVE
from scrubber.rules.closing import Closing, Mode
from scrubber.rules.error_message import ErrorMessageRule
from scrubber.rules.mcp import REDACTED_NAME, flat_copy, name_list, resource_name
from scrubber.rules.nested import DEPTH, close, detach, groups
from scrubber.words import kinds
from scrubber.words import properties as listed
from scrubber.words.kinds import Remembering
from scrubber.words.policy import Policy

from ..support import texts
from .property_kit import CANARY, containers, given, json_values, objects, planted, text, view

POLICIES = (
    Policy(),
    Policy(strict=True, error_messages={"ValidationError": "shape"}, annotate=True),
    Policy(allow=frozenset({"$mcp_intent"}), block=frozenset({"$lib"}), error_messages={}),
)
policies = st.sampled_from(POLICIES)
SPELLINGS = (
    "$mcp_parameters",
    "$MCP_Parameters",
    " $mcp_parameters",
    "$mcp_parameters\n",
    "$mcp_intent",
    "$exception_x",
)
names = st.sampled_from([*sorted(listed.MCP_KNOWN), *sorted(listed.EXCEPTION_KNOWN), *SPELLINGS, "mine", "$lib"]) | text
spelt = st.sampled_from(SPELLINGS) | names


# -- nested: containers under open names

with_sdk_keys = st.recursive(
    st.integers() | text,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(SPELLINGS) | text, inner, max_size=4)
    ),
    max_leaves=12,
)


@given(with_sdk_keys)
def test_no_sdk_name_is_left_at_any_depth_and_nothing_else_is_lost(value: Any) -> None:
    """Broken by: `_is_closed` without `.strip().lower()`; a `close` that returns what it was given."""
    out, changed = close(value)

    def closed(key: str) -> bool:
        plain = key.strip().lower()
        return plain.startswith(("$mcp_", "$exception_")) or plain == "$ai_error"

    def without(item: Any, wanted: Callable[[str], bool]) -> Any:
        if isinstance(item, dict):
            return {key: without(inner, wanted) for key, inner in item.items() if wanted(key)}
        return [without(one, wanted) for one in item] if isinstance(item, (list, tuple)) else item

    assert out == without(value, lambda key: not closed(key))
    assert changed is (out != without(value, lambda key: True))


@given(objects)
def test_closing_containers_changes_no_input_and_is_done_once_for_all(value: Any) -> None:
    """Broken by: a `close` that returns a list as it is."""
    before = repr(value)
    out, _ = close(value)
    assert repr(value) == before
    again, changed = close(out)
    assert (repr(again), changed) == (repr(out), False)
    given_ = {id(one) for one in containers(value)}
    assert not given_ & {id(one) for one in containers(out)}


@given(st.sampled_from([1, DEPTH - 1, DEPTH, DEPTH + 1, 80]), st.sampled_from(["list", "dict", "tuple"]))
def test_what_is_nested_deeper_than_the_bound_is_cut(depth: int, kind: str) -> None:
    """Broken by: `depth > DEPTH`; a `visit` that does not count."""
    value: Any = CANARY
    for _ in range(depth):
        value = {"list": [value], "dict": {"k": value}, "tuple": (value,)}[kind]
    out, changed = close(value)
    assert changed is (depth > DEPTH)
    assert (CANARY in repr(out)) is (depth <= DEPTH)


@given(json_values)
def test_a_detached_copy_is_equal_and_shares_no_container(value: Any) -> None:
    """Broken by: a `detach` that returns a list as it is."""
    out = detach(value)
    assert out == value
    assert not {id(one) for one in containers(value)} & {id(one) for one in containers(out)}


@given(objects)
def test_group_keys_are_one_level_of_short_scalars(value: Any) -> None:
    """Broken by: `type(item) in (..., list)`."""
    out = groups(value)
    assert out is REMOVE or all(
        type(key) is str and type(item) in (str, int, float, bool) and len(str(item)) <= 256
        for key, item in out.items()
    )
    assert out is REMOVE or groups(out) == out


# -- closing: which rule a name falls under


@given(policies, spelt | st.integers() | st.none(), st.sampled_from(["$exception", "mine"]))
def test_every_name_has_a_handling_and_always_the_same(policy: Policy, name: Any, event: str) -> None:
    """Broken by: a `resolve` without the look at spaces and capitals."""
    closing = Closing(policy)
    first = closing.resolve(name, event)
    assert (first.mode, first.rule) == (closing.resolve(name, event).mode, Closing(policy).resolve(name, event).rule)
    if type(name) is not str or name.strip().lower() == listed.PARAMETERS:
        assert first.mode is Mode.CLOSED
    elif name.strip().lower().startswith(("$mcp_", "$exception_")) and name not in (*policy.allow, *policy.values):
        assert first.mode is not Mode.OPEN
    assert first.mode is not Mode.CLOSED or first.reason


@given(policies, spelt, json_values)
def test_nothing_of_an_sdks_leaves_beside_the_properties(policy: Policy, key: str, value: Any) -> None:
    """Broken by: `top_level` without `closed`, or without the look at spaces and capitals."""
    kept, changed = Closing(policy).top_level(key, value, "mine")
    if key.strip().lower().startswith(("$mcp_", "$exception_")):
        assert (kept is REMOVE, changed) == (True, True)
    elif kept is not REMOVE:
        assert changed or kept == value


# -- the rules of single properties


@given(policies, st.sampled_from(["ValidationError", "ToolError", "Error", None, 7]), json_values | st.just(CANARY))
def test_an_error_message_is_kept_by_choice_or_says_nothing_of_the_callers(
    policy: Policy, type_: Any, value: Any
) -> None:
    """Broken by: `_mode_of_others` that returns KEEP; a `__call__` without the look at `type(value)`."""
    value = planted(value)
    seen = view(**{"$mcp_error_type": type_, "$mcp_error_message": value})
    kept = ErrorMessageRule(policy)(value, seen)
    chosen = policy.error_messages.get(type_) if isinstance(type_, str) else None
    assert kept is REMOVE or type(kept) is str
    assert chosen == "keep" or CANARY not in texts(kept)
    assert CANARY not in texts([(one.rule, one.path, one.reason) for one in seen.findings or ()])


@given(st.lists(json_values, max_size=6) | json_values)
def test_a_list_of_names_keeps_its_length_and_no_sentence(value: Any) -> None:
    """Broken by: a list that drops what is no name; `out.append(item)` for it; `value` returned uncopied."""
    rule = name_list("$mcp_input_keys", Remembering(kinds.identifier))
    for given_ in (value, planted(value)):
        kept = rule(given_, view())
        assert kept is REMOVE or (type(kept) is list and len(kept) == len(given_) and kept is not given_)
        assert kept is REMOVE or all(item == REDACTED_NAME or kinds.identifier(item) for item in kept)
        assert kept is REMOVE or rule(kept, view()) == kept
    assert CANARY not in texts(rule(planted(value), view()))


@given(json_values, st.sampled_from([kinds.type_name, kinds.code_name, kinds.file_name]))
def test_a_flat_copy_is_all_names_or_nothing(value: Any, kind: kinds.Kind) -> None:
    """Broken by: `any` for `all`."""
    seen = view()
    kept = flat_copy("$exception_types", kind, "exception")(value, seen)
    assert (kept is REMOVE) is bool(seen.findings)
    assert kept is REMOVE or (kept == value and kept is not value and all(item is None or kind(item) for item in kept))


tool_names = st.sampled_from(["find", "shelf"]) | json_values


def open_to_all(name: str, value: Any) -> bool:
    return True


@given(tool_names, tool_names, st.sampled_from(["$mcp_tool_call", "$mcp_prompt_get", "$mcp_resource_read"]))
def test_a_resources_name_leaves_only_where_it_is_the_tools_or_the_prompts(value: Any, tool: Any, event: str) -> None:
    """Broken by: `or plain(value)`; `!=` for `==`; the tool's name not asked for."""
    kept = resource_name(Remembering(kinds.tool), open_to_all)(value, view(event, **{"$mcp_tool_name": tool}))
    assert kept is REMOVE or (kinds.tool(value) and (value == tool or event == "$mcp_prompt_get"))
    closed = resource_name(Remembering(kinds.tool), lambda *_: False)
    assert event == "$mcp_prompt_get" or closed(value, view(event, **{"$mcp_tool_name": tool})) is REMOVE
    assert resource_name(Remembering(kinds.tool), open_to_all)(f"{CANARY} {value}", view("$mcp_prompt_get")) is REMOVE


# -- grouping


@given(json_values)
def test_a_users_fingerprint_is_its_own_or_a_hash_and_the_second_time_the_same(value: Any) -> None:
    """Broken by: a `users_own` that returns a sentence, or hashes a hash again."""
    for given_ in (value, planted(value)):
        kept = grouping.users_own(given_, view())
        assert kept is REMOVE or grouping.users_own(kept, view()) == kept
    assert CANARY not in texts(grouping.users_own(planted(value), view()))


@given(text, text, st.sampled_from(["KeyError", "ValueError"]), st.sampled_from(["Unknown tool", "Internal error: "]))
def test_a_fingerprint_depends_on_no_content(one: str, other: str, type_: str, known: str) -> None:
    """Broken by: the text itself in `parts`; a constant fingerprint."""

    def of(value: Any, type_: str = type_) -> str:
        entries = [{"type": type_, "value": value}]
        return grouping.fingerprint(view("$exception", **{"$exception_list": entries}), entries)

    assert of(f"{CANARY} {one}") == of(f"{CANARY} {other}")
    assert of(known + one) == of(known + other)
    assert of(known) != of(f"{CANARY}")
    assert of(one, "KeyError") != of(one, "ValueError")
