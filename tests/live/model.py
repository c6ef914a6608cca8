"""The vocabulary of the live suite: what a scenario is, and what one captured event is.

In:  scenario modules declare their cases with `scenario(...)`.
Out: `Scenario` objects, in the order of declaration, in `REGISTRY`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from .kit import Kit

Truth = Literal["drop", "keep", "either"]
Label = Literal["drop", "keep", "either", "not-exception"]
Action = Callable[[Any], Coroutine[Any, Any, Any]]
Build = Callable[["Kit"], Sequence["Step"]]

ALL = ("mcp1", "mcp2", "fastmcp2", "fastmcp3", "fastmcp4")
SDK = ("mcp1", "mcp2")
STANDALONE = ("fastmcp2", "fastmcp3", "fastmcp4")


@dataclass(frozen=True)
class Step:
    """One thing the client, or the application beside it, does.

    `kind` is `tool`, `resource`, `prompt` (a request of the client: `target` names it) or `act`
    (`action` is awaited with the connected client).
    """

    kind: Literal["tool", "resource", "prompt", "act"]
    target: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    action: Action | None = None


def call(name: str, arguments: dict[str, Any] | None = None) -> Step:
    """In: a tool's name and its arguments. Out: the step that calls it."""
    return Step("tool", name, arguments or {})


def read(uri: str) -> Step:
    """In: a resource's address. Out: the step that reads it."""
    return Step("resource", uri)


def ask(name: str, arguments: dict[str, Any] | None = None) -> Step:
    """In: a prompt's name and its arguments. Out: the step that gets it."""
    return Step("prompt", name, arguments or {})


def act(action: Action) -> Step:
    """In: a coroutine function of the client. Out: the step that awaits it."""
    return Step("act", action=action)


@dataclass(frozen=True)
class Scenario:
    """One case: a server, what is done to it, and the truth of each `$exception` event that follows.

    `truths` holds one truth for each `$exception` event in order of capture; `by_family` replaces it for
    the families it names. `options` are given to the server's constructor. With `may_be_silent`, some
    PostHog versions send no `$exception` event for it. `hard` says what separates the case where the frames
    alone do not.
    """

    name: str
    truths: tuple[Truth, ...]
    why: str
    build: Build
    families: tuple[str, ...] = ALL
    by_family: dict[str, tuple[Truth, ...]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    may_be_silent: bool = False
    hard: str | None = None

    def expected(self, family: str) -> tuple[Truth, ...]:
        """In: a family's name. Out: the truths of its `$exception` events, in order."""
        return self.by_family.get(family, self.truths)


@dataclass
class Captured:
    """One event as the hook received it, and what the hook gave back for it."""

    scenario: str
    index: int
    event: dict[str, Any]
    sent: dict[str, Any] | None
    truth: Label
    why: str
    hard: str | None
    secrets: tuple[str, ...]


REGISTRY: dict[str, Scenario] = {}


def _truths(text: str) -> tuple[Truth, ...]:
    words = tuple(text.split())
    unknown = [word for word in words if word not in get_args(Truth)]
    if unknown:
        raise ValueError(f"not a truth: {unknown}")
    return words  # type: ignore[return-value]


def scenario(
    truth: str,
    why: str,
    *,
    families: tuple[str, ...] = ALL,
    by_family: dict[str, str] | None = None,
    options: dict[str, Any] | None = None,
    may_be_silent: bool = False,
    hard: str | None = None,
) -> Callable[[Build], Build]:
    """Declare the decorated builder as a scenario; its name is the function's.

    In:  `truth`, words of `drop`, `keep`, `either`, one for each expected `$exception` event (none: "").
         `by_family` holds such a text for each family that differs.
    Out: a decorator that registers the builder and returns it unchanged.
    """

    def register(build: Build) -> Build:
        name = build.__name__
        if name in REGISTRY:
            raise ValueError(f"two scenarios are named {name}")
        REGISTRY[name] = Scenario(
            name=name,
            truths=_truths(truth),
            why=why,
            build=build,
            families=families,
            by_family={family: _truths(text) for family, text in (by_family or {}).items()},
            options=options or {},
            may_be_silent=may_be_silent,
            hard=hard,
        )
        return build

    return register
