"""Where scrubbed records go: a file that is there whole or not at all, or standard output; packed as the input was."""

from __future__ import annotations

import os
import secrets
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import brotli  # type: ignore[import-untyped, unused-ignore]

from scrubber.words.errors import ScrubberError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STDOUT = "-"


class _Encoder(Protocol):
    def compress(self, data: bytes) -> bytes: ...

    def flush(self) -> bytes: ...


class _Brotli:
    """brotli at the level that its own tool takes for data that is made as it goes."""

    def __init__(self) -> None:
        self._object: Any = brotli.Compressor(quality=5)

    def compress(self, data: bytes) -> bytes:
        return bytes(self._object.process(data))

    def flush(self) -> bytes:
        return bytes(self._object.finish())


_ENCODERS: dict[str, Callable[[], _Encoder]] = {
    "gzip": lambda: zlib.compressobj(wbits=31),
    "deflate": lambda: zlib.compressobj(wbits=15),
    "zstd": zstd.ZstdCompressor,
    "brotli": _Brotli,
}


class Packer:
    """A binary file to write to, packed as `packed` says. `finish` ends the archive; the file is the caller's to close.

    `closed`, `flush` and `close` are there for libraries that write to file-like objects.
    """

    closed = False

    def __init__(self, file: BinaryIO, packed: str) -> None:
        self._file = file
        self._encoder = _ENCODERS[packed]() if packed else None

    def write(self, data: bytes) -> int:
        """Write bytes."""
        self._file.write(self._encoder.compress(data) if self._encoder is not None else data)
        return len(data)

    def flush(self) -> None:
        """Nothing: what the archive holds back comes with `finish`."""

    close = flush

    def finish(self) -> None:
        """Write what is left."""
        if self._encoder is not None:
            self._file.write(self._encoder.flush())


@contextmanager
def output(path: str, force: bool) -> Iterator[BinaryIO]:
    """A file that becomes `path` when the block ends well, and of which nothing stays when it does not.

    `-` is standard output, written as it comes. Raises `ScrubberError` where `path` exists and `force` is not given,
    or where it cannot be written.
    """
    if path == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    _check(target, force)
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        file = beside.open("xb")
    except OSError as error:
        raise ScrubberError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _place(beside, target, force)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _check(target: Path, force: bool) -> None:
    if target.is_dir():
        raise ScrubberError(f"{target}: is a folder; name a file")
    if not target.parent.is_dir():
        raise ScrubberError(f"{target}: there is no folder {target.parent}")
    if not force and os.path.lexists(target):
        raise ScrubberError(f"{target}: exists; name another file, or overwrite it with --force")


def _place(beside: Path, target: Path, force: bool) -> None:
    """Give the finished file its name; also a file that came meanwhile is not overwritten unasked."""
    if not force:
        try:
            os.link(beside, target)
        except FileExistsError:
            raise ScrubberError(f"{target}: came to exist meanwhile; nothing was written") from None
        except OSError:
            # A file system without links: the check at the start is all that there is.
            _check(target, force)
        else:
            return
    beside.replace(target)
