"""hypothesis strategies: events as posthog makes them, and events as nobody should.

Draw from `events()` for a property of a hook that must hold for everything; from `mcp_call_events()` and
`exception_events()` for what an SDK sends. `values()` and `hostile_values()` are what a property can hold. Pass
`texts=` to plant a canary: every free text is then drawn from it.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from scrubber.words import properties as listed
from scrubber.words.verdict import Event

Texts = st.SearchStrategy[str]

_MODULES = (
    "app.db",
    "app.tools.orders",
    "mcp.server.fastmcp.tools.base",
    "mcp.server.mcpserver.tools.base",
    "fastmcp.tools.function_tool",
    "pydantic.main",
    "__main__",
)
_TYPES = ("ValidationError", "ToolError", "KeyError", "RuntimeError", "ExceptionGroup", "app.db.RowError")
_NAMES = ("find_book", "add", "list-orders", "get_more_tools")
_KEYS = ("type", "value", "name", "items", "e-mail", "$mcp_parameters", "$exception_list", "")
_MESSAGE = (
    "1 validation error for find_bookArguments\nnumber\n  Input should be a valid integer, unable to parse string as "
    "an integer [type=int_parsing, input_value='{text}', input_type=str]\n    For further information visit "
    "https://errors.pydantic.dev/2.14/v/int_parsing"
)
# Not all of Unicode: its tables take hypothesis a second to build. Surrogates are among the hostile values.
_CHARACTERS = "".join(map(chr, range(32, 127))) + "\n\t\u00e9\u00df\u0131\u0430\u4e2d\u05d0\u0627\uff21\u2028\U0001f600"
_HUGE = 20_000
_DEEP = 60


def values(texts: Texts | None = None) -> st.SearchStrategy[Any]:
    """Any JSON value. texts: what its texts are drawn from; keys too, now and then."""
    text = _texts(texts)
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_KEYS) | text, inner, max_size=4),
        max_leaves=16,
    )


def hostile_values(texts: Texts | None = None) -> st.SearchStrategy[Any]:
    """What JSON has no word for, and what is too much: deep nesting, cycles, keys that are content or no text, bytes,
    sets, lone surrogates, huge texts, numbers that are none, objects that raise when they are looked at."""
    text = _texts(texts)
    return st.one_of(
        text.map(_nested),
        text.map(_cyclic),
        st.dictionaries(st.integers() | st.binary(max_size=6) | st.none() | text, text, max_size=3),
        st.binary(max_size=20),
        st.frozensets(text, max_size=3),
        st.tuples(text, text),
        st.sampled_from(["\ud800", "\x00", "\u202e", float("nan"), float("inf"), -(10**400)]),
        text.map(lambda one: (one or " ") * (_HUGE // max(1, len(one)))),
        st.builds(Hostile),
    )


class Hostile:
    """An object that raises whatever is asked of it. Only its repr answers: hypothesis prints what failed."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Hostile()"

    def __str__(self) -> str:
        raise ValueError

    def __bool__(self) -> bool:
        raise ValueError

    def __eq__(self, other: object) -> bool:
        raise ValueError

    def __deepcopy__(self, memo: Any) -> Hostile:
        return self


def frames(texts: Texts | None = None) -> st.SearchStrategy[dict[str, Any]]:
    """A raw stack frame as posthog writes it, with its source lines and, now and then, local variables."""
    text = _texts(texts)
    module = st.none() | st.sampled_from(_MODULES)
    return st.fixed_dictionaries(
        {
            "platform": st.just("python"),
            "filename": module.map(lambda one: f"{(one or '<string>').replace('.', '/')}.py"),
            "abs_path": module.map(lambda one: f"/srv/{(one or '<string>').replace('.', '/')}.py"),
            "function": st.sampled_from(["run", "call_tool", "<lambda>", "find"]),
            "module": module,
            "lineno": st.integers(1, 5_000),
            "pre_context": st.lists(st.sampled_from(["def run():", ""]), max_size=3),
            "context_line": st.none() | st.sampled_from(["    raise ToolError(", "    return fn(**args)"]),
            "post_context": st.just([]),
            "in_app": st.booleans(),
        },
        optional={"code_variables": st.dictionaries(st.sampled_from(["self", "row"]), text, max_size=2)},
    )


def exception_lists(texts: Texts | None = None) -> st.SearchStrategy[list[dict[str, Any]]]:
    """An `$exception_list`: one to four entries, from the outermost exception to its root, chained by their ids; with
    and without frames, types and texts; a text may be pydantic's, about a value from `texts`."""
    text = _texts(texts)
    entry = st.fixed_dictionaries(
        {
            "module": st.none() | st.sampled_from(_MODULES),
            "type": st.sampled_from(_TYPES) | st.none(),
            "value": text | text.map(lambda one: _MESSAGE.format(text=one)),
            "stacktrace": st.none()
            | st.fixed_dictionaries({"frames": st.lists(frames(texts), max_size=4), "type": st.just("raw")}),
        }
    )
    return st.lists(entry, min_size=1, max_size=4).map(_chained)


def mcp_call_events(texts: Texts | None = None) -> st.SearchStrategy[Event]:
    """A `$mcp_tool_call` as posthog.mcp sends it, of a call that succeeded or failed."""
    text = _texts(texts)
    properties = st.fixed_dictionaries(
        {
            **_common(),
            "$mcp_is_error": st.booleans(),
            "$mcp_duration_ms": st.floats(0, 1e6),
            listed.PARAMETERS: values(texts),
        },
        optional={
            "$mcp_response": values(texts),
            "$mcp_intent": text,
            listed.ERROR_TYPE: st.sampled_from(_TYPES),
            listed.ERROR_MESSAGE: text | text.map(lambda one: _MESSAGE.format(text=one)),
            listed.INPUT_KEYS: st.lists(st.sampled_from(["query", "limit"]) | text, max_size=3),
        },
    )
    return _event(st.just(listed.TOOL_CALL_EVENT), properties)


def exception_events(texts: Texts | None = None) -> st.SearchStrategy[Event]:
    """An `$exception` of a tool call, with the flat copies that the ingestion makes of its list, now and then."""
    text = _texts(texts)
    properties = st.fixed_dictionaries(
        {**_common(), listed.EXCEPTION_LIST: exception_lists(texts), "$exception_level": st.just("error")},
        optional={
            "$exception_message": text,
            "$exception_values": st.lists(text, max_size=3),
            "$exception_types": st.lists(st.sampled_from(_TYPES), max_size=3),
            listed.FINGERPRINT: text | st.lists(text, max_size=2),
        },
    )
    return _event(st.just(listed.EXCEPTION_EVENT), properties)


def events(texts: Texts | None = None, *, hostile: bool = True) -> st.SearchStrategy[Event]:
    """Any event: those of the SDK, events of your own with any property, and both with values where none belongs.

    hostile: also `hostile_values`. What a hook makes of these must hold for everything.
    """
    value = values(texts) | hostile_values(texts) if hostile else values(texts)
    known = sorted(listed.MCP_KNOWN | listed.EXCEPTION_KNOWN | set(listed.STRICT_LISTED) | listed.PERSON_KEYS)
    names = st.sampled_from([*known, "plan", listed.STRICT_GROUPS]) | _texts(texts)
    odd = st.dictionaries(names, value, max_size=6)
    any_name = st.sampled_from([listed.EXCEPTION_EVENT, listed.TOOL_CALL_EVENT, "$mcp_custom", "signed up"])
    usual = mcp_call_events(texts) | exception_events(texts)
    return st.one_of(usual, _event(any_name, odd), st.builds(_with, usual, odd))


def _texts(texts: Texts | None) -> Texts:
    return texts if texts is not None else st.text(_CHARACTERS, max_size=20)


def _common() -> dict[str, st.SearchStrategy[Any]]:
    return {
        "$session_id": st.just("ses_1"),
        listed.TOOL_NAME: st.sampled_from(_NAMES),
        "$mcp_server_name": st.just("library"),
        "$lib": st.just("posthog-python-mcp"),
    }


def _event(name: st.SearchStrategy[str], properties: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[Event]:
    return st.fixed_dictionaries(
        {
            "event": name,
            "distinct_id": st.just("ses_1"),
            "properties": properties,
            "timestamp": st.just("2026-11-30T10:07:58.051151+00:00"),
            "uuid": st.uuids(version=4).map(str),
        }
    )


def _with(event: Event, more: dict[str, Any]) -> Event:
    return {**event, "properties": {**event["properties"], **more}}


def _chained(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Entries with posthog's mechanism: each is the cause of the one before it."""
    out = []
    for number, entry in enumerate(entries):
        mechanism: dict[str, Any] = {"type": "generic", "handled": True, "synthetic": False, "exception_id": number}
        if number:
            mechanism |= {"parent_id": number - 1, "source": "cause"}
        out.append({"mechanism": mechanism, **entry})
    return out


def _nested(text: str) -> Any:
    value: Any = text
    for level in range(_DEEP):
        value = [value] if level % 2 else {text: value}
    return value


def _cyclic(text: str) -> Any:
    value: dict[str, Any] = {"type": text}
    value["items"] = [value]
    return value
