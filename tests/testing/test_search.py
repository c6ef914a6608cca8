"""The search finds a canary in every form and place, and says where without saying what."""

from __future__ import annotations

import base64
import json
from datetime import date
from decimal import Decimal
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest

from scrubber.testing import Place, TestingError, assert_nothing_leaves, find_leaks

TEXT = 'Räksmörgås "tolv"\n& en'
WORDS = "Tovelina rasumeko"
RAW = b"\xff\x00\x81raw bytes"
LONG = "x" * 10 + "Zebulon" * 9 + "the very end of it"


def forms(value: Any, canary: Any) -> list[str]:
    return [place.form for place in find_leaks([{"event": "e", "properties": {"a": value}}], [canary])]


@pytest.mark.parametrize(
    "value, form",
    [
        (TEXT, "as it is"),
        (f"before {TEXT} after", "as it is"),
        (TEXT.upper(), "as it is"),
        (json.dumps({"k": [TEXT]}), "escaped"),
        (json.dumps(json.dumps({"k": [TEXT]})), "escaped"),
        (json.dumps(TEXT, ensure_ascii=False), "escaped"),
        (ascii(TEXT), "escaped"),
        (TEXT.encode("unicode_escape").decode(), "escaped"),
        (quote(TEXT), "URL-encoded"),
        (quote(TEXT).replace("%20", "+"), "URL-encoded"),
        (quote(quote(TEXT)), "URL-encoded"),
        (TEXT.replace("&", "&amp;").replace('"', "&quot;"), "as HTML"),
        (TEXT.encode(), "as it is"),
        (TEXT.encode().hex(), "in hexadecimal"),
        (TEXT.encode().hex().upper(), "in hexadecimal"),
        ('R\u0061\u0308ksmo\u0308rga\u030as "tolv"\n& en', "as it is"),
        ([{"k": ({"deeper": [TEXT]},)}], "as it is"),
        ({TEXT: 1}, "as it is, in the key"),
        ({json.dumps(TEXT): {"x": 1}}, "escaped, in the key"),
    ],
)
@pytest.mark.promise("testing:finds")
def test_a_text_is_found(value: Any, form: str) -> None:
    assert forms(value, TEXT) == [form]


@pytest.mark.parametrize("offset", range(6))
@pytest.mark.parametrize("tail", ["", "t", "ta"])
@pytest.mark.parametrize("canary", [TEXT, WORDS, RAW], ids=["text", "words", "bytes"])
def test_base64_is_found_at_every_alignment(offset: int, tail: str, canary: Any) -> None:
    data = canary if isinstance(canary, bytes) else canary.encode()
    whole = b"z" * offset + data + tail.encode()
    assert forms(f"x={base64.b64encode(whole).decode()}", canary) == ["in base64"]
    assert forms(base64.urlsafe_b64encode(whole).decode().rstrip("="), canary) == ["in base64"]


@pytest.mark.parametrize(
    "value, form",
    [(RAW, "as it is"), (repr(RAW), "escaped"), (RAW.hex(), "in hexadecimal"), (str({"k": RAW}), "escaped")],
)
def test_bytes_are_found(value: Any, form: str) -> None:
    assert forms(value, RAW) == [form]


@pytest.mark.parametrize(
    "value",
    [7312345678, 7312345678.0, "n=7312345678.", "7,312,345,678", "7_312_345_678", {"7312345678": 1}, [[7312345678]]],
)
def test_a_number_is_found(value: Any) -> None:
    assert len(forms(value, 7312345678)) == 1
    assert len(forms(value, "7312345678")) == (0 if isinstance(value, str) and ("," in value or "_" in value) else 1)


@pytest.mark.parametrize("value", [17312345678, "73123456780", 731234567, True])
def test_a_number_inside_a_longer_one_is_another(value: Any) -> None:
    assert forms(value, 7312345678) == []


def test_fractions_dates_and_other_objects_are_found_by_their_text() -> None:
    assert forms(8457012.015625, 8457012.015625) == ["as a number"]
    assert forms("on 1931-05-17", date(1931, 5, 17)) == ["as it is"]
    assert forms({"d": date(1931, 5, 17)}, "1931-05-17") == ["as it is"]
    assert forms(Decimal("12345.678"), Decimal("12345.678")) == ["as it is"]
    assert forms({"u": UUID(int=7)}, UUID(int=7)) == ["as it is"]


def test_a_long_value_is_found_by_its_beginning_or_its_end() -> None:
    assert forms(f"input_value='{LONG[:25]}...{LONG[-24:]}'", LONG) == ["its beginning"]
    assert forms(f"...{LONG[-24:]}", LONG) == ["its end"]


@pytest.mark.parametrize("value", ["Tovelina", "rasumeko Tovelina", "", None, 0, {"a": []}, "tovelinarasumeko"])
def test_what_is_not_the_canary_is_not_found(value: Any) -> None:
    assert forms(value, WORDS) == []


def test_places_are_told_by_event_and_path_in_order() -> None:
    events = [
        {"event": "one", "properties": {"ok": 1}},
        {"event": "$exception", "properties": {"$exception_list": [{"value": "x"}, {"value": WORDS}]}},
        {"event": "$mcp_tool_call", WORDS: 1, "$set": {"anna@example.org": {"deep": WORDS}}},
    ]
    assert find_leaks(events, ["nothing", WORDS]) == [
        Place(1, "$exception", "properties.$exception_list[1].value", 1, "as it is"),
        Place(2, "$mcp_tool_call", "*", 1, "as it is, in the key"),
        Place(2, "$mcp_tool_call", "$set.*.deep", 1, "as it is"),
    ]


def test_a_key_that_reads_like_code_is_masked_if_it_holds_a_canary() -> None:
    (place,) = find_leaks([{"properties": {"tovelina_rasumeko": 1}}], ["tovelina_rasumeko"])
    assert place.path == "properties.*"


def test_the_name_of_an_event_is_masked_if_it_holds_a_canary() -> None:
    (place,) = find_leaks([{"event": "rasumeko"}], ["rasumeko"])
    assert (place.name, place.path) == ("*", "event")


@pytest.mark.promise("testing:finds")
def test_depth_and_cycles_end() -> None:
    event: dict[str, Any] = {"event": "e"}
    inner = event
    for _ in range(3_000):
        inner["a"] = {}
        inner = inner["a"]
    inner["b"] = [event, WORDS]
    (place,) = find_leaks([event], [WORDS])
    assert place.path.endswith(".b[1]")
    assert len(str(place)) < 400


def test_an_object_that_raises_is_passed_by() -> None:
    class Broken:
        def __str__(self) -> str:
            raise ValueError

    assert find_leaks([{"a": Broken(), "b": WORDS}], [WORDS])[0].path == "b"


@pytest.mark.promise("testing:finds")
def test_the_error_says_where_and_not_what() -> None:
    events = [{"event": "$exception", "properties": {f"k{n}": f"<{WORDS}>" for n in range(20)}}]
    with pytest.raises(AssertionError) as caught:
        assert_nothing_leaves(events, ["nothing", WORDS])
    said = str(caught.value)
    assert "event 0 ($exception) properties.*: canary 1, as it is" in said
    assert "Tovelina" not in said


def test_many_places_are_counted() -> None:
    events = [{"event": "e", "properties": {"a": WORDS}} for _ in range(30)]
    with pytest.raises(AssertionError, match=r"in 30 events:(?s:.*)and 18 more places"):
        assert_nothing_leaves(events, [WORDS])


def test_a_source_line_is_told_as_one() -> None:
    event = {"properties": {"frames": [{"context_line": f'x = "{WORDS}"', "pre_context": []}]}}
    with pytest.raises(AssertionError, match="a line of source code"):
        assert_nothing_leaves(event, [WORDS])


def test_one_event_a_list_and_an_iterator_are_events() -> None:
    event = {"event": "e", "properties": {"a": WORDS}}
    for events in (event, [event], (event,), iter([event]), WORDS):
        with pytest.raises(AssertionError):
            assert_nothing_leaves(events, [WORDS])
    assert_nothing_leaves({"event": "e"}, [WORDS])


@pytest.mark.parametrize(
    "canaries, said",
    [
        ([], "no canaries"),
        (WORDS, r"write \[canary\]"),
        ([WORDS, "ab"], "canary 1 is shorter than 4"),
        ([12], "canary 0 has fewer than 4 digits"),
        ([True], "canary 0 is no text"),
        ([float("inf")], "canary 0 is no finite number"),
    ],
)
def test_canaries_that_prove_nothing_are_refused(canaries: Any, said: str) -> None:
    with pytest.raises(TestingError, match=said):
        assert_nothing_leaves([{"event": "e"}], canaries)


def test_no_events_prove_nothing() -> None:
    with pytest.raises(AssertionError, match="nothing was checked"):
        assert_nothing_leaves([], [WORDS])
    assert_nothing_leaves([], [WORDS], allow_no_events=True)
