"""The scenarios, by job. Importing this package fills the registry.

In:  nothing.
Out: `scenarios_for(family)`, the scenarios of a family in the order of declaration.
"""

from __future__ import annotations

from ..model import REGISTRY, Scenario
from . import (
    bad_arguments,
    body_faults,
    concurrent,
    deep_faults,
    defaults,
    generated_code,
    hostile_text,
    low_level,
    middleware,
    nested_calls,
    results,
    standalone,
    surfaces,
    transforms,
    validators,
    wrappers,
)

__all__ = [
    "bad_arguments",
    "body_faults",
    "concurrent",
    "deep_faults",
    "defaults",
    "generated_code",
    "hostile_text",
    "low_level",
    "middleware",
    "nested_calls",
    "results",
    "scenarios_for",
    "standalone",
    "surfaces",
    "transforms",
    "validators",
    "wrappers",
]


def scenarios_for(family: str) -> list[Scenario]:
    """In: a family's name. Out: the scenarios that apply to it."""
    return [scenario for scenario in REGISTRY.values() if family in scenario.families]
