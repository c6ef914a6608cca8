"""The report for programs: one JSON object with a versioned schema, written out in docs/audit-report.md.

A field may be added without a new `schema` number; one that is renamed, removed or means something else gets one.
Lists are sorted by name, so that two reports can be compared line by line; files and unreadable records stand in the
order of reading. Counts of 0 are left out of mappings from a name to a count, but not of those by verdict.
"""

from __future__ import annotations

import json
from typing import Any

from scrubber.audit.records import Breach, EventUse, Leak, PropertyUse, Report
from scrubber.audit.rendering.outcome import outcome, reveals, worst
from scrubber.words.verdict import Verdict

SCHEMA = 1


def render_json(report: Report) -> str:
    """The report as JSON: ASCII, keys sorted, two spaces, one newline at the end."""
    return json.dumps(as_dict(report), sort_keys=True, indent=2, default=str) + "\n"


def as_dict(report: Report) -> dict[str, Any]:
    """What `render_json` writes, as plain values."""
    return {
        "schema": SCHEMA,
        "version": report.version,
        "profile": report.profile,
        "settings": report.settings,
        "state": outcome(report).state.value,
        "reveals": reveals(report),
        "totals": {
            "events": report.rows,
            "verdicts": _verdicts(report.verdicts),
            "bytes_in": report.bytes_in,
            "bytes_out": report.bytes_out,
            "unreadable": report.unreadable_count,
        },
        "files": [
            {
                "name": one.name,
                "format": one.format,
                "events": one.rows,
                "unreadable": one.unreadable,
                "broken": one.broken,
            }
            for one in report.files
        ],
        "unreadable": [{"file": one.file, "line": one.line, "reason": one.reason} for one in report.unreadable],
        "events": [_event(one) for one in sorted(report.events, key=lambda one: one.name)],
        "properties": [_property(one) for one in sorted(report.properties, key=lambda one: one.name)],
        "rules": {name: _verdicts(verdicts) for name, verdicts in report.rules.items()},
        "leaving": report.leaving,
        "leaks": [_leak(one) for one in sorted(report.leaks, key=lambda one: (one.path, one.kind.value))],
        "refusals": [
            {"tool": one.tool, "field": one.field, "code": one.code, "count": one.count}
            for one in sorted(report.refusals, key=lambda one: (one.tool, one.field, one.code))
        ],
        "baseline": None if report.baseline is None else [_breach(one) for one in _in_order(report.baseline)],
    }


def _verdicts(verdicts: dict[Verdict, int]) -> dict[str, int]:
    return {verdict.value: verdicts.get(verdict, 0) for verdict in Verdict}


def _event(one: EventUse) -> dict[str, Any]:
    return {
        "name": one.name,
        "count": one.count,
        "verdicts": _verdicts(one.verdicts),
        "bytes_in": one.bytes_in,
        "bytes_out": one.bytes_out,
    }


def _property(one: PropertyUse) -> dict[str, Any]:
    return {
        "name": one.name,
        "count": one.count,
        "worst": worst(one).value,
        "fates": {fate.value: count for fate, count in one.fates.items() if count},
        "events": one.events,
        "rules": one.rules,
        "reasons": one.reasons,
        "kinds": one.kinds,
        "bytes": one.bytes,
        "largest": one.largest,
    }


def _leak(one: Leak) -> dict[str, Any]:
    said: dict[str, Any] = {
        "kind": one.kind.value,
        "finding": one.kind.is_finding,
        "path": one.path,
        "count": one.count,
        "example": one.example,
    }
    return said if one.revealed is None else said | {"revealed": one.revealed}


def _breach(one: Breach) -> dict[str, Any]:
    return {"what": one.what, "name": one.name, "event": one.event, "count": one.count, "kinds": list(one.kinds)}


def _in_order(breaches: list[Breach]) -> list[Breach]:
    return sorted(breaches, key=lambda one: (one.what, one.name, one.event, one.kinds))
