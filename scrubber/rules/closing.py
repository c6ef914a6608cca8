"""Which rule a property name falls under: the closed list, turned into one look-up per name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from scrubber.rules import grouping, mcp
from scrubber.rules.base import REMOVE, PropertyRule, View
from scrubber.rules.error_message import ErrorMessageRule
from scrubber.rules.exceptions import ExceptionRule
from scrubber.rules.frame_paths import relative
from scrubber.rules.frames import RULE as EXCEPTION_RULE
from scrubber.rules.nested import close, groups
from scrubber.words import kinds
from scrubber.words import properties as listed
from scrubber.words.kinds import Kind, Remembering
from scrubber.words.policy import Policy

STRICT_RULE = "strict"
VALUES_RULE = "values"
BLOCK_RULE = "block"
NESTED_RULE = "nested"


class Mode(IntEnum):
    """How a property is handled: as it is, by its kind, by a rule, not at all, or by its kind with a memory."""

    OPEN = 0
    KIND = 1
    RULE = 2
    CLOSED = 3
    KNOWN_TEXT = 4


@dataclass(frozen=True, slots=True)
class Handling:
    """What happens to one property. `reason` is for what is removed."""

    mode: Mode
    rule: str
    reason: str
    check: Any = None


class Closing:
    """Resolves names under one policy. `resolve` is called once per name and event name, then remembered."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._exception = ExceptionRule(policy)
        self._message = ErrorMessageRule(policy)
        self._remembered: dict[Kind, Remembering] = {}

    def resolve(self, name: Any, event_name: str) -> Handling:
        """The handling of property `name` on events called `event_name`."""
        policy = self._policy
        if type(name) is not str:
            return Handling(Mode.CLOSED, STRICT_RULE, "a key that is no text")
        # First of all, before anything that a setting can say.
        plain = name.strip().lower()
        if plain == listed.PARAMETERS:
            return Handling(Mode.CLOSED, mcp.PARAMETERS_RULE, mcp.PARAMETERS_REASON)
        if plain != name and (plain.startswith(("$mcp_", "$exception_")) or plain in listed.EXCEPTION_TEXTS_ELSEWHERE):
            return Handling(Mode.CLOSED, mcp.CLOSED_RULE, "an SDK's name, spelt as the SDK does not")
        if name in policy.block:
            return Handling(Mode.CLOSED, BLOCK_RULE, "blocked by a setting")
        fixed = self._fixed(name)
        if fixed is not None:
            return fixed
        if name in policy.values:
            return Handling(
                Mode.KIND, VALUES_RULE, "not among the values the settings list", _one_of(policy.values[name])
            )
        if name in policy.allow or name in policy.allow_on.get(event_name, ()):
            return Handling(Mode.OPEN, NESTED_RULE, "")
        if name.startswith("$mcp_"):
            return self._mcp(name)
        if name in listed.EXCEPTION_TEXTS_ELSEWHERE:
            return Handling(Mode.CLOSED, EXCEPTION_RULE, "the text of an exception is content")
        by_kind = self._exception_by_kind(name)
        if by_kind is not None:
            return by_kind
        return self._strict(name) if policy.strict else Handling(Mode.OPEN, NESTED_RULE, "")

    def _kind(self, kind: Kind, rule: str, reason: str) -> Handling:
        if kind in _NOT_REMEMBERED:
            return Handling(Mode.KIND, rule, reason, kind)
        return Handling(Mode.KNOWN_TEXT, rule, reason, self._remembering(kind))

    def _remembering(self, kind: Kind) -> Remembering:
        return self._remembered.setdefault(kind, Remembering(kind))

    def lets(self, name: str, value: Any) -> bool:
        """Whether a property that a rule made may leave with `value`, as far as the settings say."""
        policy = self._policy
        if name in policy.block:
            return False
        return name not in policy.values or (type(value), value) in policy.values[name]

    def _fixed(self, name: str) -> Handling | None:
        """The handling of a property that has a rule of its own, which no setting but `block` changes."""
        if name == listed.ERROR_MESSAGE:
            return Handling(Mode.RULE, "error_message", "", self._message)
        if name == listed.EXCEPTION_LIST:
            return Handling(Mode.RULE, EXCEPTION_RULE, "", self._exception)
        if name == listed.FINGERPRINT:
            return Handling(Mode.RULE, grouping.RULE, "", grouping.users_own)
        by_kind = name in listed.EXCEPTION_LISTED or name in listed.EXCEPTION_NAME_LISTS
        if name.startswith("$exception_") and not by_kind:
            return Handling(Mode.CLOSED, EXCEPTION_RULE, "a copy of an exception's text, or not listed")
        return None

    def _exception_by_kind(self, name: str) -> Handling | None:
        if name in listed.EXCEPTION_LISTED:
            return self._kind(listed.EXCEPTION_LISTED[name], EXCEPTION_RULE, mcp.WRONG_KIND)
        if name in listed.EXCEPTION_NAME_LISTS:
            return Handling(Mode.RULE, EXCEPTION_RULE, "", self._names(name, listed.EXCEPTION_NAME_LISTS[name]))
        return None

    def _names(self, name: str, kind: Kind) -> PropertyRule:
        check: PropertyRule = mcp.flat_copy(name, kind, EXCEPTION_RULE)
        if name != "$exception_sources" or self._policy.full_paths:
            return check

        def shrunk(value: Any, view: View) -> Any:
            kept = check(value, view)
            if kept is REMOVE:
                return REMOVE
            out = [relative(item, None) if type(item) is str else None for item in kept]
            if out != kept:
                view.note_property(EXCEPTION_RULE, name, "shrunk to the package's part")
            return out

        return shrunk

    def _mcp(self, name: str) -> Handling:
        if name in listed.MCP_LISTED:
            return self._kind(listed.MCP_LISTED[name], mcp.CLOSED_RULE, mcp.WRONG_KIND)
        if name in listed.MCP_NAME_LISTS:
            kind = self._remembering(listed.MCP_NAME_LISTS[name])
            return Handling(Mode.RULE, mcp.CLOSED_RULE, "", mcp.name_list(name, kind))
        if name == listed.RESOURCE_NAME:
            return Handling(Mode.RULE, mcp.CLOSED_RULE, "", mcp.resource_name(self._remembering(kinds.tool), self.lets))
        return Handling(Mode.CLOSED, mcp.CLOSED_RULE, mcp.CLOSED if name in listed.MCP_CLOSED else mcp.UNLISTED)

    def _strict(self, name: str) -> Handling:
        if name == listed.STRICT_GROUPS:
            return Handling(Mode.RULE, STRICT_RULE, "", _strict_groups)
        if name in listed.STRICT_LISTED:
            return self._kind(listed.STRICT_LISTED[name], STRICT_RULE, mcp.WRONG_KIND)
        if name == listed.ANNOTATION:
            return Handling(Mode.KIND, STRICT_RULE, mcp.WRONG_KIND, _annotation)
        if name.startswith("$feature/") and kinds.identifier(name[9:]):
            return Handling(Mode.KIND, STRICT_RULE, mcp.WRONG_KIND, kinds.either(kinds.flag, kinds.name))
        return Handling(Mode.CLOSED, STRICT_RULE, "not listed, and the strict profile closes what is not")

    def top_level(self, key: str, value: Any, event_name: str) -> tuple[Any, bool]:
        """The value of a top-level key other than `properties`, or `REMOVE`, and whether it changed."""
        policy = self._policy
        if key in listed.TOP_LEVEL:
            # Containers have no place here; a datetime or a UUID has (posthog.mcp hands over datetimes).
            return (REMOVE, True) if isinstance(value, _CONTAINERS) else (value, False)
        plain = key.strip().lower()
        closed = plain.startswith(("$mcp_", "$exception")) or plain in listed.EXCEPTION_TEXTS_ELSEWHERE
        if closed or key in policy.block:
            return REMOVE, True
        if policy.strict and key not in policy.allow and key not in policy.allow_on.get(event_name, ()):
            return REMOVE, True
        return close(value)


_CONTAINERS = (Mapping, list, tuple, set, frozenset, bytes, bytearray)


def _strict_groups(value: Any, view: View) -> Any:
    kept = groups(value)
    if kept is REMOVE or kept != value:
        view.note_property(STRICT_RULE, listed.STRICT_GROUPS, mcp.WRONG_KIND)
    return kept


def _annotation(value: Any) -> bool:
    return type(value) is list and len(value) <= 256 and all(item == "*" or kinds.identifier(item) for item in value)


def _one_of(allowed: frozenset[tuple[type, Any]]) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        # Typed, because to Python True is 1 and 1 is 1.0.
        return kinds.scalar(value) and (type(value), value) in allowed

    return check


_NOT_REMEMBERED = frozenset({kinds.flag, kinds.number, kinds.names, kinds.identity, kinds.minted_id})
