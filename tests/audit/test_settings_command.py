"""`scrubber settings`: what is in effect and where it came from, the schema, the file to start from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from scrubber import Settings, SettingsError
from scrubber import settings_help as help_
from scrubber.audit.policy_schema import schema
from scrubber.audit.policy_view import Source, in_effect, starter, toml
from scrubber.cli.app import app
from scrubber.settings import tomllib
from scrubber.words import properties as listed

jsonschema = pytest.importorskip("jsonschema")

ASSETS = Path(__file__).parent / "assets"
VALIDATOR = jsonschema.Draft202012Validator(schema())


pytestmark = pytest.mark.usefixtures("no_environment")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["settings", *arguments])


# -- in effect


def test_the_whole_text(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("scrubber.toml").write_text('allow = ["plan", "naïve\\u007f"]\nerror_messages = {}\n', "utf-8")
    monkeypatch.setenv("SCRUBBER_PROFILE", "strict")
    result = run("--config", "scrubber.toml")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (ASSETS / "settings.txt").read_text("utf-8")


def test_each_setting_says_where_it_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("pyproject.toml").write_text('[tool.scrubber]\nprofile = "strict"\nplaceholder = "file"\n', "utf-8")
    monkeypatch.setenv("SCRUBBER_CONFIG", "pyproject.toml")
    monkeypatch.setenv("scrubber_placeholder", "lower case")
    monkeypatch.setenv("SCRUBBER_VALUES", '{"plan": ["pro", 1, true]}')
    found = {one.name: one for one in in_effect().settings}
    assert list(found) == list(Settings.model_fields)
    assert (found["profile"].source, found["profile"].where) == (Source.FILE, "pyproject.toml")
    assert (found["placeholder"].where, found["placeholder"].value) == ("scrubber_placeholder", "lower case")
    assert found["values"].written == '{ plan = ["pro", 1, true] }'
    assert {name for name, one in found.items() if one.source is Source.DEFAULT} == set(Settings.model_fields) - {
        "profile",
        "placeholder",
        "values",
    }
    assert found["source_lines"].written == "unset (remove, by the profile)"
    result = json.loads(run("--format", "json").stdout)
    assert result["file"] == "pyproject.toml"
    assert result["settings"]["values"] == {
        "value": {"plan": ["pro", 1, True]},
        "source": "environment",
        "where": "SCRUBBER_VALUES",
    }


def test_a_value_that_equals_its_default_still_came_from_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBBER_ANNOTATE", "false")
    assert [(one.name, one.where) for one in in_effect().set] == [("annotate", "SCRUBBER_ANNOTATE")]


OTHER: dict[str, Any] = {
    "profile": "strict",
    "corroborate": False,
    "allow": ["plan"],
    "error_messages": {"KeyError": "keep"},
    "values": {"tier": ["free", 2]},
    "placeholder": "[gone]",
    "paths": "relative",
}


@given(
    st.sets(st.sampled_from(sorted(OTHER))),
    st.sets(st.sampled_from(sorted(OTHER))),
)
def test_what_is_shown_is_what_a_hook_has(in_environment: set[str], in_file: set[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in in_environment:
            value = OTHER[name]
            patch.setenv(f"SCRUBBER_{name.upper()}", value if isinstance(value, str) else json.dumps(value))
        path = Path("some.toml")
        path.write_text("".join(f"{name} = {toml(OTHER[name])}\n" for name in in_file), "utf-8")
        patch.setenv("SCRUBBER_CONFIG", str(path))
        settings = Settings()
        for one in in_effect().settings:
            assert one.value == getattr(settings, one.name)
            assert (one.source is Source.ENVIRONMENT) == (one.name in in_environment)
            assert (one.source is Source.FILE) == (one.name in in_file - in_environment)
        assert in_effect(path) == in_effect()


@pytest.mark.parametrize(
    "environment, arguments, said",
    [
        ({"SCRUBBER_PROFIL": "strict"}, (), "SCRUBBER_PROFIL names no setting; did you mean SCRUBBER_PROFILE?"),
        ({"SCRUBBER_ALLOW": "plan"}, (), "SCRUBBER_ALLOW is no JSON"),
        ({}, ("--config", "absent.toml"), "absent.toml: cannot be read"),
        ({}, ("--schema", "--init"), "give one of them"),
    ],
)
def test_a_mistake_exits_2_and_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], arguments: tuple[str, ...], said: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("scrubber settings: ")
    assert said in result.stderr


# -- the file to start from


def test_the_starter_file_is_the_defaults_as_it_is_and_uncommented() -> None:
    text = run("--init").stdout
    assert text == starter()
    path = Path("scrubber.toml")
    path.write_text(text, "utf-8")
    assert tomllib.loads(text) == {}
    assert Settings.from_file(path) == Settings()
    uncommented = re.sub(r"^#(?=\w)", "", text, flags=re.MULTILINE)
    path.write_text(uncommented, "utf-8")
    assert set(tomllib.loads(uncommented)) == set(Settings.model_fields) - {"source_lines", "paths"}
    assert Settings.from_file(path) == Settings()
    VALIDATOR.validate(tomllib.loads(uncommented))


def test_the_starter_file_describes_every_setting() -> None:
    words = " ".join(starter().replace("\n# ", " ").split())
    for name, field in Settings.model_fields.items():
        assert f"{name} " in words
        assert " ".join((field.description or "-").split()) in words
    assert 'source_lines is not set. It may be "keep" or "remove".' in words
    assert max(map(len, starter().splitlines())) <= 120


@given(
    st.recursive(
        st.booleans()
        | st.integers(-(2**60), 2**60)
        | st.floats(allow_nan=False)
        | st.text(st.characters(codec="utf-8")),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
def test_a_value_is_written_so_that_toml_reads_it_back(value: Any) -> None:
    read = tomllib.loads(f"key = {toml(value)}\n")["key"]
    assert read == value
    assert type(read) is type(value)


# -- the schema


def test_the_schema_is_one_and_its_defaults_are_good() -> None:
    made = json.loads(run("--schema").stdout)
    assert made == schema()
    jsonschema.Draft202012Validator.check_schema(made)
    assert list(made["properties"]) == list(Settings.model_fields)
    for name, setting in made["properties"].items():
        assert setting["description"] == Settings.model_fields[name].description
        if "default" in setting:
            VALIDATOR.validate({name: setting["default"]})
            assert Settings(**{name: setting["default"]}) == Settings()


def is_slip(document: dict[str, Any]) -> bool:
    """Whether a name in the document is a slip of the pen for another: what no schema can say."""

    def names() -> Any:
        for key in ("allow", "block"):
            yield from document.get(key, [])
        for opened in document.get("allow_on", {}).values():
            yield from opened
        yield from document.get("values", {})

    slips = (name for name in names() if isinstance(name, str) and name.startswith("$mcp_"))
    return any(name not in listed.MCP_KNOWN and help_.nearest(name, listed.MCP_KNOWN) for name in slips)


def agree(document: dict[str, Any]) -> bool:
    """Whether both accept the document; fails where they differ."""
    try:
        Settings(**document)
    except SettingsError as error:
        refused = str(error)
    else:
        refused = ""
    accepts = VALIDATOR.is_valid(document)
    assert accepts == (not refused) or (accepts and is_slip(document)), (document, refused)
    return accepts


NAMES = st.one_of(
    st.sampled_from(
        [*sorted(listed.MCP_KNOWN), *sorted(listed.EXCEPTION_KNOWN), *listed.TOP_LEVEL, "", " plan", "plan\n"]
    ),
    st.sampled_from(
        ["$exception_", "$exception_level", "$exception_levels", "x" * 200, "x" * 201, "a b", "$mcp_own_thing"]
    ),
    st.text(max_size=5),
)
TYPES = st.sampled_from(["KeyError", "app.errors.NotFound", "", "a b", "1st", "a..b", "é", "KeyError\n"]) | st.text(
    max_size=4
)
EVENTS = st.sampled_from(
    [*help_.EVENTS, "$mcp_tool_cal", "$pageview", "", " x", "x" * 200, "x" * 201, "two\nlines"]
) | st.text(max_size=4)
LISTS = st.lists(NAMES, max_size=3)
WRONG = st.sampled_from(["strikt", 7, 1.5, {"a": {"b": 1}}, [["a"]], [{}]])
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "profile": st.sampled_from(["standard", "strict"]) | WRONG,
        "drop_argument_rejections": st.booleans(),
        "corroborate": st.booleans() | st.sampled_from([[], {}, "perhaps", 7]),
        "expected_exceptions": st.lists(TYPES, max_size=3) | WRONG,
        "error_messages": st.dictionaries(TYPES, st.sampled_from(["keep", "shape", "remove", "shpe"]), max_size=2)
        | WRONG,
        "allow": LISTS | WRONG,
        "allow_on": st.dictionaries(EVENTS, LISTS, max_size=2) | WRONG,
        "block": LISTS | WRONG,
        "values": st.dictionaries(
            NAMES,
            st.lists(st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3), max_size=2),
        )
        | WRONG,
        "source_lines": st.sampled_from(["keep", "remove", True, False, "true", "full"]) | WRONG,
        "paths": st.sampled_from(["full", "relative", True, False, "false", "keep"]) | WRONG,
        "placeholder": st.text(max_size=3) | st.sampled_from(["x" * 80, "x" * 81, 7, []]),
        "annotate": st.booleans(),
        "drop_refusals": st.booleans(),
        "profil": st.just("strict"),
    },
)


@given(DOCUMENTS)
def test_the_schema_accepts_and_refuses_what_settings_do(document: dict[str, Any]) -> None:
    agree(document)


@pytest.mark.parametrize("name", list(Settings.model_fields))
def test_the_schema_agrees_on_one_setting_at_a_time(name: str) -> None:
    """A document of many settings is mostly refused for one of them: each by itself is seen from both sides."""
    seen: set[bool] = set()

    @given(DOCUMENTS)
    def each(document: dict[str, Any]) -> None:
        if name in document:
            seen.add(agree({name: document[name]}))

    each()
    assert True in seen


def test_only_a_slip_of_the_pen_is_accepted_by_the_schema_alone() -> None:
    assert VALIDATOR.is_valid({"allow": ["$mcp_intnt"]})
    assert is_slip({"allow": ["$mcp_intnt"]})
    assert not is_slip({"allow": ["$mcp_intent", "$mcp_something_else_entirely"]})
