"""What the fittings hand to the words, and what they get back. Pure data; nothing in a `Refusal` is a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scrubber.guard.nodes import Node

MOST_FAULTS = 200
"""Faults of one call that are read; a list of a hundred thousand wrong items has as many."""
TOGETHER = "fit_together"
"""The code of a rule over several arguments that JSON schema declares (`dependentRequired`, `not`, ...)."""


class Fault(NamedTuple):
    """One error of a binder: its code and its location, with client-chosen keys and union labels in it."""

    code: str
    loc: tuple[str | int, ...]


class Call(NamedTuple):
    """A call as the words need it. `unknown`: names in the arguments that are none of `allowed`."""

    tool: str
    schema: Node
    arguments: Mapping[str, Any]
    unknown: Sequence[str] = ()
    allowed: Sequence[str] = ()


class Refusal(NamedTuple):
    """What is said of one refused call. Nothing in it is a value of an argument."""

    tool: str
    text: str
    """The whole reply."""
    code: str
    field: str
    paths: tuple[str, ...]
    """Canonical paths, for the log; `*` for names that no parameter has."""
