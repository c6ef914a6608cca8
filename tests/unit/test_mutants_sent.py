"""Asking the arguments for one error after the other: lists, keys, labels, members, and what posthog took out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scrubber.rules import corroboration
from scrubber.rules.comparing import NO_MORE

from .comparing_kit import contradiction

HEAD = "1 validation error for call[find]\n"


def wrong(location: str, printed: str, code: str = "int_type") -> str:
    return f"{HEAD}{location}\n  Input should be valid [type={code}, input_value={printed}, input_type=x]"


def missing(location: str, printed: str | None = None) -> str:
    shown = f", input_value={printed}, input_type=dict" if printed is not None else ""
    return f"{HEAD}{location}\n  Field required [type=missing{shown}]"


def explained(text: str, arguments: dict[str, Any], transformed: bool = False) -> bool:
    return contradiction(text, arguments, transformed) is None


# -- lists


def test_an_item_of_a_list_is_compared_at_its_own_place() -> None:
    for at, item in enumerate(["a", "b", "c"]):
        assert explained(wrong(f"items.{at}", repr(item)), {"items": ["a", "b", "c"]})
        assert not explained(wrong(f"items.{at}", "'z'"), {"items": ["a", "b", "c"]})
    for at in (3, 4, 1234567890):
        assert not explained(wrong(f"items.{at}", "'a'"), {"items": ["a", "b", "c"]})
    assert not explained(wrong("items.0", "'a'"), {"items": []})


def test_behind_the_mark_of_a_list_that_was_cut_nothing_can_be_compared_and_before_it_all() -> None:
    cut = {"items": ["a", "b", NO_MORE]}
    assert explained(wrong("items.1", "'b'"), cut)
    assert not explained(wrong("items.1", "'z'"), cut)
    assert explained(wrong("items.2", "'z'"), cut)
    assert explained(wrong("items.7", "'z'"), cut)
    assert explained(missing("items.7.sku", "{}"), cut)
    assert not explained(wrong("items.7", "'z'"), {"items": ["a", "b", NO_MORE, "c"]}), "no mark: it stands inside"


def test_a_member_of_an_object_that_was_cut_away_deep_down_is_allowed_for() -> None:
    deep = {"a": [[[["[Object]"]]]]}
    assert explained(missing("a.0.0.0.0.x.name", "{}"), deep)
    assert explained(missing("a.b.c.d.e.f.name", "{}"), {"a": {"b": {"c": {"d": {"e": "[Object]"}}}}})
    dotted = {"a": {"b.b": {"c": {"d": {"e": "[Object]"}}}}}
    assert explained(missing("a.`b.b`.c.d.e.x.name", "{}"), dotted)
    assert not explained(missing("a.`b.b`.c.d.x.name", "{}"), {"a": {"b.b": {"c": {"d": "[Object]"}}}})
    assert not explained(missing("a.x.name", "{}"), {"a": "[Object]"}), "a caller wrote that itself"
    assert not explained(missing("a.0.0.0.x.name", "{}"), {"a": [[["[Object]"]]]})
    assert not explained(missing("a.0.x.name", "{}"), {"a": ["[Object]"]})
    assert not explained(missing("a.0.0.0.0.x.name", "{}"), {"a": [[[["[Thing]"]]]]})


# -- objects and their keys


def test_a_key_with_a_dot_or_none_is_found_and_what_stands_below_it() -> None:
    prices = {"a.b": "x", "a": {"b": "y"}, "": "z", "c.d": {"e": ["w"]}}
    assert explained(wrong("prices.`a.b`", "'x'"), {"prices": prices})
    assert explained(wrong("prices.a.b", "'y'"), {"prices": prices})
    assert explained(wrong("prices.", "'z'"), {"prices": prices})
    assert explained(wrong("prices.`c.d`.e.0", "'w'"), {"prices": prices})
    for location in ("prices.`a.b`", "prices.a.b", "prices.", "prices.`c.d`.e.0", "prices.nothing"):
        assert not explained(wrong(location, "'other'"), {"prices": prices})


def test_a_key_that_was_refused_is_compared_itself() -> None:
    for key in ("a", "a.b", "a\nb"):
        printed = f"`{key}`" if "." in key else key
        assert explained(wrong(f"keyed.{printed}.[key]", repr(key)), {"keyed": {key: 1}})
        assert not explained(wrong(f"keyed.{printed}.[key]", "'z'"), {"keyed": {key: "y"}})
    assert not explained(wrong("keyed.b.[key]", "'b'"), {"keyed": {"a": 1}})


def test_a_key_that_only_begins_alike_is_another() -> None:
    assert not explained(wrong("prices.ab", "'x'"), {"prices": {"a.c": "x", "abc": "x"}})
    assert not explained(wrong("ab.c", "'x'"), {"a": "x", "abc": "x", "a.b": {"c": "x"}})


def test_keys_that_are_no_text_are_passed_over() -> None:
    assert explained(wrong("prices.`a.b`", "'x'"), {"prices": {1: "q", None: "q", "a.b": "x"}})


# -- labels


def test_a_label_in_the_location_leads_nowhere_and_is_passed_over() -> None:
    assert explained(wrong("either.list[int]", "'x'"), {"either": "x"})
    assert explained(wrong("pet.dog.age", "'old'"), {"pet": {"kind": "dog", "age": "old"}})
    assert explained(wrong("items.0.function-after[check(), int].sku", "'x'"), {"items": [{"sku": "x"}]})
    assert not explained(wrong("either.list[int]", "'y'"), {"either": "x"})
    assert not explained(wrong("int.either", "'x'"), {"either": "x"}), "a location begins with an argument"


def test_below_what_was_redacted_whole_only_the_label_of_a_type_leads_nowhere() -> None:
    hidden = {"v": "[redacted]"}
    for label in ("int", "str", "list[int]", "function-after[f(), int]", "is-instance[Row]", "constrained-str"):
        assert explained(wrong(f"v.{label}", "'x'"), hidden), label
    for field in ("sku", "database_id", "SKU2", "integer", "_id"):
        assert not explained(wrong(f"v.{field}", "'x'"), hidden), field


def test_without_a_printed_value_only_the_location_itself_explains() -> None:
    text = f"{HEAD}either.int\n  Input should be valid [type=int_type]"
    assert not explained(text, {"either": "x"})
    assert explained(text, {"either": {"int": "x"}})
    assert explained(text.replace("either.int", "either"), {"either": "x"})
    assert not explained(text.replace("either.int", "other"), {"either": "x"})
    assert explained(text.replace("either.int", "prices.`c.d`.e"), {"prices": {"c.d": {"e": 1}}})


def test_a_message_that_holds_a_tail_of_its_own_is_read_in_every_way() -> None:
    text = wrong("number", "'y'").replace("Input should be valid", "no [type=bad, input_value=1, input_type=int]")
    assert explained(text, {"number": "y"})
    assert not explained(text, {"number": "z"})


# -- what is missing


def test_a_member_is_missing_from_an_object_or_a_list_that_was_sent() -> None:
    assert explained(missing("owners.a.sku", "{'x': 1}"), {"owners": {"a": {"x": 1}}})
    assert explained(missing("owners.a.sku", "{'x': 1}"), {"owners": {"a": '{"x": 1}'}})
    assert explained(missing("owners.a.sku", "{'x': 1}"), {"owners": '{"a": {"x": 1}}'})
    assert not explained(missing("owners.a.sku", "{'x': 2}"), {"owners": {"a": {"x": 1}}})
    assert not explained(missing("owners.a.sku", "{'sku': 1}"), {"owners": {"a": {"sku": 1}}})
    assert not explained(missing("owners.b.sku", "{}"), {"owners": {"a": {}}})
    assert not explained(missing("owners.a.sku", "'x'"), {"owners": {"a": "x"}}), "a text has no members"
    assert explained(missing("pair.1", "[1]"), {"pair": [1]})
    assert not explained(missing("pair.1", "[1, 2]"), {"pair": [1, 2]})
    assert not explained(missing("pair.sku", "[1]"), {"pair": [1]}), "a list has no names"


def test_a_member_that_was_sent_is_not_missing_beside_lines_of_the_callers_own() -> None:
    sent = {"note": "one\ntwo", "owners": {"a": {"sku": 1}}}
    assert not explained(missing("owners.a.sku", "{'sku': 1}"), sent)
    assert explained(missing("owners.a.name", "{'sku': 1}"), sent)


def test_what_the_sdk_or_posthog_changed_of_the_whole_is_allowed_for() -> None:
    sent = {"rows": json.dumps([1]), "context": "why", "note": "n"}
    assert explained(missing("name", "{'rows': [1], 'context': 'why', 'note': 'n'}"), sent), "decoded"
    assert explained(missing("name", "{'rows': '[1]', 'note': 'n'}"), sent), "posthog's own taken out"
    assert explained(missing("name", repr(sent)), sent)
    assert explained(missing("name"), sent)
    assert not explained(missing("name", "{'rows': '[1]', 'context': 'why'}"), sent), "the caller's own is not"
    assert not explained(missing("name", "{}"), {"note": "n"})


@pytest.mark.parametrize("injected", ["context", "conversation_id", "llm_model"])
def test_each_argument_that_posthog_adds_may_be_gone(injected: str) -> None:
    assert explained(missing("name", "{'a': 1}"), {"a": 1, injected: "x"})


# -- transformed tools


def test_a_transformed_tool_may_know_an_argument_by_another_name() -> None:
    assert explained(wrong("number", "'ten'"), {"count": "ten"}, True)
    assert not explained(wrong("number", "'ten'"), {"count": "ten"}, False)
    assert not explained(wrong("number", "'ten'"), {"count": "nine"}, True)
    assert explained(wrong("rows.0.sku", "'x'"), {"label": 1, "lines": [{"sku": "x"}]}, True)
    assert not explained(wrong("number", "'ten'"), {"number": 10, "count": "ten"}, True), "it was sent by its name"
    assert explained(missing("rows.0.sku", "{}"), {"lines": [{}]}, True)
    assert not explained(missing("name", "{}"), {}, True), "the parent's own is not the caller's to send"


def test_an_error_of_the_whole_is_compared_with_all_that_was_sent() -> None:
    text = HEAD + "  Value error, no [type=value_error, input_value={}, input_type=dict]"
    assert explained(text.replace("{}", "{'a': 1}"), {"a": 1})
    assert not explained(text.replace("{}", "{'a': 1}"), {"a": 2})


# -- how far a walk goes


def nested(levels: int) -> Any:
    value: Any = "end"
    for _ in range(levels):
        value = {"a": value}
    return value


def test_a_location_that_may_lead_to_too_many_places_proves_nothing() -> None:
    text = wrong(".".join("a" * 4), "{'z': 7, 'a': {'a': {'a': ...'a': {'a': 'end'}}}}}}}}}")
    arguments = {"a": {"z": 7, "a": nested(8)}}
    assert explained(text, arguments)
    assert not explained(text.replace("a.a.a.a", ".".join("a" * 18)), arguments)


def test_keys_that_must_all_be_looked_at_are_looked_at_up_to_a_bound() -> None:
    for many, found in ((1_000, True), (2_500, False)):
        prices = {f"k{at}": at for at in range(many)} | {"z.z": "x"}
        assert explained(wrong("prices.`z.z`", "'x'"), {"prices": prices}) is found


def test_the_deepest_arguments_that_are_compared_are_walked_to_their_end() -> None:
    for levels, found in ((36, True), (45, False)):
        location = ".".join("a" * levels)
        assert explained(wrong(location, "'end'"), nested(levels)) is found


def read_whole(text: str, arguments: dict[str, Any]) -> str | None:
    """The long way alone, which the short one does not need."""
    return corroboration.contradiction(text, arguments, False)


BROKEN = "two\nlines"


def test_beside_a_word_that_is_taken_out_other_names_are_what_they_are() -> None:
    sent = {"name": 1, "note": BROKEN}
    assert read_whole(wrong("name", repr(sent), "missing"), sent) is not None, "it was sent"
    assert read_whole(wrong("other", repr(sent), "missing"), sent) is None
    assert read_whole(wrong(f"rows.{BROKEN}", repr({"a": 1}), "missing"), {"rows": {"a": 1}, "b": BROKEN}) is None
    assert read_whole(wrong(f"rows.{BROKEN}", repr({BROKEN: 1}), "missing"), {"rows": {BROKEN: 1}}) is not None


def test_a_word_that_pydantic_cut_in_its_middle_is_compared_as_it_is() -> None:
    long = "first line\nand a second one that is so long that it is cut"
    printed = repr(long)[:25] + "..." + repr(long)[-24:]
    assert read_whole(wrong("number", printed), {"number": long}) is None
    assert read_whole(wrong("number", printed), {"number": "x" + long[1:]}) is not None
    assert read_whole(wrong("number", printed), {"number": None, "other": long}) is not None
    tail = "a plain start of a sentence [type=x, and the plain end of a sentence"
    printed = repr(tail)[:25] + "..." + repr(tail)[-24:]
    assert read_whole(wrong("number", printed), {"number": tail}) is None
    assert read_whole(wrong("number", printed), {"number": "b" + tail[1:]}) is not None


def test_a_name_that_is_missing_below_an_empty_name() -> None:
    assert contradiction(wrong(".x", "{}", "missing"), {"": {}}, False) is None
    assert contradiction(wrong(".x", "{}", "missing"), {"": {"x": 1}}, False) is not None
