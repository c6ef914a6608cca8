"""JSON lines cut into batches of whole lines, without looking inside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from scrubber.audit.reading.batch import LEAD, LineBatch
from scrubber.audit.reading.events import BROKEN_OFF, TOO_LONG
from scrubber.audit.records import Unreadable

BLOCK = 1 << 20
LONGEST = 16 << 20
"""Bytes of the longest record that is read: sixteen times what PostHog takes as one event."""
_LONGEST_LEAD = 4 << 20


class Text(Protocol):
    """Decompressed bytes of an input."""

    broken: str
    consumed: int

    def read(self, most: int) -> bytes:
        """At most `most` bytes; empty at the end, or where the input breaks off (then `broken` says so)."""


def line_batches(text: Text, file: str) -> Iterator[LineBatch]:
    """The lines of a text in batches; a line beyond `LONGEST` is passed over and reported."""
    rest, lead, first = b"", b"", 1
    ahead: tuple[Unreadable, ...] = ()
    block = text.read(BLOCK)
    while block:
        end = block.rfind(b"\n") + 1
        if end:
            data = rest + block[: end - 1]
            rest = block[end:]
            yield LineBatch(file, text.consumed, data, first, lead, ahead)
            ahead = ()
            first += data.count(b"\n") + 1
            lead = _last_lines(lead, data)
        else:
            rest += block
        block = text.read(BLOCK)
        if len(rest) > LONGEST:
            ahead += (Unreadable(file, first, TOO_LONG),)
            first += 1
            rest, block = b"", _next_line(text, block)
    broken = text.broken and rest.strip()
    after = (Unreadable(file, first, BROKEN_OFF),) if broken else ()
    if rest or ahead:
        yield LineBatch(file, text.consumed, b"" if broken else rest, first, lead, ahead, after)


def _next_line(text: Text, block: bytes) -> bytes:
    """What was read of the line after the present one; `block` still belongs to it."""
    while block:
        at = block.find(b"\n")
        if at >= 0:
            return block[at + 1 :] or text.read(BLOCK)
        block = text.read(BLOCK)
    return b""


def _last_lines(lead: bytes, data: bytes) -> bytes:
    """The last `LEAD` lines, each with its newline, of the lead before and the lines after it."""
    at = len(data)
    for _ in range(LEAD):
        at = data.rfind(b"\n", 0, at)
        if at < 0:
            break
    if at < 0 and lead:
        both = lead + data
        at = len(both)
        for _ in range(LEAD):
            at = both.rfind(b"\n", 0, at)
            if at < 0:
                break
        data = both
    kept = data[at + 1 :] + b"\n"
    return kept if len(kept) <= _LONGEST_LEAD else b""
