"""Reading the exception list: either naming of frames, every shape of a stack, and the order by ids or by version."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber.words import chain
from scrubber.words.chain import Link, cause_chain, links, title_of

from ..support import entry, frame

WRAPPER = ("mcp.server.fastmcp.exceptions", "ToolError")
PYDANTIC = ("pydantic_core._pydantic_core", "ValidationError")


def one(name: tuple[str | None, str], **mechanism: Any) -> dict[str, Any]:
    return entry(name[0], name[1], "text", [frame("app", "go")], **mechanism)


def bare(*names: tuple[str | None, str]) -> list[dict[str, Any]]:
    """As posthog up to 7.45 writes a chain: without ids."""
    return [one(name) for name in names]


def order(listed: Any, version: Any = "7.91.1") -> list[str | None] | None:
    found = links(listed, version)
    return None if found is None else [link.type for link in found]


@pytest.mark.parametrize(
    "written, call",
    [
        ({"module": "a", "function": "f"}, ("a", "f")),
        ({"module": "a", "resolved_name": "f"}, ("a", "f")),
        ({"module": "a", "mangled_name": "f"}, ("a", "f")),
        ({"module": "a", "function": "", "resolved_name": "f", "mangled_name": "g"}, ("a", "f")),
        ({"module": 7, "function": "f"}, (None, "f")),
        ({"module": "a", "function": 7}, ("a", None)),
        ({}, (None, None)),
    ],
)
def test_a_call_is_read_under_either_naming(written: dict[str, Any], call: Any) -> None:
    assert chain.call_of(written) == call


def test_calls_of_raw_and_of_resolved_frames_are_the_same() -> None:
    raw = [frame("a", "f"), frame("b", "g")]
    resolved = [{"module": "a", "resolved_name": "f"}, {"module": "b", "resolved_name": "g"}]
    assert chain.calls_of(raw) == chain.calls_of(resolved) == [("a", "f"), ("b", "g")]


@pytest.mark.parametrize("line, expected", [("x = 1", "x = 1"), ("", ""), (None, None), (["x"], None)])
def test_a_source_line_is_a_text(line: Any, expected: Any) -> None:
    assert chain.line_of({"context_line": line}) == expected
    assert chain.line_of({}) is None


@pytest.mark.parametrize(
    "module, sdk, posthog",
    [
        ("mcp", True, False),
        ("mcp.server", True, False),
        ("fastmcp.tools", True, False),
        ("posthog.mcp", True, True),
        ("posthoganalytics", True, True),
        ("mcpx.server", False, False),
        ("app.mcp", False, False),
        ("app.posthog.mcp", False, False),
        ("", False, False),
        (None, False, False),
        (7, False, False),
    ],
)
def test_a_module_belongs_to_an_sdk_by_its_whole_root(module: Any, sdk: bool, posthog: bool) -> None:
    assert chain.is_sdk((module, "f")) is sdk
    assert chain.is_posthog((module, "f")) is posthog


FRAMES = [frame("a", "f")]


@pytest.mark.parametrize(
    "stack, frames",
    [
        (None, ()),
        ({}, ()),
        ({"type": "raw"}, ()),
        ({"frames": None}, ()),
        ({"frames": []}, []),
        ({"frames": FRAMES}, FRAMES),
        ({"frames": [None]}, None),
        ({"frames": [*FRAMES, "f"]}, None),
        ({"frames": "text"}, None),
        ({"frames": {"0": {}}}, None),
        ("[Object]", None),
        ([FRAMES], None),
        (0, None),
    ],
)
def test_a_stack_has_frames_or_none_or_is_malformed(stack: Any, frames: Any) -> None:
    assert chain.frames_of({"stacktrace": stack}) == frames
    assert chain.frames_of({}) == ()


def test_a_malformed_list_is_no_chain() -> None:
    good = one(WRAPPER)
    for listed in (None, [], {}, "text", (good,), [None], [good, None], [good, "x"], [{**good, "stacktrace": 7}]):
        assert links(listed) is None


def test_the_longest_chain_that_posthog_sends_is_read() -> None:
    numbered = [one(WRAPPER, exception_id=at, **({"parent_id": at - 1} if at else {})) for at in range(51)]
    assert len(links(numbered[:50]) or ()) == 50
    assert links(numbered) is None


def test_a_link_holds_texts_only() -> None:
    (link,) = links([{"module": 7, "type": ["x"], "value": {"x": 1}, "mechanism": {"source": 7}}]) or ()
    assert link == Link(None, None, None, None, ())
    (link,) = links([{"module": "m", "type": "t", "value": "v", "mechanism": {"source": "cause"}}]) or ()
    assert link == Link("m", "t", "v", "cause", ())
    (link,) = links([{"type": "t", "mechanism": "[Object]"}]) or ()
    assert (link.type, link.source, link.name) == ("t", None, (None, "t"))


def test_ids_must_count_up_and_each_parent_be_the_link_before() -> None:
    names = [WRAPPER, ("a", "B"), PYDANTIC]
    good = [one(name, exception_id=at, **({"parent_id": at - 1} if at else {})) for at, name in enumerate(names)]
    assert order(good) == ["ToolError", "B", "ValidationError"]
    for at, change in (
        (1, {"exception_id": 2}),
        (2, {"parent_id": 0}),
        (2, {"parent_id": None}),
        (0, {"exception_id": 1}),
    ):
        bad = [
            {**each, "mechanism": each["mechanism"] | (change if at == place else {})}
            for place, each in enumerate(good)
        ]
        assert order(bad) is None
    for at in range(3):
        partly = [
            {**each, "mechanism": {"type": "generic"} if at == place else each["mechanism"]}
            for place, each in enumerate(good)
        ]
        assert order(partly) is None, "some have ids and some have none"


def test_one_link_alone_is_a_chain_whatever_its_ids() -> None:
    assert order([one(WRAPPER, exception_id=7, parent_id=7)], None) == ["ToolError"]


@pytest.mark.parametrize(
    "version, outermost_first",
    [
        ("7.21.0", False),
        ("7.30.9", False),
        ("6.99.1", False),
        ("7.31.0", True),
        ("7.45.1", True),
        ("8.0.0", True),
        ("10.2.0", True),
        (None, None),
        ("", None),
        ("7", None),
        ("latest", None),
        (7.31, None),
    ],
)
def test_without_ids_the_version_tells_the_order(version: Any, outermost_first: bool | None) -> None:
    read = order(bare(("a", "A"), ("b", "B")), version)
    assert read == (None if outermost_first is None else ["A", "B"] if outermost_first else ["B", "A"])


def test_without_ids_pydantics_error_at_one_end_is_the_root_whatever_the_version() -> None:
    for version in ("7.21.0", "7.45.0", None):
        assert order(bare(PYDANTIC, WRAPPER), version) == ["ToolError", "ValidationError"]
        assert order(bare(WRAPPER, PYDANTIC), version) == ["ToolError", "ValidationError"]
    assert order(bare(PYDANTIC, WRAPPER, PYDANTIC), None) is None
    assert order(bare(("app", "ValidationError"), ("a", "B")), None) is None, "another ValidationError"
    assert order(bare((PYDANTIC[0], "Other"), ("a", "B")), None) is None


def test_causes_are_followed_up_to_the_first_link_that_is_none() -> None:
    def types(*sources: tuple[tuple[str | None, str], str | None]) -> list[str | None]:
        return [link.type for link in cause_chain([Link(*name, None, source, ()) for name, source in sources])]

    a, b, c = ("a", "A"), ("b", "B"), ("c", "C")
    assert types((a, None), (b, "cause"), (c, "cause")) == ["A", "B", "C"]
    assert types((a, "context"), (b, "cause")) == ["A", "B"], "the outermost is where it starts"
    assert types((a, None), (b, "context"), (c, "cause")) == ["A"]
    assert types((a, None), (b, "member"), (c, "cause")) == ["A"]
    assert types((a, None), (b, None)) == ["A"]
    assert types((WRAPPER, None), (b, None), (c, None)) == ["ToolError", "B"]
    assert types((WRAPPER, None), (b, "context")) == ["ToolError"]
    assert types(((WRAPPER[0], "Other"), None), (b, None)) == ["Other"]


@pytest.mark.parametrize(
    "text, title",
    [
        ("1 validation error for call[f]\nx", "call[f]"),
        ("Error executing tool f: 1 validation error for fArguments", None),
        ("no title", None),
        ("", None),
        (None, None),
    ],
)
def test_a_links_title_is_pydantics_own_first_line(text: str | None, title: str | None) -> None:
    assert title_of(text) == title
