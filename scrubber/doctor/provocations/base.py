"""The vocabulary: a provocation, the bench it builds its tool on, and what should become of its events."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from scrubber.doctor.families.base import Around, Family
from scrubber.settings import Settings

DROPPED = "dropped"
KEPT = "kept"

EVERYWHERE = frozenset({"mcp1", "mcp2", "fastmcp2", "fastmcp3", "fastmcp4"})
SDK = frozenset({"mcp1", "mcp2"})
STANDALONE = EVERYWHERE - SDK


@dataclass(frozen=True, slots=True)
class Request:
    """What the client asks for: a tool with arguments, or a resource by its address."""

    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    resource: str = ""


class Bench:
    """A server under construction, and the canaries planted on it.

    A canary is new in every run, so that it stands in no source line and in nothing but what it was planted in. It is
    made of syllables: posthog.mcp replaces what reads like a credential, hexadecimal too, and with it the evidence.
    """

    def __init__(self, family: Family) -> None:
        self.family = family
        self.server = family.make("scrubber-doctor")
        self.canaries: list[str] = []

    def canary(self) -> str:
        """A value that must not leave."""
        syllables = (secrets.choice("bdfgklmnprstvz") + secrets.choice("aeiou") for _ in range(6))
        made = "canary-" + "".join(syllables)
        self.canaries.append(made)
        return made

    def tool(self, function: Callable[..., Any], name: str | None = None, **options: Any) -> str:
        """Register a tool, under its function's name unless told another; its name."""
        chosen = name or function.__name__
        self.family.add_tool(self.server, function, chosen, **options)
        return chosen

    def inner_call(self, name: str, arguments: dict[str, Any]) -> Awaitable[Any]:
        """The server's own call of a tool, looked up late: instrumenting replaces it."""
        return self.family.inner_call(self.server)(name, arguments)

    def around_calls(self, around: Around) -> None:
        """Wrap every tool call of the server."""
        self.family.around_calls(self.server, around)


@dataclass(frozen=True, slots=True)
class Provocation:
    """One case. expected: what should become of each `$exception` event it causes, in order; by_family replaces it.

    wrapped: it stands on a server of its own, whose calls it wraps. corroborated: only the call's arguments tell it
    from a refusal. may_be_silent: some posthog versions send no `$exception` for it.
    """

    kind: str
    expected: tuple[str, ...]
    build: Callable[[Bench], Request]
    families: frozenset[str] = EVERYWHERE
    by_family: dict[str, tuple[str, ...]] = field(default_factory=dict)
    wrapped: bool = False
    corroborated: bool = False
    may_be_silent: bool = False


def expected_of(provocation: Provocation, family: str, settings: Settings) -> tuple[str, ...]:
    """What should become of the events under these settings: a user may have turned the dropping off, or asked to
    drop without looking at the arguments."""
    expected = provocation.by_family.get(family, provocation.expected)
    if not settings.drop_argument_rejections:
        return tuple(KEPT for _ in expected)
    if provocation.corroborated and not settings.corroborate:
        return tuple(DROPPED for _ in expected)
    return expected
