"""The process that atheris drives: one target, libFuzzer's own arguments behind it.

In:  `child.py TARGET FOUND [libFuzzer arguments]`. Out: libFuzzer's report on stderr, and in the folder FOUND the
smallest input of each kind of broken promise, the slow inputs, and `TARGET.json` with the slowest one's seconds.

A broken promise does not end the run: libFuzzer would stop at the first, and every later run at the same one.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

SLOW = 2.0
"""Seconds above which an input is kept as slow; instrumented code runs several times slower than plain."""


class Keeper:
    """Runs a target, and keeps what is worth a look."""

    def __init__(self, name: str, found: Path) -> None:
        from tests.fuzz.targets import TARGETS

        self._target = TARGETS[name]
        self._name = name
        self._found = found
        self._slowest = 0.0
        self._sizes: dict[str, int] = {}

    def __call__(self, data: bytes) -> None:
        start = time.perf_counter()
        try:
            self._target(data)
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__} {error if isinstance(error, AssertionError) else ''} {at.name}"
            self._keep(f"broken-{hashlib.sha256(said.encode()).hexdigest()[:8]}", data)
        spent = time.perf_counter() - start
        if spent > SLOW:
            self._keep("slow", data)
        if spent > self._slowest:
            self._slowest = spent
            (self._found / f"{self._name}.json").write_text(json.dumps({"slowest": spent}), "utf-8")

    def _keep(self, kind: str, data: bytes) -> None:
        if len(data) < self._sizes.get(kind, 1 << 30):
            self._sizes[kind] = len(data)
            (self._found / f"{self._name}-{kind}").write_bytes(data)


def main() -> None:
    """Fuzz until libFuzzer's limits end it."""
    import atheris

    name, found, *rest = sys.argv[1:]
    # The targets import what they try: all of it is to be counted, and nothing else.
    with atheris.instrument_imports(include=["scrubber"]):
        import tests.fuzz.targets  # noqa: F401
    atheris.Setup([sys.argv[0], *rest], Keeper(name, Path(found)))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
