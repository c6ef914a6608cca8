"""Which property names the policy knows, what became of each, and which names a report may print."""

from __future__ import annotations

import re
from typing import Any

from scrubber.audit.records import Fate
from scrubber.words import kinds
from scrubber.words import properties as listed
from scrubber.words.paths import MASK
from scrubber.words.policy import Policy
from scrubber.words.verdict import Event

_PLAIN = re.compile(r"(?!(?:[^0-9]*[0-9]){5})[A-Za-z0-9_.$/-]{1,64}\Z")
_LISTED = (
    listed.MCP_KNOWN
    | listed.EXCEPTION_KNOWN
    | listed.EXCEPTION_TEXTS_ELSEWHERE
    | frozenset(listed.STRICT_LISTED)
    | {listed.STRICT_GROUPS, listed.ANNOTATION}
    | listed.PERSON_KEYS
)
EVENTS = frozenset(
    f"$mcp_{name}" for name in "initialize tools_list tool_call tool_called unknown_tool resource_read".split()
) | {listed.EXCEPTION_EVENT, "$identify", "$set"}


class Names:
    """The names that one policy knows: its lists, and what the settings name."""

    def __init__(self, policy: Policy) -> None:
        self._known = _LISTED | policy.allow | policy.block | frozenset(policy.values)
        self._known_on = policy.allow_on
        self._events = EVENTS | frozenset(policy.allow_on)

    def known(self, name: Any, event_name: str) -> bool:
        """Whether a list or a setting names the property."""
        if type(name) is not str:
            return False
        if name in self._known or name in self._known_on.get(event_name, ()):
            return True
        if name.startswith("$feature/"):
            return kinds.identifier(name[9:])
        # However it is spelt, it is the one that never leaves.
        return name.strip().lower() == listed.PARAMETERS

    def fates(self, before: Event, after: Event | None) -> dict[str, Fate]:
        """What became of each property of `before`, of which `after` was sent (None: dropped). A key that is no text
        goes by the mask."""
        properties = before.get("properties") if isinstance(before, dict) else None
        if not isinstance(properties, dict):
            return {}
        names = {name: name if type(name) is str else MASK for name in properties}
        if after is None:
            return dict.fromkeys(names.values(), Fate.REMOVED)
        sent = after["properties"]
        event_name = str(before.get("event"))
        return {said: self._fate(name, properties[name], sent, event_name) for name, said in names.items()}

    def _fate(self, name: Any, value: Any, sent: dict[Any, Any], event_name: str) -> Fate:
        if name in sent:
            return Fate.PASSES if sent[name] is value or sent[name] == value else Fate.REDACTED
        return Fate.REMOVED if self.known(name, event_name) else Fate.UNKNOWN

    def shown(self, name: Any, event_name: str = "") -> str:
        """`name` as a report may print it: a key can be content (a mapping keyed by e-mail address), so what no list
        names is printed only if it reads like an identifier."""
        return name if self.known(name, event_name) and name == name.strip() else plain(name)

    def shown_event(self, name: Any) -> str:
        """The same for an event's name, which is a text that anybody may choose."""
        return name if name in self._events else plain(name)


def plain(name: Any) -> str:
    """`name` if it reads like an identifier and like no secret, else the mask."""
    fine = type(name) is str and _PLAIN.match(name) is not None and not kinds.looks_secret(name)
    return name if fine else MASK
