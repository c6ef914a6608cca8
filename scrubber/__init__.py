"""posthog-scrubber: the `before_send` hook that decides what may leave a Python MCP server for PostHog.

from posthog import Posthog
from scrubber import Scrubber
posthog = Posthog(token, before_send=Scrubber())
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrubber.hook import Scrubber
from scrubber.settings import Settings
from scrubber.words.errors import ScrubberError, SettingsError
from scrubber.words.verdict import Decision, Event, Finding, Verdict

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    """`scrubber.before_send`: a hook with the built-in policy, built on first use. A mistake in the environment or
    the file it names is said here, when the hook is set, not when an event arrives."""
    if name == "before_send":
        hook = globals()["before_send"] = Scrubber()
        return hook
    raise AttributeError(f"module 'scrubber' has no attribute {name!r}")
