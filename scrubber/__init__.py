"""posthog-scrubber: the `before_send` hook that decides what may leave a Python MCP server for PostHog.

from posthog import Posthog
from scrubber import Scrubber
posthog = Posthog(token, before_send=Scrubber())
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrubber.hook import Scrubber
    from scrubber.settings import Settings
    from scrubber.words.errors import ScrubberError, SettingsError
    from scrubber.words.verdict import Decision, Event, Finding, Verdict

    before_send: Scrubber

__version__ = "0.1.0"
__all__ = [
    "Decision",
    "Event",
    "Finding",
    "Scrubber",
    "ScrubberError",
    "Settings",
    "SettingsError",
    "Verdict",
    "before_send",
]

# Loaded when they are asked for: every pytest run of a project that has this package installed imports it, to find
# the test kit's plugin, and most of them want nothing of it. pydantic alone takes a third of a second.
_HOMES = {
    "Decision": "scrubber.words.verdict",
    "Event": "scrubber.words.verdict",
    "Finding": "scrubber.words.verdict",
    "Scrubber": "scrubber.hook",
    "ScrubberError": "scrubber.words.errors",
    "Settings": "scrubber.settings",
    "SettingsError": "scrubber.words.errors",
    "Verdict": "scrubber.words.verdict",
}


def __getattr__(name: str) -> Any:
    """The names of `__all__`, each from the module that has it.

    `scrubber.before_send` is a hook with the built-in policy, built on first use. A mistake in the environment or the
    file it names is said here, when the hook is set, not when an event arrives.
    """
    if name == "before_send":
        found: Any = import_module("scrubber.hook").Scrubber()
    elif name in _HOMES:
        found = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'scrubber' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
