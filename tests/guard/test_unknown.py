"""Arguments that no parameter has: refused with hints, ignored where asked, and never posthog's own.

Mutations that turn a test here red: a hint without the bound on edits, a name printed that is no identifier, an
`ignore` that is not taken out of the call, a missing parameter said apart from the unknown one.
"""

from __future__ import annotations

from typing import Any

import pytest

from scrubber.guard.names import is_plain, nearest

from ..live.families import Family
from . import kit
from .kit import families, needs_sdk

live = [pytest.mark.live, needs_sdk]


def maestro_channel(channelId: str = "a", noCache: bool = False) -> str:
    return f"channel {channelId}"


def read_doc(topic: str = "") -> str:
    return "the whole manual"


def open_vi(path: str) -> str:
    return path


def add(a: int, b: int) -> int:
    return a + b


@families
@pytest.mark.live
@pytest.mark.promise("guard:unknown")
def test_the_sentence(family: Family) -> None:
    server = kit.build(family, maestro_channel)
    answer = kit.only(family, server, "maestro_channel", {"chanelId": "CANARY"})
    kit.refused(
        answer,
        "Unknown parameter 'chanelId' for tool 'maestro_channel'. Did you mean: channelId? "
        "Allowed parameters: channelId, noCache.",
        "refused maestro_channel: *",
    )


@families
@pytest.mark.live
def test_an_argument_that_would_be_dropped_in_silence(family: Family) -> None:
    """A well-formed answer to another question is the worst that can happen."""
    answer = kit.only(family, kit.build(family, read_doc), "read_doc", {"path": "CANARY-1"})
    assert answer.is_error
    assert "'path'" in answer.text
    assert "topic" in answer.text
    assert "CANARY" not in answer.text


@families
@pytest.mark.live
def test_missing_and_unknown_are_one_mistake(family: Family) -> None:
    answer = kit.only(family, kit.build(family, open_vi), "open_vi", {"vi_path": "C:\\CANARY.vi"})
    kit.refused(
        answer,
        "Unknown parameter 'vi_path' for tool 'open_vi'. Did you mean: path? path is required. Allowed parameters: path.",
        "refused open_vi: path, *",
    )


@families
@pytest.mark.live
@pytest.mark.promise("guard:unknown")
def test_keys_that_clients_inject(family: Family) -> None:
    injected = {"sessionId": "CANARY", "chatInput": "CANARY", "toolCallId": "t1"}
    call = ("add", {"a": 1, "b": 2, **injected})
    strict = kit.play(family, kit.build(family, add), call)[0]
    assert strict.is_error
    assert all(name in strict.text for name in injected)
    assert "CANARY" not in strict.text
    lenient = kit.play(family, kit.build(family, add, ignore=list(injected)), call)[0]
    assert (lenient.text, lenient.is_error, lenient.guard_lines) == ("3", False, [])
    allowing = kit.play(family, kit.build(family, add, unknown="allow"), call)[0]
    assert (allowing.text, allowing.is_error, allowing.guard_lines) == ("3", False, [])


@families
@pytest.mark.live
@pytest.mark.promise("guard:unknown")
def test_posthogs_own_are_never_reported(family: Family) -> None:
    added = {"context": "CANARY", "conversation_id": "CANARY", "llm_model": "CANARY"}
    answer = kit.only(family, kit.build(family, add), "add", {"a": 1, "b": 2, **added})
    assert (answer.text, answer.is_error) == ("3", False)


@families
@pytest.mark.live
def test_a_name_that_is_no_identifier_is_not_printed(family: Family) -> None:
    server = kit.build(family, add)
    for name in ("CANARY my secret", "CANARY\n", "x" * 65, "é", "sk_live_4eC39HqLyjWDarjtT1"):
        answer = kit.only(family, server, "add", {"a": 1, "b": 2, name: 3})
        kit.refused(answer, "Unknown parameter for tool 'add'. Allowed parameters: a, b.", "refused add: *")


@families
@pytest.mark.live
def test_a_bad_one_beside_an_unknown_one(family: Family) -> None:
    answer = kit.only(family, kit.build(family, add), "add", {"a": "x", "b": 2, "c": 3})
    kit.refused(
        answer,
        "Error executing tool 'add': a must be a whole number. Unknown parameter 'c' for tool 'add'. "
        "Allowed parameters: a, b.",
        "refused add: a, *",
    )


@pytest.mark.live
@needs_sdk
@pytest.mark.parametrize("closed", [True, False, None])
def test_low_level_servers(closed: bool | None) -> None:
    """A schema that allows other names is believed; one that says nothing is taken for a list of all there are."""
    family = kit.LowLevel()
    schema: dict[str, Any] = {"type": "object", "properties": {"limit": {"type": "integer"}}}
    if closed is not None:
        schema["additionalProperties"] = not closed
    server = family.make("low", schemas={"find": schema})
    kit.guard_arguments(server, ignore=["sessionId"])
    odd, extra = kit.play(
        family, server, ("find", {"limt": 3}), ("find", {"limit": 3, "sessionId": "s", "context": "c"})
    )
    if closed is False:
        assert odd.text == "ran ['limt']"
    else:
        assert odd.text == "Unknown parameter 'limt' for tool 'find'. Did you mean: limit? Allowed parameters: limit."
    assert not extra.is_error
    assert extra.text == ("ran ['limit']" if closed else "ran ['context', 'limit', 'sessionId']")


@pytest.mark.parametrize(
    "name, choices, hints",
    [
        ("chanelId", ["noCache", "channelId"], ["channelId"]),
        ("channel_id", ["channelIds", "channelId"], ["channelId", "channelIds"]),
        ("CHANNELID", ["channelId"], ["channelId"]),
        ("a_b_c_d_e_f_g_h", ["aBCDEFGHI", "aBCDEFGH"], ["aBCDEFGH"]),
        ("limt", ["n", "grades", "id", "from", "limit"], ["limit"]),
        ("a", ["b", "c"], []),
        ("conversationidxx", ["conversation"], ["conversation"]),
        ("conversationidentifier", ["conversation"], []),
        ("nam", ["name1", "name2", "name3", "name"], ["name", "name1", "name2"]),
        ("x" * 1000, ["x"], []),
        ("", ["x"], []),
        (None, ["x"], []),
    ],
)
def test_hints(name: Any, choices: list[str], hints: list[str]) -> None:
    assert nearest(name, choices) == hints


@pytest.mark.parametrize("name, plain", [("vi_path", True), ("a", True), ("", False), ("1a", False), ("a b", False)])
def test_plain(name: str, plain: bool) -> None:
    assert is_plain(name) is plain
