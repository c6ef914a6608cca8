"""Properties that the installed SDK can emit, or was seen to emit, and the policy does not know."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from scrubber.doctor.records import Level, Remark
from scrubber.words import properties as listed
from scrubber.words.paths import shown

_CLOSED_PREFIXES = ("$mcp_", "$exception_")
_KNOWN = (
    listed.MCP_KNOWN
    | listed.EXCEPTION_KNOWN
    | frozenset(listed.STRICT_LISTED)
    | listed.PERSON_KEYS
    | {listed.STRICT_GROUPS, listed.ANNOTATION}
)


def declared(watcher: str) -> set[str] | None:
    """The property names in the constants of a posthog package's `.mcp`; None where it has no such constants."""
    try:
        constants = import_module(f"{watcher}.mcp.constants").PostHogMCPAnalyticsProperty
    except (ImportError, AttributeError):
        return None
    return {value for value in vars(constants).values() if isinstance(value, str) and value.startswith("$")}


def unlisted(names: Iterable[str]) -> list[str]:
    """The SDK's names among `names` that the policy does not list, in order."""
    return sorted(name for name in names if name.startswith("$") and name not in _KNOWN)


def compare(watcher: str, seen: Iterable[str], strict: bool) -> list[Remark]:
    """Remarks on every unlisted property. They are notes: what is closed cannot leak, and what is not is yours to
    close by the strict profile."""
    can_emit = declared(watcher)
    remarks = []
    if can_emit is None:
        text = f"{watcher}.mcp has no list of its properties to compare with the policy's"
        remarks.append(Remark(Level.NOTE, watcher, text))
    emits = set(unlisted(can_emit or ()))
    sends = set(unlisted(seen))
    for name in sorted(emits | sends):
        how = "was seen on an event" if name in sends else "can be emitted"
        if strict or name.startswith(_CLOSED_PREFIXES):
            what, advice = "it is closed", "allow it by name if you need it"
        else:
            what, advice = "it passes in the standard profile", "block it by name if it must not"
        remarks.append(Remark(Level.NOTE, watcher, f"{_printed(name)} {how} and no list has it: {what}", advice))
    return remarks


def _printed(name: str) -> str:
    """A name of the SDK's; one that does not read like code may be content and is masked."""
    return "a property" if shown(name) != name else name
