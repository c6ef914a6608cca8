"""The named mutations are of the code as it is: a text that is no longer there would only be found in the long run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["mutation_cut.toml", "mutation_guard.toml"])
def test_each_text_to_replace_stands_once_in_its_file(name: str) -> None:
    mutations = tomllib.loads((ROOT / "tools" / name).read_text(encoding="utf-8"))["mutation"]
    assert mutations
    found = {one["name"]: (ROOT / one["file"]).read_text(encoding="utf-8").count(one["old"]) for one in mutations}
    assert {name: number for name, number in found.items() if number != 1} == {}
