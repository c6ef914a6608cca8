"""What a rule is, and what it sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from scrubber.words.paths import at_property
from scrubber.words.verdict import Event, Finding


class _Remove:
    """The type of `REMOVE`."""

    def __repr__(self) -> str:
        return "REMOVE"


REMOVE: Final[Any] = _Remove()
"""What a property rule returns for a property that must not leave."""


Called = tuple[Any, Any]
"""The `$mcp_parameters` of a failed call, unread, and its tool."""


class View:
    """One event on its way through the rules: the raw event, read only, and the notes that rules leave.

    `findings` is None where nobody reads them (the hook): a rule then only marks itself in `fired`.
    """

    frameless = False
    """Whether an entry of the exception list has no frames."""
    sent: Called | None = None
    """What the failed call sent that an `$exception` belongs to, where its call event was seen."""
    changes = 0
    """How often `note` was called."""
    refused: tuple[str, str] | None = None
    """Code and field of the refusal that the error message printed, once a rule has read it."""

    def __init__(self, event: Event, name: str, properties: dict[str, Any], findings: list[Finding] | None) -> None:
        self.event = event
        self.name = name
        self.properties = properties
        self.findings = findings
        self.fired: set[str] = set()

    def note(self, rule: str, path: str, reason: str) -> None:
        """Say that `rule` took away what is not listed, or not of its kind, at `path`. Never called with a value."""
        self.changes += 1
        self.note_at(rule, path, reason)

    def note_at(self, rule: str, path: str, reason: str) -> None:
        """As `note`, where all was listed and of its kind, and the policy closes it all the same."""
        self.fired.add(rule)
        if self.findings is not None:
            self.findings.append(Finding(rule, path, reason))

    def note_property(self, rule: str, name: Any, reason: str) -> None:
        """As `note`, for a whole property; its path is printed only if somebody reads it."""
        self.fired.add(rule)
        if self.findings is not None:
            self.findings.append(Finding(rule, at_property(name), reason))


PropertyRule = Callable[[Any, View], Any]
"""A property's value in; the value to send, or `REMOVE`, out."""

DropRule = Callable[[View], "str | None"]
"""A reason to drop the event, or None."""
