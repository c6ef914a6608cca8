"""Reading `$exception_list` as a cause chain, from any SDK version, raw or resolved, without trusting its shape."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from scrubber.words import message
from scrubber.words.sites import Call

Frame = dict[str, Any]

PYDANTIC = ("pydantic_core._pydantic_core", "ValidationError")
CUT_AT = 50
"""posthog.mcp keeps the first and last 25 frames of an entry (`_truncation`): one with this many may have a hole."""

_SDK_ROOTS = frozenset({"mcp", "fastmcp", "posthog", "posthoganalytics"})
_DICT = frozenset({dict})
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})\.")
_OUTERMOST_FIRST = (7, 31)


class Link(NamedTuple):
    """One entry of the chain. `frames` is empty where the entry has none; `place` is the entry's in the list."""

    module: str | None
    type: str | None
    value: str | None
    source: str | None
    frames: Sequence[Frame]
    place: int = 0

    @property
    def name(self) -> tuple[str | None, str | None]:
        """Module and type."""
        return (self.module, self.type)


_RAW_CALL = itemgetter("module", "function")


def call_of(frame: Frame) -> Call:
    """Module and function of a raw frame or of a resolved one (PostHog's exports name the function differently)."""
    get = frame.get
    function = get("function") or get("resolved_name") or get("mangled_name")
    module = get("module")
    return (module if type(module) is str else None, function if type(function) is str else None)


def calls_of(frames: Sequence[Frame]) -> list[Call]:
    """The calls of an entry's frames. Not checked to be texts: what is none equals no call of an SDK."""
    try:
        return list(map(_RAW_CALL, frames))
    except KeyError:
        return list(map(call_of, frames))


def line_of(frame: Frame) -> str | None:
    """The frame's source line; None where no source was installed and in every export."""
    line = frame.get("context_line")
    return line if type(line) is str else None


def is_sdk(call: Call) -> bool:
    """Whether a call belongs to an MCP SDK or to posthog, by its module's root, whole."""
    module = call[0]
    return type(module) is str and module.split(".", 1)[0] in _SDK_ROOTS


def is_posthog(call: Call) -> bool:
    """Whether a call belongs to posthog's own wrappers, under either of its names."""
    module = call[0]
    return type(module) is str and module.split(".", 1)[0] in ("posthog", "posthoganalytics")


def frames_of(entry: dict[str, Any]) -> Sequence[Frame] | None:
    """The frames, outermost first; () where the entry says it has none, None where what stands there is malformed."""
    stack = entry.get("stacktrace")
    if stack is None:
        return ()
    frames = stack.get("frames", ()) if type(stack) is dict else None
    if type(frames) is list:
        return frames if _DICT.issuperset(map(type, frames)) else None
    return () if frames == () or (frames is None and type(stack) is dict) else None


def is_pydantic(entry: Any) -> bool:
    """Whether an entry is pydantic's ValidationError, by module and type."""
    return type(entry) is dict and entry.get("type") == PYDANTIC[1] and entry.get("module") == PYDANTIC[0]


def links(exception_list: Any, lib_version: Any = None) -> list[Link] | None:
    """The chain, outermost first, or None where it is malformed or its order cannot be told.

    lib_version: the event's `$lib_version`; without ids only the version tells the order (root first up to 7.30).
    """
    if type(exception_list) is not list or not 0 < len(exception_list) <= CUT_AT:
        return None
    if set(map(type, exception_list)) != {dict}:
        return None
    ordered = _ordered(exception_list, lib_version)
    if ordered is None:
        return None
    chain: list[Link] = []
    last = len(ordered) - 1
    for at, entry in enumerate(ordered):
        frames = frames_of(entry)
        if frames is None:
            return None
        get = entry.get
        module, type_, value = get("module"), get("type"), get("value")
        mechanism = get("mechanism")
        source = mechanism.get("source") if type(mechanism) is dict else None
        chain.append(
            Link(
                module if type(module) is str else None,
                type_ if type(type_) is str else None,
                value if type(value) is str else None,
                source if type(source) is str else None,
                frames,
                at if ordered is exception_list else last - at,
            )
        )
    return chain


def _mechanism(entry: dict[str, Any]) -> dict[str, Any]:
    mechanism = entry.get("mechanism")
    return mechanism if isinstance(mechanism, dict) else {}


def _ordered(entries: list[dict[str, Any]], lib_version: Any) -> list[dict[str, Any]] | None:
    if len(entries) == 1:
        return entries
    numbered = 0
    for at, entry in enumerate(entries):
        mechanism = _mechanism(entry)
        number = mechanism.get("exception_id")
        if number is None:
            continue
        # Later versions number the entries and name each one's parent: a chain is each under the one before.
        if number != at or (at and mechanism.get("parent_id") != at - 1):
            return None
        numbered += 1
    if numbered == len(entries):
        return entries
    return None if numbered else _ordered_without_ids(entries, lib_version)


def _ordered_without_ids(entries: list[dict[str, Any]], lib_version: Any) -> list[dict[str, Any]] | None:
    """Up to posthog 7.45 nothing but the place says which entry is the root: first up to 7.30, last later.
    A ValidationError is the root wherever it stands at one end only."""
    first, last = is_pydantic(entries[0]), is_pydantic(entries[-1])
    if first != last:
        return entries[::-1] if first else entries
    found = _VERSION.match(lib_version) if isinstance(lib_version, str) else None
    if found is None:
        return None
    return entries if (int(found[1]), int(found[2])) >= _OUTERMOST_FIRST else entries[::-1]


def without_context(chain: list[Link]) -> list[Link]:
    """The chain without what was being handled when its root was raised (a wrapper's retry, its cache miss): that is no
    part of the cause."""
    while len(chain) > 1 and chain[-1].source == "context":
        chain = chain[:-1]
    return chain


def cause_chain(chain: list[Link]) -> Iterator[Link]:
    """The outermost link and those reached from it by `raise ... from`, up to the first `context` or group member.

    Where the version writes no source (posthog up to 7.45) only a link under an SDK's own wrapper is known to
    be a cause: the SDKs raise theirs `from` the original.
    """
    for at, link in enumerate(chain):
        if at and link.source != "cause" and not (link.source is None and is_wrapper(chain[at - 1])):
            return
        yield link


_WRAPPERS = frozenset(
    {
        ("mcp.server.fastmcp.exceptions", "ToolError"),
        ("mcp.server.mcpserver.exceptions", "ToolError"),
        ("mcp.server.mcpserver.exceptions", "UnexpectedToolError"),
        ("fastmcp.exceptions", "ToolError"),
        ("fastmcp.exceptions", "ValidationError"),
        ("fastmcp.tools.function_tool", "_ToolBodyError"),
        ("mcp.shared.exceptions", "McpError"),
        ("mcp.shared.exceptions", "MCPError"),
    }
)
TOOL_ERRORS = frozenset(name for name in _WRAPPERS if name[1] == "ToolError")
WRAPPER_TYPES = frozenset(type_ for _, type_ in _WRAPPERS) - {"ValidationError"} | {"Error"}
"""Types under which an SDK or posthog reports a failure that has another type underneath."""


def is_wrapper(link: Link) -> bool:
    """Whether the link is of a type that the SDKs wrap others in."""
    return link.name in _WRAPPERS


def title_of(text: str | None) -> str | None:
    """The title in the first line of a root's text."""
    head = message.header(text) if text is not None else None
    # pydantic prints no prefix; a text with one was written by somebody else.
    return head[2] if head is not None and not head[0] else None
