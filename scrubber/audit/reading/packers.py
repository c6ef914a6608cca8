"""The ways in which an input may be packed, each as one kind of decoder, told by the first bytes."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from typing import Protocol

import brotli  # type: ignore[import-untyped, unused-ignore]

# zstd came into the standard library with Python 3.14; the backport has its very interface.
if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PLAIN = ""
Errors = (zlib.error, zstd.ZstdError, brotli.error)
"""What a decoder raises for damaged input."""


class Decoder(Protocol):
    """One packed stream."""

    @property
    def eof(self) -> bool:
        """Whether its end was seen."""

    @property
    def unused_data(self) -> bytes:
        """What followed its end."""

    def decompress(self, data: bytes, most: int) -> bytes:
        """About `most` bytes of output at most; what is left of `data` is kept for the next call."""


class _Zlib:
    """gzip and deflate."""

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


class _Zstd:
    def __init__(self) -> None:
        self._object = zstd.ZstdDecompressor()

    @property
    def eof(self) -> bool:
        return self._object.eof

    @property
    def unused_data(self) -> bytes:
        return self._object.unused_data

    def decompress(self, data: bytes, most: int) -> bytes:
        return self._object.decompress(data, most)


class _Brotli:
    """brotli; a stream has no mark of its own, and nothing may follow its end."""

    unused_data = b""

    def __init__(self) -> None:
        self._object = brotli.Decompressor()
        self._waiting = b""

    @property
    def eof(self) -> bool:
        return bool(self._object.is_finished())

    def decompress(self, data: bytes, most: int) -> bytes:
        # It takes new input only after all output of the old one was fetched.
        self._waiting += data
        if not self._object.can_accept_more_data():
            return bytes(self._object.process(b"", output_buffer_limit=most))
        data, self._waiting = self._waiting, b""
        return bytes(self._object.process(data, output_buffer_limit=most))


DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": lambda: _Zlib(31),
    "deflate": lambda: _Zlib(15),
    "zstd": _Zstd,
    "brotli": _Brotli,
}
_DEFLATE = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_SKIPPABLE = tuple(bytes([0x50 + low]) + b"\x2a\x4d\x18" for low in range(16))
"""Frames that zstd passes over; `pzstd` begins its files with one."""


def packed_by(head: bytes) -> str:
    """The name of the compression that the first bytes of an input show, or `PLAIN`. brotli shows none."""
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"\x28\xb5\x2f\xfd") or head.startswith(_SKIPPABLE):
        return "zstd"
    if head.startswith(_DEFLATE):
        return "deflate"
    return PLAIN
