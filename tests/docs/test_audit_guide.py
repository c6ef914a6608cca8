"""The audit guide, walked as it is written: every console block, in order, in a copy of the example."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ..support import RECORDED, ROOT
from .test_docs import DOCS, blocks_of

pytest.importorskip("uvicorn")

EXAMPLE = DOCS / "examples" / "protected_server"
STATUSES = {
    "scrubber audit heard.jsonl": 1,
    "scrubber audit heard.jsonl --format html > report.html": 1,
    "scrubber explain heard.jsonl --line 5": 1,
    "scrubber compare --old scrubber.toml --new looser.toml heard.jsonl": 1,
    "scrubber audit exported/": 1,
}
"""The exit status of each block that does not end in 0."""
STEPS = [block.text.strip() for block in blocks_of(DOCS / "audit.md") if block.language == "console"]


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A copy of the example, and an export beside it."""
    for path in EXAMPLE.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    exported = tmp_path / "exported"
    exported.mkdir()
    with gzip.open(sorted(RECORDED.glob("*.gz"))[-1], "rt", encoding="utf-8") as lines:
        rows = [json.dumps(json.loads(next(lines))["event"]) for _ in range(40)]
    with gzip.open(exported / "events.jsonl.gz", "wt", encoding="utf-8") as out:
        out.write("\n".join(rows))
    return tmp_path


def test_every_step_of_the_guide_does_what_it_says(shop: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCRUBBER_")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    environment |= {"PYTHONPATH": str(ROOT), "NO_PROXY": "*", "COLUMNS": "100"}
    script = ["set -u"]
    port = 0
    for at, step in enumerate(STEPS):
        if "scrubber listen" in step:
            port = free_port()
            step = step.replace("scrubber listen", f"scrubber listen --port {port}")  # noqa: PLW2901
            # A terminal of its own; the app comes once it listens.
            script += [step if step.endswith("HEARD=$!") else f"{step} & HEARD=$!", _until_open(port)]
        elif step.startswith("python "):
            script.append(f"{step.replace('8000', str(port))} >app.log 2>&1 || exit 70; wait $HEARD; LISTENED=$?")
        elif step.startswith("wait"):
            script.append(f"{step.partition('; ')[2]} || exit 71")
        else:
            wanted = STATUSES.get(step, 0)
            script.append(
                f"{{ {step}\n}} >said-{at}.txt 2>&1; GOT=$?; "
                f'test $GOT = {wanted} || {{ echo "step {at}: $GOT"; cat said-{at}.txt; exit 72; }}'
            )
    script.append("exit $LISTENED")
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=shop,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "Clean: the policy would have sent everything as it came." in done.stdout, "the last one was with the hook"
    shown = next(block.text for block in blocks_of(DOCS / "audit.md") if block.text.startswith("FINDINGS"))
    assert shown in (shop / f"said-{STEPS.index('scrubber audit heard.jsonl')}.txt").read_text("utf-8")
    page = (shop / "report.html").read_text("utf-8")
    assert "</html>" in page
    assert "Quay Street" not in page


def _until_open(port: int) -> str:
    check = f"import socket,time\nfor _ in range(200):\n try: socket.create_connection(('127.0.0.1',{port})).close(); break\n except OSError: time.sleep(0.1)"
    return f'python -c "{check}"'
