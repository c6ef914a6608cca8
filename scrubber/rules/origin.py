"""Where an `$exception` originates: whether it is an SDK's refusal of the called tool's arguments.

The judgement asks for evidence, piece by piece, and stops at the first piece that is missing, malformed or
contradictory: that event is a real fault as far as anybody can tell, and is sent. Only what passes every
question may be dropped. The type's name alone is no evidence: bodies, resources, results, resolvers and
settings raise the same type.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from scrubber.rules.structure import NO_SITE, Structure, structure
from scrubber.words import message, quickly
from scrubber.words.chain import call_of, is_pydantic, title_of
from scrubber.words.properties import EXCEPTION_LIST, TOOL_NAME
from scrubber.words.sites import ARGUMENTS, TERMINALS, Site


class Judgement(NamedTuple):
    """Whether the event is an argument refusal, and the sentence that says why or why not."""

    refusal: bool
    reason: str
    site: str | None = None
    text: str = ""
    """The refusal's text; content, for the rule that compares it with what was sent and for nobody else."""
    transformed: bool = False
    """Whether the traceback passes fastmcp's transformation of tools."""
    quick: quickly.First | None = None
    """What `quickly.first` says of the text; content, as the text is."""

    def __repr__(self) -> str:
        return f"Judgement(refusal={self.refusal}, reason={self.reason!r}, site={self.site!r})"


REFUSED = "the SDK refused the tool's arguments before the body ran"
_NO_TOOL = Judgement(False, "no $mcp_tool_name: no call event keeps the record")
_NOT_PYDANTIC = Judgement(False, "no pydantic ValidationError in the chain")
_NO_SITE = Judgement(False, NO_SITE)
_NO_TITLE = Judgement(False, "the text has no title of a tool's arguments")
_NESTED_TEXT = Judgement(False, "a validator reports a validation of its own")

# Messages that code outside pydantic wrote: a validator's ValueError, AssertionError or custom error.
_AUTHORED = frozenset({"value_error", "assertion_error"})
_NESTED = re.compile(r"\d validation errors? for ")
_AUTHORED_LINE = re.compile(r"(?:Value error|Assertion failed), ([^\n]*)")


def judge(properties: dict[str, Any]) -> Judgement:
    """Judge the properties of an `$exception` event. Any shape in, a judgement out."""
    exception_list = properties.get(EXCEPTION_LIST)
    if type(exception_list) is not list or not exception_list:
        return _NOT_PYDANTIC
    # Most faults end here, at next to no cost.
    roots = list(filter(is_pydantic, exception_list))
    if not roots:
        return _NOT_PYDANTIC
    tool = properties.get(TOOL_NAME)
    if type(tool) is not str or not tool:
        return _NO_TOOL
    # One of them may be what was being handled when the refusal was raised; only all of them tell.
    if all(map(_ends_elsewhere, roots)):
        return _NO_SITE
    return _judge_texts(exception_list, structure(exception_list, properties.get("$lib_version")), tool)


def _ends_elsewhere(entry: dict[str, Any]) -> bool:
    """Whether the entry's innermost frame is readable and no site's: user code, mostly."""
    stack = entry.get("stacktrace")
    frames = stack.get("frames") if type(stack) is dict else None
    if type(frames) is not list or not frames or type(frames[-1]) is not dict:
        return False
    return call_of(frames[-1]) not in TERMINALS


def _judge_texts(exception_list: list[dict[str, Any]], found: Structure, tool: str) -> Judgement:
    """Judge what the texts say of a chain whose structure is known, in an event that carries the tool's name."""
    if found.refuted is not None:
        return Judgement(False, found.refuted)
    values = [exception_list[place].get("value") for place in found.order]
    text = values[-1] if type(values[-1]) is str else ""
    quick = quickly.first(text)
    title = quick[0] if quick is not None else title_of(text)
    function = message.argument_function(title) if title is not None else None
    if title is None or function is None:
        return _NO_TITLE
    site = found.site
    if site is None or found.broken is not None:
        return Judgement(False, found.broken or NO_SITE, site.sdk if site is not None else None)
    problem = _names(found, site, title, function, tool) or _outer_texts(values, text, tool)
    if problem is not None:
        return Judgement(False, problem, site.sdk)
    if _reports_nested(text):
        return _NESTED_TEXT
    return Judgement(True, REFUSED, site.sdk, text, found.transformed, quick)


def _names(found: Structure, site: Site, title: str, function: str, tool: str) -> str | None:
    """The title must be the one that the SDK gives to arguments.

    It holds the function's name, which is the tool's own unless the tool was registered under another. Where
    part of the traceback is missing (no source line, or frames cut out), the two must agree: two weak pieces
    of evidence for one.
    """
    if title.endswith(ARGUMENTS) != (site.title == ARGUMENTS):
        return "the title is another SDK's"
    if found.weak and function != tool:
        return "part of the traceback is missing, and the title names another function than the tool"
    return None


_SDK_PREFIX = "Error executing tool "


def _outer_texts(values: list[Any], text: str, tool: str) -> str | None:
    """The SDK's wrapper names the tool it ran (mcp) and repeats the refusal: another name, or another refusal, is a
    contradiction."""
    root = text.partition("\n")[0]
    for value in values[:-1]:
        if type(value) is not str:
            continue
        if value.startswith(_SDK_PREFIX) and not value.startswith(f"{_SDK_PREFIX}{tool}: "):
            return "the SDK's wrapper names another tool"
        if root not in value[: len(root) + 600]:
            return "the SDK's wrapper repeats another refusal"
    return None


def _reports_nested(value: str) -> bool:
    """Whether a validator turned a ValidationError of its own (say, of a database row) into its message.

    Not so where the rejected input itself says "validation error": the validator echoes what the caller wrote.
    """
    if value.count("validation error") < 2:
        return False
    text = message.parse(value)
    if text is None:
        return True
    authored = [p for p in text.problems if p.ambiguous or p.code in _AUTHORED or p.code not in message.KNOWN_CODES]
    # Where the last line can be read in several ways, what it printed last is the validator's own input.
    not_echoed = [p for p in authored if not _NESTED.search((message.readings(p) or [("", p.input)])[-1][1] or "")]
    if any(_NESTED.search(p.text) for p in not_echoed):
        return True
    # Blocks inside a block: the nested text brought tails of its own, so more were found than counted. Or the
    # text was cut, and what would tell stood behind the cut.
    nested = any(map(_NESTED.search, _AUTHORED_LINE.findall(value)))
    return not text.complete and nested and (bool(not_echoed) or not authored)
