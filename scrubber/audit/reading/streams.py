"""Bytes of an input, unpacked as they are read."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO, Protocol

from scrubber.audit.reading.packers import DECODERS, PLAIN, Errors, packed_by

BLOCK = 1 << 18
PARQUET = b"PAR1"
NOTHING_BROTLI = b";"
"""What brotli makes of nothing at all."""
BROKEN_ARCHIVE = "the archive breaks off"
BAD_ARCHIVE = "the archive is damaged"
CANNOT_READ = "the file cannot be read further"
_CONTROLS = bytes({*range(32)} - {9, 10, 12, 13})


class Text(Protocol):
    """Bytes of an input, unpacked."""

    @property
    def broken(self) -> str:
        """Why reading ended early, or empty."""

    @property
    def consumed(self) -> int:
        """Bytes of the input itself that were read."""

    def read(self, most: int) -> bytes:
        """At most about `most` bytes; empty at the end, or where the input breaks off."""


class Raw:
    """The bytes of the input itself, counted, with those of `head` again in front."""

    def __init__(self, file: BinaryIO, head: bytes = b"") -> None:
        self._file, self._head = file, head
        self.consumed = 0
        self.broken = ""

    def read(self, most: int) -> bytes:
        """See `Text`."""
        if self._head:
            block, self._head = self._head[:most], self._head[most:]
        else:
            try:
                block = self._file.read(most)
            except OSError:
                self.broken = CANNOT_READ
                return b""
        self.consumed += len(block)
        return block


class Unpacked:
    """The unpacked bytes of an input; several archives one after another are read as one."""

    def __init__(self, raw: Raw, packed: str) -> None:
        self._raw, self._make = raw, DECODERS[packed]
        self._decoder = self._make()
        self._waiting = b""
        self._broken = ""

    @property
    def broken(self) -> str:
        """See `Text`."""
        return self._raw.broken or self._broken

    @property
    def consumed(self) -> int:
        """See `Text`."""
        return self._raw.consumed

    def read(self, most: int) -> bytes:
        """See `Text`."""
        while not self._broken:
            if self._decoder.eof and not self._next_member():
                return b""
            data, self._waiting = self._waiting, b""
            try:
                out = self._decoder.decompress(data, most)
                if not out and not self._decoder.eof:
                    data = self._raw.read(BLOCK)
                    if not data:
                        self._broken = BROKEN_ARCHIVE
                        return b""
                    out = self._decoder.decompress(data, most)
            except Errors:
                self._broken = BAD_ARCHIVE
                return b""
            if out:
                return out
        return b""

    def _next_member(self) -> bool:
        """Begin the archive that follows the one that ended; False where there is none. Zeros are padding."""
        data = self._decoder.unused_data.lstrip(b"\0")
        while not data:
            data = self._raw.read(BLOCK)
            if not data:
                return False
            data = data.lstrip(b"\0")
        self._decoder, self._waiting = self._make(), data
        return True


class Unmarked:
    """A text without the byte order mark that may stand in front."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._begun = False

    @property
    def broken(self) -> str:
        """See `Text`."""
        return self._text.broken

    @property
    def consumed(self) -> int:
        """See `Text`."""
        return self._text.consumed

    def read(self, most: int) -> bytes:
        """See `Text`."""
        block = self._text.read(most)
        if not self._begun:
            self._begun = True
            while 0 < len(block) < 3 and (more := self._text.read(most)):
                block += more
            block = block.removeprefix(codecs.BOM_UTF8)
        return block


def unpacked(file: BinaryIO, head: bytes, packed: str) -> Text:
    """What is in an input: `head` and then the rest of `file`, packed as `packed` says."""
    raw = Raw(file, head)
    return Unmarked(raw if packed == PLAIN else Unpacked(raw, packed))


def peek(head: bytes, packed: str, most: int) -> bytes:
    """The first bytes of what is in an input, from the first bytes of the input."""
    text = unpacked(io.BytesIO(head), b"", packed)
    out = b""
    while len(out) < most and (block := text.read(most)):
        out += block
    return out


def tell_packing(head: bytes, most: int) -> tuple[str, bytes]:
    """How an input that begins with `head` is packed, and the first bytes of what is in it.

    brotli has no mark: what has none, and is no text, is brotli if it unpacks to text or Parquet.
    """
    packed = packed_by(head)
    if head == NOTHING_BROTLI:
        return "brotli", b""
    if packed == PLAIN and not head.startswith(PARQUET) and not is_text(head):
        content = peek(head, "brotli", most)
        if content and (content.startswith(PARQUET) or is_text(content)):
            return "brotli", content
    return packed, peek(head, packed, most)


def is_text(head: bytes) -> bool:
    """Whether bytes can be the start of UTF-8 text."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return head.translate(None, _CONTROLS) == head
