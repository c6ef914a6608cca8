"""What the stand-in answers, by path: as PostHog would where nothing is set up, so that an SDK goes on its way.

Paths and shapes are those of posthog 7.21 to 7.91.1 (`posthog.request`, `posthog.client`, `posthog.capture_v1`,
`posthog.tracing`, `posthog.metrics_capture`, `posthog.ai.otel`), and the ones of posthog-js that cost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from scrubber.audit.listening.bodies import V1_PATH
from scrubber.audit.names import plain

EVENT_PATHS = frozenset({"/batch", "/capture", "/e", "/track", "/i/v0/e", "/i/v0/ai/batch", V1_PATH})
"""Where events come in; with or without a slash at the end."""

_FLAGS = {
    "flags": {},
    "featureFlags": {},
    "featureFlagPayloads": {},
    "errorsWhileComputingFlags": False,
    "requestId": "00000000-0000-0000-0000-000000000000",
}
_DEFINITIONS: dict[str, Any] = {"flags": [], "group_type_mapping": {}, "cohorts": {}}
_JS_CONFIG = {"supportedCompression": ["gzip", "gzip-js"], "hasFeatureFlags": False, "sessionRecording": False}

FLAGS_NOTE = "no flags are set here; before_send does not see what is asked with"
SIGNALS_NOTE = "taken and not judged; these are no events, and before_send does not see them"

_OTHERS: tuple[tuple[str, Any, str], ...] = (
    ("/flags", _FLAGS, FLAGS_NOTE),
    ("/decide", _FLAGS, FLAGS_NOTE),
    ("/flags/definitions", _DEFINITIONS, FLAGS_NOTE),
    ("/api/feature_flag/local_evaluation", _DEFINITIONS, FLAGS_NOTE),
    ("/api/projects/*/feature_flags/*/remote_config", None, FLAGS_NOTE),
    ("/array/*/config", _JS_CONFIG, ""),
    ("/i/v1/traces", {}, SIGNALS_NOTE),
    ("/i/v1/metrics", {}, SIGNALS_NOTE),
    ("/i/v1/logs", {}, SIGNALS_NOTE),
    ("/i/v0/ai/otel", {}, SIGNALS_NOTE),
    ("/s", {"status": 1}, SIGNALS_NOTE),
)
_PATTERNS = tuple(
    (re.compile(re.escape(path).replace(r"\*", "[^/]+")), path, answer, note) for path, answer, note in _OTHERS
)

UNKNOWN_NOTE = "no path of PostHog's that is known here; answered 404"
UNKNOWN: dict[str, Any] = {"type": "invalid_request", "code": "not_found", "detail": "Not found.", "attr": None}


def to_events(path: str, uuids: Sequence[str]) -> dict[str, Any]:
    """The answer to a request with events: capture mode v1 wants a result for each."""
    if path.rstrip("/") == V1_PATH:
        return {"results": {uuid: {"result": "ok"} for uuid in uuids}}
    return {"status": 1}


def to_other(path: str) -> tuple[str, Any, str] | None:
    """For another path that PostHog has: how it is printed, the answer, and what to say of it (empty: nothing).
    None for a path that it has not."""
    bare = path.rstrip("/")
    for pattern, printed, answer, note in _PATTERNS:
        if pattern.fullmatch(bare):
            return printed, answer, note
    return None


def printed(path: str) -> str:
    """An unknown path as it may be shown: each part only where it reads like a name."""
    parts = [plain(part) for part in path.strip("/").split("/")[:8]]
    return "/" + "/".join(parts) if path.strip("/") else "/"
