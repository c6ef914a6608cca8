"""What the doctor provokes: a good call, every kind of refused argument, and the faults that only look like one."""

from __future__ import annotations

from scrubber.doctor.provocations import arguments, faults, lookalikes
from scrubber.doctor.provocations.base import DROPPED, KEPT, Bench, Provocation, Request, expected_of

__all__ = ["ALL", "DROPPED", "KEPT", "Bench", "Provocation", "Request", "expected_of"]

ALL: tuple[Provocation, ...] = (*arguments.ALL, *faults.ALL, *lookalikes.ALL)
"""In the order of the table."""
