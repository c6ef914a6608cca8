"""The vocabulary: kinds on their edges, paths that print no data, paths of frames."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrubber.rules.frame_paths import relative
from scrubber.words import kinds, paths
from scrubber.words.verdict import Decision, Finding, Verdict

KINDS = {
    name: kind
    for name, kind in vars(kinds).items()
    if getattr(kind, "__module__", "") == kinds.__name__ and name.islower()
}
PREDICATES = [
    kinds.flag, kinds.number, kinds.name, kinds.title, kinds.names, kinds.identifier, kinds.type_name, kinds.code_name,
    kinds.slug, kinds.field, kinds.version, kinds.model, kinds.agent, kinds.identity, kinds.minted_id, kinds.fingerprint,
    kinds.file_name, kinds.scalar,
]  # fmt: skip

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.just(object()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
    max_leaves=5,
)


@given(anything)
def test_every_kind_answers_for_any_object(value: Any) -> None:
    for kind in PREDICATES:
        assert kind(value) in (True, False)


TEXT_KINDS = [
    kind for kind in PREDICATES if kind not in (kinds.flag, kinds.number, kinds.names, kinds.scalar, kinds.file_name)
]


@given(st.text(min_size=1, max_size=30), st.sampled_from(["\n", "@", "://", "\x00", '"', "{", "?", "="]))
def test_no_text_kind_has_an_address_or_a_second_line(text: str, sign: str) -> None:
    for kind in TEXT_KINDS:
        for value in (f"{text}{sign}{text}", f"a{sign}b c"):
            if kind(value):
                assert sign == "@", (kind, value)
                assert re.fullmatch(r"[\w.:/-]*@\d+|@[\w-]+/.*", value), (kind, value)


def test_line_ends_do_not_slip_past_the_end_of_a_pattern() -> None:
    for kind in TEXT_KINDS:
        assert not kind("abc\n")


@pytest.mark.parametrize("value", [True, False, None, "1", float("nan"), float("-inf"), 2**64, -(2**63) - 1])
def test_what_is_no_number(value: Any) -> None:
    assert not kinds.number(value)


@pytest.mark.parametrize("value", [0, -1, 2**63, 0.5])
def test_what_is_a_number(value: Any) -> None:
    assert kinds.number(value)


@pytest.mark.parametrize(
    "value",
    ["sk-proj-4f0a9b8c7d6e5f4a3b2c", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "xoxb-1234567890-abcdef", "AKIAIOSFODNN7EXAMPLE",
     "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx", "9f8a7c1d2e3b4a5f6c7d8e9f0a1b2c", "555 013 2233"],
)  # fmt: skip
def test_credentials_and_telephones_are_no_names(value: str) -> None:
    assert not kinds.name(value)


@pytest.mark.parametrize(
    "value",
    ["hf_list_models", "npm_search", "sk_learn_fit", "getCustomerOrderHistoryByRegion", "a1-b2-c3-d4"],
)
def test_names_that_only_begin_like_credentials_are_names(value: str) -> None:
    assert kinds.name(value)


def test_remembering_never_remembers_what_has_not_the_kind() -> None:
    kind = kinds.Remembering(kinds.name)
    assert kind("fine")
    assert not kind("not @ all")
    assert not kind(7)
    assert kind.known == {"fine"}
    for at in range(3000):
        assert kind(f"n{at}")
    assert len(kind.known) <= 1024


@pytest.mark.parametrize(
    "name, shown",
    [
        ("$mcp_parameters", "$mcp_parameters"),
        ("toolName", "toolName"),
        ("jane@example.test", "*"),
        ("sk-live-1", "*"),
        ("user_42", "*"),
        ("", "*"),
        (7, "*"),
        ("a" * 60, "*"),
    ],
)
def test_only_names_that_read_like_code_are_printed(name: Any, shown: str) -> None:
    assert paths.shown(name) == shown


def test_a_decision_prints_no_event() -> None:
    decision = Decision(Verdict.REDACT, {"properties": {"x": "secret"}}, (Finding("r", "p", "why"),))
    assert repr(decision) == "Decision(verdict='redact', findings=1)"
    assert f"{Verdict.DROP}" == "drop"


@pytest.mark.parametrize(
    "path, module, expected",
    [
        ("/srv/app/.venv/lib/python3.11/site-packages/mcp/server/x.py", "mcp.server.x", "mcp/server/x.py"),
        ("/srv/lib/python3.11/site-packages/vendored/yaml/nodes.py", "yaml.nodes", "yaml/nodes.py"),
        ("/usr/lib/python3.11/json/decoder.py", "json.decoder", "json/decoder.py"),
        ("/usr/lib/python3/dist-packages/yaml/nodes.py", "yaml.nodes", "yaml/nodes.py"),
        ("/usr/lib/python3/dist-packages/yaml/nodes.py", None, "nodes.py"),
        ("/home/jane/work/app/tools/notes.py", "app.tools.notes", "app/tools/notes.py"),
        ("/home/jane/work/app/tools/__init__.py", "app.tools", "app/tools/__init__.py"),
        ("/home/jane/server.py", "__main__", "server.py"),
        ("/home/jane/server.py", None, "server.py"),
        (r"C:\Users\jane\app\db.py", "app.db", "app/db.py"),
        (r"C:\Users\jane\server.py", None, "server.py"),
        ("app/db.py", "app.db", "app/db.py"),
        ("../jane/app/db.py", "other", "jane/app/db.py"),
        ("~/db.py", "other", "db.py"),
        ("<string>", None, "<string>"),
        ("/", None, ""),
    ],
)
def test_a_frames_path_shrinks_to_its_package(path: str, module: str | None, expected: str) -> None:
    assert relative(path, module) == expected


PATHS = st.lists(
    st.sampled_from(
        [
            "/",
            "\\",
            "..",
            "~",
            "C:",
            "home",
            "jane",
            "lib/python3.11",
            "site-packages",
            "",
            "D:\\lib\\python3.11\\site-packages\\",
            "mcp",
            "db.py",
            "__init__.py",
        ]
    ),
    max_size=9,
).map("/".join)


@settings(max_examples=400)
@example("./A:/0", "mcp.db")
@example("q/lib/./python3/x.py", "other")
@given(st.text(max_size=40) | PATHS, st.none() | st.sampled_from(["mcp.db", "jane", "mcp"]) | st.text(max_size=10))
def test_shrinking_any_path_twice_changes_nothing_more(path: str, module: str | None) -> None:
    once = relative(path, module)
    assert relative(once, module) == once
