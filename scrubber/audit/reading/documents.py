"""JSON that is no line per event: cut into the text of its events and what stands between them, without holding it.

A document is walked from its first character. Arrays and the envelopes of capture bodies, API pages and HogQL
responses are taken apart; each element of theirs is handed on as text and is parsed where it is judged.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from scrubber.audit.reading.events import BROKEN_OFF, NO_JSON, TOO_LONG
from scrubber.audit.reading.json_text import ParseError, loads
from scrubber.audit.reading.lines import BLOCK, LONGEST
from scrubber.audit.reading.sniffing import TOKEN, first_keys
from scrubber.audit.reading.streams import Text

ROWS = ("batch", "results")
"""Keys of an envelope under which the events stand."""

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}\[{\"]+|.", re.DOTALL)
_scan = json.JSONDecoder().raw_decode


class Token(NamedTuple):
    """Text of a document. kind: `record`; `bad` (a record that cannot be had; its text is the reason); or a part of
    the structure: `[`, `]`, `{`, `}`, or `key` with the raw text of its value, empty where an array of events follows.
    """

    kind: str
    text: str = ""
    key: str = ""


class Cursor:
    """A place in a text that is read as it is needed. What is no UTF-8 is carried along and found when parsed."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._ended = False
        self.buffer = ""
        self.at = 0

    def peek(self) -> str:
        """The next character that is no white space, empty at the end."""
        while True:
            found = _SPACE.match(self.buffer, self.at)
            self.at = found.end() if found is not None else self.at
            if self.at < len(self.buffer):
                return self.buffer[self.at]
            if not self._fill():
                return ""

    def take(self) -> str:
        """Consume the character that `peek` gave."""
        self.at += 1
        return self.buffer[self.at - 1]

    def ahead(self) -> Iterator[tuple[str, str, int]]:
        """The keys of the object that begins here, as far as a block goes; to be read before the cursor moves."""
        while len(self.buffer) - self.at < BLOCK and self._fill():
            pass
        return first_keys(self.buffer, self.at, self.at + BLOCK)

    def value(self) -> Token:
        """The text of the value that begins here, consumed."""
        while True:
            try:
                end = _scan(self.buffer, self.at)[1]
            except ParseError:
                return self._by_brackets()
            if end < len(self.buffer) or not self._fill():
                return self._taken(end)

    def _by_brackets(self) -> Token:
        """The text of a value that does not parse: it goes on beyond the buffer, or is broken."""
        if self.buffer[self.at] not in '[{"':
            return self._scalar()
        depth, seen, dropped = 0, 0, False
        while True:
            for token in TOKEN.finditer(self.buffer, self.at + seen):
                sign = token.group()
                if sign[0] == '"' and not token.group(1):
                    # A string that goes on beyond the buffer.
                    seen = token.start() - self.at
                    break
                end = token.end()
                if sign[0] in "[{":
                    depth += len(sign)
                elif sign[0] in "]}":
                    # Of several that close, the one that closes the value ends it.
                    end = token.start() + min(depth, len(sign))
                    depth -= len(sign)
                if depth <= 0:
                    taken = self._taken(end)
                    return Token("bad", TOO_LONG) if dropped else taken
            else:
                seen = len(self.buffer) - self.at
            held = len(self.buffer) - self.at
            if held > LONGEST:
                dropped = True
                self._let_go(seen)
                seen = 0
            if not self._fill(max(held, BLOCK)):
                self.at = len(self.buffer)
                return Token("bad", TOO_LONG if dropped else BROKEN_OFF)

    def _let_go(self, seen: int) -> None:
        """Forget the text of a value, but for the quote of a string that is open and a backslash at its end."""
        rest = self.buffer[self.at + seen :]
        if rest:
            rest = '"' + rest[len(rest.rstrip("\\")) :]
        self.buffer, self.at = rest, 0

    def _scalar(self) -> Token:
        """The text of what is no object, list or string and cannot be parsed."""
        end = self.at
        while end == self.at or (end == len(self.buffer) and end - self.at < BLOCK and self._fill()):
            found = _SCALAR.match(self.buffer, self.at)
            end = found.end() if found is not None else self.at + 1
        return self._taken(end)

    def _taken(self, end: int) -> Token:
        start, self.at = self.at, end
        return Token("record", self.buffer[start:end]) if end - start <= LONGEST else Token("bad", TOO_LONG)

    def _fill(self, most: int = BLOCK) -> bool:
        """Read on and let go of what was consumed; False at the end."""
        if self._ended:
            return False
        block = self._text.read(most)
        self._ended = not block
        more = self._decoder.decode(block, final=self._ended)
        self.buffer = self.buffer[self.at :] + more
        self.at = 0
        return bool(more) or (not self._ended and self._fill(most))


def tokens(text: Text) -> Iterator[Token]:
    """The events of a document and its structure, in order; nothing after the place where it breaks off."""
    for token in _walk(Cursor(text)):
        yield token
        if token.kind == "bad" and token.text == BROKEN_OFF:
            return


def _walk(cursor: Cursor) -> Iterator[Token]:
    while sign := cursor.peek():
        if sign == ",":
            cursor.take()
        elif sign == "[":
            yield from _elements(cursor)
        elif sign == "{" and _is_envelope(cursor):
            yield from _envelope(cursor)
        else:
            yield cursor.value()


def _is_envelope(cursor: Cursor) -> bool:
    """Whether the object that begins here holds events: the first of its keys that tells decides."""
    for key, sign, _ in cursor.ahead():
        if key == "event":
            return False
        if key in ROWS and sign == "[":
            return True
    return False


def _elements(cursor: Cursor) -> Iterator[Token]:
    """An array of events."""
    yield Token(cursor.take())
    while sign := cursor.peek():
        if sign == "]":
            yield Token(cursor.take())
            return
        if sign == ",":
            cursor.take()
        elif sign == "}":
            # A bracket that closes nothing here.
            cursor.take()
            yield Token("bad", NO_JSON)
        else:
            yield cursor.value()
    yield Token("bad", BROKEN_OFF)


def _envelope(cursor: Cursor) -> Iterator[Token]:
    """An object that has an array of events, and other things beside it."""
    yield Token(cursor.take())
    while sign := cursor.peek():
        if sign == "}":
            yield Token(cursor.take())
            return
        if sign == ",":
            cursor.take()
            continue
        key = _key(cursor)
        if key is None:
            yield Token("bad", NO_JSON)
            continue
        if key in ROWS and cursor.peek() == "[":
            yield Token("key", "", key)
            yield from _elements(cursor)
        elif cursor.peek():
            value = cursor.value()
            yield value if value.kind == "bad" else Token("key", value.text, key)
    yield Token("bad", BROKEN_OFF)


def _key(cursor: Cursor) -> str | None:
    """The key before a value, with its colon consumed; None for what is no key."""
    token = cursor.value()
    try:
        key = loads(token.text) if token.kind == "record" else None
    except ParseError:
        return None
    if type(key) is not str or cursor.peek() != ":":
        return None
    cursor.take()
    return key


def columns_of(text: Text) -> list[list[str] | None]:
    """The columns of each HogQL response in a document, in order; read to its end, because they may stand there."""
    found: list[list[str] | None] = []
    for token in tokens(text):
        if token.kind == "{":
            found.append(None)
        if token.kind == "key" and token.key == "columns":
            found[-1] = parsed_columns(token.text)
    return found


def parsed_columns(text: str) -> list[str] | None:
    """The names of columns from their JSON text; None where it is no list."""
    try:
        names = loads(text)
    except ParseError:
        return None
    return names if type(names) is list else None
