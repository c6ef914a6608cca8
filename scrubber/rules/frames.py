"""A stack trace, rebuilt from closed lists: a key of a frame that a later SDK adds does not leave unseen."""

from __future__ import annotations

from typing import Any

from scrubber.rules.base import View
from scrubber.rules.frame_paths import relative
from scrubber.words import kinds
from scrubber.words.kinds import Kind
from scrubber.words.paths import at_entry
from scrubber.words.policy import Policy

RULE = "exception"
OBJECT = "[Object]"
"""What posthog.mcp leaves where it cut an event below its deepest level (`_truncation`)."""
MOST_FRAMES = 200
SHRUNK = "source lines, or what is not the package's of a path"

_int_or_none = kinds.either(kinds.number, lambda value: value is None)
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
_LISTED = SOURCE_LISTED | FRAME_LISTED


class Traces:
    """The rule for a `stacktrace` under one policy.

    What is not listed, or not of its kind, is noted (`View.note`). Source lines and paths that the policy closes are
    of their kinds: they only mark the rule as fired, so that a trace can be remembered without them.
    """

    def __init__(self, policy: Policy) -> None:
        self._lines = policy.source_lines
        self._full_paths = policy.full_paths
        self._as_they_are = policy.source_lines and policy.full_paths

    def __call__(self, value: Any, view: View, at: int) -> tuple[Any, Any]:
        """The `stacktrace` of entry number `at` in; out: what of it is listed, and what of that leaves."""
        if value is None or (type(value) is str and value == OBJECT):
            return value, value
        if type(value) is not dict:
            view.note(RULE, at_entry(at, "stacktrace"), "no stack trace")
            return None, None
        listed: dict[str, Any] = {}
        for key, item in value.items():
            if key == "frames":
                listed["frames"] = self._frame_list(item, view, at)
            elif key == "type" and kinds.identifier(item):
                listed["type"] = item
            else:
                view.note(RULE, at_entry(at, "stacktrace"), "an unlisted key or value")
        if self._as_they_are or "frames" not in listed:
            return listed, listed
        leaves = {**listed, "frames": list(map(self._shrunk, listed["frames"]))}
        if leaves != listed:
            note_shrunk(view, at)
        return listed, leaves

    def _frame_list(self, frames: Any, view: View, at: int) -> list[dict[str, Any]]:
        if type(frames) is not list:
            if frames is not None:
                view.note(RULE, at_entry(at, "stacktrace.frames"), "no list of frames")
            return []
        if len(frames) > MOST_FRAMES:
            view.note(RULE, at_entry(at, "stacktrace.frames"), "more frames than any SDK sends")
            frames = frames[:MOST_FRAMES]
        out: list[dict[str, Any]] = []
        for frame in frames:
            if type(frame) is dict:
                out.append(self._listed(frame, view, at))
            else:
                # A null or a bare string in place of a frame: nothing of it can be kept.
                view.note(RULE, at_entry(at, "stacktrace.frames"), "no frame")
        return out

    @staticmethod
    def _listed(frame: dict[Any, Any], view: View, at: int) -> dict[str, Any]:
        """The keys of a frame that are listed and have their kinds."""
        out = {
            key: item
            for key, item in frame.items()
            if type(key) is str and (kind := _LISTED.get(key)) is not None and kind(item)
        }
        if len(out) != len(frame):
            view.note(RULE, at_entry(at, "stacktrace.frames"), "an unlisted key or value of a frame")
        return out

    def _shrunk(self, frame: dict[str, Any]) -> dict[str, Any]:
        """A frame of listed keys without what the policy closes of it."""
        if not self._lines:
            frame = {key: item for key, item in frame.items() if key not in SOURCE_LISTED}
        if self._full_paths:
            return frame
        # A module that does not leave says nothing about the path either: it is not among the listed.
        module = frame.get("module")
        return {
            key: relative(item, module) if key in _PATH_KEYS and type(item) is str else item
            for key, item in frame.items()
        }


def note_shrunk(view: View, at: int) -> None:
    """Say that the policy closed something of the trace of entry number `at`, all of which was of its kind."""
    view.note_at(RULE, at_entry(at, "stacktrace.frames"), SHRUNK)
