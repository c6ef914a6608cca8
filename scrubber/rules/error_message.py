"""`$mcp_error_message`: per error type kept, rewritten to its shape, or removed; and what replaces it."""

from __future__ import annotations

import re
from typing import Any

from scrubber.rules.base import REMOVE, View
from scrubber.words import kinds, message, quickly
from scrubber.words.chain import WRAPPER_TYPES
from scrubber.words.policy import KEEP, REMOVE_TEXT, SHAPE, Policy
from scrubber.words.properties import ERROR_CODE, ERROR_MESSAGE, ERROR_TYPE, GUARD_MARK, GUARD_TYPE

RULE = "error_message"
REFUSAL_TYPE = "ValidationError"

_GUARD_TEXT = re.compile(r"(?:Error executing tool '|(?:\d{1,9} u|U)nknown parameters? ?[^\n]*for tool ')[^\n]*\Z")
_LONGEST_GUARD_TEXT = 2048

_PART = re.compile(r"(?:(?P<field>[^:;]{1,256}): )?(?P<code>[A-Za-z_][\w.-]{0,63})\Z")


class ErrorMessageRule:
    """The rule for `$mcp_error_message` under one policy."""

    def __init__(self, policy: Policy) -> None:
        self._modes = policy.error_messages

    def __call__(self, value: Any, view: View) -> Any:
        """The text, its shape, or `REMOVE`. Leaves code and field in `view.refused` where the text says them."""
        if type(value) is not str:
            view.note_property(RULE, ERROR_MESSAGE, "no text")
            return REMOVE
        type_ = view.properties.get(ERROR_TYPE)
        mode = self._modes.get(type_) if type(type_) is str else None
        if mode is None:
            mode = KEEP if self._is_guards(value, type_, view) else self._mode_of_others(type_)
        readable = self._is_refusal(value, type_, mode)
        refusal = quickly.parse(value) if readable and mode == SHAPE else None
        if readable and not kinds.slug(view.properties.get(ERROR_CODE)):
            view.refused = _first_of(refusal) if refusal is not None else code_and_field(value)
        if mode == KEEP:
            # The user chose this type's text by name; it leaves as it came, or the choice would mean nothing.
            return value
        if mode == SHAPE:
            shape = message.shape(refusal) if refusal is not None else self._own_shape(value, view)
            if shape:
                if shape != value:
                    view.note_property(RULE, ERROR_MESSAGE, "rewritten to its shape")
                return shape
        view.note_property(RULE, ERROR_MESSAGE, "the text of an error is content")
        return REMOVE

    def _mode_of_others(self, type_: Any) -> str:
        """The mode of a type that the settings do not name.

        The SDKs report one and the same refusal under many types. Its shape opens nothing, so it is given for each of
        them where refusals are shown at all.
        """
        hidden = type_ is None or (type(type_) is str and type_ in WRAPPER_TYPES)
        return SHAPE if hidden and self._shows_refusals() else REMOVE_TEXT

    def _is_guards(self, value: str, type_: Any, view: View) -> bool:
        """Whether the text is the argument guard's own.

        It names arguments and the shapes that the schema declares, and no value: it may leave wherever the settings
        show refusals at all. One line of the guard's form, and only beside the guard's mark: any code may say
        `invalid_argument` of a text of its own.
        """
        if type_ != GUARD_TYPE or view.properties.get(GUARD_MARK) is not True or not self._shows_refusals():
            return False
        return len(value) <= _LONGEST_GUARD_TEXT and _GUARD_TEXT.match(value) is not None

    def _shows_refusals(self) -> bool:
        return self._modes.get(REFUSAL_TYPE, REMOVE_TEXT) != REMOVE_TEXT

    @staticmethod
    def _is_refusal(value: str, type_: Any, mode: str) -> bool:
        """Whether the text may be a pydantic refusal that this rule reads."""
        known = (
            type_ == REFUSAL_TYPE or mode == SHAPE or type_ is None or (type(type_) is str and type_ in WRAPPER_TYPES)
        )
        return known and value.find(" validation error", 0, 512) > 0

    @staticmethod
    def _own_shape(value: str, view: View) -> str | None:
        """`value` if it is a shape that this rule wrote before (an event may be seen twice): every part is a field
        path and a code, the codes are pydantic's or the one in `$mcp_error_code`."""
        code = view.properties.get(ERROR_CODE)
        if not kinds.slug(code) or len(value) > 8192:
            return None
        for part in value.removesuffix("; ...").split("; "):
            found = _PART.match(part)
            if found is None or (found["code"] not in message.KNOWN_CODES and found["code"] not in (code, "custom")):
                return None
            if found["field"] is not None and not _is_path(found["field"]):
                return None
        return value


def _is_path(text: str) -> bool:
    return all(part == message.HIDDEN or re.match(r"\w{1,64}\Z", part) for part in text.split("."))


def code_and_field(value: str) -> tuple[str, str] | None:
    """The first error's code and field; no field where it may be a client's choice, nothing where no block was read."""
    quick = quickly.first(value)
    if quick is not None:
        return quick[1].code, message.field_of(quick[1], message.is_argument_title(quick[0]))
    refusal = message.parse(value)
    return _first_of(refusal) if refusal is not None else None


def _first_of(refusal: message.Refusal) -> tuple[str, str] | None:
    """As `code_and_field`, for a text that was read whole."""
    if not refusal.problems:
        return None
    if not refusal.complete:
        # A block may be the caller's writing: pydantic's own codes are all that it can say.
        code = next((p.code for p in refusal.problems if p.code in message.KNOWN_CODES), None)
        return (code, "") if code is not None else None
    first = refusal.problems[0]
    return message.code_of(first), message.field_of(first, message.is_argument_title(refusal.title))
