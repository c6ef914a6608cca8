"""The links of a cause chain and their frames, each with what it is to the judgement of the origin."""

from __future__ import annotations

from collections.abc import Sequence

from scrubber.audit.explaining.records import FrameSaid, LinkSaid
from scrubber.audit.names import plain
from scrubber.rules.trace import Trace, foreign, walk
from scrubber.words.chain import Frame, Link, call_of, is_sdk, line_of, without_context
from scrubber.words.paths import MASK
from scrubber.words.sites import FRESH_DISPATCH, SITES, THREAD_FRAMES, Call, Site


def walked(trace: Trace) -> tuple[Site | None, str | None]:
    """The site in which the traceback ends and what contradicts it, as the engine finds them."""
    try:
        return walk(trace.calls, trace.starts, trace.bare)
    except TypeError:
        return None, None


def links_of(chain: list[Link]) -> list[LinkSaid]:
    """Every link of a chain, outermost first, with its frames."""
    kept = without_context(chain)
    trace = Trace(kept)
    site, problem = walked(trace)
    # Read one by one: the engine's own list may hold what is no text, and then finds no site.
    calls = [call_of(frame) for link in kept for frame in link.frames]
    broken = _break(calls, trace.starts, site, problem)
    roles = _roles(calls, site, broken[0])
    said = []
    before = 0
    for at, link in enumerate(chain):
        inside = at < len(kept)
        frames = []
        for frame in link.frames:
            role = roles[before] if inside else _owner(call_of(frame))
            frames.append(_frame(frame, role, broken[1] if inside and broken[0] == before else ""))
            before += inside
        said.append(LinkSaid(type_shown(link), _relation(at, link, inside), tuple(frames), link.value))
    return said


def _frame(frame: Frame, role: str, breaks: str) -> FrameSaid:
    line = frame.get("lineno", frame.get("line"))
    return FrameSaid(call_shown(call_of(frame)), line if type(line) is int else None, role, breaks, line_of(frame))


def _relation(at: int, link: Link, inside: bool) -> str:
    if not at:
        return "the outermost"
    if not inside:
        return "was being handled meanwhile: no cause"
    return {"cause": "raised from", None: "its cause, as far as the version tells", "context": "while handling"}.get(
        link.source, "a member of a group"
    )


def _roles(calls: Sequence[Call], site: Site | None, broken: int | None) -> list[str]:
    """What each frame is. Behind the one that contradicts a refusal, nothing is on the way to a site any more."""
    entry = _entry(calls, site) if site is not None else None
    roles = []
    for at, call in enumerate(calls):
        role = _owner(call)
        if site is None or entry is None or at < entry - 1:
            role = "SDK, call start" if call in FRESH_DISPATCH else role
        elif at == entry - 1:
            role = "SDK, dispatch" if call in site.dispatch else role
        elif at == len(calls) - 1:
            role = "validation site"
        elif call in site.path and (broken is None or at < broken or broken < entry):
            role = "SDK, tool entry" if at == entry else "SDK, toward the site"
        roles.append(role)
    return roles


def _owner(call: Call) -> str:
    if call in THREAD_FRAMES:
        return "thread hop"
    if is_sdk(call):
        return "posthog" if str(call[0]).startswith("posthog") else "SDK"
    return "pydantic" if str(call[0]).partition(".")[0] in ("pydantic", "pydantic_core") else "other code"


def _entry(calls: Sequence[Call], site: Site) -> int | None:
    return next((at for at, call in enumerate(calls) if call in site.entries), None)


def _break(
    calls: Sequence[Call], starts: Sequence[int], site: Site | None, problem: str | None
) -> tuple[int | None, str]:
    """The frame that contradicts a refusal, by its place in the whole traceback, and why."""
    if not calls:
        return None, ""
    if site is None:
        terminal = any(calls[-1] in one.terminal for one in SITES)
        return len(calls) - 1, "no SDK dispatched a tool above it" if terminal else "no site of argument validation"
    if problem is None:
        return None, ""
    entry = _entry(calls, site)
    if entry is None or problem.startswith("the tool"):
        return max((entry or 0) - 1, 0), problem
    if problem.startswith("user code"):
        started = [at for at in range(entry) if calls[at] in FRESH_DISPATCH]
        return (started[-1] if started else entry - 2 if entry > 1 else 0), problem
    found = foreign(calls, starts, site, entry)
    return (found[0] if found is not None else None), problem


def type_shown(link: Link) -> str:
    """A link's type as it may be printed."""
    name = plain(link.type) if link.type is not None else "Error"
    return f"{plain(link.module)}.{name}" if link.module else name


_PYTHONS = frozenset({"<module>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"})
"""Names that Python gives to code without one."""


def call_shown(call: Call) -> str:
    """A frame's module and function as they may be printed."""
    module, function = call
    said = function if function in _PYTHONS else plain(function)
    return f"{plain(module) if module is not None else MASK}:{said}"
