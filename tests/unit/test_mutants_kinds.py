"""Kinds on their edges: how long each may be, what each is not, and what is remembered of those that passed."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Scrubber, Settings
from scrubber.words import kinds
from scrubber.words.kinds import Kind, Remembering

from ..support import call


@pytest.mark.parametrize(
    "kind, most",
    [
        (kinds.name, 80),
        (kinds.title, 80),
        (kinds.tool, 128),
        (kinds.identifier, 64),
        (kinds.type_name, 160),
        (kinds.code_name, 256),
        (kinds.slug, 48),
        (kinds.field, 64),
        (kinds.version, 48),
        (kinds.model, 96),
        (kinds.identity, 128),
        (kinds.reference, 256),
        (kinds.fingerprint, 128),
    ],
)
def test_a_text_is_bounded_and_is_a_text(kind: Kind, most: int) -> None:
    assert kind("a" * most)
    assert not kind("a" * (most + 1))
    assert not kind("")
    for other in (None, 7, True, b"a", ["a"], {"a": 1}, ("a",), 0.5):
        assert not kind(other)


def test_long_paths_of_fields_and_files_are_bounded() -> None:
    assert kinds.field(".".join(["abcdefghijklmno"] * 16))
    for last, fits in ((16, True), (17, False)):
        assert kinds.field(".".join([*["abcdefghijklmno"] * 15, "a" * last])) is fits
    assert not kinds.field(".".join(["a"] * 17))
    assert kinds.file_name("a" * 509 + ".py")
    assert not kinds.file_name("a" * 513 + ".py")
    assert kinds.agent("a/1 b/2 c/3 d/4 e/5")
    assert not kinds.agent("a/1 b/2 c/3 d/4 e/5 f/6")
    product = "a-b." * 10 + "/" + "rc-a" * 6
    for digits, fits in ((7, True), (8, False)):
        assert kinds.agent(f"{product} {product} {'b-c.' * 5}/{'rc-a-b-c'[:digits]}") is fits


def test_a_tool_may_be_called_by_a_few_words() -> None:
    assert kinds.tool("find a book")
    assert not kinds.tool("find a book for jane please")
    assert not kinds.tool(f"find {TOKEN}")


TOKEN = "sk-proj-4f0a9b8c7d6e5f4a3b2c"
PHONE = "555-013-2233"


@pytest.mark.parametrize(
    "kind, token, phone",
    [
        (kinds.name, False, False),
        (kinds.title, False, False),
        (kinds.tool, False, False),
        (kinds.identifier, False, False),
        (kinds.version, False, True),
        (kinds.model, False, True),
        (kinds.fingerprint, False, False),
        (kinds.identity, True, True),
        (kinds.reference, True, True),
    ],
)
def test_which_kinds_look_twice_for_a_credential_and_for_a_telephone(kind: Kind, token: bool, phone: bool) -> None:
    assert kind(TOKEN) is token
    assert kind(PHONE) is phone


def test_a_hash_is_a_fingerprint_although_it_could_pass_for_a_token() -> None:
    digest = "9f8a7c1d2e3b4a5f6c7d8e9f0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b"
    assert kinds.fingerprint(digest)
    assert kinds.fingerprint("55501322330000001234567890abcdef")
    assert not kinds.name(digest)
    assert not kinds.fingerprint("a://b")
    assert kinds.fingerprint("payments:timeout/eu")


def test_an_agent_is_products_with_versions_and_no_credential() -> None:
    assert kinds.agent("claude-code/2.0.1 node/22.4.0")
    assert not kinds.agent("claude-code")
    assert not kinds.agent(f"x/{TOKEN[:20]}")


def test_code_without_a_file_may_have_a_working_directory_before_it() -> None:
    # What `os.path.abspath` makes of `<string>`, and posthog puts under `abs_path`.
    for path in (
        "<string>",
        "/srv/app/<string>",
        "/<stdin>",
        "C:\\srv\\<frozen runpy>",
        "/srv/<attrs generated init x.Y>",
    ):
        assert kinds.file_name(path)
    for path in (
        "/srv/app<string>",
        "/srv/<a@b>",
        "/srv/<>",
        "/srv/<a>/b",
        "/srv/<a> and b",
        f"/srv/<{'a' * 81}>",
        "see /<a>",
    ):
        assert not kinds.file_name(path)
    assert kinds.file_name(f"/srv/<{'a' * 80}>")


@pytest.mark.parametrize("kind", [kinds.tool, kinds.reference, kinds.fingerprint, kinds.file_name])
def test_an_address_is_none_of_the_names(kind: Kind) -> None:
    for address in ("http://host/x", "file:///home/x.py", "db://h/x.py"):
        assert not kind(address)


@pytest.mark.parametrize(
    "value, is_number",
    [
        (2**64 - 1, True),
        (2**64, False),
        (-(2**63), True),
        (-(2**63) - 1, False),
        (1.5, True),
        (float("inf"), False),
        (float("nan"), False),
        (True, False),
        ("1", False),
        (1j, False),
    ],
)
def test_a_number_is_finite_and_has_no_room_for_a_text(value: Any, is_number: bool) -> None:
    assert kinds.number(value) is is_number


@pytest.mark.parametrize("value", [True, False])
def test_a_flag_is_true_or_false(value: bool) -> None:
    assert kinds.flag(value)
    for other in (int(value), str(value), None):
        assert not kinds.flag(other)


def test_names_are_a_list_of_names() -> None:
    assert kinds.names([])
    assert kinds.names(["a"] * 2000)
    for other in (["a"] * 2001, ["a", "b@c"], [7], ("a",), {"a": 1}, "a", None):
        assert not kinds.names(other)


@pytest.mark.parametrize("value", [None, "x", 1, 0.5, True])
def test_a_scalar_has_no_brackets(value: Any) -> None:
    assert kinds.scalar(value)
    for other in ([value], (value,), {"a": value}, b"x", {1}):
        assert not kinds.scalar(other)


def test_a_minted_id_is_hexadecimal() -> None:
    assert kinds.minted_id("01a22c07-6c87-7d18-ab71-a25aa3773c9f")
    assert kinds.minted_id("ses_01a22c076c877d18ab71")
    for other in ("jane-doe-biopsy", "01a22c07", "", 7, None, b"01a22c076c877d18ab71"):
        assert not kinds.minted_id(other)


def test_either_is_one_of_several_and_a_label_one_of_a_set() -> None:
    either = kinds.either(kinds.flag, kinds.number)
    assert either(True)
    assert either(7)
    assert not either("x")
    label = kinds.label("a", "b")
    assert label("a")
    assert label("b")
    for other in ("c", "", None, 7, ["a"]):
        assert not label(other)


def test_what_is_remembered_answers_as_the_kind_does() -> None:
    remembering = Remembering(kinds.either(kinds.name, kinds.number))
    for _ in range(2):
        for value in ("fine", 7, "b@c", None, ["fine"], True):
            assert remembering(value) is kinds.either(kinds.name, kinds.number)(value)
    assert remembering.known == {"fine"}


def test_no_more_than_a_bound_is_remembered_and_the_rest_still_passes() -> None:
    remembering = Remembering(kinds.name)
    assert all(remembering(f"n{at}") for at in range(1500))
    assert len(remembering.known) == 1024
    assert remembering("n1499")
    assert not remembering("b@c")


def test_a_hook_remembers_labels_and_no_ids() -> None:
    hook = Scrubber(Settings(profile="strict"))
    event = call(**{"$trace_id": "trace-of-jane"})
    for _ in range(3):
        hook(event)
    pipeline = hook._pipeline
    known = {text for each in pipeline._closing._remembered.values() for text in each.known}
    known |= {text for plan in pipeline._plans.values() for values in plan._seen for text in values}
    assert {"claude-code", "find_book"} <= known
    for name in ("$mcp_conversation_id", "$session_id", "$trace_id"):
        assert event["properties"][name] not in known
