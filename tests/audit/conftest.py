"""What the tests of commands share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder of the test's own, and no setting of whoever runs it."""
    for name in list(os.environ):
        if name.startswith("SCRUBBER_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
