"""What is no bad argument: the same reply, the same log and the same exception as without the guard.

Mutations that turn a test here red: a catch around the tool's run, a guard that answers nested or in-process calls, one
that reads a crash of a validator as a bad argument, a failure of the guard that is not caught.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, Field, ValidationError

from scrubber.guard import guard_arguments, words

from ..live.families import Family
from . import kit
from .kit import families, is_standalone, needs_sdk

pytestmark = [pytest.mark.live, needs_sdk]


class Row(BaseModel):
    id: int


def crashes(value: int) -> int:
    raise RuntimeError(f"no connection for CANARY {value}")


def server_of(family: Family) -> Any:
    server = family.make("farm")
    tool_error = family.tool_error

    def body_fault(x: int) -> str:
        raise RuntimeError("CANARY")

    def body_validation(x: int) -> str:
        return str(Row.model_validate({"id": "CANARY"}))

    def deliberate(name: str) -> str:
        raise tool_error("not deployed")

    def bad_result(x: int) -> Row:
        return {"id": "CANARY"}  # type: ignore[return-value]

    def crashing_validator(x: Annotated[int, AfterValidator(crashes)]) -> str:
        return "ran"

    def crashing_factory(x: Annotated[int, Field(default_factory=lambda: 1 // 0)]) -> str:
        return "ran"

    async def nested(x: int) -> str:
        try:
            await family.inner_call(server)("inner", {"n": "CANARY"})
        except Exception as error:
            return f"raised {type(error).__name__}"
        return "an answer"

    def inner(n: int) -> str:
        return str(n)

    for tool in (
        body_fault,
        body_validation,
        deliberate,
        bad_result,
        crashing_validator,
        crashing_factory,
        nested,
        inner,
    ):
        family.add_tool(server, tool, None)
    return server


CALLS = [
    ("body_fault", {"x": 1}),
    ("body_validation", {"x": 1}),
    ("deliberate", {"name": "CANARY"}),
    ("bad_result", {"x": 1}),
    ("crashing_validator", {"x": 1}),
    ("crashing_factory", {}),
    ("nested", {"x": 1}),
    ("inner", {"n": 2}),
    ("no_such_tool", {"x": 1}),
]
_VARIES = re.compile(r"0x[0-9a-f]+|Client-\w+|\d+\.\d+|'?id'?[:=] ?\S+|vm#\d+")


_SDK = {"mcp", "fastmcp", "FastMCP", "root"}


def steady(lines: list[tuple[str, int, str]]) -> list[tuple[str, int, str]]:
    """Without what differs from run to run: addresses, durations, numbers of requests."""
    return [(name, level, _VARIES.sub("", text)) for name, level, text in lines if name.split(".")[0] in _SDK]


@families
@pytest.mark.parametrize("at", range(len(CALLS)), ids=[call[0] for call in CALLS])
@pytest.mark.promise("guard:leaves-alone")
def test_same_reply_and_same_log(family: Family, at: int) -> None:
    ((plain, guarded),) = kit.both(family, lambda: server_of(family), CALLS[at])
    assert (guarded.text, guarded.is_error, guarded.raised) == (plain.text, plain.is_error, plain.raised)
    assert steady(guarded.sdk) == steady(plain.sdk)
    assert guarded.guard_lines == []


@families
def test_a_nested_call_still_raises(family: Family) -> None:
    server = server_of(family)
    guard_arguments(server)
    assert kit.only(family, server, "nested", {"x": 1}).text.startswith("raised ")


@families
def test_a_nested_call_that_hands_its_context_on(family: Family) -> None:
    """mcp 2 takes the caller's context; the inner call then looks like a request of its own, and is none."""
    if family.name != "mcp2":
        pytest.skip("mcp 2 only")
    server = server_of(family)

    async def outer(n: int, ctx: Any) -> str:
        try:
            await server.call_tool("inner", {"n": "CANARY"}, ctx)
        except Exception as error:
            return f"raised {type(error).__name__}"
        return "an answer"

    outer.__annotations__["ctx"] = family.context_type
    family.add_tool(server, outer, None)
    guard_arguments(server)
    answer = kit.only(family, server, "outer", {"n": 1})
    assert (answer.text, answer.guard_lines) == ("raised ToolError", [])


@families
def test_a_client_in_a_tools_body_is_a_client(family: Family) -> None:
    """Its calls are requests of their own, in the same task or not; only calls in process are nested."""
    other = server_of(family)
    guard_arguments(other)

    async def outer(n: int) -> str:
        async with family.connect(other) as client:
            return kit.text_of(await family.call_tool(client, "inner", {"n": "CANARY"}))[0]

    answer = kit.only(family, kit.build(family, outer), "outer", {"n": 1})
    assert answer.text == "Error executing tool 'inner': n must be a whole number."
    assert [line.text for line in answer.guard_lines] == ["refused inner: n"]


@families
def test_a_call_in_process_still_raises(family: Family) -> None:
    server = server_of(family)
    guard_arguments(server)
    call = family.inner_call(server)

    async def outside() -> Any:
        return await call("inner", {"n": "CANARY"})

    with kit.recorded() as lines, pytest.raises(Exception) as raised:
        asyncio.run(outside())
    assert isinstance(raised.value, ValidationError) or isinstance(raised.value.__cause__, ValidationError)
    assert not any(line.logger.startswith("scrubber") for line in lines)


@families
@pytest.mark.promise("guard:own-failure")
def test_the_guards_own_failure_is_the_sdks_call(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK answers as if there were no guard, and one line without content says so."""

    def fails(*_: Any) -> Any:
        raise RuntimeError("CANARY")

    plain = kit.only(family, server_of(family), "inner", {"n": "ten"})
    server = server_of(family)
    guard_arguments(server)
    monkeypatch.setattr(words, "refusal", fails)
    answer = kit.only(family, server, "inner", {"n": "ten"})
    assert (answer.text, answer.is_error) == (plain.text, True)
    (line,) = answer.guard_lines
    assert line.text == "the guard failed with RuntimeError; the call went to the SDK"
    assert "CANARY" not in line.everything


@families
def test_validators_and_factories_of_mcp_run_once(family: Family) -> None:
    """A stateful validator must not see two calls; fastmcp has no way to be handed what was bound before."""
    seen: list[str] = []

    def note(value: int) -> int:
        seen.append("validator")
        return value

    def make() -> int:
        seen.append("factory")
        return 2

    def tool(a: Annotated[int, AfterValidator(note)], b: Annotated[int, Field(default_factory=make)]) -> str:
        return f"{a} {b}"

    tool.__annotations__["a"] = Annotated[int, AfterValidator(note)]
    tool.__annotations__["b"] = Annotated[int, Field(default_factory=make)]
    answer = kit.only(family, kit.build(family, tool), "tool", {"a": 1})
    assert answer.text == "1 2"
    times = 2 if is_standalone(family) else 1
    assert sorted(seen) == ["factory"] * times + ["validator"] * times


@families
def test_tools_of_every_kind(family: Family) -> None:
    class Barn:
        def method(self, n: int) -> str:
            return f"method {n}"

    async def asynchronous(n: int) -> str:
        return f"async {n}"

    def with_context(n: int, ctx: Any) -> str:
        return f"context {n} {type(ctx).__name__}"

    with_context.__annotations__["ctx"] = family.context_type
    named: list[tuple[str, Callable[..., Any]]] = [
        ("method", Barn().method),
        ("asynchronous", asynchronous),
        ("with_context", with_context),
    ]
    server = kit.build(family, *[tool for _, tool in named])
    family.add_tool(server, lambda n: f"late {n}", "late")
    late: Any = lambda n: f"later {n}"  # noqa: E731
    late.__annotations__ = {"n": int}
    family.add_tool(server, late, "later")
    for name in [*[name for name, _ in named], "later"]:
        good, bad = kit.play(family, server, (name, {"n": "2"}), (name, {"n": "ten"}))
        assert not good.is_error, good
        assert " 2" in good.text
        kit.refused(bad, f"Error executing tool '{name}': n must be a whole number.", f"refused {name}: n")
