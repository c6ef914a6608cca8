"""Arguments of any shape, depth and size: an answer, bounded in time and length, and no value in it.

Mutations that turn a test here red: no bound on sentences, on unknown names, on the length of a name that is compared.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from pydantic import BaseModel

from ..live.families import Family
from . import kit
from .kit import families, needs_sdk

pytestmark = [pytest.mark.live, needs_sdk]

LONGEST = 2100
SLOWEST = 8.0
"""Seconds for a call of a few megabytes through client and server on a machine that does other things."""


class Item(BaseModel):
    quantity: int


class Tree(BaseModel):
    children: list[Tree] = []
    value: int = 0


def take(limit: int = 0, items: list[Item] = [], counts: dict[str, int] = {}) -> str:  # noqa: B006
    return "ran"


def climb(tree: Tree | None = None, limit: int = 0) -> str:
    return "ran"


def deep(levels: int) -> Any:
    value: Any = {"value": "CANARY"}
    for _ in range(levels):
        value = {"children": [value]}
    return value


HOSTILE: dict[str, dict[str, Any]] = {
    "long text": {"limit": "CANARY" * 300_000},
    "many digits": {"limit": "9" * 5_000},
    "big number": {"limit": "1e400"},
    "many items": {"items": [{"quantity": "CANARY"}] * 20_000},
    "many keys": {"counts": {f"CANARY{at}": "CANARY" for at in range(20_000)}},
    "long key": {"counts": {"CANARY" * 100_000: "CANARY"}},
    "many unknown": {f"CANARY-{at}": at for at in range(20_000)},
    "long unknown": {"CANARY" * 100_000: 1},
    "deep tree": {"tree": deep(40)},
    "deep list": {"limit": eval("[" * 80 + "]" * 80)},
    "surrogates": {"limit": "CANARY \u2028\u0000\x1b[31m"},
    "empty name": {"": "CANARY"},
    "format": {"limit": "%s%n{0}{limit.__class__}"},
}


@families
@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_an_answer_that_is_bounded(family: Family, kind: str) -> None:
    tool = climb if "tree" in kind else take
    if tool is climb and family.name == "fastmcp2":
        pytest.skip("fastmcp 2 cannot list a tool with a recursive schema")
    server = kit.build(family, tool)
    started = time.monotonic()
    hostile, after = kit.play(family, server, (tool.__name__, HOSTILE[kind]), (tool.__name__, {"limit": 1}))
    assert time.monotonic() - started < SLOWEST
    assert hostile.is_error
    assert hostile.raised is None
    assert len(hostile.text) < LONGEST
    assert "CANARY" not in hostile.text
    assert hostile.text.count("\n") == 0
    assert len(hostile.guard_lines) == 1
    assert len(hostile.guard_lines[0].text) < LONGEST
    assert "CANARY" not in hostile.guard_lines[0].everything
    assert not hostile.loud
    assert after.text == "ran"


def test_low_level_servers() -> None:
    family = kit.LowLevel()
    item = {"type": "object", "properties": {"quantity": {"type": "integer"}}, "required": ["quantity"]}
    schema = {
        "type": "object",
        "properties": {
            "limit": {"type": "integer"},
            "items": {"type": "array", "items": item},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    }
    server = family.make("low", schemas={"take": schema})
    kit.guard_arguments(server)
    kinds = [kind for kind in sorted(HOSTILE) if "tree" not in kind]
    started = time.monotonic()
    for kind, answer in zip(kinds, kit.play(family, server, *[("take", HOSTILE[kind]) for kind in kinds]), strict=True):
        assert answer.is_error, kind
        assert len(answer.text) < LONGEST, kind
        assert "CANARY" not in answer.text, kind
        assert len(answer.guard_lines) == 1, kind
        assert "CANARY" not in answer.guard_lines[0].everything
    assert time.monotonic() - started < SLOWEST * 3


def test_a_low_level_schema_that_cannot_be_checked() -> None:
    """The guard fails on it; the SDK answers as it does without the guard, and one line says so."""
    family = kit.LowLevel()
    schema = {"type": "object", "properties": {"a": {"type": "CANARY"}}}
    plain = kit.only(family, family.make("low", schemas={"take": schema}), "take", {"a": 1})
    server = family.make("low", schemas={"take": schema})
    kit.guard_arguments(server)
    answer = kit.only(family, server, "take", {"a": 1})
    assert (answer.text, answer.is_error) == (plain.text, plain.is_error)
    (line,) = answer.guard_lines
    assert line.text == "the guard failed with UnknownType; the call went to the SDK"
    assert "CANARY" not in line.everything
