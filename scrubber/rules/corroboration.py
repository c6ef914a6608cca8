"""Whether what the caller sent explains a refusal.

Some faults of a server look exactly like the caller's in the `$exception` event alone: a validator that validates a
database row (pydantic merges the nested error), a declared default that does not fit, middleware that rewrites a
good argument. The arguments in the call event beside it tell them apart: an error is the caller's only if its
location leads into what was sent, and the value that was rejected is the one that was sent.

Read with care for what the SDKs do legitimately: text that holds JSON is decoded, a transformed tool renames
arguments, a union's branch adds a label to the location, and posthog's sanitiser cuts and redacts values. And for
what a caller may do: whatever of its own writing stands in the text, keys with line breaks and whole forged blocks,
is taken out before the text is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeGuard

from scrubber.rules.comparing import DEPTH, decoded, is_bounded, plainly_differs, plainly_shows
from scrubber.rules.sent import REDACTED, Sent
from scrubber.words import message, quickly
from scrubber.words.message import Problem

UNREADABLE = "the refusal's text cannot be read whole"
UNEXPLAINED = "what the caller sent does not explain the refusal"
TOO_LARGE = "the arguments are too large to compare"

_CUT_TEXT_AT = 2_048
"""Characters at which posthog.mcp cuts the text of an error (`_truncation`)."""


def arguments_of(parameters: Any, tool: Any) -> dict[str, Any] | None:
    """The arguments in a `$mcp_parameters` value of a call of `tool`, or None where they are not readable there."""
    request = parameters.get("request") if _is_mapping(parameters) else None
    params = request.get("params") if _is_mapping(request) else None
    if params is None or not _is_mapping(params) or params.get("name", tool) != tool:
        return None
    arguments = params.get("arguments")
    if arguments is None:
        return {}
    return dict(arguments) if _is_mapping(arguments) else None


def _is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    # A dict, nearly always, which is told at a tenth of the cost.
    return type(value) is dict or isinstance(value, Mapping)


def contradiction(
    text: str, arguments: dict[str, Any], transformed: bool, quick: quickly.First | None = None
) -> str | None:
    """Why `arguments` do not explain the refusal that `text` prints; None where they explain every error of it.

    transformed: the traceback passes fastmcp's transformation of tools, which may rename arguments.
    quick: what `quickly.first` says of the text, where it was asked.
    """
    problems = quickly.certain(text, quick)
    if problems is not None:
        plainly = _all_plainly(problems, arguments, transformed)
        if plainly is not None:
            return None if plainly else UNEXPLAINED
    if not is_bounded(arguments):
        return TOO_LARGE
    if problems is not None:
        return _unexplained(problems, Sent(arguments, [], transformed))
    printed = repr(arguments)
    own = _own_words(arguments) if any(word in printed for word in _SUSPICIOUS) else []
    # The first line is pydantic's own.
    head, line, body = text.partition("\n")
    for word, token in own:
        body = body.replace(word, token)
    refusal = message.parse(head + line + body)
    if refusal is None or not refusal.problems:
        return UNREADABLE
    if not refusal.counted and not (text.endswith("...") or len(text) >= _CUT_TEXT_AT):
        return UNREADABLE
    # Where nothing of the caller's was taken out, most are told without the whole walk here too.
    left = refusal.problems if own else [p for p in refusal.problems if not _plainly(p, arguments, transformed)]
    return _unexplained(left, Sent(arguments, own, transformed))


def _unexplained(problems: Iterable[Problem], sent: Sent) -> str | None:
    return None if all(map(sent.explain, problems)) else UNEXPLAINED


def _all_plainly(problems: list[Problem], arguments: dict[str, Any], transformed: bool) -> bool | None:
    """Whether the arguments explain all of the problems; None where only the whole walk can tell."""
    found: bool | None = True
    for problem in problems:
        plainly = _plainly(problem, arguments, transformed)
        if plainly is False:
            return False
        found = found and plainly
    return found


def _plainly(problem: Problem, arguments: dict[str, Any], transformed: bool) -> bool | None:
    """The common cases, without the whole walk: an error at a small value that the location leads to step by step, or
    at an argument that is plainly another."""
    above, dot, name = problem.location.rpartition(".")
    if not dot:
        owner: Any = arguments
    elif above.count(".") < _MOST_PLAIN_STEPS:
        owner = _led_to(arguments, above.split("."))
    else:
        return None
    printed = problem.input or ""
    said = message.MISSING_NAME.get(problem.code)
    if said is None:
        value = _led_to(owner, (name,))
        if value is _NOTHING and dot and type(owner) is not list and owner != REDACTED:
            # The label of a union or a function leads nowhere.
            value = owner
    elif said != problem.text or type(owner) is not dict:
        return None
    elif name in owner:
        return None if dot else False
    else:
        # A transformed tool's own parameter is not the caller's to send.
        value = owner if dot or not transformed else _NOTHING
    if plainly_shows(value, printed):
        return True
    is_other = not dot and not transformed and said is None and (value is _NOTHING or plainly_differs(value, printed))
    return False if is_other else None


_MOST_PLAIN_STEPS = 8
_NOTHING: Any = object()


def _led_to(value: Any, segments: Iterable[str]) -> Any:
    """What stands there, where every segment is a key or an index as it is written; else what equals nothing."""
    for segment in segments:
        if type(value) is dict:
            value = value.get(segment, _NOTHING)
        elif type(value) is list and segment.isdecimal() and len(segment) < 9 and int(segment) < len(value):
            value = value[int(segment)]
        else:
            return _NOTHING
    return value


_LONGEST_PIECE = len("[type=x, input_value=")
_SUSPICIOUS = ("\\n", "\\u", "[type=", "validation error")
"""In printed arguments: what could pass for pydantic's own lines."""


def _own_words(arguments: Any) -> list[tuple[str, str]]:
    """What the caller wrote that could pass for pydantic's own lines, with a harmless token for each; longest first."""
    found: dict[str, None] = {}
    for value in _texts(arguments, 0):
        # A word that is only a piece of pydantic's lines forges nothing; taking it out would garble them.
        if "\n" in value or (("[type=" in value or "validation error" in value) and len(value) > _LONGEST_PIECE):
            found[value] = None
    longest = sorted(found, key=len, reverse=True)[:64]
    return [(word, f"own{at}word") for at, word in enumerate(longest) if word.strip()]


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Every string in the arguments, keys and decoded JSON included."""
    if depth > DEPTH:
        return
    if isinstance(value, str):
        yield value
        inside = decoded(value)
        if inside is not None:
            yield from _texts(inside, depth + 1)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str):
                yield key
            yield from _texts(item, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item, depth + 1)
