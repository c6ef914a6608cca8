"""The plugin as a project sees it: a pytest of its own, in a folder of its own."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ..support import ROOT

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run pytest on one test file; what it printed, which must end in `said`."""

    def run_it(text: str, said: str, *options: str) -> str:
        (tmp_path / "test_it.py").write_text(text, "utf-8")
        # Where the package is not installed the plugin is named; where it is, naming it must do no harm.
        command = [sys.executable, "-m", "pytest", "-p", "scrubber.testing.plugin", "-p", "no:cacheprovider", "-q"]
        env = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYDANTIC_DISABLE_PLUGINS": "__all__",
        }
        command += ["--strict-markers", *options]
        ended = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert said in ended.stdout, ended.stdout + ended.stderr
        return ended.stdout

    return run_it


def test_loading_the_plugin_loads_neither_posthog_nor_pydantic_nor_an_sdk(run: Run) -> None:
    run(
        "import sys\n"
        "def test_it():\n"
        "    loaded = {'posthog', 'posthoganalytics', 'pydantic', 'mcp', 'fastmcp', 'scrubber.hook', 'scrubber.settings'}\n"
        "    assert not loaded & set(sys.modules)\n",
        "1 passed",
        "-p",
        "no:hypothesispytest",
        "-p",
        "no:logfire",
        "-p",
        "no:anyio",
    )


@pytest.mark.live
def test_the_fixtures_give_wires(run: Run) -> None:
    pytest.importorskip("posthog")
    run(
        """
import pytest
from scrubber import Settings

def plan(wire):
    wire.client.capture("asked", distinct_id="u", properties={"plan": "pro", "$mcp_parameters": 1})
    (event,) = wire.left
    assert "$mcp_parameters" not in event["properties"]
    return event["properties"].get("plan")

def test_default(posthog_wire):
    assert plan(posthog_wire) == "pro"

@pytest.mark.posthog_wire(settings=Settings(block=["plan"]))
def test_marked(posthog_wire):
    assert plan(posthog_wire) is None

@pytest.mark.posthog_wire(settings=Settings(block=["plan"]))
class TestClosest:
    @pytest.mark.posthog_wire(gzip=True)
    def test_the_closest_mark_wins(self, posthog_wire):
        assert plan(posthog_wire) == "pro"

def test_two(make_posthog_wire):
    one, other = make_posthog_wire(), make_posthog_wire(Settings(block=["plan"]))
    assert (plan(one), plan(other)) == ("pro", None)
""",
        "4 passed",
    )


@pytest.mark.live
def test_a_failing_test_prints_the_place_and_no_value(run: Run) -> None:
    """pytest prints the arguments of the frames it shows; those of the kit are values."""
    pytest.importorskip("posthog")
    said = run(
        """
from scrubber.testing import assert_nothing_leaves

def test_it(posthog_wire):
    posthog_wire.client.capture("asked", distinct_id="u", properties={"plan": "-".join(("tove", "lina"))})
    assert_nothing_leaves(posthog_wire, ["-".join(("tove", "lina"))])

def test_events():
    assert_nothing_leaves([{"event": "e", "properties": {"plan": "-".join(("tove", "lina"))}}], ["-".join(("tove", "lina"))])
""",
        "2 failed",
    )
    assert "properties.plan: canary 0, as it is" in said
    assert "tove-lina" not in said


@pytest.mark.parametrize("path", sorted((ROOT / "scrubber" / "testing").glob("*.py")), ids=lambda path: path.stem)
def test_no_file_of_the_kit_loads_an_sdk_and_only_one_each_loads_pytest_and_hypothesis(path: Path) -> None:
    loaded: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            loaded |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            loaded.add(str(node.module).partition(".")[0])
    allowed = {"plugin": {"pytest"}, "strategies": {"hypothesis"}}.get(path.stem, set())
    assert loaded & {"pytest", "hypothesis", "posthog", "posthoganalytics", "mcp", "fastmcp", "jsonschema"} == allowed


def test_the_marker_explains_itself(run: Run) -> None:
    assert "@pytest.mark.posthog_wire(settings=" in run("", "posthog_wire", "--markers")


def test_asking_for_a_wire_without_posthog_says_what_to_install(run: Run) -> None:
    said = run(
        "import sys\nsys.modules['posthog'] = None\ndef test_it(posthog_wire): pass\n",
        "1 error",
    )
    assert "there is no posthog.Posthog here; install posthog 7.21 or newer" in said
