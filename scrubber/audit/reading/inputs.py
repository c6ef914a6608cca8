"""From what was named on the command line to the inputs it means."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from scrubber.audit.reading.source import Source
from scrubber.settings_help import nearest
from scrubber.words.errors import ScrubberError

STDIN = "-"


def open_inputs(paths: Sequence[str], stdin: BinaryIO | None = None) -> list[Source]:
    """The inputs that `paths` name, each once, in the order given.

    A path is a file, a folder (all files in it, at any depth, sorted, but hidden ones), a glob (sorted, `**` for any
    depth) or `-` for `stdin`. Raises `ScrubberError` for one that names nothing, or that cannot be opened.
    """
    names: dict[str, None] = {}
    for path in paths:
        names.update(dict.fromkeys(_expand(path)))
    if not names:
        raise ScrubberError("nothing to read: name a file, a folder, a glob, or - for standard input")
    return [_source(name, stdin) for name in names]


def only_input(path: str, stdin: BinaryIO | None = None) -> Source:
    """The one input that `path` names. Raises `ScrubberError` also where it names several."""
    names = list(_expand(path))
    if len(names) > 1:
        raise ScrubberError(f"{path}: names {len(names)} files; name one")
    return _source(names[0], stdin)


def _source(name: str, stdin: BinaryIO | None) -> Source:
    if name == STDIN:
        return Source(name, stdin if stdin is not None else sys.stdin.buffer)
    return Source(name)


def _expand(path: str) -> Iterator[str]:
    if path == STDIN:
        yield path
    elif Path(path).is_dir():
        found = sorted(_files(path))
        if not found:
            raise ScrubberError(f"{path}: a folder without files")
        yield from found
    elif os.path.lexists(path):
        yield os.path.normpath(path)
    elif glob.has_magic(path):
        # pathlib globs from a folder; a pattern that a shell would have expanded starts anywhere.
        matches = glob.glob(path, recursive=True)  # noqa: PTH207
        found = sorted(name for name in matches if not Path(name).is_dir())
        if not found:
            raise ScrubberError(f"{path}: no file matches")
        yield from map(os.path.normpath, found)
    else:
        raise ScrubberError(_missing(Path(path)))


def _files(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (str(Path(here, name)) for name in files if not name.startswith("."))


def _missing(path: Path) -> str:
    """What to say of a path that does not exist: the nearest that does."""
    folder = path.parent
    if not folder.is_dir():
        return f"{path}: no such file; there is no folder {folder}"
    try:
        near = nearest(path.name, [one.name for one in folder.iterdir()])
    except OSError:
        near = None
    return f"{path}: no such file" + (f"; did you mean {folder / near}?" if near is not None else "")
