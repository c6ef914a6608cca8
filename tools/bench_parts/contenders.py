"""What is measured: the hook, its peers and the floor. Each is a callable that takes one event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Any

from scrubber import Scrubber, Settings

Call = Callable[[dict[str, Any]], Any]
PACKAGES = ("posthog", "sentry-sdk", "logfire", "pydantic")


@dataclass(frozen=True)
class Contender:
    """`name` heads a column; `ready` gives the callable and is called before each batch, untimed."""

    name: str
    ready: Callable[[], Call]


def sentry() -> Call:
    """sentry-sdk 2.75: `sentry_sdk.scrubber.EventScrubber(recursive=True)`.

    `scrub_event` looks only into the places of a Sentry event (request, extra, frames' vars), which a PostHog event
    does not have; `scrub_dict` is what it calls on each of them, and walks any nesting. It changes its input.
    """
    from sentry_sdk.scrubber import EventScrubber

    return EventScrubber(recursive=True).scrub_dict


def logfire() -> Call:
    """logfire 5.4: `logfire._internal.scrubbing.Scrubber(None).scrub_value(path, value)`.

    The public door is `logfire.configure(scrubbing=ScrubbingOptions(...))`, which scrubs spans; for those, and for
    each value in a message, it builds this class and calls this method. There is no public call for a value alone.
    """
    from logfire._internal.scrubbing import Scrubber as LogfireScrubber

    return partial(LogfireScrubber(None).scrub_value, ())


def clean() -> Call:
    """posthog: `posthog.utils.clean`, which its client runs on every event before the hook and again after it."""
    from posthog.utils import clean as posthog_clean

    call: Call = posthog_clean
    return call


def sanitiser() -> Call:
    """posthog.mcp: `posthog.mcp._sanitization.sanitize_captured_value(value)`.

    posthog.mcp runs `sanitize_event` on its own record of a call before it makes events of it, and no function takes a
    finished event. This is the part that it runs on arguments and on each text: any JSON value in, a new one out.
    """
    from posthog.mcp._sanitization import sanitize_captured_value

    call: Call = sanitize_captured_value
    return call


def floor(event: dict[str, Any]) -> dict[str, Any]:
    """The event with its property dict and its exception list rebuilt, and nothing else: the frames are shared, so
    that it is the least that a hook which does not change its input can cost."""
    properties = {key: value for key, value in event["properties"].items()}  # noqa: C416
    entries = properties.get("$exception_list")
    if entries is not None:
        properties["$exception_list"] = [{key: value for key, value in entry.items()} for entry in entries]  # noqa: C416
    return {**event, "properties": properties}


def by_type(event: dict[str, Any]) -> Any:
    """The first hook that comes to mind: any pydantic ValidationError in the chain is the caller's."""
    entries = event["properties"].get("$exception_list") or []
    return None if any(_get(entry, "type") == "ValidationError" for entry in entries) else event


def by_frames(event: dict[str, Any]) -> Any:
    """The second: an `$exception` without a frame of one's own code is nobody's fault here.

    posthog.mcp marks no frame as `in_app`, so a frame is one's own if its file is in no library folder.
    """
    if event["event"] != "$exception":
        return event
    for entry in event["properties"].get("$exception_list") or []:
        if any(map(_is_own, _get(_get(entry, "stacktrace"), "frames") or [])):
            return event
    return None


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _is_own(frame: Any) -> bool:
    path = _get(frame, "abs_path") or _get(frame, "filename") or ""
    return not ("site-packages" in path or "dist-packages" in path or "/lib/python" in path)


def _kept(call: Call) -> Callable[[], Call]:
    return lambda: call


def contenders() -> list[Contender]:
    """Out: all of them, the hook first. `alone` is the hook that compares no exception with its call; `first sight` is
    the hook with nothing remembered at the start of a batch; `strict` the one with that profile."""
    hooks = [Contender("hook", _kept(Scrubber(Settings())))]
    hooks.append(Contender("alone", _kept(Scrubber(Settings(corroborate=False)))))
    hooks.append(Contender("first sight", lambda: Scrubber(Settings())))
    hooks.append(Contender("strict", _kept(Scrubber(Settings(profile="strict")))))
    return [
        *hooks,
        Contender("Sentry", _kept(sentry())),
        Contender("logfire", _kept(logfire())),
        Contender("sanitiser", _kept(sanitiser())),
        Contender("clean", _kept(clean())),
        Contender("by type", _kept(by_type)),
        Contender("by frames", _kept(by_frames)),
        Contender("floor", _kept(floor)),
    ]


def versions() -> dict[str, str]:
    """Out: the version of each package that takes part."""
    return {name: metadata.version(name) for name in PACKAGES}
