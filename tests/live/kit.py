"""What a scenario's builder is handed: the server under construction and the canaries it plants."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

from .families import Around, Family
from .model import Scenario


class Kit:
    """Builds one scenario's server for one family.

    In:  the family, the scenario, the PostHog client that will watch the server.
    Out: `server`, and `secrets`: every canary that the builder asked for or planted.
    """

    def __init__(self, family: Family, scenario: Scenario, client: Any) -> None:
        self.family = family
        self.scenario = scenario
        self.client = client
        self.server = family.make("shop", **scenario.options)
        self.secrets: list[str] = []

    @property
    def context_type(self) -> Any:
        """The class a tool annotates to be given the request's context."""
        return self.family.context_type

    @property
    def inner_call(self) -> Callable[..., Awaitable[Any]]:
        """The server's in-process `call_tool`, looked up when it is used: instrumenting replaces it."""
        return self.family.inner_call(self.server)

    @property
    def run_options(self) -> dict[str, Any]:
        """What a tool object's `run` needs beside the arguments."""
        return self.family.run_options(self.server)

    def secret(self, number: int = 0) -> str:
        """In: a number. Out: this scenario's canary of that number, the same in every run."""
        digest = hashlib.sha256(self.scenario.name.encode()).hexdigest()[:8]
        return self.plant(f"canary-{digest}-{number}")

    def plant(self, value: str) -> str:
        """In: a value that must not leave. Out: the same value, now listed in `secrets`."""
        if value not in self.secrets:
            self.secrets.append(value)
        return value

    def tool(self, fn: Callable[..., Any], name: str | None = None, **options: Any) -> None:
        """Register a tool on the server."""
        self.family.add_tool(self.server, fn, name, **options)

    async def find_tool(self, name: str) -> Any:
        """In: a tool's name. Out: the SDK's tool object."""
        return await self.family.find_tool(self.server, name)

    def around_calls(self, around: Around) -> None:
        """Wrap every tool call of the server in `around(name, arguments, proceed)`."""
        self.family.around_calls(self.server, around)
