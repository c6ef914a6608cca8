"""Why an `$exception` was held for an argument refusal or not: every question that the engine asks.

The verdict is the engine's own (`rules.origin.judge`), and so is the question it stopped at. The evidence beside each
is read from the event again by the same words, to name the link, the frame or the title.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrubber.audit.explaining.records import Answer, Origin, Question
from scrubber.audit.explaining.traceback import call_shown, links_of, type_shown, walked
from scrubber.audit.names import plain
from scrubber.rules.origin import Judgement, judge
from scrubber.rules.trace import Trace
from scrubber.words import message
from scrubber.words.chain import PYDANTIC, Link, call_of, is_pydantic, links, title_of, without_context
from scrubber.words.paths import MASK
from scrubber.words.properties import EXCEPTION_LIST, TOOL_NAME


def origin(properties: dict[str, Any]) -> Origin:
    """The evidence in the properties of an `$exception` event."""
    judgement = judge(properties)
    chain = links(properties.get(EXCEPTION_LIST), properties.get("$lib_version"))
    return Origin(
        judgement.refusal,
        judgement.reason,
        judgement.site,
        tuple(_questions(properties, chain, judgement)),
        tuple(links_of(chain)) if chain is not None else (),
        tuple(_errors(judgement)),
    )


_Look = Callable[[dict[str, Any], "list[Link] | None"], "tuple[bool, str] | None"]


def _pydantic(properties: dict[str, Any], chain: list[Link] | None) -> tuple[bool, str]:
    entries = properties.get(EXCEPTION_LIST)
    found = [at for at, one in enumerate(entries) if is_pydantic(one)] if type(entries) is list else []
    return bool(found), f"entry {found[0] + 1} of {len(entries)}" if found and type(entries) is list else "none is"


def _tool(properties: dict[str, Any], chain: list[Link] | None) -> tuple[bool, str]:
    tool = properties.get(TOOL_NAME)
    fine = type(tool) is str and bool(tool)
    return fine, plain(tool) if fine else "no $mcp_tool_name"


def _whole(properties: dict[str, Any], chain: list[Link] | None) -> tuple[bool, str]:
    if chain is None:
        return False, "malformed, or its order cannot be told"
    return True, f"{len(chain)} link{'s' if len(chain) > 1 else ''}"


def _root(properties: dict[str, Any], chain: list[Link] | None) -> tuple[bool, str] | None:
    if chain is None:
        return None
    root = without_context(chain)[-1]
    return root.name == PYDANTIC, f"its root is {type_shown(root)}"


def _title(properties: dict[str, Any], chain: list[Link] | None) -> tuple[bool, str] | None:
    if chain is None:
        return None
    root = without_context(chain)[-1]
    head = message.header(root.value) if root.value is not None else None
    title = title_of(root.value)
    if head is None or title is None:
        return False, "its first line is not pydantic's"
    function = message.argument_function(title)
    count = f"{head[1]} validation error{'s' if head[1] > 1 else ''}"
    if function is None:
        return False, f"{count} for {plain(title)}, which is no tool's arguments"
    shown = f"call[{plain(function)}]" if title.startswith("call[") else f"{plain(function)}Arguments"
    return True, f"{count} for {shown}"


def _sdk_captured(properties: dict[str, Any], chain: list[Link] | None) -> tuple[bool, str] | None:
    if chain is None:
        return None
    by_hand = Trace(without_context(chain)).by_hand
    return not by_hand, "its frames carry in_app" if by_hand else ""


def _site(properties: dict[str, Any], chain: list[Link] | None) -> tuple[bool, str] | None:
    if chain is None:
        return None
    trace = Trace(without_context(chain))
    if not trace.calls:
        return False, "there is no traceback"
    site = walked(trace)[0]
    return site is not None, f"{call_shown(call_of(trace.last))}{f' ({site.sdk})' if site is not None else ''}"


_LOOKS: tuple[tuple[str, _Look], ...] = (
    ("an entry is pydantic's ValidationError", _pydantic),
    ("the event names a tool, so a call event keeps the record", _tool),
    ("the cause chain is whole and in order", _whole),
    ("the chain ends in pydantic's ValidationError", _root),
    ("the text's first line has the title of a tool's arguments", _title),
    ("posthog.mcp captured it, not client.capture_exception", _sdk_captured),
    ("the innermost frame is a site of argument validation", _site),
)
"""The questions that can be answered one by one, in the engine's order."""

_ENTRY = "the SDK entered the tool, and no user code had called one before"
_BEHIND = "behind the tool's entry stand frames of the SDK alone, in order"
_ABOVE = "every link above the root is the SDK's wrapper, raised from the one below"
_LINE = "the innermost frame is in the SDK's own file, at the line that validates"
_AGREES = "the title is this SDK's, and agrees with the tool where a part is missing"
_TEXTS = "the wrapper's text names this tool and repeats this refusal"
_NESTED = "no validator reports a validation of its own"
_BEHIND_SITE: tuple[tuple[str, tuple[str, ...]], ...] = (
    (_ENTRY, ("the tool's entry", "the tool was not entered", "user code called a tool")),
    (_BEHIND, ("a frame of other code stands behind", "the SDK's frames come twice")),
    (_ABOVE, ("a link is a context", "a link above the root")),
    (_LINE, ("the innermost frame is not in", "the innermost line")),
    (_AGREES, ("the title is another", "part of the traceback is missing")),
    (_TEXTS, ("the SDK's wrapper",)),
    (_NESTED, ("a validator reports",)),
)
"""The questions behind the site, in the engine's order, with the beginnings of its reasons for a no."""


def _questions(properties: dict[str, Any], chain: list[Link] | None, judgement: Judgement) -> list[Question]:
    found = []
    for asked, look in _LOOKS:
        said = look(properties, chain)
        if said is None:
            found.append(Question(asked, Answer.OPEN))
        else:
            found.append(Question(asked, Answer.YES if said[0] else Answer.NO, said[1]))
    refuted = any(one.answer is Answer.NO for one in found)
    stopped = next((at for at, (_, starts) in enumerate(_BEHIND_SITE) if judgement.reason.startswith(starts)), None)
    for at, (asked, _) in enumerate(_BEHIND_SITE):
        if judgement.refusal or (stopped is not None and at < stopped):
            found.append(Question(asked, Answer.YES))
        elif at == stopped:
            found.append(Question(asked, Answer.NO, judgement.reason))
        else:
            found.append(Question(asked, Answer.OPEN))
    if not judgement.refusal and not refuted and stopped is None:
        # A reason that this table does not know yet: the engine's word stands.
        found.append(Question("the engine holds it for a refusal", Answer.NO, judgement.reason))
    return found


def _errors(judgement: Judgement) -> list[str]:
    refusal = message.parse(judgement.text) if judgement.text else None
    if refusal is None or not refusal.complete:
        return []
    return [f"{message.field_of(one, True) or MASK}: {message.code_of(one)}" for one in refusal.problems[:_MOST_ERRORS]]


_MOST_ERRORS = 20
