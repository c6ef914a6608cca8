"""What an exception list says without its texts: the cause chain, its traceback, and the site in which it ends.

Traces repeat, and all of this follows from names of code alone, so the answer to each is remembered.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from scrubber.rules.trace import Trace, walk
from scrubber.words.chain import PYDANTIC, Link, call_of, frames_of, line_of, links, without_context
from scrubber.words.sites import TRANSFORM_STEP, Site

MALFORMED = "the chain is malformed or its order cannot be told"
OTHER_ROOT = "the chain does not end in a pydantic ValidationError"
BY_HAND = "captured by client.capture_exception (frames carry in_app)"
NO_SITE = "the innermost frame is no site of argument validation"


class Structure(NamedTuple):
    """The structure of an exception list, and what in it contradicts a refusal of arguments."""

    refuted: str | None
    """Why the chain cannot be read, or is another type's."""
    order: tuple[int, ...] = ()
    """The places of the links in the list, from the outermost to the root. What is left out was being handled when the
    root was raised."""
    site: Site | None = None
    broken: str | None = None
    """Why the traceback is not that of a refusal of arguments."""
    weak: bool = False
    """Whether part of the traceback is missing: its source line, or frames that were cut out."""
    transformed: bool = False
    """Whether the traceback passes fastmcp's transformation of tools."""


def structure(exception_list: list[Any], lib_version: Any) -> Structure:
    """The structure of an event's `$exception_list`, from memory where its trace was seen before.

    lib_version: the event's `$lib_version`, which tells the order of a chain without ids.
    """
    try:
        return _remembered(_bones(exception_list), lib_version)
    except Exception:
        # Another shape than posthog's own, or a name that is no text: looked at as it is, and not remembered.
        return look(exception_list, lib_version)


def look(exception_list: Any, lib_version: Any) -> Structure:
    """The structure, looked at anew."""
    whole = links(exception_list, lib_version)
    if whole is None:
        return Structure(MALFORMED)
    chain = without_context(whole)
    root = chain[-1]
    if root.name != PYDANTIC:
        return Structure(OTHER_ROOT)
    return _at_site(chain, Structure(None, tuple(link.place for link in chain)))


def _at_site(chain: list[Link], found: Structure) -> Structure:
    trace = Trace(chain)
    if trace.by_hand:
        return found._replace(broken=BY_HAND)
    try:
        site, problem = walk(trace.calls, trace.starts, trace.bare)
        transformed = not TRANSFORM_STEP.isdisjoint(trace.calls)
    except Exception:
        # A module or function that is no text, and cannot even be looked up.
        return Structure(MALFORMED)
    if site is None:
        return found._replace(broken=NO_SITE)
    broken = problem or _outer_links(chain, site) or _innermost_frame(trace, site)
    weak = trace.cut or (site.line is not None and line_of(trace.last) is None)
    return found._replace(site=site, broken=broken, weak=weak, transformed=transformed)


def _outer_links(chain: list[Link], site: Site) -> str | None:
    """Every link above the root must be the SDK's own wrapper, raised from the one below."""
    for at, link in enumerate(chain):
        if at and link.source not in (None, "cause"):
            return "a link is a context or a group member, not a cause"
        if at < len(chain) - 1 and link.name not in site.outer:
            return "a link above the root is not the SDK's wrapper for refused arguments"
    return None


def _innermost_frame(trace: Trace, site: Site) -> str | None:
    """The innermost frame must be the SDK's own file: generated code can give itself any module's name. And where one
    function both validates and calls the tool, only the source line tells which it was doing."""
    module, _ = call_of(trace.last)
    file = trace.last.get("filename") or trace.last.get("source")
    own = (module or "").replace(".", "/") + ".py"
    if type(file) is not str or not file.replace("\\", "/").endswith(own):
        return "the innermost frame is not in the SDK's file"
    line = line_of(trace.last)
    if site.line is not None and line is not None and site.line not in line:
        return "the innermost line calls the tool"
    return None


_Bone = tuple[Any, ...]
"""Of an entry what its structure follows from: names (module, type, the mechanism's source and ids, the last frame's
file and source line), the modules of its frames, their functions, and whether the last one carries `in_app` as raw
frames do."""

_MODULE = itemgetter("module")
_FUNCTION = itemgetter("function")
"""Of a raw frame; both raise `KeyError` on one that PostHog has resolved."""

_PLAIN = frozenset({str, int, type(None)})
_NO_MECHANISM: dict[str, Any] = {}
_MOST_CALLS = 200
_LONGEST_LINE = 1_000


def _bones(exception_list: list[Any]) -> tuple[_Bone, ...]:
    """An exception list without its texts, as a key. Raises where a part is not of the kind that posthog writes, or too
    large to remember."""
    found = []
    most = _MOST_CALLS
    for entry in exception_list:
        frames = frames_of(entry) if type(entry) is dict else None
        if frames is None:
            raise TypeError
        modules, functions = tuple(map(_MODULE, frames)), tuple(map(_FUNCTION, frames))
        file = line = None
        marked = False
        if frames:
            last = frames[-1]
            file = last.get("filename") or last.get("source")
            line = last.get("context_line")
            marked = "in_app" in last
            most -= len(frames)
            if most < 0 or "resolved_name" in last or (type(line) is str and len(line) > _LONGEST_LINE):
                raise ValueError
        get = entry.get
        mechanism = get("mechanism")
        of_mechanism = (mechanism if type(mechanism) is dict else _NO_MECHANISM).get
        ids = (of_mechanism("exception_id"), of_mechanism("parent_id"))
        names = (get("module"), get("type"), of_mechanism("source"), *ids, file, line)
        if not _PLAIN.issuperset(map(type, names)):
            # Something may equal a name and be none: memory would know it, and a look would not.
            raise TypeError
        found.append((names, modules, functions, marked))
    return tuple(found)


def _entry(bone: _Bone) -> dict[str, Any]:
    """An entry of which nothing is left but its bone."""
    (module, type_, source, number, parent, file, line), modules, functions, marked = bone
    pairs = zip(modules, functions, strict=True)
    frames: list[dict[str, Any]] = [{"module": one, "function": function} for one, function in pairs]
    if frames:
        frames[-1] |= {"filename": file, "context_line": line, **({"in_app": True} if marked else {})}
    mechanism = {"source": source, "exception_id": number, "parent_id": parent}
    return {"module": module, "type": type_, "mechanism": mechanism, "stacktrace": {"frames": frames}}


@lru_cache(maxsize=512)
def _remembered(bones: tuple[_Bone, ...], lib_version: Any) -> Structure:
    """The structure of what the bones are of. It remembers names of code and source lines, nothing else."""
    return look([_entry(bone) for bone in bones], lib_version)
