"""`$exception_list` on any event: types, modules, mechanisms and frames stay; every text goes.

Entries are rebuilt from closed lists, so that a key which a later SDK adds does not leave unseen.
"""

from __future__ import annotations

from typing import Any

from scrubber.rules.base import View
from scrubber.rules.frames import OBJECT, RULE, Traces, note_shrunk
from scrubber.rules.known_traces import KnownTraces, Parts
from scrubber.words import kinds
from scrubber.words.kinds import Kind
from scrubber.words.paths import at_entry
from scrubber.words.policy import Policy

UNKNOWN_TYPE = "Error"
MOST_ENTRIES = 50
_MOST_TYPES = 8192
_TEXT = "the text of an exception is content"

MECHANISM_LISTED: dict[str, Kind] = {
    "type": kinds.identifier,
    "handled": kinds.flag,
    "synthetic": kinds.flag,
    "exception_id": kinds.number,
    "parent_id": kinds.number,
    "source": kinds.code_name,
    "is_exception_group": kinds.flag,
}


class ExceptionRule:
    """The rule, with what it remembers. One instance per hook; safe from threads (it only adds to what it knows)."""

    def __init__(self, policy: Policy) -> None:
        self._placeholder = policy.placeholder
        self._traces = Traces(policy)
        self._known = KnownTraces(policy.source_lines)
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
            known = self._known.find(entry)
            out.append(self._again(*known, view, at) if known is not None else self._look(entry, view, at))
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

    def _again(self, parts: Parts, instead: Any, view: View, at: int) -> dict[str, Any]:
        """The entry to send for one that is known."""
        if instead is not None:
            note_shrunk(view, at)
        return {
            "mechanism": parts[2],
            "module": parts[1],
            "type": parts[0],
            "value": self._placeholder,
            "stacktrace": instead if instead is not None else parts[3],
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
        listed: Any = None
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
                listed, out["stacktrace"] = self._traces(entry["stacktrace"], view, at)
            else:
                view.note(RULE, at_entry(at), "an unlisted key of an entry")
        out.setdefault("type", type_ if type_ is not None else UNKNOWN_TYPE)
        stack = out.get("stacktrace")
        if type(stack) is not dict or not stack.get("frames"):
            view.frameless = True
        elif changed == view.changes:
            # Of what came only the listed, whatever the notes say: memory must not know anything else.
            self._known.remember({**out, "stacktrace": listed}, stack)
        return out

    def _is_type(self, type_: Any, module: Any) -> bool:
        if type(type_) is not str or not (module is None or type(module) is str):
            return False
        if (type_, module) in self._types:
            return True
        fine = kinds.type_name(type_) and (module is None or kinds.code_name(module))
        if fine and len(self._types) < _MOST_TYPES:
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


def _has(kind: Kind, item: Any) -> bool:
    return item is None or kind(item)
