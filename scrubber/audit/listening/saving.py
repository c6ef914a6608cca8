"""What came in, written to a file: one event a line, as JSON, whole lines only."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import TracebackType

from scrubber.audit.listening.serving import ListenError


class Recording:
    """A file of JSON lines that only its owner can read, because it holds content.

    path: must not exist, unless `force` says to overwrite it: events of two runs in one file would tell nothing about
    either. Raises `ListenError` where it cannot be opened or written. Not safe from threads.
    """

    def __init__(self, path: Path, force: bool = False) -> None:
        self.path = path
        self.lines = 0
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if force else os.O_EXCL)
        try:
            self._file = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)
            self._regular = stat.S_ISREG(os.fstat(self._file).st_mode)
            if self._regular:
                path.chmod(0o600)  # one that existed keeps its own mode otherwise
        except FileExistsError:
            raise ListenError(f"{path} exists; give another --save, or --force to overwrite it") from None
        except OSError as error:
            raise ListenError(f"{path} cannot be written ({error.strerror}); give another --save") from None

    def add(self, line: bytes) -> None:
        """Write one line; on a full disk, none of it."""
        rest = memoryview(line + b"\n")
        written = 0
        try:
            while written < len(rest):
                written += os.write(self._file, rest[written:])
        except OSError as error:
            if self._regular and written:
                os.ftruncate(self._file, os.lseek(self._file, 0, os.SEEK_CUR) - written)
            raise ListenError(
                f"{self.path} cannot be written on ({error.strerror}); it ends after a whole line"
            ) from None
        self.lines += 1

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
