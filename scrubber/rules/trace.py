"""A cause chain's frames as one line of calls, held against the table of sites."""

from __future__ import annotations

from collections.abc import Sequence

from scrubber.words.chain import CUT_AT, Frame, Link, calls_of, is_posthog, is_sdk
from scrubber.words.sites import (
    FRESH_DISPATCH,
    SAME_DISPATCH,
    SITES,
    THREAD_FRAMES,
    THREAD_HOP,
    TRANSFORM_STEP,
    Call,
    Site,
)


class Trace:
    """A chain's frames as one line of calls, outermost first, and what of it is missing."""

    __slots__ = ("bare", "by_hand", "calls", "cut", "last", "starts")

    def __init__(self, chain: list[Link]) -> None:
        self.calls: list[Call] = []
        self.starts: list[int] = []
        """Where in `calls` a link after the first starts."""
        self.cut = False
        self.bare = not chain[-1].frames
        last: Frame = {}
        marked = False
        for link in chain:
            frames = link.frames
            if not frames:
                continue
            if self.calls:
                self.starts.append(len(self.calls))
            self.calls += calls_of(frames)
            self.cut = self.cut or len(frames) >= CUT_AT
            last = frames[-1]
            marked = marked or ("in_app" in last and "resolved_name" not in last)
        # Only client.capture_exception marks raw frames with in_app, and marks all; the ingestion marks resolved ones.
        self.by_hand = marked
        self.last = last


def walk(calls: Sequence[Call], starts: Sequence[int], bare: bool) -> tuple[Site | None, str | None]:
    """The site in whose terminal the calls end, and what contradicts it."""
    site = _site_of(calls, bare)
    return (site, _contradiction(calls, starts, site)) if site is not None else (None, None)


def _site_of(calls: Sequence[Call], bare: bool) -> Site | None:
    for site in SITES:
        if site.bare_cause is bare and calls and calls[-1] in site.terminal and not site.dispatch.isdisjoint(calls):
            return site
    return None


def _contradiction(calls: Sequence[Call], starts: Sequence[int], site: Site) -> str | None:
    """From the tool's entry on, nothing but the site's own frames, in their order."""
    entries = site.entries
    for entry, call in enumerate(calls):  # noqa: B007
        if call in entries:
            break
    else:
        return "the tool's entry is not in the traceback"
    if entry == 0 or calls[entry - 1] not in site.dispatch:
        return "the tool was not entered from the SDK's dispatch"
    if site.handed_by is not None and (entry < 2 or calls[entry - 2] != site.handed_by):
        return "user code called a tool before this one was entered"
    if _dispatched_by_user_code(calls[:entry]):
        return "user code called a tool before this one was entered"
    found = foreign(calls, starts, site, entry)
    return found[1] if found is not None else None


def foreign(calls: Sequence[Call], starts: Sequence[int], site: Site, entry: int) -> tuple[int, str] | None:
    """The first call behind the tool's entry that has no place there, and why; None where each has one."""
    at_step = -1
    only_transforms = True
    for at in range(entry, len(calls)):
        call = calls[at]
        # The frame that catches and re-raises ends one link and starts the next.
        if at in starts and call == calls[at - 1]:
            continue
        step = _step(site, call)
        if step is None:
            return at, "a frame of other code stands behind the tool's entry: the body was running"
        if step <= at_step and not (call in THREAD_FRAMES or (only_transforms and call in TRANSFORM_STEP)):
            return at, "the SDK's frames come twice or out of order: a second dispatch"
        only_transforms = only_transforms and call in TRANSFORM_STEP
        at_step = step
    return None


def _step(site: Site, call: Call) -> int | None:
    """The place of a call in the site's path; None for one that has none."""
    wanted = THREAD_HOP if call in THREAD_FRAMES else call
    return site.path.index(wanted) if wanted in site.path else None


def _dispatched_by_user_code(calls: Sequence[Call]) -> bool:
    """Whether a tool call starts anew right below a frame of user code.

    Middleware and wrappers pass the call on without that. A mounted server starts anew too, but below the
    SDK's own provider. A server class that overrides `call_tool` stands above the first start only.
    """
    if FRESH_DISPATCH.keys().isdisjoint(calls):
        return False
    seen = False
    for at, call in enumerate(calls):
        first_allowed = FRESH_DISPATCH.get(call)
        if first_allowed is None:
            continue
        if (seen or not first_allowed) and _below_user_code(calls, at):
            return True
        seen = True
    return False


def _below_user_code(calls: Sequence[Call], at: int) -> bool:
    before = at - 1
    while before >= 0 and (calls[before] in SAME_DISPATCH or is_posthog(calls[before])):
        before -= 1
    return before >= 0 and not is_sdk(calls[before])
