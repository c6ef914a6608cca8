"""What the guard's tests share: servers of every installed SDK, one way to call them, and every record that was logged.

The records are taken where a logger hands them out, so that no level, filter or `propagate` hides one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from scrubber.guard import guard_arguments

from ..live.families import Family, installed_families, version_of
from .lowlevel import MCP1, LowLevel

__all__ = ["MCP1", "LowLevel"]
HAS_SDK = version_of("mcp") is not None
FAMILIES = installed_families()
families = pytest.mark.parametrize("family", FAMILIES, ids=[family.name for family in FAMILIES])
needs_sdk = pytest.mark.skipif(not HAS_SDK, reason="no MCP SDK is installed")


def is_standalone(family: Family) -> bool:
    return family.name.startswith("fastmcp")


class Line(NamedTuple):
    """One record: who logged it, how loud, and everything it can print."""

    logger: str
    level: int
    text: str
    everything: str


class Answer(NamedTuple):
    """What came of a call: the result's text, whether it is an error, and what was logged meanwhile."""

    text: str
    is_error: bool
    lines: list[Line]
    raised: str | None = None

    @property
    def guard_lines(self) -> list[Line]:
        return [line for line in self.lines if line.logger.startswith("scrubber")]

    @property
    def loud(self) -> list[Line]:
        """What an operator would see: WARNING and above."""
        return [line for line in self.lines if line.level >= logging.WARNING]

    @property
    def sdk(self) -> list[tuple[str, int, str]]:
        """What was logged by others, to compare two runs."""
        return [(line.logger, line.level, line.text) for line in self.lines if not line.logger.startswith("scrubber")]


@contextmanager
def recorded() -> Iterator[list[Line]]:
    """Every record of the block, whatever its level and logger."""
    lines: list[Line] = []
    original = logging.Logger.handle
    levels = {name: logging.getLogger(name).level for name in ("", "mcp", "fastmcp", "FastMCP", "scrubber.guard")}

    def handle(self: logging.Logger, record: logging.LogRecord) -> None:
        shown = record.getMessage()
        more = f"{record.msg!r} {record.args!r} {record.exc_info!r} {record.exc_text!r}"
        if record.exc_info and record.exc_info[1] is not None:
            more += logging.Formatter().formatException(record.exc_info)
        lines.append(Line(record.name, record.levelno, shown, f"{shown} {more}"))

    for name in levels:
        logging.getLogger(name).setLevel(logging.DEBUG)
    logging.Logger.handle = handle  # type: ignore[method-assign]
    try:
        yield lines
    finally:
        logging.Logger.handle = original  # type: ignore[method-assign]
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


Call = tuple[str, dict[str, Any]]


def text_of(result: Any) -> tuple[str, bool]:
    fields = getattr(type(result), "model_fields", {})
    error = result.is_error if "is_error" in fields else result.isError
    return "\n".join(getattr(block, "text", "") for block in result.content), bool(error)


def text_of_blocks(result: Any) -> tuple[str, bool]:
    """The same of fastmcp's own client result."""
    return "\n".join(getattr(block, "text", "") for block in result.content), bool(result.is_error)


async def ask(family: Family, client: Any, call: Call) -> Answer:
    """One call over an open client."""
    with recorded() as lines:
        try:
            text, is_error = text_of(await asyncio.wait_for(family.call_tool(client, *call), 20))
        except Exception as error:
            return Answer(str(error), True, lines, type(error).__name__)
    return Answer(text, is_error, lines)


def play(family: Family, server: Any, *calls: Call) -> list[Answer]:
    """Connect the SDK's own client in memory, list the tools, and make the calls one after the other."""

    async def run() -> list[Answer]:
        async with family.connect(server) as client:
            await family.list_tools(client)
            return [await ask(family, client, call) for call in calls]

    return asyncio.run(run())


def build(family: Family, *tools: Callable[..., Any], guarded: bool = True, make: Any = None, **options: Any) -> Any:
    """A server with these tools; `options` are the guard's, `make` the server's constructor's."""
    server = family.make("farm", **(make or {}))
    for tool in tools:
        family.add_tool(server, tool, None)
    if guarded:
        guard_arguments(server, **options)
    return server


def both(family: Family, make: Callable[[], Any], *calls: Call, **options: Any) -> list[tuple[Answer, Answer]]:
    """The same calls without and with the guard, each on a server of its own."""
    plain = play(family, make(), *calls)
    server = make()
    guard_arguments(server, **options)
    return list(zip(plain, play(family, server, *calls), strict=True))


def only(family: Family, server: Any, name: str, arguments: dict[str, Any]) -> Answer:
    return play(family, server, (name, arguments))[0]


def leaks(answer: Answer, secret: str) -> list[Line]:
    """Lines of any level that hold a secret, but for one: fastmcp's DEBUG of every call, before anybody looks at it."""
    held = [line for line in answer.lines if secret in line.everything]
    return [line for line in held if line.level > logging.DEBUG or "Handler called: call_tool" not in line.text]


def refused(answer: Answer, text: str, paths: str) -> None:
    """A refusal: this reply, one INFO line with tool and paths, and nothing that anybody would be paged for."""
    assert answer.is_error
    assert answer.raised is None
    assert answer.text == text
    assert not answer.loud, answer.loud
    assert [(line.level, line.text) for line in answer.guard_lines] == [(logging.INFO, paths)]
