"""The structure of an exception list: what is remembered of a trace is what a look at it would say."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubber import Scrubber
from scrubber.rules import structure as module
from scrubber.rules.structure import BY_HAND, MALFORMED, NO_SITE, OTHER_ROOT, Structure, look, structure

from ..support import frame, recorded, refusal

LIST = "$exception_list"
VERSION = "7.91.1"
CHAINS = [one.event["properties"] for one in recorded() if one.event["event"] == "$exception"]


def chain(*changes: tuple[tuple[Any, ...], Any], of: dict[str, Any] | None = None) -> list[Any]:
    """The exception list of a refusal, changed at paths; `...` takes a member out."""
    found = copy.deepcopy((of or refusal())["properties"][LIST])
    for path, value in changes:
        owner = found
        for step in path[:-1]:
            owner = owner[step]
        if value is ...:
            del owner[path[-1]]
        else:
            owner[path[-1]] = value
    return found


def fails(*_: Any) -> Any:
    raise RuntimeError


class Odd:
    """Neither hashed nor compared."""

    __eq__ = __hash__ = fails


class Text(str):
    """Equals a text and is none that posthog writes."""


def test_a_refusals_structure_has_its_site_and_nothing_against_it() -> None:
    found = structure(chain(), VERSION)
    assert found.site is not None
    assert found == Structure(None, (0, 1), found.site)


def test_what_is_remembered_is_what_a_look_says_on_every_recording() -> None:
    seen = set()
    for properties in CHAINS:
        version = properties.get("$lib_version")
        first = structure(properties[LIST], version)
        assert first == structure(copy.deepcopy(properties[LIST]), version) == look(properties[LIST], version)
        seen.add((first.refuted, first.broken))
    assert len(seen) > 8


LAST = (1, "stacktrace", "frames", -1)
CHANGES: list[tuple[tuple[Any, ...], Any]] = [
    ((1, "module"), "other"),
    ((1, "module"), Text("pydantic_core._pydantic_core")),
    ((1, "module"), Odd()),
    ((1, "type"), "Other"),
    ((1, "type"), ["ValidationError"]),
    ((0, "type"), "Other"),
    ((0, "module"), None),
    ((1, "mechanism", "source"), "context"),
    ((1, "mechanism", "source"), Odd()),
    ((1, "mechanism"), None),
    ((1, "mechanism", "exception_id"), 7),
    ((0, "mechanism", "parent_id"), 7),
    ((*LAST, "filename"), "elsewhere.py"),
    ((*LAST, "filename"), 7),
    ((*LAST, "filename"), Odd()),
    ((*LAST, "context_line"), "            return await fn(**arguments_parsed_dict)"),
    ((*LAST, "context_line"), None),
    ((*LAST, "context_line"), "model_validate(arguments_pre_parsed)" + " " * 5_000),
    ((*LAST, "in_app"), False),
    ((*LAST, "resolved_name"), "x"),
    ((*LAST, "module"), "app"),
    ((*LAST, "module"), Odd()),
    ((*LAST, "function"), ["x"]),
    ((*LAST, "function"), ...),
    ((0, "stacktrace", "frames", 1, "function"), "other"),
    ((0, "stacktrace", "frames", 0, "module"), "app"),
    ((0, "stacktrace", "frames", 0), None),
    ((0, "stacktrace", "frames", 0), Odd()),
    ((0, "stacktrace", "frames"), []),
    ((1, "stacktrace", "frames"), []),
    ((1, "stacktrace", "frames"), None),
    ((1, "stacktrace", "frames"), "[Array]"),
    ((1, "stacktrace"), "[Object]"),
    ((1, "stacktrace"), None),
    ((1, "stacktrace"), ...),
    ((0, "stacktrace"), ...),
    ((0,), None),
    ((0,), ...),
]


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
def test_a_trace_that_differs_from_a_known_one_is_told_from_it(change: tuple[tuple[Any, ...], Any]) -> None:
    structure(chain(), VERSION)
    changed = chain(change)
    for _ in range(2):
        assert structure(changed, VERSION) == look(changed, VERSION)
    assert structure(chain(), VERSION).broken is None


@pytest.mark.parametrize(
    "change, said",
    [
        (((1, "module"), "other"), (OTHER_ROOT, None)),
        (((1, "module"), Text("pydantic_core._pydantic_core")), (OTHER_ROOT, None)),
        (((*LAST, "in_app"), False), (None, BY_HAND)),
        (((*LAST, "module"), "app"), (None, NO_SITE)),
        (((1, "stacktrace"), "[Object]"), (MALFORMED, None)),
        (((0, "stacktrace", "frames", 0, "module"), Odd()), (MALFORMED, None)),
        (((1, "mechanism", "exception_id"), 7), (MALFORMED, None)),
    ],
    ids=range(7),
)
def test_what_is_against_a_refusal_is_named(change: Any, said: tuple[str | None, str | None]) -> None:
    found = structure(chain(change), VERSION)
    assert (found.refuted, found.broken) == said


def test_a_name_that_is_none_behind_what_refutes_the_trace_fails_nothing() -> None:
    entries = chain(((1, "stacktrace", "frames", 0, "function"), ["x"]))
    entries[1]["stacktrace"]["frames"].insert(0, frame("app", "body"))
    assert structure(entries, VERSION).refuted == MALFORMED


@pytest.mark.parametrize("version, order", [("7.29.0", (1, 0)), ("7.91.1", (0, 1))])
def test_the_order_is_the_lists_or_its_reverse_as_the_version_wrote_it(version: str, order: tuple[int, ...]) -> None:
    """Without ids the root is told by its type; the order says where each link stands in the list."""
    entries = chain()
    for one in entries:
        one["mechanism"] = {"type": "generic", "handled": True}
    found = entries if order == (0, 1) else entries[::-1]
    assert structure(found, version).order == order


def test_without_its_source_line_or_with_frames_cut_out_a_trace_is_weak() -> None:
    assert not structure(chain(), VERSION).weak
    assert structure(chain(((*LAST, "context_line"), None)), VERSION).weak
    cut = chain()
    cut[0]["stacktrace"]["frames"][:0] = [frame("app.middleware", "on_call")] * 50
    assert structure(cut, VERSION).weak


def test_an_entry_of_another_type_than_a_dict_is_malformed_whatever_it_holds() -> None:
    entries = chain()
    entries[0] = OrderedDict(entries[0])
    assert structure(entries, VERSION) == look(entries, VERSION) == Structure(MALFORMED)


def test_frames_that_are_no_list_are_no_frames() -> None:
    entries = chain()
    entries[1]["stacktrace"]["frames"] = tuple(entries[1]["stacktrace"]["frames"])
    assert structure(entries, VERSION) == look(entries, VERSION) == Structure(MALFORMED)


@pytest.mark.parametrize(
    "change",
    [
        {"filename": None, "source": "/srv/mcp/server/fastmcp/utilities/func_metadata.py"},
        {"filename": None, "source": "/srv/elsewhere.py"},
        {"in_app": True, "resolved_name": "call_fn_with_arg_validation"},
        {"in_app": True},
    ],
)
def test_a_last_frame_of_another_make_is_read_as_a_look_reads_it(change: dict[str, Any]) -> None:
    entries = chain()
    entries[1]["stacktrace"]["frames"][-1].update(change)
    for _ in range(2):
        assert structure(entries, VERSION) == look(entries, VERSION)


def test_a_text_is_no_part_of_the_structure() -> None:
    module._remembered.cache_clear()
    for at in range(5):
        entries = chain(((1, "value"), f"secret-{at}"), ((0, "value"), f"secret-{at}"))
        structure(entries, VERSION)
    assert module._remembered.cache_info().currsize == 1


@pytest.mark.parametrize("many", [{"frames": 300}, {"line": 2_000}])
def test_what_is_large_is_not_remembered(many: dict[str, int]) -> None:
    module._remembered.cache_clear()
    entries = chain()
    frames = entries[1]["stacktrace"]["frames"]
    frames[:0] = [frame("app", "f")] * many.get("frames", 0)
    frames[-1]["context_line"] = "x" * many.get("line", 1)
    assert structure(entries, VERSION) == look(entries, VERSION)
    assert module._remembered.cache_info().currsize == 0


SCRAPS = st.none() | st.integers(-1, 2) | st.sampled_from(["", "cause", "context", "app", "[Object]", [], {}, [None]])


@st.composite
def changed_lists(draw: st.DrawFn) -> tuple[list[Any], Any]:
    """A recorded list with a few members of it put elsewhere, taken out, or replaced by scraps."""
    properties = draw(st.sampled_from(CHAINS))
    entries = copy.deepcopy(properties[LIST])
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(entries) - 1))
        owner = entries[at]
        while isinstance(owner, (dict, list)) and owner:
            key = draw(st.sampled_from(list(owner) if isinstance(owner, dict) else range(len(owner))))
            if not isinstance(owner[key], (dict, list)) or draw(st.booleans()):
                owner[key] = draw(SCRAPS)
                break
            owner = owner[key]
    return entries, draw(st.sampled_from([properties.get("$lib_version"), "7.29.0", None, 7]))


@given(changed_lists())
def test_any_list_is_remembered_as_it_is(drawn: tuple[list[Any], Any]) -> None:
    """Broken by: a part of `_bones` left out, or an entry rebuilt without it."""
    entries, version = drawn
    for _ in range(2):
        assert structure(entries, version) == look(entries, version)


def test_an_object_that_cannot_be_compared_hides_no_fault() -> None:
    """What is remembered is found by comparing: an object that fails at that is looked at like any other."""
    hook, event = Scrubber(), refusal()
    event["properties"][LIST][1]["type"] = "Fault"
    assert hook(copy.deepcopy(event)) is not None
    event["properties"][LIST][0]["stacktrace"]["frames"][0]["context_line"] = Odd()
    event["properties"]["$mcp_tool_description"] = Odd()
    for _ in range(3):
        assert hook(event) is not None
    assert hook.counts()["failed"] == 0
