"""The live run in docs/guard.md: `python -m tests.guard.record [--write]`.

In:  the SDKs that are installed; run it where the newest are. Ports are masked, nothing else.
Out: the section, on stdout or between the markers of the page.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..live.families import Family, installed_families, version_of
from ..support import ROOT
from . import wire

PAGE = ROOT / "docs" / "guard.md"
BEGIN, END = "<!-- live run -->\n", "<!-- end of live run -->"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_flocks", {"limit": "ten"}),
    ("list_flocks", {"limit": 2147483648, "customerId": "Acme"}),
    ("list_flocks", {"grades": [{"quantity": "ten"}]}),
    ("list_flocks", {"limt": 5}),
    ("count_eggs", {}),
    ("list_flocks", {"limit": "2"}),
    ("broken", {"x": 1}),
]
NAMES = {"http": "streamable HTTP", "stdio": "stdio"}
_PORT = re.compile(r"127\.0\.0\.1:\d+")
_PROCESS = re.compile(r"process \[\d+\]")
_SESSION = re.compile(r"[0-9a-f]{32}")


def text_of(result: Any) -> tuple[str, bool]:
    """The text of a result, and whether it is an error."""
    fields = getattr(type(result), "model_fields", {})
    return result.content[0].text, bool(result.is_error if "is_error" in fields else result.isError)


def replies(results: list[Any]) -> str:
    """The calls and what came back, as a table."""
    lines = ["| Call | Error | Reply |", "| --- | --- | --- |"]
    for (name, arguments), result in zip(CALLS, results, strict=True):
        text, is_error = text_of(result)
        lines.append(f"| `{name}` `{json.dumps(arguments)}` | {'yes' if is_error else 'no'} | {text} |")
    return "\n".join(lines)


def log_of(log: Path) -> str:
    """Every record of INFO and above, in order."""
    shown = [record for record in wire.logged(log) if record["level"] != "DEBUG"]
    lines = []
    for record in shown:
        text = _SESSION.sub("<session>", _PROCESS.sub("process [...]", _PORT.sub("127.0.0.1:<port>", record["text"])))
        lines.append(f"{record['level']:<8} {record['logger']}: {text}")
    return "```text\n" + "\n".join(lines) + "\n```"


def run(family: Family) -> str:
    """One family, by every way it can be spoken to."""
    parts = []
    before = None
    for way in wire.ways(family):
        if way.transport == "sse":
            # The transport before streamable HTTP, which the page says nothing of.
            continue
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            said = replies(wire.play(family, way, log, CALLS))
            parts.append(f"### {family.name} {family.version}, {_name(way)}\n")
            parts.append("The same replies.\n" if said == before else f"{said}\n")
            parts.append(f"The log:\n\n{log_of(log)}\n")
            before = said
    return "\n".join(parts)


def _name(way: wire.Way) -> str:
    return f"{NAMES[way.transport]}, protocol {way.revision}"


def section() -> str:
    """The whole section."""
    packages = ", ".join(f"{name} {version_of(name)}" for name in ("mcp", "fastmcp", "pydantic") if version_of(name))
    python = ".".join(map(str, sys.version_info[:3]))
    runs = "\n".join(run(family) for family in sorted(installed_families(), key=lambda family: family.package != "mcp"))
    return f"\nPython {python}, {packages}.\n\n{runs}\n"


def main() -> None:
    """Print the section, or write it."""
    made = section()
    if "--write" not in sys.argv[1:]:
        sys.stdout.write(made)
        return
    text = PAGE.read_text("utf-8")
    head, rest = text.split(BEGIN, 1)
    PAGE.write_text(f"{head}{BEGIN}{made}{END}{rest.split(END, 1)[1]}", "utf-8")


if __name__ == "__main__":
    main()
