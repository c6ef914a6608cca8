"""The named mutations are of the code as it is: a text that is no longer there would only be found in the long run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "tools")) if path not in sys.path]

import mutation_cut


@pytest.mark.parametrize("name", ["mutation_cut.toml", "mutation_guard.toml"])
def test_each_text_to_replace_stands_once_in_its_file(name: str) -> None:
    mutations = mutation_cut.read(ROOT / "tools" / name)
    assert mutations
    for mutation in mutations:
        for file, old, _ in mutation.edits:
            assert (ROOT / file).read_text(encoding="utf-8").count(old) == 1, (mutation.name, file, old)
