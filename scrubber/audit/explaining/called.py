"""What the comparison of a refusal with its call event came to."""

from __future__ import annotations

from scrubber.audit.explaining.records import Call, Origin
from scrubber.audit.judging import Judged
from scrubber.audit.records import Row
from scrubber.pairing import Pairing
from scrubber.rules.corroboration import arguments_of
from scrubber.rules.drops import CORROBORATION_RULE
from scrubber.words import properties as listed
from scrubber.words.policy import Policy

_KEYS = ("$session_id", "$mcp_conversation_id", listed.TOOL_NAME)


def compare(row: Row, lead: list[Row], policy: Policy, judged: Judged, found: Origin | None) -> tuple[Call, str]:
    """What the comparison with the call event came to."""
    if found is None:
        return Call.NOT_ASKED, ""
    if not policy.corroborate:
        return Call.NOT_ASKED, "the setting corroborate is off"
    if not found.refusal:
        return Call.NOT_ASKED, "nothing was held for a refusal"
    contradicted = next((one.reason for one in judged.findings if one.rule == CORROBORATION_RULE), None)
    if contradicted is not None:
        return Call.CONTRADICTS, contradicted
    pairing = Pairing()
    called = None
    for at, one in enumerate((*lead, row)):
        called = pairing.see(one.event, 0, at / 1024)
    if called is not None:
        if arguments_of(*called) is None:
            return Call.UNSEEN, "the call event holds no readable arguments; the exception's own evidence decided"
        return Call.EXPLAINS, "what the caller sent explains every error"
    return Call.UNSEEN, _why_unseen(row, lead)


def _why_unseen(row: Row, lead: list[Row]) -> str:
    """Why no row above was taken for the exception's call: what the nearest failed call differs in."""
    failed = [one for one in lead if one.event["properties"].get("$mcp_is_error") is True]
    if not failed:
        return "no failed call event stands above it; the exception's own evidence decided"
    nearest = failed[-1].event
    differs = [key for key in ("timestamp", "distinct_id") if nearest.get(key) != row.event.get(key)]
    differs += [key for key in _KEYS if nearest["properties"].get(key) != row.event["properties"].get(key)]
    if listed.PARAMETERS not in nearest["properties"]:
        differs.append(f"{listed.PARAMETERS} (it has none)")
    said = ", ".join(differs) or "what the hook compares"
    return f"the failed call above it is another one, which differs in {said}; the exception's own evidence decided"
