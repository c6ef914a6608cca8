"""Bytes of an input, decompressed as they are read; how it was compressed is told by its first bytes."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, Protocol

BLOCK = 1 << 18
HEAD = 1 << 16
"""Bytes of the input that are looked at to tell what it is."""
PLAIN = ""
BROKEN_ARCHIVE = "the archive breaks off"
BAD_ARCHIVE = "the archive is damaged"
CANNOT_READ = "the file cannot be read further"


class Decoder(Protocol):
    """One compressed stream."""

    @property
    def eof(self) -> bool:
        """Whether its end was seen."""

    @property
    def unused_data(self) -> bytes:
        """What followed its end."""

    def decompress(self, data: bytes, most: int) -> bytes:
        """At most `most` bytes of output; what is left of `data` is kept for the next call."""


class Raw:
    """The bytes of the input itself, counted, with those of `head` again in front."""

    def __init__(self, file: BinaryIO, head: bytes = b"") -> None:
        self._file, self._head = file, head
        self.consumed = 0
        self.broken = ""

    def read(self, most: int) -> bytes:
        """At most `most` bytes; empty at the end."""
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
    """The decompressed bytes of an input; several archives one after another are read as one."""

    def __init__(self, raw: Raw, make: Callable[[], Decoder], errors: tuple[type[Exception], ...]) -> None:
        self._raw, self._make, self._errors = raw, make, errors
        self._decoder: Decoder = make()
        self._started = True
        self._waiting = b""
        self._broken = ""

    @property
    def broken(self) -> str:
        """Why reading ended early, or empty."""
        return self._broken or self._raw.broken

    @property
    def consumed(self) -> int:
        """Compressed bytes read so far."""
        return self._raw.consumed

    def read(self, most: int) -> bytes:
        """At most `most` bytes; empty at the end, or where the archive breaks off."""
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
            except self._errors:
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


class _Zlib:
    """gzip and deflate by the standard library, which keeps unread input apart."""

    def __init__(self, wbits: int) -> None:
        self._object = zlib.decompressobj(wbits)

    @property
    def eof(self) -> bool:
        return self._object.eof

    @property
    def unused_data(self) -> bytes:
        return self._object.unused_data

    def decompress(self, data: bytes, most: int) -> bytes:
        return self._object.decompress(self._object.unconsumed_tail + data, most)


def unpack(raw: Raw, head: bytes) -> tuple[str, Any]:
    """The name of the compression that `head` begins, and the reader of what is in it."""
    if head[:2] == b"\x1f\x8b":
        return "gzip", Unpacked(raw, lambda: _Zlib(31), (zlib.error,))
    if head[:2] in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"):
        return "deflate", Unpacked(raw, lambda: _Zlib(15), (zlib.error,))
    return PLAIN, raw
