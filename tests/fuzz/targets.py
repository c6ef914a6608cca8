"""The targets: each takes bytes, and raises where a promise is broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrubber import Scrubber
from scrubber.guard import words as guard_words
from scrubber.rules.corroboration import TOO_LARGE, UNEXPLAINED, UNREADABLE, _own_words, contradiction
from scrubber.rules.error_message import _GUARD_TEXT
from scrubber.words import message, quickly

from . import promises, texts
from .building import CANARY, case
from .schemas import asked_of, plainly_named
from .snapshot import holds, parts, snapshot
from .source import Source


def hook(data: bytes) -> None:
    """The hook and `decide`, on recorded events that were changed, on any JSON, and on Python objects."""
    source = Source(data)
    at = source.below(len(promises.POLICIES))
    promises.check(case(source), at)


def parser(data: bytes) -> None:
    """The reading of a refusal's text, on noise, on pieces of refusals, and on pydantic's own texts."""
    source = Source(data)
    form = source.below(4)
    if form == 3:
        _check_real_text(source)
        return
    text = source.rest().decode("utf-8", "surrogateescape") if form == 0 else texts.pieced(source)
    _check_text(text)
    _check_message_property(text, source.pick(["ValidationError", "ToolError", None, "Error", "invalid_argument", 7]))


def _check_text(text: str) -> None:
    head, quick, parsed = message.header(text), quickly.first(text), message.parse(text)
    assert (head is None) == (parsed is None), "header and parse disagree"
    if parsed is None:
        return
    shape = message.shape(parsed)
    assert CANARY not in shape, "a canary in a shape"
    assert "\n" not in shape, "a line break in a shape"
    assert len(parsed.problems) <= text.count("[type="), "more blocks than tails"
    for problem in parsed.problems:
        assert CANARY not in message.code_of(problem), "a canary in a code"
        for declared in (True, False):
            assert CANARY not in message.field_of(problem, declared), "a canary in a field"
        assert not problem.ambiguous or message.readings(problem), "a block that cannot be read in any way"
    if quick is not None and parsed.complete and not parsed.prefix:
        title, problem = quick
        assert (title, problem.code) == (parsed.title, parsed.problems[0].code), "two readings of one text"
        assert message.field_of(problem, True) == message.field_of(parsed.problems[0], True), "two fields of one text"


def _check_message_property(text: str, type_: Any) -> None:
    properties = {"$mcp_error_message": text, "$mcp_error_type": type_, "$mcp_is_error": True, "$mcp_tool_name": "t"}
    event = {"event": "$mcp_tool_call", "distinct_id": "u", "properties": properties}
    for at in (1, 2, 3):
        once = Scrubber(promises.POLICIES[at])
        sent = once(event)
        assert sent is not None, "a call event was dropped"
        assert not holds(sent, CANARY), "a canary left with a message"
        assert snapshot(once(sent)) == snapshot(sent), "the second time changes a message"
    kept = Scrubber(promises.POLICIES[0])(event) or {"properties": {}}
    kept["properties"].pop("$mcp_error_message", None)
    assert not holds(kept, CANARY), "a canary beside a kept message"


def _check_real_text(source: Source) -> None:
    strict = source.below(2) == 1
    given = texts.arguments(source)
    refused = texts.refused(_marked(given), strict)
    if refused is None:
        return
    text, count = refused
    parsed = message.parse(text)
    assert parsed is not None, "pydantic's own text is not read"
    assert parsed.count == count, "pydantic's own count is not read"
    assert texts.WORD not in message.shape(parsed), "a caller's word in the shape of pydantic's own text"
    quick = quickly.first(text)
    if quick is not None:
        assert texts.WORD not in message.field_of(quick[1], True), "a caller's word in a field"
    _check_text(text)


def _marked(value: Any) -> Any:
    """Every text that the caller chose, keys included, with a word in it; the tool's own names stay."""
    if isinstance(value, str):
        return f"{texts.WORD}{value}"
    if isinstance(value, list):
        return [_marked(item) for item in value]
    if isinstance(value, dict):
        return {(key if key in texts.FIELDS else f"{texts.WORD}{key}"): _marked(item) for key, item in value.items()}
    return value


def comparison(data: bytes) -> None:
    """Whether the arguments explain a refusal: on pydantic's own texts, on pieces, and on other arguments."""
    source = Source(data)
    form = source.below(4)
    given = texts.arguments(source)
    transformed = source.below(2) == 1
    before = snapshot(given)
    if form == 0:
        text = texts.pieced(source)
        said = contradiction(text, given, transformed)
        contradiction(text, given, transformed, quickly.first(text))
    else:
        refused = texts.refused(given, strict=form == 1)
        if refused is None:
            return
        said = contradiction(refused[0], given, False, quickly.first(refused[0]))
        allowed = said in (None, TOO_LARGE) or _unlike_json(given) or _oddly_named(given)
        assert allowed, "a caller's own refusal is not explained"
        other = texts.arguments(source)
        said = contradiction(refused[0], other, transformed)
        if not _own_words(other):
            short = contradiction(refused[0], other, transformed, quickly.first(refused[0]))
            assert short == said, "the short way to compare says otherwise than the long one"
    assert snapshot(given) == before, "the arguments were changed"
    assert said in (None, UNREADABLE, UNEXPLAINED, TOO_LARGE), "a reason that is no constant"


def _unlike_json(given: Any) -> bool:
    """Whether something in the arguments is in no event: infinity is no JSON, and half a character no text in UTF-8."""
    for _, part in parts(given):
        if type(part) is float and part in (float("inf"), float("-inf")):
            return True
        if type(part) is str and not part.isprintable() and any("\ud800" <= sign <= "\udfff" for sign in part):
            return True
    return False


def _oddly_named(given: Any) -> bool:
    """Whether a key is nothing but blanks with a line break, or begins with two blanks, as pydantic's messages do: where
    its text names it, the lines are read otherwise, and the refusal is sent, redacted."""
    keys = [part for is_key, part in parts(given) if is_key and isinstance(part, str)]
    return any(key.startswith("  ") or (not key.strip() and "\n" in key) for key in keys)


def guard(data: bytes) -> None:
    """The words of the argument guard, on schemas of real tools and changed ones, and on any faults."""
    asked = asked_of(Source(data))
    before = snapshot([asked.call.schema, asked.call.arguments])
    try:
        said = guard_words.refusal(asked.call, asked.faults)
    except (TypeError, AttributeError):
        # A schema that is none: the guard then lets the SDK answer.
        if asked.real:
            raise
        return
    assert snapshot([asked.call.schema, asked.call.arguments]) == before, "the schema or the arguments were changed"
    assert len(said.text) <= 2000, "a text that posthog cuts"
    assert "\n" not in said.text or not plainly_named(asked), "a line break in a reply"
    for part in (said.text, said.code, said.field, *said.paths):
        assert CANARY not in part, "a canary in a reply"
        assert texts.WORD not in part, "a caller's word in a reply"
    assert guard_words.refusal(asked.call, asked.faults) == said, "two replies to one call"
    if said.text and plainly_named(asked):
        assert _GUARD_TEXT.match(said.text), "the hook does not know the guard's text"


TARGETS: dict[str, Callable[[bytes], None]] = {
    "hook": hook,
    "parser": parser,
    "comparison": comparison,
    "guard": guard,
}
