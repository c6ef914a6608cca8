"""Reading the text of a pydantic ValidationError (pydantic 2.7 to 2.14) without trusting it.

The first line is pydantic's own: the number of errors and the title of what was validated. Below it every
line may hold what the caller sent: values, but also dict keys, raw, with their newlines. So a text is
understood only as a whole: one block for each error that the first line counts, nothing left over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from scrubber.words import kinds

LONGEST = 65_536
"""Characters of a text that are looked at."""

_HEADER = re.compile(r"([1-9]\d{0,4}) validation errors? for (.{1,300})\Z")
_PREFIXED = re.compile(r"(.{1,300}?): ([1-9]\d{0,4}) validation errors? for (.{1,300})\Z")
# posthog's own sanitiser may have replaced `input_value=...,` by `[redacted]`.
_TAIL = re.compile(
    r"\[type=(?P<code>[A-Za-z_][\w.-]{0,63})(?:, (?:input_value=)?(?P<input>.*?),? input_type=[^\],]{1,120})?\]\Z"
)
_LONGEST_BLOCK = 500
"""Lines of a block; one with more is nobody's message, and not read on."""
_URL = re.compile(r"    For further information visit \S+\Z")
# posthog.mcp up to 7.79 joins the text block that carries a conversation id it minted to the message.
_MINTED = re.compile(r'\s?\{"conversation_id": ?"[\w-]{8,64}"\}\Z')
_DECLARED = re.compile(r"[A-Za-z_]\w{0,63}\Z")
_UNKNOWN_NAME = frozenset({"unexpected_keyword_argument", "extra_forbidden", "no_such_attribute", "invalid_key"})
MISSING_NAME = {
    "missing": "Field required",
    "missing_argument": "Missing required argument",
    "missing_keyword_only_argument": "Missing required keyword only argument",
    "missing_positional_only_argument": "Missing required positional only argument",
}
"""Errors whose location ends in a declared name, and pydantic's text for each. A text that differs was printed behind
a key with line breaks of its own, and then the location is not whole."""
HIDDEN = "*"
INDEX = "N"


class Problem(NamedTuple):
    """One block. `location` is pydantic's dotted path, not yet trusted; `text` its message, likewise."""

    location: str
    code: str
    text: str
    input: str | None
    """What pydantic printed of the rejected value, shortened by it."""
    line: str = ""
    """The block's last line, which ends in the tail."""

    @property
    def ambiguous(self) -> bool:
        """Whether the last line holds more than one tail: one of them stands in the message or in the value."""
        return self.line.count("[type=") > 1


@dataclass(frozen=True, slots=True)
class Refusal:
    """A parsed text. `counted` says that it was read to its end and holds as many blocks as it counts; `complete`, that
    each of them can be read in one way only."""

    prefix: str
    count: int
    title: str
    problems: tuple[Problem, ...]
    counted: bool

    @property
    def complete(self) -> bool:
        """Whether the text was understood."""
        return self.counted and not any(problem.ambiguous for problem in self.problems)


def header(text: str) -> tuple[str, int, str] | None:
    """Prefix, number of errors and title from the first line of `text`, or None if that is no pydantic line."""
    line = text[:700].partition("\n")[0]
    found = _HEADER.match(line)
    if found is not None:
        return "", int(found[1]), found[2]
    found = _PREFIXED.match(line)
    return (found[1], int(found[2]), found[3]) if found is not None else None


def parse(text: str) -> Refusal | None:
    """The refusal that `text` prints, or None when its first line does not say so."""
    head = header(text)
    if head is None:
        return None
    prefix, count, title = head
    body = text[:LONGEST]
    lines = (_MINTED.sub("", body) if body.endswith("}") else body).split("\n")[1:]
    problems: list[Problem] = []
    block: list[str] = []
    for line in lines:
        if not block and problems and _URL.match(line):
            continue
        block.append(line)
        if line.endswith("]") and "[type=" in line and (problem := _problem(block)) is not None:
            problems.append(problem)
            block = []
        elif len(block) > _LONGEST_BLOCK:
            break
    # A cut text ends in "..." (posthog.mcp cuts at 2,048 characters): what stood behind the cut is unknown.
    whole = not block and len(problems) == count and len(text) <= LONGEST and not text.endswith("...")
    return Refusal(prefix, count, title, tuple(problems), whole)


def readings(problem: Problem) -> list[tuple[str, str | None]]:
    """Code and printed input in every way that the block's last line can be read."""
    found = [_TAIL.match(problem.line, at.start()) for at in re.finditer(r"\[type=", problem.line)]
    return [(tail["code"], tail["input"]) for tail in found if tail is not None]


def _problem(block: list[str]) -> Problem | None:
    """The block whose last line is a tail. A location, where there is one, stands at the margin; the message
    is indented by two spaces."""
    tail_at = block[-1].find("[type=")
    tail = _TAIL.match(block[-1], tail_at)
    if tail is None:
        return None
    bare = block[0].startswith("  ")
    if not bare and (len(block) < 2 or not block[1].startswith("  ")):
        return None
    location, body = ("", block) if bare else (block[0], block[1:])
    message = "\n".join([*body[:-1], body[-1][:tail_at]])
    return Problem(location, tail["code"], message.strip(), tail["input"], block[-1])


def is_argument_title(title: str) -> bool:
    """Whether a title is one that an SDK gives to a tool's arguments: `<fn>Arguments` (mcp), `call[<fn>]` (fastmcp)."""
    return (title.startswith("call[") and title.endswith("]")) or (title.endswith("Arguments") and title != "Arguments")


def argument_function(title: str) -> str | None:
    """The function's name in an argument title, or None."""
    if title.startswith("call[") and title.endswith("]"):
        return title[5:-1]
    return title[: -len("Arguments")] if title.endswith("Arguments") and len(title) > len("Arguments") else None


def field_of(problem: Problem, declared_top: bool) -> str:
    """The location with nothing in it that a client can choose; "" when nothing is left to say.

    Indexes read `N`. A name is printed where pydantic can only have it from a declaration: the first segment
    under an argument title (`declared_top`), and the last one of an error that says it is missing. Anything
    else may be a key of a map, the name of an unknown argument, or the label of a union: it reads `*`.
    """
    if not problem.location:
        return ""
    if declared_top and problem.code not in _UNKNOWN_NAME and _DECLARED.match(problem.location):
        return problem.location
    segments = problem.location.split(".")[:16]
    last = len(segments) - 1
    printed = []
    for at, segment in enumerate(segments):
        if segment.isdigit():
            printed.append(INDEX)
        elif _is_declared(problem, at, last, declared_top) and _DECLARED.match(segment):
            printed.append(segment)
        else:
            printed.append(HIDDEN)
    return "" if set(printed) <= {HIDDEN, INDEX} else ".".join(printed)


def _is_declared(problem: Problem, at: int, last: int, declared_top: bool) -> bool:
    if at == last and problem.code in _UNKNOWN_NAME:
        return False
    return (at == 0 and declared_top) or (at == last and MISSING_NAME.get(problem.code) == problem.text)


def shape(refusal: Refusal, most: int = 20) -> str:
    """What the refusal says, with no value in it: `lines.N: int_type; name: missing`.

    Only codes where the text was not understood whole, and of those only pydantic's own (`KNOWN_CODES`):
    a block that was not counted may be the caller's writing.
    """
    if not refusal.complete:
        codes = dict.fromkeys(p.code for p in refusal.problems if p.code in KNOWN_CODES)
        return "; ".join(list(codes)[:most])
    declared_top = is_argument_title(refusal.title)
    parts = dict.fromkeys(_part(problem, declared_top) for problem in refusal.problems)
    return "; ".join(list(parts)[:most]) + ("; ..." if len(parts) > most else "")


def _part(problem: Problem, declared_top: bool) -> str:
    path = field_of(problem, declared_top)
    return f"{path}: {code_of(problem)}" if path else code_of(problem)


def code_of(problem: Problem) -> str:
    """The error's code; an author's own code only if it is a plain label."""
    return problem.code if problem.code in KNOWN_CODES or kinds.slug(problem.code) else "custom"


KNOWN_CODES = frozenset(
    """
    no_such_attribute json_invalid json_type needs_python_object recursion_loop recursion_depth_exceeded missing
    frozen_field frozen_instance extra_forbidden invalid_key get_attribute_error model_type model_attributes_type
    dataclass_type dataclass_exact_type named_tuple_type default_factory_not_called none_required greater_than
    greater_than_equal less_than less_than_equal multiple_of finite_number too_short too_long iterable_type
    iteration_error string_type string_sub_type string_unicode string_too_short string_too_long
    string_pattern_mismatch string_not_ascii enum dict_type frozen_dict_type ordered_dict_type counter_type
    mapping_type list_type deque_type tuple_type set_type set_item_not_hashable bool_type bool_parsing int_type
    int_parsing int_parsing_size int_from_float float_type float_parsing bytes_type bytes_too_short bytes_too_long
    bytes_invalid_encoding value_error assertion_error literal_error missing_sentinel_error ellipsis_error
    date_type date_parsing date_from_datetime_parsing date_from_datetime_inexact date_past date_future time_type
    time_parsing datetime_type datetime_parsing datetime_object_invalid datetime_from_date_parsing datetime_past
    datetime_future timezone_naive timezone_aware timezone_offset time_delta_type time_delta_parsing
    frozen_set_type is_instance_of is_subclass_of callable_type union_tag_invalid union_tag_not_found
    arguments_type missing_argument unexpected_keyword_argument missing_keyword_only_argument
    unexpected_positional_argument missing_positional_only_argument multiple_argument_values url_type url_parsing
    url_syntax_violation url_too_long url_scheme uuid_type uuid_parsing uuid_version decimal_type decimal_parsing
    decimal_max_digits decimal_max_places decimal_whole_digits fraction_type fraction_parsing complex_type
    complex_str_parsing
    """.split()
)
"""pydantic's own error types (`pydantic_core.core_schema.ErrorType`, pydantic-core of pydantic 2.7 to 2.14)."""
