"""`$exception_list` on any event: types, modules, mechanisms and frames stay; every text goes.

Frames and entries are rebuilt from closed lists, so that a key which a later SDK adds does not leave
unseen. Names that were found to be code (file, function, module) are remembered, bounded: the same few
hundred frames come again and again, and looking at each once is what makes the rule cheap.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from scrubber.rules.base import View
from scrubber.rules.frame_paths import relative
from scrubber.rules.nested import detach
from scrubber.words import kinds
from scrubber.words.kinds import Kind
from scrubber.words.paths import at_entry
from scrubber.words.policy import Policy

RULE = "exception"
OBJECT = "[Object]"
UNKNOWN_TYPE = "Error"
MOST_ENTRIES = 50
MOST_FRAMES = 200
_MOST_REMEMBERED = 8192

_int_or_none = kinds.either(kinds.number, lambda value: value is None)

MECHANISM_LISTED: dict[str, Kind] = {
    "type": kinds.identifier,
    "handled": kinds.flag,
    "synthetic": kinds.flag,
    "exception_id": kinds.number,
    "parent_id": kinds.number,
    "source": kinds.code_name,
    "is_exception_group": kinds.flag,
}

_text_or_none: Kind = lambda value: value is None or type(value) is str  # noqa: E731
_name_or_none: Kind = lambda value: value is None or kinds.code_name(value)  # noqa: E731
_file_or_none: Kind = lambda value: value is None or kinds.file_name(value)  # noqa: E731


def _lines(value: Any) -> bool:
    return value is None or (type(value) is list and len(value) <= 50 and set(map(type, value)) <= {str})


SOURCE_LISTED: dict[str, Kind] = {
    "context_line": _text_or_none,
    "pre_context": _lines,
    "post_context": _lines,
}
FRAME_LISTED: dict[str, Kind] = {
    "platform": kinds.identifier,
    "filename": _file_or_none,
    "abs_path": _file_or_none,
    "function": _name_or_none,
    "module": _name_or_none,
    "lineno": _int_or_none,
    "colno": _int_or_none,
    "in_app": kinds.flag,
    # as the ingestion resolves them (exports)
    "raw_id": kinds.reference,
    "mangled_name": _name_or_none,
    "resolved_name": _name_or_none,
    "source": _file_or_none,
    "line": _int_or_none,
    "column": _int_or_none,
    "lang": kinds.identifier,
    "resolved": kinds.flag,
    "synthetic": kinds.flag,
    "suspicious": kinds.flag,
}
_PATH_KEYS = frozenset({"filename", "abs_path", "source"})


class ExceptionRule:
    """The rule, with what it remembers. One instance per hook; safe from threads (it only adds to sets)."""

    def __init__(self, policy: Policy) -> None:
        self._placeholder = policy.placeholder
        self._lines = policy.source_lines
        self._full_paths = policy.full_paths
        self._as_they_are = policy.source_lines and policy.full_paths
        self._known: dict[tuple[int, ...], tuple[tuple[Any, ...], ...]] = {}
        self._remembered = 0
        self._types: set[tuple[Any, Any]] = set()

    def __call__(self, value: Any, view: View) -> list[dict[str, Any]]:
        """`$exception_list` in, the list to send out: never empty, one entry for each that came."""
        entries = value if type(value) is list else [value]
        if len(entries) > MOST_ENTRIES:
            view.note(RULE, at_entry(MOST_ENTRIES), "more entries than any SDK sends")
            entries = entries[:MOST_ENTRIES]
        out: list[dict[str, Any]] = []
        for at, entry in enumerate(entries):
            if type(entry) is not dict:
                out.append(self._bare(view, at))
                continue
            out.append(self._seen_before(entry) or self._look(entry, view, at))
            if "value" in entry and entry["value"] != self._placeholder:
                view.fired.add(RULE)
                if view.findings is not None:
                    view.note(RULE, at_entry(at, "value"), _TEXT)
        # An empty list would make the ingestion refuse the event, and hide the fault.
        return out or [self._bare(view, 0)]

    def _bare(self, view: View, at: int) -> dict[str, Any]:
        """In place of what is no entry: its text may be anything."""
        view.frameless = True
        view.note(RULE, at_entry(at), "no exception entry; its place is kept")
        return {"type": UNKNOWN_TYPE, "value": self._placeholder}

    def _seen_before(self, entry: dict[str, Any]) -> dict[str, Any] | None:
        """The entry to send where all but its text equals one that was found whole before, else None.

        One comparison of the whole entry costs less than a look at each frame, and traces repeat. Its parts are not
        copied: nothing in them changes, and nothing of ours changes them later.
        """
        if len(entry) != _ENTRY_SIZE or "value" not in entry:
            return None
        try:
            parts = _ENTRY(entry)
            if parts not in self._known[_key(parts[3]["frames"])]:
                return None
        except Exception:
            # Another shape than a trace's, or an object that fails when it is compared: looked at part by part.
            return None
        return {
            "mechanism": parts[2],
            "module": parts[1],
            "type": parts[0],
            "value": self._placeholder,
            "stacktrace": parts[3],
        }

    def _look(self, entry: dict[str, Any], view: View, at: int) -> dict[str, Any]:
        """The entry to send, from a look at every part of it."""
        changed = view.changes
        type_, module = entry.get("type"), entry.get("module")
        if not self._is_type(type_, module):
            view.note(RULE, at_entry(at, "type"), "type or module is no name from code")
            type_ = type_ if kinds.type_name(type_) else UNKNOWN_TYPE
            module = module if kinds.code_name(module) else None
        out: dict[str, Any] = {}
        for key in entry:
            if key == "type":
                out["type"] = type_
            elif key == "module":
                out["module"] = module
            elif key == "value":
                out["value"] = self._placeholder
            elif key == "mechanism":
                out["mechanism"] = self._mechanism(entry["mechanism"], view, at)
            elif key == "stacktrace":
                out["stacktrace"] = self._stacktrace(entry["stacktrace"], view, at)
            else:
                view.note(RULE, at_entry(at), "an unlisted key of an entry")
        out.setdefault("type", type_ if type_ is not None else UNKNOWN_TYPE)
        stack = out.get("stacktrace")
        if type(stack) is not dict or not stack.get("frames"):
            view.frameless = True
        elif changed == view.changes and self._as_they_are:
            self._remember(out)
        return out

    def _remember(self, entry: dict[str, Any]) -> None:
        """Remember an entry in which nothing had to change; bounded by frames, started over when full."""
        stack = entry["stacktrace"]
        frames = stack["frames"]
        if len(entry) != _ENTRY_SIZE or type(entry.get("mechanism")) is not dict:
            return
        if self._remembered + len(frames) > _MOST_REMEMBERED:
            self._known.clear()
            self._remembered = 0
        self._remembered += len(frames)
        try:
            key = _key(frames)
        except (KeyError, TypeError):
            return
        # A new tuple each time: another thread may be reading the old one.
        others = self._known.get(key, ())[: _MOST_ALIKE - 1]
        self._known[key] = (detach(_ENTRY(entry)), *others)

    def _is_type(self, type_: Any, module: Any) -> bool:
        if type(type_) is not str or not (module is None or type(module) is str):
            return False
        if (type_, module) in self._types:
            return True
        fine = kinds.type_name(type_) and (module is None or kinds.code_name(module))
        if fine and len(self._types) < _MOST_REMEMBERED:
            self._types.add((type_, module))
        return fine

    def _mechanism(self, value: Any, view: View, at: int) -> Any:
        if type(value) is not dict:
            if value is None or (type(value) is str and value == OBJECT):
                return value
            view.note(RULE, at_entry(at, "mechanism"), "no mechanism")
            return None
        out = {
            key: item
            for key, item in value.items()
            if (kind := MECHANISM_LISTED.get(key)) is not None and _has(kind, item)
        }
        if len(out) != len(value):
            view.note(RULE, at_entry(at, "mechanism"), "an unlisted key or value")
        return out

    def _stacktrace(self, value: Any, view: View, at: int) -> Any:
        if value is None or (type(value) is str and value == OBJECT):
            return value
        if type(value) is not dict:
            view.note(RULE, at_entry(at, "stacktrace"), "no stack trace")
            return None
        out: dict[str, Any] = {}
        for key, item in value.items():
            if key == "frames":
                out["frames"] = self._frame_list(item, view, at)
            elif key == "type" and kinds.identifier(item):
                out["type"] = item
            else:
                view.note(RULE, at_entry(at, "stacktrace"), "an unlisted key or value")
        return out

    def _frame_list(self, frames: Any, view: View, at: int) -> list[Any]:
        if type(frames) is not list:
            if frames is not None:
                view.note(RULE, at_entry(at, "stacktrace.frames"), "no list of frames")
            return []
        if len(frames) > MOST_FRAMES:
            view.note(RULE, at_entry(at, "stacktrace.frames"), "more frames than any SDK sends")
            frames = frames[:MOST_FRAMES]
        out: list[Any] = []
        for frame in frames:
            if type(frame) is dict:
                out.append(self._frame(frame, view, at))
            else:
                # A null or a bare string in place of a frame: nothing of it can be kept.
                view.note(RULE, at_entry(at, "stacktrace.frames"), "no frame")
        return out

    def _frame(self, frame: dict[Any, Any], view: View, at: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        # A module that does not leave says nothing about the path either.
        module = frame.get("module") if kinds.code_name(frame.get("module")) else None
        whole = True
        for key, item in frame.items():
            kind = FRAME_LISTED.get(key) if type(key) is str else None
            if kind is None and self._lines and type(key) is str:
                kind = SOURCE_LISTED.get(key)
            if kind is None or not kind(item):
                whole = False
                continue
            if not self._full_paths and key in _PATH_KEYS and type(item) is str:
                item = relative(item, module)  # noqa: PLW2901
                whole = whole and item == frame[key]
            out[key] = item
        if not whole:
            view.note(RULE, at_entry(at, "stacktrace.frames"), "an unlisted key or value of a frame")
        return out


def _key(frames: list[dict[str, Any]]) -> tuple[int, ...]:
    """Tells most traces apart at the cost of a few look-ups, and by numbers alone, which cost least; the comparison
    decides."""
    size = len(frames)
    last = frames[-1]
    before = frames[-2]["lineno"] if size > 1 else 0
    return (size, len(last), last["lineno"], before, frames[size // 2]["lineno"], frames[0]["lineno"])


_MOST_ALIKE = 4
"""Traces of one key that are remembered."""
_TEXT = "the text of an exception is content"
_ENTRY = itemgetter("type", "module", "mechanism", "stacktrace")
_ENTRY_SIZE = 5


def _has(kind: Kind, item: Any) -> bool:
    return item is None or kind(item)
