"""The live scenarios on every line of the SDKs, posthog, pydantic and Python that the hook reads.

In:  `--cut` for the small cut, `--only TEXT` for the environments whose name holds it, `--missing` for those without a
     good result so far, `--report` to run nothing, `--write` to put the table into docs/matrix.md between its markers.
Out: a table of the chosen environments on stdout, and after it what is wrong with which. Exit status 1 if a chosen
     environment is wrong, could not be installed, or did not run. One whose Python is absent is named, not counted.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from matrix_parts.environments import ENVIRONMENTS, NOT_TRIED, Environment  # noqa: E402
from matrix_parts.results import BLIND, HEAD, RIGHT, Result, load  # noqa: E402

DOC = ROOT / "docs" / "matrix.md"
RESULTS = ROOT / ".venvs" / "matrix-results"
DONE = (RIGHT, BLIND)
BEGIN, END = "<!-- matrix:begin -->", "<!-- matrix:end -->"


def run(chosen: Sequence[Environment], *, cut: bool) -> None:
    """Run the environments' sessions. Their results, not the exit status, say how they ended."""
    for env in chosen:
        for ending in ("json", "guard.json"):
            (RESULTS / f"{env.name}.{ending}").unlink(missing_ok=True)
    command = [sys.executable, "-m", "nox", "-f", str(ROOT / "noxfile.py"), "-s", *(env.name for env in chosen)]
    environment = {**os.environ, "MATRIX_CUT": "1" if cut else ""}
    subprocess.run(command, cwd=ROOT, env=environment, check=False)


def columns(rows: Sequence[Sequence[str]]) -> str:
    """In: rows of cells. Out: a Markdown table, readable as it is."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines.insert(1, " | ".join("-" * width for width in widths))
    return "\n".join(f"| {line} |" for line in lines)


def summary(results: Sequence[Result]) -> str:
    """Out: one line: how many environments, and their verdicts."""
    counts = Counter(one.verdict for one in results)
    verdicts = ", ".join(f"{number} {verdict}" for verdict, number in counts.most_common())
    events = [sum(one.counted(truth) for one in results) for truth in ("drop", "keep", "either")]
    ran = sum(len(one.scenarios) for one in results)
    guarded = sum((one.guard or {}).get("passed", 0) for one in results)
    return (
        f"{len(results)} environments: {verdicts}. {ran:,} scenarios ran; of their exceptions {events[0]:,} had to be "
        f"dropped, {events[1]:,} kept, {events[2]:,} are debatable. {guarded:,} tests of the "
        "argument guard passed."
    )


def problems(results: Sequence[Result]) -> list[str]:
    """Out: what is not right and why, under each environment's name."""
    lines = []
    for one in results:
        if one.verdict not in DONE:
            lines += [f"{one.env.name}: {one.verdict}", *(f"    {line}" for line in one.problems())]
    return lines + [f"{name}: not tried, {why}" for name, why in NOT_TRIED.items()]


def document(results: Sequence[Result]) -> str:
    """Out: what stands between the markers of docs/matrix.md."""
    absent = [
        *(f"- `{one.env.name}`: {'; '.join(one.problems()) or one.verdict}." for one in results if not one.scenarios),
        *(f"- `{name}`: {why}." for name, why in NOT_TRIED.items()),
    ]
    parts = [
        "`make matrix`, then `.venv/bin/python tools/matrix.py --report --write`, wrote this.",
        summary(results),
        columns([HEAD, *(one.cells() for one in results)]),
        "### Not installed, not run",
        "\n".join(absent) or "None.",
        "### Exceptions that posthog itself does not send",
        "Some releases of posthog send no exception for some requests. Those are in no count.",
        columns([("posthog", "SDK", "without an exception"), *silent(results)]),
    ]
    return "\n\n".join(parts)


def silent(results: Sequence[Result]) -> list[tuple[str, ...]]:
    """Out: for each posthog, the scenarios that are declared to leave no exception with some, and left none."""
    sdks: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for one in results:
        names = one.silent(known=True)
        sdk = one.env.sdk.replace("-", " ")
        if names and sdk not in sdks.setdefault((one.env.watcher, names), []):
            sdks[one.env.watcher, names].append(sdk)
    return [
        (watcher, ", ".join(found), ", ".join(f"`{name}`" for name in names))
        for (watcher, names), found in sorted(sdks.items())
    ]


def write(text: str) -> None:
    """Put `text` between the markers of the document."""
    before, begin, rest = DOC.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{DOC} must hold {BEGIN} and {END}")
    DOC.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """Out: what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cut", action="store_true", help="the small cut")
    parser.add_argument("--only", default="", metavar="TEXT", help="environments whose name holds TEXT")
    parser.add_argument("--missing", action="store_true", help="environments without a good result so far")
    parser.add_argument("--report", action="store_true", help="run nothing, report what was found before")
    parser.add_argument("--write", action="store_true", help="put the table into docs/matrix.md")
    options = parser.parse_args()
    if options.write and (options.cut or options.only):
        parser.error("--write needs every environment")
    return options


def main() -> int:
    """Run what is chosen, and report it."""
    options = arguments()
    asked = [env for env in ENVIRONMENTS if options.only in env.name and (env.cut or not options.cut)]
    if not asked:
        print(f"no environment's name holds {options.only!r}", file=sys.stderr)
        return 1
    wanted = [env for env in asked if not options.missing or load(env, RESULTS).verdict not in DONE]
    if wanted and not options.report:
        run(wanted, cut=options.cut)
    results = [load(env, RESULTS) for env in asked]
    print(columns([HEAD, *(one.cells() for one in results)]))
    print(*problems(results), sep="\n")
    print(summary(results))
    if options.write:
        write(document(results))
    # Nothing right is no success either: no Python of these was there.
    return int(any(one.bad for one in results) or not any(one.verdict in DONE for one in results))


if __name__ == "__main__":
    sys.exit(main())
