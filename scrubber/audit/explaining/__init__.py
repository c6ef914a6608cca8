"""One event, explained: what happens to it, and on which evidence."""

from __future__ import annotations

from scrubber.audit.explaining.event import ADDED, DROPPED, explain
from scrubber.audit.explaining.records import Answer, Call, Explanation, Origin

__all__ = ["ADDED", "DROPPED", "Answer", "Call", "Explanation", "Origin", "explain"]
