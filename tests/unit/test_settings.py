"""Settings: sources and their order, and what is said of a mistake."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubber import Scrubber, Settings, SettingsError

from ..support import call


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("SCRUBBER_"):
            monkeypatch.delenv(name)


def refused(**given_: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings(**given_)
    return str(caught.value)


def test_the_defaults_are_the_built_in_policy() -> None:
    assert Settings().model_dump() == {
        "profile": "standard",
        "drop_argument_rejections": True,
        "corroborate": True,
        "expected_exceptions": [],
        "drop_refusals": False,
        "error_messages": {"ValidationError": "keep"},
        "allow": [],
        "allow_on": {},
        "block": [],
        "values": {},
        "source_lines": None,
        "paths": None,
        "placeholder": "[redacted]",
        "annotate": False,
    }


@pytest.mark.promise("settings:order")
def test_arguments_win_over_environment_over_file_over_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "scrubber.toml"
    file.write_text('profile = "strict"\nplaceholder = "file"\nannotate = true\n')
    monkeypatch.setenv("SCRUBBER_CONFIG", str(file))
    monkeypatch.setenv("SCRUBBER_PLACEHOLDER", "environment")
    monkeypatch.setenv("SCRUBBER_ALLOW", '["plan"]')
    settings = Settings(annotate=False)
    assert (settings.profile, settings.placeholder, settings.annotate) == ("strict", "environment", False)
    assert settings.allow == ["plan"]


@pytest.mark.promise("settings:refused")
def test_a_named_file_is_read_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scrubber.toml").write_text('profile = "strict"\n')
    (tmp_path / "pyproject.toml").write_text('[tool.scrubber]\nprofile = "strict"\n')
    (tmp_path / ".env").write_text("SCRUBBER_PROFILE=strict\n")
    monkeypatch.chdir(tmp_path)
    assert Settings().profile == "standard"
    assert Settings.from_file("scrubber.toml").profile == "strict"
    assert Settings.from_file("pyproject.toml").profile == "strict"
    assert Settings.from_file("scrubber.toml", profile="standard").profile == "standard"
    assert Settings().profile == "standard", "a file given once is not remembered"
    assert isinstance(Settings.from_file("scrubber.toml"), Settings)
    assert Scrubber(Settings.from_file("scrubber.toml"))(call(plan="pro")) is not None


@pytest.mark.promise("settings:order")
def test_a_mapping_of_a_stronger_source_replaces_the_weaker_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "scrubber.toml"
    file.write_text('[error_messages]\nToolError = "keep"\n[values]\nplan = ["pro"]\n')
    assert Settings.from_file(file, error_messages={}).error_messages == {}
    assert Settings.from_file(file).error_messages == {"ToolError": "keep"}
    monkeypatch.setenv("SCRUBBER_VALUES", '{"seats": [1]}')
    assert Settings.from_file(file).values == {"seats": [1]}


def test_files_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        Settings.from_file(tmp_path / "absent.toml")
    (tmp_path / "x.toml").write_text("profile = ")
    with pytest.raises(SettingsError, match="no TOML"):
        Settings.from_file(tmp_path / "x.toml")
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")
    with pytest.raises(SettingsError, match=r"no \[tool.scrubber\]"):
        Settings.from_file(tmp_path / "pyproject.toml")
    (tmp_path / "z.toml").write_text('profile = "strict"\n[tool.scrubber]\nannotate = true\n')
    with pytest.raises(SettingsError, match="more than"):
        Settings.from_file(tmp_path / "z.toml")
    (tmp_path / "y.toml").write_text('profil = "strict"\n')
    with pytest.raises(SettingsError, match="did you mean profile"):
        Settings.from_file(tmp_path / "y.toml")


@pytest.mark.promise("settings:refused")
@pytest.mark.parametrize(
    "given_, said",
    [
        ({"profil": "strict"}, "did you mean profile?"),
        ({"alow": []}, "did you mean allow?"),
        ({"profile": "strikt"}, "did you mean strict?"),
        ({"error_messages": {"ValidationError": "shpe"}}, "did you mean shape?"),
        ({"error_messages": {"Validation Error": "keep"}}, "Type or module.Type"),
        ({"expected_exceptions": ["not a type"]}, "Type or module.Type"),
        ({"allow": ["$mcp_parameters"]}, "never leaves"),
        ({"allow_on": {"$mcp_tool_call": ["$mcp_parameters"]}}, "never leaves"),
        ({"values": {"$mcp_parameters": ["x"]}}, "never leaves"),
        ({"allow": ["$mcp_intnt"]}, "did you mean $mcp_intent?"),
        ({"allow": ["$exception_message"]}, "cannot be opened"),
        ({"allow": ["$exception_list"]}, "cannot be opened"),
        ({"allow": ["$mcp_error_message"]}, "use error_messages"),
        ({"allow_on": {"$mcp_tool_cal": ["x"]}}, "did you mean $mcp_tool_call?"),
        ({"values": {"plan": []}}, "use block"),
        ({"allow": [""]}, "without spaces"),
        ({"block": ["distinct_id"]}, "is no property"),
        ({"values": {"plan": [None]}}, "values.plan: each value"),
        ({"block": [""]}, "without spaces"),
        ({"placeholder": ""}, "placeholder"),
        ({"drop_refusals": "perhaps"}, "drop_refusals"),
        ({"source_lines": "some"}, "source_lines"),
        ({"paths": "relativ"}, "did you mean relative?"),
    ],
)
def test_a_mistake_is_refused_with_the_nearest_valid_name(given_: dict[str, Any], said: str) -> None:
    assert said in refused(**given_)


@pytest.mark.promise("settings:refused")
def test_a_misspelt_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBBER_PROFIL", "strict")
    assert "did you mean SCRUBBER_PROFILE?" in refused()
    monkeypatch.delenv("SCRUBBER_PROFIL")
    monkeypatch.setenv("SCRUBBER_HOME", "/x")
    assert "did you mean" not in refused()


def test_a_variable_that_is_no_json_is_refused_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBBER_ALLOW", "hush-hush")
    said = refused()
    assert "SCRUBBER_ALLOW" in said
    assert "hush" not in said


def test_true_and_false_are_understood_for_two_words() -> None:
    assert Settings(source_lines=True, paths=False).policy().source_lines is True
    assert Settings(source_lines=True, paths=False).policy().full_paths is False
    assert Settings(profile="strict").policy().source_lines is False
    assert Settings(profile="strict", paths="full").policy().full_paths is True


def test_settings_do_not_change_after_construction() -> None:
    settings = Settings()
    with pytest.raises(Exception, match="frozen"):
        settings.profile = "strict"
    given_ = {"ValidationError": "keep"}
    hook = Scrubber(Settings(error_messages=given_))  # type: ignore[arg-type]
    given_["ToolError"] = "keep"
    out = hook(call("free text", "ToolError"))
    assert out is not None
    assert "$mcp_error_message" not in out["properties"]


@given(
    st.dictionaries(
        st.sampled_from(list(Settings.model_fields)),
        st.none() | st.integers() | st.text(max_size=5),
        max_size=3,
    )
)
def test_any_settings_are_honoured_or_refused(given_: dict[str, Any]) -> None:
    try:
        settings = Settings(**given_)
    except SettingsError as error:
        assert str(error)  # noqa: PT017
    else:
        assert Scrubber(settings)(call()) is not None
