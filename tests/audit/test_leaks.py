"""Shapes of secrets, masks and places: pure functions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubber.audit import leaks
from scrubber.audit.records import LeakKind

CREDENTIALS = [
    "sk-proj-abc123def456ghi789",
    "sk_live_51Habcdefgh1234",
    "rk_test_abcdefgh12345678",
    "whsec_abcdefgh12345678",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_11ABCDEFG0abcdef",
    "glpat-abcdefgh12345",
    "xoxb-123456789012-abcdef",
    "pypi-AgEIcHlwaS5vcmc",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
    "ya29.a0AfH6SMBx1234567",
    "SG.abcdefghijk.lmnopqrstuvw",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0",
    "hf_abcdefGHIJ12345",
    "npm_abcdefGHIJ123456",
    "phx_abcdefGHIJ123456",
    "dop_v1_abcdef0123456789",
    "Authorization: Bearer abc123.def456-ghi",
    "-----BEGIN RSA PRIVATE KEY-----",
    "postgres://app:hunter2@db.internal/x",
]
ADDRESSES = ["jane@example.test", "write to Jane.Doe+x@mail.example.co.uk now", "<o'jane@example.museum>"]
NEITHER = [
    "",
    "find_book",
    "2025-11-25",
    "ses_01a22c38-ead0-72ed-b0e2-c7413fb9b4a9",
    "01a22c05eadb787886ac9f545abf6dfa",
    "@pytest.fixture",
    "    @app.tool(name='find')",
    "npm install left-pad@1.3.0",
    "a task-force, a risk-averse desk_lamp",
    "the bearer of this letter",
    "https://errors.pydantic.dev/2.14/v/int_parsing",
    "me@home",
    "eyJ",
    "sk-learn-pipelines",
]


@pytest.mark.parametrize("text", CREDENTIALS)
def test_the_shapes_of_credentials_are_known(text: str) -> None:
    assert leaks.shape_of(text) is LeakKind.CREDENTIAL
    assert leaks.shape_of(f"before ({text}) after") is LeakKind.CREDENTIAL
    assert leaks.is_suspicious(text)


@pytest.mark.parametrize("text", ADDRESSES)
def test_the_shape_of_an_address_is_known(text: str) -> None:
    assert leaks.shape_of(text) is LeakKind.EMAIL
    assert leaks.is_suspicious(text)


@pytest.mark.parametrize("text", NEITHER)
def test_names_ids_and_code_have_no_such_shape(text: str) -> None:
    assert leaks.shape_of(text) is None


SHAPED = st.one_of(st.from_regex(leaks.CREDENTIAL), st.from_regex(leaks.EMAIL), st.text())


@given(st.lists(SHAPED, min_size=1, max_size=4))
def test_the_quick_look_never_passes_over_a_shape(texts: list[str]) -> None:
    if any(leaks.shape_of(text) is not None for text in texts):
        assert leaks.is_suspicious("\n".join(texts))


@given(st.text(max_size=200))
def test_a_masked_text_says_nothing_but_its_outline(text: str) -> None:
    masked = leaks.masked(text)
    assert len(masked) <= leaks.LONGEST_EXAMPLE + 3
    assert {char for char in masked if char.isalnum()} <= set("xX9")
    assert masked.isprintable()
    assert masked.isascii()


def test_the_outline_keeps_case_digits_and_signs() -> None:
    assert leaks.masked("Jane.Doe-7@example.test") == "Xxxx.Xxx-9@xxxxxxx.xxxx"
    assert leaks.masked("\u00c4rger \u4e00 \u0663 \U0001f600\n") == "Xxxxx x 9 x "
    assert leaks.masked("a" * 61) == "x" * 60 + "..."


def test_shapes_are_found_at_any_depth_with_masked_keys() -> None:
    value = {"user": {"mail": ["jane@example.test"], "jane@example.test": 1}, "id 7": "sk_live_51Habcdefgh1234"}
    assert list(leaks.shapes_in(value, "properties.x")) == [
        (LeakKind.EMAIL, "properties.x.user.mail[N]", "jane@example.test"),
        (LeakKind.EMAIL, "properties.x.user.*", "jane@example.test"),
        (LeakKind.CREDENTIAL, "properties.x.*", "sk_live_51Habcdefgh1234"),
    ]


def test_differences_name_what_is_gone_or_changed() -> None:
    before = {"a": 1, "gone": "x", "empty": "", "list": [{"b": 1, "c": [1, 2]}, "y"], "jane@example.test": "z"}
    after = {"a": 1, "list": [{"b": 2, "c": [1]}]}
    assert list(leaks.differences(before, after, "p")) == [
        ("p.gone", "x"),
        ("p.list[N].b", 1),
        ("p.list[N].c[N]", 2),
        ("p.list[N]", "y"),
        ("p.*", "z"),
    ]


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_there_are_differences_only_where_something_differs(one: Any, other: Any) -> None:
    assert list(leaks.differences(one, one, "p")) == []
    for path, value in leaks.differences(one, other, "p"):
        assert path.startswith("p")
        assert leaks.has_content(value)
