"""The test kit: hold the promises in your own test-suite.

`assert_nothing_leaves` and `find_leaks` search events for what must not leave; `open_wire` is a real posthog client
whose wire ends here; `leak_check` plays every tool of a server with canaries; `assert_baseline` compares what leaves
with a file. `scrubber.testing.plugin` gives pytest the fixtures, `scrubber.testing.strategies` gives hypothesis events.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrubber.testing.baseline import assert_baseline
    from scrubber.testing.errors import TestingError
    from scrubber.testing.leaks import LeakError, leak_check, leak_check_async
    from scrubber.testing.report import LeakReport
    from scrubber.testing.search import Place, assert_nothing_leaves, find_leaks
    from scrubber.testing.wire import Wire, open_wire

__all__ = [
    "LeakError",
    "LeakReport",
    "Place",
    "TestingError",
    "Wire",
    "assert_baseline",
    "assert_nothing_leaves",
    "find_leaks",
    "leak_check",
    "leak_check_async",
    "open_wire",
]

# Loaded when asked for, because pytest imports this package in every run where it is installed.
_HOMES = {
    "LeakError": "scrubber.testing.leaks",
    "LeakReport": "scrubber.testing.report",
    "Place": "scrubber.testing.search",
    "TestingError": "scrubber.testing.errors",
    "Wire": "scrubber.testing.wire",
    "assert_baseline": "scrubber.testing.baseline",
    "assert_nothing_leaves": "scrubber.testing.search",
    "find_leaks": "scrubber.testing.search",
    "leak_check": "scrubber.testing.leaks",
    "leak_check_async": "scrubber.testing.leaks",
    "open_wire": "scrubber.testing.wire",
}


def __getattr__(name: str) -> Any:
    """The names of `__all__`, each from the module that has it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'scrubber.testing' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
