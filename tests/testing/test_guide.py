"""The tests shown on the page about testing pass as they stand, in a pytest with the plugin."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("posthog")
pytest.importorskip("mcp.server.mcpserver")
pytest.importorskip("hypothesis")

from scrubber import testing
from scrubber.testing import leaks, strategies

from ..support import ROOT

pytestmark = pytest.mark.live
PAGE = (ROOT / "docs" / "testing.md").read_text("utf-8")
BLOCKS = [
    block for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) if "def test_" in block
]


def test_every_test_on_the_page_passes(tmp_path: Path) -> None:
    for number, block in enumerate(BLOCKS):
        (tmp_path / f"test_block_{number}.py").write_text(block, "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "scrubber.testing.plugin", "-p", "no:cacheprovider", "-q"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240, check=False)
    number = PAGE.count("\ndef test_")
    assert f"{number} passed" in ended.stdout, ended.stdout
    assert number >= 6


def test_the_page_names_everything_that_the_kit_has() -> None:
    options = set(leaks.leak_check.__kwdefaults__)
    assert {name for name in options if f"`{name}`" not in PAGE} == set()
    exported = set(testing.__all__) - {"Place", "TestingError", "Wire", "LeakReport"}
    assert {name for name in exported if f"{name}" not in PAGE} == set()
    drawn = {
        name
        for name, value in vars(strategies).items()
        if callable(value) and name.endswith(("events", "values", "lists", "frames"))
    }
    assert {name for name in drawn if not name.startswith("_") and f"`{name}(" not in PAGE} == set()
    assert f"At most {leaks.calls_of.__globals__['MOST_CALLS']} calls" in PAGE
    assert leaks.leak_check.__kwdefaults__ == leaks.leak_check_async.__kwdefaults__
