"""The example project: its tests pass, and fail where its protection is taken out."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

pytest.importorskip("posthog.mcp")
pytest.importorskip("mcp")
pytest.importorskip("orjson")

from ..support import ROOT

pytestmark = pytest.mark.live
EXAMPLE = ROOT / "docs" / "examples" / "protected_server"
IGNORED = shutil.ignore_patterns("__pycache__", ".pytest_cache")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "shop", ignore=IGNORED))


def run(project: Path, *options: str) -> str:
    """What the project's own pytest prints."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "scrubber.testing.plugin",
        "-p",
        "no:cacheprovider",
        "-q",
        *options,
    ]
    own = {name: value for name, value in os.environ.items() if not name.startswith("SCRUBBER_")}
    env = {**own, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}
    ended = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, timeout=240, check=False)
    return ended.stdout + ended.stderr


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def test_it_installs_as_its_readme_says(project: Path, tmp_path: Path) -> None:
    """Fails where the build finds more than one module and cannot tell which is meant."""
    pytest.importorskip("hatchling")
    assert "pip install -e" in (project / "README.md").read_text("utf-8")
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    command += ["--disable-pip-version-check", "--target", str(tmp_path / "site"), str(project)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert list((tmp_path / "site").glob("bookshop-*.dist-info"))


def test_its_tests_pass(project: Path) -> None:
    # What else leaves depends on the releases; the file was made with these.
    newest = metadata.version("mcp").startswith("2.3") and metadata.version("posthog").startswith("7.91")
    wanted = ("3 passed", ()) if newest else ("2 passed", ("-k", "not reviewed"))
    said = run(project, *wanted[1])
    assert wanted[0] in said, said


@pytest.mark.parametrize(
    "take_out, said",
    [
        (
            lambda project: replace(project / "conftest.py", "(SETTINGS)", "(before_send=lambda event: event)"),
            "$mcp_response",
        ),
        (lambda project: replace(project / "scrubber.toml", '["copies"]', '["copies", "to"]'), "properties.to"),
        (
            lambda project: replace(project / "scrubber.toml", 'profile = "strict"', 'allow = ["$mcp_response"]'),
            "$mcp_response",
        ),
    ],
    ids=["no hook", "a property of one's own", "the response is opened"],
)
def test_they_fail_where_something_leaves_and_say_where(
    project: Path, take_out: Callable[[Path], None], said: str
) -> None:
    take_out(project)
    printed = run(project)
    assert " failed" in printed, printed
    assert said in printed
    assert "asyncio" not in printed, "a failure shows the test and the report, and no machinery"


def test_a_new_property_fails_until_the_baseline_has_it(project: Path) -> None:
    replace(project / "scrubber.toml", '["copies"]', '["copies", "express"]')
    replace(project / "server.py", '{"copies": copies}', '{"copies": copies, "express": True}')
    printed = run(project, "-k", "reviewed")
    assert "new property express (flag) on order_placed" in printed, printed
    assert "1 passed" in run(project, "-k", "reviewed", "--update-baselines")
    assert '"express": ["flag"]' in (project / "baseline.json").read_text("utf-8")
    assert "1 passed" in run(project, "-k", "reviewed")
