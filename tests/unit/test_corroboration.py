"""What the caller sent: it explains its own faults, whatever it wrote, and never a server's."""

from __future__ import annotations

import copy
import json
import threading
import time
from typing import Annotated, Any, Literal

import pydantic
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

from scrubber import Scrubber, Settings
from scrubber.pairing import LONGEST, MOST, Pairing
from scrubber.rules.corroboration import TOO_LARGE, arguments_of

from ..support import call, refusal
from .comparing_kit import contradiction


class Item(BaseModel):
    sku: int
    tags: list[str] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    age: int


class Account(BaseModel):
    owner: str = Field(alias="owner.name")


class Billing(BaseModel):
    account: Account = Field(alias="account.id")


class findArguments(BaseModel):  # the title an SDK gives to a tool's arguments
    name: str
    number: int = 0
    items: list[Item] = []
    prices: dict[str, int] = {}
    owners: dict[str, Item] = {}
    either: int | list[int] = 0
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    mode: Literal["a", "b"] = "a"
    pair: tuple[int, str] = (1, "x")
    keyed: dict[int, str] = {}
    billing: Billing | None = None


def text_of(arguments: dict[str, Any], model: type[BaseModel] = findArguments) -> str:
    with pytest.raises(pydantic.ValidationError) as caught:
        model.model_validate(arguments)
    return str(caught.value)


def rejected_text(arguments: dict[str, Any]) -> str:
    """The refusal's text; empty where the arguments are accepted."""
    try:
        findArguments.model_validate(arguments)
    except pydantic.ValidationError as error:
        return str(error)
    return ""


HONEST: list[dict[str, Any]] = [
    {},
    {"name": 7},
    {"name": "x", "number": "ten"},
    {"name": "x", "number": None},
    {"name": "x", "items": "none"},
    {"name": "x", "items": [1, {"sku": "x"}, {}]},
    {"name": "x", "items": [{"sku": 1, "tags": [1, None]}]},
    {"name": "x", "prices": {"a.b": "x", "c\nd": "y", "": "z"}},
    {"name": "x", "owners": {"a": {}, "b.c": {"sku": []}}},
    {"name": "x", "either": {"a": 1}},
    {"name": "x", "pet": {"kind": "cow"}},
    {"name": "x", "pet": {"kind": "cat"}},
    {"name": "x", "pet": {"kind": "dog", "age": "old"}},
    {"name": "x", "mode": "major"},
    {"name": "x", "pair": [1]},
    {"name": "x", "pair": ["a", 2]},
    {"name": "x", "keyed": {"a": "b"}},
    {"name": "x", "number": "y" * 5000},
    {"name": "x", "number": "é" * 60},
    {"name": "x", "number": "line\nbreak [type=missing, input_value=1, input_type=int]"},
    {"name": "x", "number": 'it\'s "quoted" \\ and more'},
    {"name": "x", "number": {"deep": [{"a": [1, 2, {"b": None}]}]}},
    {"name": "x", "number": "pydantic said 1 validation error for Row, and " * 20},
    {"name": "x", "number": "a type is printed as [type=int_type, input_value=1, and " * 20},
    {"name": "x", "billing": {}},
    {"name": "x", "billing": {"account.id": {}}},
    {"name": "x", "billing": {"account.id": {"owner.name": 7}}},
]


@pytest.mark.promise("drops:explained")
@pytest.mark.parametrize("arguments", HONEST, ids=range(len(HONEST)))
def test_a_refusal_is_explained_by_the_arguments_that_caused_it(arguments: dict[str, Any]) -> None:
    assert contradiction(text_of(arguments), arguments, False) is None


def test_an_unknown_argument_without_a_name_is_explained_where_it_was_sent() -> None:
    class findArguments(BaseModel):
        model_config = ConfigDict(extra="forbid")

    assert contradiction(text_of({"": 1}, findArguments), {"": 1}, False) is None
    assert contradiction(text_of({"": 1}, findArguments), {"": 2}, False) is not None


def test_a_missing_argument_with_a_dot_in_its_name_is_one_name() -> None:
    class findArguments(BaseModel):
        owner: int = Field(alias="owner.id")

    assert contradiction(text_of({}, findArguments), {}, False) is None
    assert contradiction(text_of({"owner": 1}, findArguments), {"owner": 1}, False) is None
    assert contradiction(text_of({}, findArguments), {"owner.id": 1}, False) is not None


def test_a_missing_name_with_a_dot_is_not_explained_where_it_was_sent() -> None:
    text = text_of({"name": "x", "billing": {}})
    assert contradiction(text, {"name": "x", "billing": {"account.id": {"owner.name": "y"}}}, False) is not None
    assert contradiction(text, {"name": "x"}, False) is not None


KEYS = [
    "k\n  Value error, 1 validation error for Row\nsku",
    "k\n  bad [type=int_type, input_value=1, input_type=int]\n    For further information visit https://errors.pydantic.dev/2/v/x\nsku",
    "name\n  Field required [type=missing, input_value={}, input_type=dict]",
    "[type=missing, input_value={}, input_type=dic]",
    "1 validation error for Row",
]


@pytest.mark.promise("drops:forgery")
@pytest.mark.parametrize("key", KEYS)
def test_a_callers_forgery_does_not_lose_its_own_refusal(key: str) -> None:
    for arguments in (
        {"name": "x", "prices": {key: "x"}},
        {"name": "x", "owners": {key: {}}},
        {"name": key, "mode": key},
    ):
        assert contradiction(text_of(arguments), arguments, False) is None


@pytest.mark.parametrize("word", ["validation error", "[type=", "\n", "input_value", ", input_value="])
def test_a_piece_of_pydantics_own_lines_as_an_argument_garbles_nothing(word: str) -> None:
    arguments = {"name": word, "number": word, "mode": word}
    assert contradiction(text_of(arguments), arguments, False) is None


def test_json_text_that_the_sdk_decodes_is_decoded() -> None:
    decoded = {"name": "x", "items": [{"sku": "bad"}]}
    sent = {"name": "x", "items": json.dumps(decoded["items"])}
    assert contradiction(text_of(decoded), sent, False) is None
    whole = {"name": "x", "number": {"a": 1}}
    assert contradiction(text_of(whole), {"name": "x", "number": '{"a": 1}'}, False) is None


def test_values_that_posthog_cut_or_redacted_are_allowed_for() -> None:
    long = {"name": "x", "number": "y" * 40_000}
    cut = {"name": "x", "number": "y" * 32_765 + "..."}
    assert contradiction(text_of(long), cut, False) is None
    text = text_of({"name": "x", "number": "hush-hush"})
    redacted = text.replace("input_value='hush-hush',", "[redacted]")
    assert contradiction(redacted, {"name": "x", "number": "[redacted]"}, False) is None
    assert contradiction(text, {"name": "x", "number": "[redacted]"}, False) is None
    partly = text_of({"name": "x", "number": "see password=hush end"})
    assert contradiction(partly, {"name": "x", "number": "see password=[redacted] end"}, False) is None
    assert contradiction(partly, {"name": "x", "number": "other password=[redacted] end"}, False) is not None


def test_a_value_redacted_whole_explains_no_member_of_something_else() -> None:
    text = text_of({"v": "canary"}, checkedArguments)
    assert contradiction(text, {"v": "[redacted]"}, False) is not None, "v.sku is a row's"
    union = text_of({"name": "x", "either": "hush"})
    assert contradiction(union, {"name": "x", "either": "[redacted]"}, False) is None, "either.int is a label"


def test_a_text_cut_at_its_end_is_explained_by_what_is_left() -> None:
    arguments = {"name": "x", "items": [{"sku": f"bad {at}"} for at in range(30)]}
    cut = text_of(arguments)[:2045] + "..."
    assert contradiction(cut, arguments, False) is None
    arguments["items"][0]["sku"] = 1
    assert contradiction(cut, arguments, False) is not None


# -- a server's faults


class Row(BaseModel):
    sku: int
    code: str


class checkedArguments(BaseModel):
    v: Any
    good: int = 1

    @field_validator("v")
    @classmethod
    def of_database(cls, value: Any) -> Any:
        Row.model_validate({"sku": "from the database"})
        return value


@pytest.mark.promise("drops:explained")
@pytest.mark.parametrize(
    "value", ["x", 1, None, {"sku": 1}, {"sku": "x"}, [{"sku": 1}], '{"sku": 1}', {"sku": {"sku": 1}}]
)
def test_a_validators_own_validation_is_not_explained(value: Any) -> None:
    assert contradiction(text_of({"v": value}, checkedArguments), {"v": value}, False) is not None


@pytest.mark.promise("drops:explained")
def test_a_bad_declared_default_is_not_explained() -> None:
    text = text_of({"name": "x", "number": "the default"})
    assert contradiction(text, {"name": "x"}, False) is not None


@pytest.mark.promise("drops:explained")
def test_a_rewritten_argument_is_not_explained() -> None:
    text = text_of({"name": "x", "number": "rewritten"})
    assert contradiction(text, {"name": "x", "number": 7}, False) is not None
    assert contradiction(text, {"name": "x", "number": "as it was sent"}, False) is not None


def test_a_lost_argument_is_not_explained() -> None:
    assert contradiction(text_of({"number": 1}), {"name": "x", "number": 1}, False) is not None


def test_a_row_that_lacks_a_name_is_not_the_callers_object() -> None:
    """A body without a frame, under the SDK's own title: what lacks the name is not what was sent."""
    text = text_of({"sku": 7, "code": "of the database"}, findArguments)
    assert contradiction(text, {"other": 1}, False) is not None
    assert contradiction(text_of({"number": 1}), {"number": 1, "context": "why"}, False) is None, "posthog's own"
    assert contradiction(text_of({"items": []}), {"items": "[]"}, False) is None, "decoded"


@pytest.mark.parametrize("value", ["...", "a...z", "[...]"])
def test_dots_of_a_values_own_are_no_cut(value: str) -> None:
    text = text_of({"name": "x", "number": value})
    assert contradiction(text, {"name": "x", "number": value}, False) is None
    for sent in ("abcz", "other", "[x]", 7):
        assert contradiction(text, {"name": "x", "number": sent}, False) is not None


def test_what_posthog_left_out_by_breadth_and_depth_is_allowed_for() -> None:
    wide = {"name": "x", "items": [{"sku": "bad"}] * 150}
    cut = {"name": "x", "items": [{"sku": "bad"}] * 100 + ["[MaxProperties ~]"]}
    assert contradiction(text_of(wide), cut, False) is None
    listed = {"name": "x", "number": list(range(150))}
    assert contradiction(text_of(listed), {"name": "x", "number": [*range(100), "[MaxProperties ~]"]}, False) is None
    mapped = {"name": "x", "number": {f"k{at}": at for at in range(150)}}
    kept = {f"k{at}": at for at in range(100)} | {"...": "[MaxProperties ~]"}
    assert contradiction(text_of(mapped), {"name": "x", "number": kept}, False) is None
    number = text_of({"name": "x", "prices": {"password": [5]}})
    assert contradiction(number, {"name": "x", "prices": {"password": "[redacted]"}}, False) is None


@pytest.mark.promise("drops:forgery")
def test_a_caller_cannot_pass_for_posthogs_cut_near_the_top() -> None:
    text = text_of({"v": "[Object]"}, checkedArguments)
    assert contradiction(text, {"v": "[Object]"}, False) is not None


@pytest.mark.promise("hook:bounded")
def test_a_hostile_call_costs_a_bounded_number_of_steps() -> None:
    keys = {f"k{at}": "x" for at in range(2400)} | {".".join("a" * 60): {"password": 5}}
    arguments = {"name": "x", "prices": json.dumps(keys), "items": [f"line {at}\nbreak" for at in range(64)]}
    text = text_of({"name": "x", "prices": keys})
    start = time.perf_counter()
    contradiction(text, arguments, False)
    contradiction(text[:2045] + "...", arguments, False)
    assert time.perf_counter() - start < 2


class Unprintable(str):
    def __repr__(self) -> str:
        raise ValueError("secret")


@pytest.mark.promise("drops:evidence")
def test_arguments_that_cannot_be_compared_mean_send() -> None:
    hook = Scrubber()
    called, fault = pair(sent=Unprintable("secret-7"))
    hook(called)
    assert hook(fault) is not None
    assert hook.counts()["failed"] == 0
    assert hook.counts()["by_rule"]["corroboration"] == {"redacted": 1}


def test_many_threads_pair_without_a_failure() -> None:
    hook = Scrubber()
    wrong: list[int] = []

    def work(number: int) -> None:
        for at in range(150):
            called, fault = pair(sent=7, timestamp=f"{number}.{at}")
            hook(called)
            if hook(fault) is None:
                wrong.append(at)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert hook.counts()["failed"] == 0


def test_a_member_that_was_sent_is_not_missing_even_where_no_input_is_printed() -> None:
    text = "1 validation error for findArguments\nowners.a.sku\n  Field required [type=missing]"
    assert contradiction(text, {"name": "x", "owners": {"a": {}}}, False) is None
    assert contradiction(text, {"name": "x", "owners": {"a": {"sku": 1}}}, False) is not None
    short = "1 validation error for findArguments\npair.1\n  Field required [type=missing]"
    assert contradiction(short, {"pair": [1]}, False) is None
    assert contradiction(short, {"pair": [1, "x"]}, False) is not None


def test_one_unexplained_error_among_explained_ones_is_enough() -> None:
    text = text_of({"name": "x", "number": "ten", "mode": "rewritten"})
    assert contradiction(text, {"name": "x", "number": "ten", "mode": "a"}, False) is not None


def test_a_transformed_tool_may_rename_arguments_and_hide_others() -> None:
    text = text_of({"name": "x", "number": "ten"})
    assert contradiction(text, {"label": "x", "count": "ten"}, True) is None
    assert contradiction(text, {"label": "x", "count": "ten"}, False) is not None
    assert contradiction(text, {"label": "x", "count": 10}, True) is not None, "the hidden default was rejected"
    assert contradiction(text_of({}), {}, True) is not None, "a hidden argument is missing"
    nested = text_of({"name": "x", "items": [{"sku": "bad"}]})
    assert contradiction(nested, {"label": "x", "things": [{"sku": "bad"}]}, True) is None


def test_arguments_too_large_to_compare_prove_nothing() -> None:
    deep: Any = 1
    for _ in range(2000):
        deep = [deep]
    for huge in ({"a": deep}, {"a": list(range(20_000))}, {"a": "x" * 1_000_000}):
        start = time.perf_counter()
        assert (
            contradiction(text_of({"name": "x", "number": "ten"}), {"name": "x", "number": [1], **huge}, False)
            == TOO_LARGE
        )
        assert time.perf_counter() - start < 2


@pytest.mark.promise("hook:bounded")
def test_a_hostile_location_costs_a_bounded_time() -> None:
    nested: Any = "x"
    for _ in range(30):
        nested = {"a": nested, "a.a": nested}
    text = f"1 validation error for findArguments\n{'.'.join('a' * 200)}\n  bad [type=int_type, input_value=1, input_type=int]"
    start = time.perf_counter()
    assert contradiction(text, {"a": [1], "x": json.dumps({"a": 1})}, False) is not None
    contradiction(text, {"a": nested}, False)
    assert time.perf_counter() - start < 2


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(["name", "number", "items", "prices", "owners", "either", "pet", "mode", "pair", "keyed"])


@pytest.mark.promise("drops:explained")
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.dictionaries(names, json_values, max_size=5))
def test_any_refusal_is_explained_by_its_own_arguments(arguments: dict[str, Any]) -> None:
    text = rejected_text(arguments)
    assume(text)
    assert contradiction(text, arguments, False) is None


@pytest.mark.promise("drops:explained")
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.sampled_from(["number", "mode", "either", "prices"]), json_values, json_values)
def test_another_value_than_the_one_sent_is_never_explained(name: str, rejected: Any, sent: Any) -> None:
    assume(rejected != sent and repr(rejected) != repr(sent))
    # A prefix in common, a decoded text, or a mark of posthog's sanitiser may stand for the other.
    assume(not isinstance(sent, str) or ("..." not in sent and "[redacted]" not in sent and sent[:1] not in "[{ "))
    assume("..." not in repr(rejected) and "redacted" not in repr(rejected) and "..." not in repr(sent))
    text = rejected_text({"name": "x", name: rejected})
    assume(text and len(repr(rejected)) < 45 and len(repr(sent)) < 45)
    assume(not sent or not isinstance(sent, (dict, list)))
    if not isinstance(rejected, (dict, list)):
        assert contradiction(text, {"name": "x", name: sent}, False) is not None


PIECES = [
    "\n",
    "[type=",
    "int_type",
    ", input_value=",
    ", input_type=",
    "]",
    "'",
    '"',
    "\\",
    "...",
    "....",
    "[redacted]",
]
PIECES += ["x" * 24, "y" * 200, "é", "1 validation error for Row", "\n  Field required [type=missing, input_value=1, "]
PIECES += ["name", "number", ".", "a.b", "{", "[1]", " ", "[MaxProperties ~]", "\u2028", "\x00", "own0word"]
nasty_texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
nasty_values = st.recursive(
    st.none() | st.integers(0, 9) | nasty_texts | st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(nasty_texts, inner, max_size=12),
    max_leaves=6,
)
nasty_arguments = st.dictionaries(names, nasty_values, max_size=4)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(nasty_arguments, nasty_arguments, st.booleans(), st.sampled_from(["same", "other", "cut"]))
def test_the_short_way_to_compare_says_what_the_long_one_says(
    rejected: dict[str, Any], other: dict[str, Any], transformed: bool, which: str
) -> None:
    """Fails where a value, a key or a cut that a caller chose is read otherwise by the short way."""
    text = rejected_text(rejected)
    assume(text)
    sent = {"same": rejected, "other": {**rejected, **other}, "cut": _cut(rejected)}[which]
    contradiction(text, sent, transformed)


def _cut(value: Any) -> Any:
    """As posthog's sanitiser cuts long texts."""
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value]
    return value[:110] + "..." if isinstance(value, str) and len(value) > 110 else value


@given(st.text(max_size=200), st.dictionaries(st.text(max_size=8), json_values, max_size=4), st.booleans())
def test_comparing_anything_never_raises(text: str, arguments: dict[str, Any], transformed: bool) -> None:
    contradiction(text, arguments, transformed)
    contradiction("1 validation error for fArguments\n" + text, arguments, transformed)


@pytest.mark.parametrize(
    "parameters, found",
    [
        ({"request": {"params": {"name": "t", "arguments": {"a": 1}}}}, {"a": 1}),
        ({"request": {"params": {"name": "t"}}}, {}),
        ({"request": {"params": {"name": "t", "arguments": None}}}, {}),
        ({"request": {"params": {"name": "other", "arguments": {}}}}, None),
        ({"request": {"params": {"name": "t", "arguments": "text"}}}, None),
        ({"request": "[Object]"}, None),
        ("[Object]", None),
        (None, None),
    ],
)
def test_arguments_are_found_where_the_sdk_puts_them(parameters: Any, found: Any) -> None:
    assert arguments_of(parameters, "t") == found


# -- pairing


def pair(value: str = "secret-7", sent: Any = "secret-7", **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A failed call and its exception, as posthog.mcp sends them."""
    called = call("text")
    called["properties"]["$mcp_parameters"] = {
        "request": {"params": {"name": "find_book", "arguments": {"number": sent}}}
    }
    fault = refusal(value)
    for event in (called, fault):
        event |= {"timestamp": "2026-11-30T10:00:00.000001+00:00", **more}
        event["properties"] |= {"$mcp_conversation_id": "01a22c07-6c87-7d18-ab71-a25aa3773c9f"}
    return called, fault


def test_an_explained_refusal_is_dropped_and_another_is_sent() -> None:
    hook = Scrubber()
    called, fault = pair()
    assert hook(called) is not None
    assert hook(fault) is None
    called, fault = pair(sent=7)
    hook(called)
    assert hook(fault) is not None, "the caller sent a good argument"


def test_without_the_call_event_the_exceptions_own_evidence_decides() -> None:
    assert Scrubber()(pair()[1]) is None
    called, fault = pair(sent=7)
    hook = Scrubber(Settings(corroborate=False))
    hook(called)
    assert hook(fault) is None


def test_a_call_is_compared_once_and_then_forgotten() -> None:
    hook = Scrubber()
    called, fault = pair(sent=7)
    hook(called)
    assert len(hook._pairing or ()) == 1
    assert hook(fault) is not None
    assert len(hook._pairing or ()) == 0
    assert hook(copy.deepcopy(fault)) is None, "nothing is left to compare with"


@pytest.mark.promise("drops:pairing")
def test_interleaved_calls_pair_each_with_its_own() -> None:
    hook = Scrubber()
    pairs = [
        pair(value=f"v{at}", sent=f"v{at}" if at % 2 else 7, timestamp=f"2026-11-30T10:00:0{at}+00:00")
        for at in range(6)
    ]
    for called, _ in pairs:
        hook(called)
    for at, (_, fault) in reversed(list(enumerate(pairs))):
        assert (hook(fault) is None) == bool(at % 2)


@pytest.mark.promise("drops:pairing")
@pytest.mark.parametrize("what", ["timestamp", "distinct_id", "$session_id", "$mcp_tool_name", "$mcp_conversation_id"])
def test_a_foreign_call_is_never_paired(what: str) -> None:
    hook = Scrubber()
    called, fault = pair(sent=7)
    place = called["properties"] if what.startswith("$") else called
    place[what] = "another"
    hook(called)
    assert hook(fault) is None, "judged by its own evidence"


@pytest.mark.promise("drops:pairing")
def test_another_threads_call_is_never_paired() -> None:
    hook = Scrubber()
    called, fault = pair(sent=7)
    thread = threading.Thread(target=hook, args=(called,))
    thread.start()
    thread.join()
    assert hook(fault) is None


def test_a_call_without_arguments_to_read_is_not_paired() -> None:
    hook = Scrubber()
    called, fault = pair(sent=7)
    called["properties"]["$mcp_parameters"] = "[Object]"
    hook(called)
    assert hook(fault) is None


@pytest.mark.promise("drops:pairing")
def test_what_waits_is_bounded_in_number_and_time() -> None:
    pairing = Pairing()
    for at in range(MOST * 3):
        pairing.see(pair(timestamp=str(at))[0], 1, 0.0)
    assert len(pairing) == MOST
    pairing.see(pair(timestamp="late")[0], 1, LONGEST + 1)
    assert len(pairing) == 1
    assert pairing.see(pair(timestamp="late")[1], 1, 2 * LONGEST + 2) is None


@given(st.sampled_from(["event", "timestamp", "distinct_id", "properties"]), json_values)
def test_taking_note_of_anything_never_raises(key: str, value: Any) -> None:
    pairing = Pairing()
    for event in pair():
        pairing.see({**event, key: value}, 1, 0.0)
        pairing.see(
            {**event, "properties": {**event["properties"], "$session_id": value, "$mcp_parameters": value}}, 1, 0.0
        )
    pairing.see(value, 1, 0.0)


@pytest.mark.promise("drops:pairing", "hook:says-no-value")
def test_nothing_of_the_arguments_is_in_findings_or_counts() -> None:
    hook = Scrubber()
    for event in pair("secret-7", sent="secret-9"):
        decision = hook.decide(event)
        hook(event)
        assert "secret" not in repr(decision.findings)
    assert "secret" not in repr(hook.counts())


def test_real_pydantic_shortens_as_expected() -> None:
    """The comparison rests on pydantic printing a value as its repr, whole or shortened in the middle."""
    for value in ("x" * 200, "é" * 100, ["a" * 30] * 4, {"k": "v" * 80}):
        with pytest.raises(pydantic.ValidationError) as caught:
            TypeAdapter(int).validate_python(value)
        printed = str(caught.value).split("input_value=")[1].split(", input_type")[0]
        head, _, tail = printed.partition("...")
        assert repr(value).startswith(head)
        assert repr(value).endswith(tail)
