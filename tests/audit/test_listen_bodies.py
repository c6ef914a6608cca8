"""A request's bytes as events: every shape and encoding of the SDKs, and whatever else may come."""

from __future__ import annotations

import base64
import gzip
import json
import sys
import time
import tracemalloc
import zlib
from typing import Any
from urllib.parse import quote

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubber.audit.listening import bodies, unpacking
from scrubber.audit.listening.bodies import Body, read

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

KEY = "phc_do_not_show"
EVENT = {
    "event": "asked",
    "distinct_id": "u1",
    "properties": {"plan": "pro", "$lib": "posthog-python"},
    "timestamp": "2026-11-30T10:07:58.051151+00:00",
    "uuid": "01a22bec-f066-712e-a449-aa93ffa4ab33",
}
BATCH = json.dumps({"api_key": KEY, "batch": [EVENT, EVENT], "historical_migration": False}).encode()
REASONS = {
    value
    for module in (bodies, unpacking)
    for name, value in vars(module).items()
    if name.isupper() and isinstance(value, str)
} | {"a form without the field data"}


def events(body: bytes, path: str = "/batch/", query: dict[str, str] | None = None, **headers: str) -> list[Any]:
    found = read(path, {name.replace("_", "-"): value for name, value in headers.items()}, query or {}, body)
    assert found.unreadable == ()
    assert [json.loads(one.line) for one in found.arrivals] == [one.event for one in found.arrivals]
    return [one.event for one in found.arrivals]


def refused(body: bytes, path: str = "/batch/", query: dict[str, str] | None = None, **headers: str) -> tuple[str, int]:
    found = read(path, {name.replace("_", "-"): value for name, value in headers.items()}, query or {}, body)
    assert found.arrivals == ()
    (reason,) = found.unreadable
    return reason, found.status


@pytest.mark.parametrize(
    "name, pack",
    [
        ("identity", bytes),
        ("", bytes),
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("deflate", zlib.compress),
        ("zstd", zstd.compress),
        ("br", brotli.compress),
        ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
        ("gzip", lambda body: gzip.compress(body[:40]) + gzip.compress(body[40:])),
    ],
)
def test_every_encoding_gives_the_same_events(name: str, pack: Any) -> None:
    assert events(pack(BATCH), content_encoding=name) == [EVENT, EVENT]


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress, zlib.compress])
def test_a_packed_body_is_told_by_its_first_bytes(pack: Any) -> None:
    assert events(pack(BATCH), query={"compression": "gzip-js"}) == [EVENT, EVENT]


def test_the_forms_of_browsers_are_read() -> None:
    text = json.dumps(EVENT)
    form = "application/x-www-form-urlencoded"
    packed = base64.b64encode(text.encode()).decode()
    assert events(f"data={quote(text)}&v=1".encode(), "/e/", content_type=form) == [EVENT]
    assert events(f"data={quote(packed)}".encode(), "/e/", content_type=form) == [EVENT]
    assert events(f"data={packed}".encode(), "/e/", {"compression": "base64"}) == [EVENT]
    assert events(packed.encode(), "/e/", {"compression": "base64"}) == [EVENT]
    assert events(BATCH, "/batch/", content_type=form) == [EVENT, EVENT]
    zipped = base64.b64encode(gzip.compress(text.encode())).decode()
    assert events(f"data={quote(zipped)}".encode(), "/e/") == [EVENT]


def test_a_batch_one_event_and_a_list_are_told_apart_by_content() -> None:
    assert events(json.dumps([EVENT]).encode(), "/track/") == [EVENT]
    assert events(json.dumps({"api_key": KEY, "sent_at": "now", **EVENT}).encode(), "/capture/") == [EVENT]
    assert events(b'{"batch": []}') == []
    assert events(b'{"event": "bare"}') == [{"event": "bare", "properties": {}}]


def test_the_projects_key_gets_no_further() -> None:
    hidden = {**EVENT, "api_key": KEY, "properties": {**EVENT["properties"], "token": KEY}}  # type: ignore[dict-item]
    assert events(json.dumps({"token": KEY, "batch": [hidden]}).encode()) == [EVENT]
    own = {**EVENT, "properties": {"token": "what a user calls a token"}}
    assert events(json.dumps([own]).encode()) == [own]


def test_capture_mode_v1_is_turned_back() -> None:
    wire = {
        **EVENT,
        "properties": {"plan": "pro"},
        "session_id": "s1",
        "window_id": "w1",
        "options": {"process_person_profile": False, "disable_skew_correction": True, "new_one": 1},
    }
    (event,) = events(json.dumps({"batch": [wire]}).encode(), bodies.V1_PATH, posthog_sdk_info="posthog-python/7.91.1")
    assert event.pop("options") == {"new_one": 1}
    assert event == {
        **EVENT,
        "properties": {
            "plan": "pro",
            "$session_id": "s1",
            "$window_id": "w1",
            "$process_person_profile": False,
            "$ignore_sent_at": True,
            "$lib": "posthog-python",
            "$lib_version": "7.91.1",
        },
    }
    assert events(json.dumps({"batch": [wire]}).encode(), "/batch/") == [wire]


def test_what_a_header_says_of_the_sdk_is_taken_only_in_its_own_shape() -> None:
    body = json.dumps({"batch": [{"event": "asked"}]}).encode()
    for said in ("", "ada@example.test", "posthog-python", "posthog-python/7 1", "x/7.1\nmore"):
        assert events(body, bodies.V1_PATH, posthog_sdk_info=said) == [{"event": "asked", "properties": {}}]


@pytest.mark.parametrize(
    "body, reason",
    [
        (b"", bodies.NO_JSON),
        (b"secret-7", bodies.NO_JSON),
        (b"\xff\xfe\xfa", bodies.NO_JSON),
        (b"{}", bodies.NO_EVENTS),
        (b'"secret-7"', bodies.NO_EVENTS),
        (b'{"event": 7}', bodies.NO_EVENTS),
        (b'{"event": "asked", "properties": ["secret-7"]}', bodies.NO_EVENT),
        (b"[7]", bodies.NO_EVENT),
        (b"[" * 100_000, bodies.TOO_DEEP),
        (b'[{"event": "a", "properties": ' + b'{"a":' * 100_000, bodies.TOO_DEEP),
        (b"data=%%%", unpacking.BROKEN),
        (b"data=" + b"&a=1" * 100, unpacking.BROKEN),
    ],
)
def test_what_is_no_event_is_refused_with_a_constant_sentence(body: bytes, reason: str) -> None:
    said, status = refused(body)
    assert (said, status) == (reason, 400)


@pytest.mark.parametrize(
    "name, body, reason, status",
    [
        ("gzip", BATCH, unpacking.BROKEN, 400),
        ("gzip", gzip.compress(BATCH)[:-4], unpacking.BROKEN, 400),
        ("gzip", gzip.compress(BATCH) + b"more", unpacking.BROKEN, 400),
        ("deflate", zlib.compress(BATCH)[:-4], unpacking.BROKEN, 400),
        ("zstd", zstd.compress(BATCH)[:-4], unpacking.BROKEN, 400),
        ("br", brotli.compress(BATCH)[:-4], unpacking.BROKEN, 400),
        ("snappy", BATCH, unpacking.UNKNOWN_ENCODING, 415),
        ("gzip,gzip,gzip,gzip", BATCH, unpacking.UNKNOWN_ENCODING, 415),
    ],
)
def test_a_body_that_does_not_unpack_is_refused(name: str, body: bytes, reason: str, status: int) -> None:
    assert refused(body, content_encoding=name) == (reason, status)


def test_lz64_is_refused_by_name() -> None:
    assert refused(b"x", query={"compression": "lz64"}) == (unpacking.NO_LZ64, 415)


def test_one_bad_entry_does_not_cost_the_batch() -> None:
    found = read("/batch/", {}, {}, json.dumps({"batch": [EVENT, None, EVENT]}).encode())
    assert ([one.event for one in found.arrivals], found.unreadable, found.status) == (
        [EVENT, EVENT],
        (bodies.NO_EVENT,),
        200,
    )


BOMB = 200 * 1024 * 1024


def zeros_gzip() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(1 << 20)
    return b"".join([packer.compress(block) for _ in range(BOMB >> 20)]) + packer.flush()


@pytest.mark.parametrize(
    "name, make",
    [
        ("gzip", zeros_gzip),
        ("zstd", lambda: zstd.compress(bytes(BOMB // 2))),
        ("br", lambda: brotli.compress(bytes(BOMB // 2), quality=1)),
        ("gzip, gzip", lambda: gzip.compress(zeros_gzip())),
    ],
)
def test_a_bomb_is_refused_in_little_memory_and_time(name: str, make: Any) -> None:
    body = make()
    assert len(body) < BOMB // 100
    tracemalloc.start()
    began = time.monotonic()
    assert refused(body, content_encoding=name) == (unpacking.TOO_LARGE, 413)
    took = time.monotonic() - began
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * unpacking.MOST_BYTES
    assert took < 5


def test_many_empty_members_are_no_way_to_keep_it_busy() -> None:
    began = time.monotonic()
    assert refused(gzip.compress(b"") * 500_000, content_encoding="gzip") == (unpacking.BROKEN, 400)
    assert time.monotonic() - began < 2


ENCODINGS = st.sampled_from(["", "gzip", "deflate", "zstd", "br", "identity", "gzip, zstd", "x"])
COMPRESSIONS = st.sampled_from(["", "gzip-js", "base64", "lz64"])
PATHS = st.sampled_from(["/batch/", "/e/", bodies.V1_PATH])
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["event", "batch", "options"]), inner),
)


def check(found: Body) -> None:
    """Events as the hook would get them, or reasons that say nothing of the content."""
    assert set(found.unreadable) <= REASONS
    for one in found.arrivals:
        assert type(one.event["event"]) is str
        assert type(one.event["properties"]) is dict
        assert b"\n" not in one.line
        json.loads(one.line)
    assert (found.status == 200) or not found.arrivals


@given(st.binary(), ENCODINGS, COMPRESSIONS, PATHS, st.sampled_from(["", "application/x-www-form-urlencoded"]))
@settings(max_examples=300, deadline=None)
def test_any_bytes_give_events_or_a_reason(body: bytes, encoding: str, compression: str, path: str, kind: str) -> None:
    headers = {"content-encoding": encoding, "content-type": kind}
    check(read(path, headers, {"compression": compression}, body))
    check(read(path, {**headers, "content-encoding": "gzip"}, {"compression": compression}, gzip.compress(body)))
    check(read(path, headers, {}, b"data=" + base64.b64encode(body)))


@given(JSON, PATHS)
@settings(max_examples=300, deadline=None)
def test_any_json_gives_events_or_a_reason(content: Any, path: str) -> None:
    headers = {"posthog-sdk-info": "posthog-python/7.91.1"}
    for body in (content, {"batch": content}, [content], {"event": "a", "properties": content, "options": content}):
        check(read(path, headers, {}, json.dumps(body).encode()))


def test_what_only_python_writes_as_json_is_read() -> None:
    (event,) = [one.event for one in read("/e/", {}, {}, b'[{"event": "\\ud800", "properties": {"a": NaN}}]').arrivals]
    assert event["event"] == "\ud800"
