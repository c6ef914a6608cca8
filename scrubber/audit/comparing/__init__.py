"""What changes between two policies over the same recorded events: verdicts, and what leaves."""

from __future__ import annotations

from scrubber.audit.comparing.comparer import Comparer, compare, differences
from scrubber.audit.comparing.records import Comparison, Direction, FateChange, SettingChange, VerdictChange

__all__ = [
    "Comparer",
    "Comparison",
    "Direction",
    "FateChange",
    "SettingChange",
    "VerdictChange",
    "compare",
    "differences",
]
