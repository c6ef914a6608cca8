"""Shrinking a frame's path to the part that belongs to the package: homes, users and hosts are not code."""

from __future__ import annotations

import re

_LIBRARY = re.compile(r".*/(?:(?:site|dist)-packages|lib/python\d[\w.]*)/", re.DOTALL)
_ABSOLUTE = re.compile(r"(?:[/\\~]|[A-Za-z]:)")


def relative(path: str, module: str | None) -> str:
    """The package-relative part of `path`.

    Without a module the file's name alone: nothing says what of the path is the package's. With one, what follows a
    library folder. Otherwise as many last parts as the module's name has, where the file is that module's; else the
    file's name alone. A path that is relative already stays, without leading dots. `<string>` and the like stay.
    """
    if path.startswith("<"):
        return path
    parts = [part for part in re.split(r"[/\\]", path) if part not in ("", ".", "..", "~")]
    if not parts:
        return ""
    if module is None:
        return parts[-1]
    absolute = _ABSOLUTE.match(path) is not None
    whole = "/".join(("", *parts))
    library = _LIBRARY.match(whole)
    if library is not None:
        parts, absolute = whole[library.end() :].split("/"), False
    names = module.split(".")
    stem = parts[-1].rsplit(".", 1)[0]
    wanted = [*names, "__init__"] if stem == "__init__" else names
    if [*parts[:-1], stem][-len(wanted) :] == wanted:
        return "/".join(parts[-len(wanted) :])
    own = "/".join(parts)
    return parts[-1] if absolute or _ABSOLUTE.match(own) else own
