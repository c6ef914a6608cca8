"""A policy: settings reduced to what the rules read. Immutable, plain types, built once per hook."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

KEEP, SHAPE, REMOVE_TEXT = "keep", "shape", "remove"


@dataclass(frozen=True, slots=True)
class Policy:
    """What a hook does; the meaning of each field is in `scrubber.settings.Settings`."""

    strict: bool = False
    drop_argument_rejections: bool = True
    corroborate: bool = True
    expected_exceptions: frozenset[str] = frozenset()
    drop_refusals: bool = False
    error_messages: dict[str, str] = field(default_factory=lambda: {"ValidationError": KEEP})
    allow: frozenset[str] = frozenset()
    allow_on: dict[str, frozenset[str]] = field(default_factory=dict)
    block: frozenset[str] = frozenset()
    values: dict[str, frozenset[tuple[type, Any]]] = field(default_factory=dict)
    source_lines: bool = True
    full_paths: bool = True
    placeholder: str = "[redacted]"
    annotate: bool = False
