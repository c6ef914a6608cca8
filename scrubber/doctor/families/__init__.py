"""One thin adapter for each MCP SDK a server can be written with, and which of them are installed."""

from __future__ import annotations

from scrubber.doctor.families.base import Family, found
from scrubber.doctor.families.mcp1 import Mcp1
from scrubber.doctor.families.mcp2 import Mcp2
from scrubber.doctor.families.standalone import Standalone
from scrubber.doctor.records import Presence

__all__ = ["ALL", "Family", "look"]

ALL: tuple[Family, ...] = (Mcp1(), Mcp2(), Standalone("2"), Standalone("3"), Standalone("4"))


def look() -> list[tuple[Family, Presence]]:
    """Every family, with what is installed of it."""
    return [(family, found(family.title, family.package, family.module, family.major)) for family in ALL]
