"""The policy page: the kinds of value, the keys of entries and frames, and the event around the properties."""

from __future__ import annotations

import inspect
from typing import Any

from docs_parts.asking import policies
from docs_parts.closed_list import kind_name
from docs_parts.words import code, shortened, table
from scrubber.rules import exceptions
from scrubber.rules import frames as traces
from scrubber.rules.base import REMOVE
from scrubber.words import kinds
from scrubber.words import properties as listed

KIND_EXAMPLES: dict[str, tuple[list[Any], list[Any]]] = {
    "flag": ([True], ["true", 1]),
    "number": ([3.2, 0], [True, "3.2", 10**40]),
    "name": (["claude-ai", "Visual Studio Code"], ["jane@example.test", "please look up my account now"]),
    "tool": (["_refresh", "report_20240115", "größe"], ["https://acme.test/7", "please look up my account now"]),
    "title": (["Acme Books & Co (staging)"], ["https://acme.test/admin"]),
    "names": ([["find_book", "files-read"]], [["find_book", "_private"]]),
    "identifier": (["since", "order.id"], ["a sentence"]),
    "type_name": (["app.errors.NotFoundError"], ["ValueError: no such book"]),
    "code_name": (["f.<locals>.g", "<lambda>"], ["a sentence"]),
    "slug": (["posthog_mcp_analytics"], ["Free text"]),
    "field": (["lines.N.sku"], ["jane@example.test"]),
    "version": (["2026-07-28", "1.4.0"], ["1.0 for Jane"]),
    "model": (["anthropic/claude-opus-4-8"], ["jane@example.test"]),
    "agent": (["claude-code/2.0.1 node/22.4.0"], ["Mozilla/5.0 (X11; jane)"]),
    "identity": (["ses_01a22bec"], ["jane@example.test"]),
    "reference": (["0a3f91c2d4/1"], ["https://acme.test/7"]),
    "minted_id": (["01a22c07-6c87-7d18-ab71-a25aa3773c9f"], ["jane-doe-biopsy"]),
    "fingerprint": (["checkout:declined"], ["https://acme.test/7", "customer Jane is overdue"]),
    "file_name": (
        ["app/tools.py", "/opt/python@3.12/bin/uvicorn", "<string>", "/srv/app/<string>"],
        ["see file, line 3", "/my books/uvicorn"],
    ),
}
"""Good and bad values of each kind. Tried when the page is written."""


def kind_table() -> str:
    """Each kind: its docstring, a good and a bad value. The examples are tried."""
    rows = []
    for name, (good, bad) in KIND_EXAMPLES.items():
        kind = getattr(kinds, name)
        assert all(map(kind, good)), f"{name}: {good}"
        assert not any(map(kind, bad)), f"{name}: {bad}"
        text = " ".join((inspect.getdoc(kind) or "").split())
        rows.append((code(name), text, *(", ".join(code(shortened(one)) for one in side) for side in (good, bad))))
    return table(("Kind", "What it accepts", "Good", "Bad"), rows)


def private_kind(kind: Any) -> str:
    """The words for a kind of a frame's key."""
    words = {
        traces._text_or_none: "text or null",
        traces._name_or_none: "[code_name](#kinds) or null",
        traces._file_or_none: "[file_name](#kinds) or null",
        traces._int_or_none: "[number](#kinds) or null",
        traces._lines: "list of at most 50 texts, or null",
    }
    return words.get(kind) or kind_name(kind)


def frames() -> str:
    """The keys of a frame and of a mechanism."""
    rows = []
    for key, kind in traces.FRAME_LISTED.items():
        strict = "relative to the package" if key in traces._PATH_KEYS else "the same"
        rows.append((f"frame: `{key}`", private_kind(kind), strict))
    for key, kind in traces.SOURCE_LISTED.items():
        rows.append((f"frame: `{key}`", private_kind(kind), "removed"))
    for key, kind in exceptions.MECHANISM_LISTED.items():
        rows.append((f"mechanism: `{key}`", f"{private_kind(kind)} or null", "the same"))
    rows.append(("frame: any other key, so also `code_variables`", "removed", "the same"))
    return table(("Key", "`standard`", "`strict`"), rows)


def envelope() -> str:
    """The keys beside `properties`: asked of the rule, with a scalar and with a container."""
    standard, strict = policies()
    rows = []
    for key in (*listed.TOP_LEVEL, *sorted(listed.PERSON_KEYS), "mine", listed.PARAMETERS, listed.EXCEPTION_LIST):
        cells = []
        for one in (standard, strict):
            text, tree = (one.top_level(key, value, "any event")[0] is not REMOVE for value in ("x", {"a": 1}))
            words = {(True, True): "passes, closed inside", (True, False): "passes, unless it is a container"}
            cells.append(words.get((text, tree), "removed"))
        rows.append((code(key) if key != "mine" else "any other key", *cells))
    return table(("Key", "`standard`", "`strict`"), rows)
