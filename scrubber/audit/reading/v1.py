"""Events as `/i/v1/analytics/events` takes them, back to what the hook saw.

posthog lifts some properties out on the way (`posthog.capture_v1`, 7.40 to 7.91.1); `$lib` and `$lib_version`, which
it drops for a header, do not come back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OPTIONS = {
    "cookieless_mode": "$cookieless_mode",
    "disable_skew_correction": "$ignore_sent_at",
    "product_tour_id": "$product_tour_id",
    "process_person_profile": "$process_person_profile",
}
_TOP = {"session_id": "$session_id", "window_id": "$window_id"}
LIFTED = frozenset({"options", *_TOP})
"""The keys beside `properties` that stand for properties."""


def is_v1(record: Mapping[str, Any]) -> bool:
    """Whether a record, or what stands beside its event, has the object that every event of v1 has."""
    return type(record.get("options")) is dict


def restored(properties: dict[str, Any], columns: Mapping[str, Any]) -> dict[str, Any]:
    """The properties with those that were lifted out of them."""
    out = dict(properties)
    for key, name in _TOP.items():
        if key in columns:
            out.setdefault(name, columns[key])
    for key, name in _OPTIONS.items():
        if key in columns["options"]:
            out.setdefault(name, columns["options"][key])
    return out


def lifted(properties: Mapping[str, Any], record: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Properties as v1 has them, and the keys beside them, as the original `record` had them."""
    inside = dict(properties)
    own: Mapping[str, Any] = record.get("properties") or {}
    beside: dict[str, Any] = {"options": {}}
    for key, name in _OPTIONS.items():
        if key in record["options"] and name not in own and name in inside:
            beside["options"][key] = inside.pop(name)
    for key, name in _TOP.items():
        if key in record and name not in own and name in inside:
            beside[key] = inside.pop(name)
    return inside, beside
