"""The doctor on this machine: sound as it is, and a finding when something is broken on purpose."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("posthog.mcp", reason="needs posthog with .mcp")
pytest.importorskip("mcp", reason="needs an MCP SDK")
pytest.importorskip("typer", reason="needs the command line's packages")

from typer.testing import CliRunner

from scrubber import Scrubber, Settings
from scrubber.cli.app import app
from scrubber.doctor import Level, Report, Result, examine, families, guard, names, playing
from scrubber.doctor.provocations import ALL, DROPPED, KEPT, expected_of
from scrubber.rules import structure, trace

from ..support import ROOT

CANARY = re.compile(r"canary-[a-z0-9]{10}")


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in list(__import__("os").environ):
        if name.upper().startswith("SCRUBBER_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    yield
    guard._guard.shut = 0  # what `--client` leaves closed until the process ends


@pytest.fixture(scope="module")
def report() -> Report:
    return examine(Scrubber, Settings())


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["doctor", *arguments])


def broken(report: Report) -> set[tuple[str, str]]:
    return {(one.family, one.kind) for one in report.checks if one.is_finding}


# -- the hook as it is


@pytest.mark.promise("doctor:truth")
def test_the_installed_environment_is_sound(report: Report) -> None:
    assert broken(report) == set()
    assert report.exit_code == 0
    assert report.verdict == "sound"
    assert report.seconds < 30


def test_every_installed_family_is_checked_and_the_absent_ones_are_said(report: Report) -> None:
    usable = {presence.name for _, presence in families.look() if presence.usable}
    assert {one.family for one in report.checks} == usable
    assert len(report.installed) == len(families.ALL) + 2
    assert any(one.version is None for one in report.installed)


def test_every_kind_was_provoked_and_had_the_fate_that_it_should(report: Report) -> None:
    for one in report.checks:
        assert one.result in (Result.SOUND, Result.SILENT, Result.BLIND), one
        if one.result is Result.BLIND:
            # posthoganalytics 7.75.11 does not see what fastmcp 4 raised, only its text.
            assert (one.watcher, one.got) == ("posthoganalytics", (KEPT,))
        if one.result is Result.SILENT:
            assert one.kind == "resource fault"
    refused = [one for one in report.checks if one.expected == (DROPPED,)]
    kept = [one for one in report.checks if one.expected == (KEPT,)]
    assert len({one.kind for one in refused}) >= 7
    assert len({one.kind for one in kept}) >= 9
    assert all(one.got == (DROPPED,) for one in refused if one.result is Result.SOUND)


def test_what_the_settings_keep_is_said_and_is_no_leak(report: Report) -> None:
    kept = {place for one in report.checks for place in one.as_set}
    assert kept <= {"properties.$mcp_error_message"}
    closed = examine(Scrubber, Settings(error_messages={}))
    assert closed.exit_code == 0
    assert not any(one.as_set for one in closed.checks)
    assert closed.as_dict()["settings_changed"] == ["error_messages"]


@pytest.mark.parametrize(
    "settings",
    [
        {"profile": "strict"},
        {"drop_argument_rejections": False},
        {"corroborate": False},
        {"drop_refusals": True, "expected_exceptions": ["RuntimeError"]},
        {"allow": ["$mcp_response", "$mcp_intent"]},
    ],
)
def test_other_settings_are_sound_too(settings: dict[str, Any]) -> None:
    found = examine(Scrubber, Settings(**settings))
    assert broken(found) == set()
    fates = {fate for one in found.checks for fate in one.got}
    if settings.get("drop_argument_rejections") is False:
        assert fates == {KEPT}
    if "drop_refusals" in settings:
        assert "dropped as set" in fates
    if "allow" in settings:
        assert "properties.$mcp_response" in {place for one in found.checks for place in one.as_set}


# -- broken on purpose


def installed_sites() -> list[tuple[str, str]]:
    """A family that is installed, and the site that serves it."""
    sites = {"mcp1": "mcp 1", "mcp2": "mcp 2", "fastmcp2": "fastmcp 2.14", "fastmcp3": "fastmcp 3"}
    sites["fastmcp4"] = sites["fastmcp3"]
    return [(family.title, sites[family.key]) for family, presence in families.look() if presence.usable]


@pytest.mark.promise("doctor:truth")
@pytest.mark.parametrize("title, begins", installed_sites())
def test_a_missing_site_is_found(title: str, begins: str, monkeypatch: pytest.MonkeyPatch) -> None:
    left = tuple(site for site in trace.SITES if not site.sdk.startswith(begins))
    assert len(left) < len(trace.SITES)
    monkeypatch.setattr(trace, "SITES", left)
    structure._remembered.cache_clear()
    try:
        found = examine(Scrubber, Settings())
        answer = run()
    finally:
        structure._remembered.cache_clear()
    assert (title, "missing argument") in broken(found)
    assert (title, "wrong scalar") in broken(found)
    assert (title, "body: RuntimeError") not in broken(found)
    assert {family for family, _ in broken(found)} == {title}
    assert found.exit_code == answer.exit_code == 1
    assert re.search(
        rf"{re.escape(title.split(maxsplit=1)[0])} \S+, missing argument: was kept, should be dropped", answer.output
    )
    assert not CANARY.search(answer.output)


class Broken:
    """A hook that is wrong in one way."""

    def __init__(self, settings: Settings, wrong: Callable[[Any, Any], Any]) -> None:
        self._good = Scrubber(settings)
        self._wrong = wrong

    def __call__(self, event: Any) -> Any:
        return self._wrong(event, self._good(event))

    def decide(self, event: Any) -> Any:
        return self._good.decide(event)


def hook_that(wrong: Callable[[Any, Any], Any]) -> Callable[[Settings], Any]:
    return lambda settings: Broken(settings, wrong)


@pytest.mark.promise("doctor:truth")
def test_a_hook_that_lets_arguments_through_is_found() -> None:
    found = examine(hook_that(lambda event, _sent: event), Settings())
    leaks = {place for one in found.checks for place in one.leaks}
    assert {"properties.$mcp_parameters", "properties.$exception_list"} <= leaks
    assert found.exit_code == 1
    assert not CANARY.search(json.dumps(found.as_dict()))


def test_a_hook_that_drops_everything_is_found() -> None:
    found = examine(hook_that(lambda _event, _sent: None), Settings())
    assert {"body: RuntimeError", "nested call", "bad declared default"} <= {kind for _, kind in broken(found)}
    assert "missing argument" not in {kind for _, kind in broken(found)}


def test_a_hook_that_raises_is_found() -> None:
    def raises(_event: Any, _sent: Any) -> Any:
        raise ValueError("canary-0123456789")

    found = examine(hook_that(raises), Settings())
    assert found.exit_code == 1
    assert not CANARY.search(json.dumps(found.as_dict()))


def test_an_sdk_that_hangs_or_fails_ends_in_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setattr(playing, "SERVER_SECONDS", 0.2)
    monkeypatch.setattr(playing, "import_module", lambda _name: time.sleep(2))
    found = examine(Scrubber, Settings())
    assert {one.result for one in found.checks} == {Result.FAILED}
    assert found.exit_code == 1


def test_expectations_follow_the_settings() -> None:
    by_kind = {one.kind: one for one in ALL}
    hard, plain = by_kind["bad declared default"], by_kind["missing argument"]
    assert expected_of(hard, "mcp1", Settings()) == (KEPT,)
    assert expected_of(hard, "mcp1", Settings(corroborate=False)) == (DROPPED,)
    assert expected_of(plain, "mcp1", Settings(drop_argument_rejections=False)) == (KEPT,)


# -- properties that nobody listed


@pytest.mark.promise("doctor:truth")
def test_an_unknown_property_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from posthog.mcp import constants

    monkeypatch.setattr(constants.PostHogMCPAnalyticsProperty, "NEXT", "$mcp_next_thing", raising=False)
    monkeypatch.setattr(names, "_KNOWN", names._KNOWN - {"$mcp_duration_ms"})
    found = examine(Scrubber, Settings())
    said = [remark for remark in found.remarks if "no list has it" in remark.text]
    assert any(remark.text.startswith("$mcp_next_thing can be emitted") for remark in said)
    assert any(remark.text.startswith("$mcp_duration_ms was seen on an event") for remark in said)
    assert all(remark.level is Level.NOTE and "it is closed" in remark.text for remark in said)
    assert found.exit_code == 0


def test_an_unknown_property_outside_the_closed_ones_passes_unless_strict() -> None:
    [standard] = names.compare("posthog", {"$mcp_source", "$new_thing", "mine"}, strict=False)
    assert "$new_thing" in standard.text
    assert "passes" in standard.text
    [strict] = names.compare("posthog", {"$new_thing"}, strict=True)
    assert "closed" in strict.text


def test_a_name_that_is_no_code_is_masked() -> None:
    [remark] = names.compare("posthog", {"$mcp_anna@example.org"}, strict=False)
    assert "anna" not in remark.text


def test_a_package_without_constants_is_said() -> None:
    assert names.declared("json") is None
    assert "no list" in names.compare("json", (), strict=False)[0].text


# -- the command


def test_json_and_text_say_the_same(report: Report) -> None:
    answer = run("--format", "json")
    said = json.loads(answer.stdout)
    assert answer.exit_code == said["exit_code"] == 0
    assert said["verdict"] == "sound"
    assert [(one["family"], one["kind"], one["got"]) for one in said["checks"]] == [
        (one.family, one.kind, list(one.got)) for one in report.checks
    ]
    text = run()
    assert text.exit_code == 0
    for one in report.checks:
        assert one.kind in text.stdout
    assert "Sound: " in text.stdout
    assert not CANARY.search(answer.stdout + text.stdout)
    assert not any(line != line.rstrip() for line in text.stdout.splitlines())
    assert "\x1b" not in text.stdout


def test_a_settings_file_is_used(tmp_path: Path) -> None:
    file = tmp_path / "scrubber.toml"
    file.write_text('profile = "strict"\n', "utf-8")
    answer = run("--config", str(file))
    assert answer.exit_code == 0
    assert "settings changed: profile" in answer.stdout


def test_a_mistake_in_the_settings_exits_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "scrubber.toml"
    file.write_text('profil = "strict"\n', "utf-8")
    answer = run("--config", str(file))
    assert answer.exit_code == 2
    assert "did you mean profile?" in answer.output
    assert run("--config", str(tmp_path / "absent.toml")).exit_code == 2
    monkeypatch.setenv("SCRUBBER_PROFILE", "strikt")
    answer = run("--format", "json")
    assert answer.exit_code == 2
    assert json.loads(answer.stdout)["exit_code"] == 2


def test_nothing_installed_exits_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_package: str) -> str:
        raise families.base.metadata.PackageNotFoundError

    monkeypatch.setattr(families.base, "metadata", SimpleNamespace(**{**vars(families.base.metadata), "version": none}))
    answer = run()
    assert answer.exit_code == 2
    assert answer.stdout.count("absent") == len(families.ALL) + 2
    assert "install an MCP SDK" in answer.stdout


def test_a_broken_sdk_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(name: str) -> Any:
        if name.startswith(("mcp", "fastmcp")):
            raise RuntimeError("canary-0123456789")
        return __import__(name)

    monkeypatch.setattr(families.base, "import_module", fails)
    found = examine(Scrubber, Settings())
    assert any(one.level is Level.FINDING and "RuntimeError" in one.text for one in found.remarks)
    assert found.exit_code == 2
    assert not CANARY.search(json.dumps(found.as_dict()))


def test_importing_the_package_loads_no_command_line_and_no_sdk() -> None:
    code = (
        "import sys, scrubber, scrubber.cli; "
        "print(sorted({'typer', 'click', 'rich', 'mcp', 'fastmcp', 'posthog', 'scrubber.doctor'} & set(sys.modules)))"
    )
    # Plugins of other packages that pydantic loads are not ours.
    env = {**os.environ, "PYDANTIC_DISABLE_PLUGINS": "__all__"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, env=env)
    assert done.stdout.strip() == "[]"


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrubber", "--version"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.startswith("scrubber ")


def test_when_the_time_is_over_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrubber.doctor.SECONDS", 0.0)
    found = examine(Scrubber, Settings())
    assert {one.note for one in found.checks} == {"no time was left"}
    assert found.exit_code == 1


def test_the_page_names_every_kind_and_every_result() -> None:
    page = (ROOT / "docs" / "doctor.md").read_text("utf-8")
    told = page.partition("## What is provoked")[2].partition("What should be follows")[0]
    for one in ALL:
        assert one.kind in told, one.kind
    for result in Result:
        assert f"`{result.value}`" in page
