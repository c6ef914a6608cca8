"""The hook beside its peers, in one run, on the recorded events.

In:  `--rounds N`, `--write` to put the figures into docs/benchmarks.md between its markers, and to draw
     docs/images/peers.svg.
Out: tables on stdout: what leaves, is hidden and is still sent, and microseconds per event; exit status 0 unless the
     run was not possible.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from bench_parts import contenders, events, growth, peers, plot, report, timing  # noqa: E402

DOC = ROOT / "docs" / "benchmarks.md"
PICTURE = ROOT / "docs" / "images" / "peers.svg"
COMMAND = "make bench"


def about(posthog: str, recordings: int, rounds: int) -> str:
    """Out: the lines that say what was measured, and with what."""
    packages = ", ".join(f"{name} {version}" for name, version in contenders.versions().items())
    return "\n".join(
        [
            f"Python {platform.python_version()} ({platform.machine()}), {packages}.",
            f"Events: {recordings} recordings with posthog {posthog}; texts that a live event has of its own are new "
            "objects each time.",
            f"Median of {rounds} rounds (a third of that in the order of capture), contenders interleaved every "
            f"{timing.BATCH} events, garbage collector off while the clock runs.",
        ]
    )


def run(rounds: int, picture: Path | None) -> tuple[str, str]:
    """Out: the quality of the contenders, and their costs. Draws the picture of both, where a path for it is given."""
    truth, qualities = peers.measure()
    posthog, paths = events.newest()
    stream = events.recorded(paths)
    everyone = contenders.contenders()
    measured, numbers = timing.measure(events.class_by_class(stream), everyone, rounds)
    if picture is not None:
        plot.draw(picture, truth, qualities, measured)
    slow = ("logfire", "sanitiser")
    quick = [contender for contender in contenders.contenders() if contender.name not in slow]
    as_captured, _ = timing.measure(stream, quick, -(-rounds // 3))
    dropped = next(event for _, name, event in stream if name == "dropped")
    hostile = growth.hostile(dropped)
    costs = "\n\n".join(
        [
            about(posthog, len(paths), rounds),
            report.costs("Microseconds per event, class by class", measured, numbers),
            report.ratios(measured),
            report.targets(measured),
            report.costs(
                "Microseconds per event, in the order of capture: each call, then its exception", as_captured, numbers
            ),
            report.corroboration(as_captured),
            report.growth("The hook's cost as an event grows", growth.linearity()),
            report.growth("The judge's cost on a hostile text of 12.5 kB x", hostile),
            f"The hook on a property nested {growth.DEPTH:,} lists deep: {growth.deep():.1f} us.",
        ]
    )
    return report.quality(truth, qualities), costs


def main() -> int:
    """Measure; out: the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--write", action="store_true", help=f"rewrite the figures in {DOC.relative_to(ROOT)}")
    options = parser.parse_args()
    start = time.monotonic()
    quality, costs = run(options.rounds, PICTURE if options.write else None)
    print(f"{quality}\n\n{costs}")
    print(f"\n{time.monotonic() - start:.0f} s")
    if options.write:
        default = options.rounds == parser.get_default("rounds")
        command = COMMAND if default else f"python tools/bench.py --rounds {options.rounds}"
        report.write(DOC, "peers", f"`{command}` printed this:\n\n```text\n{quality}\n```")
        report.write(DOC, "bench", f"It went on with this:\n\n```text\n{costs}\n```")
        print(f"written to {DOC.relative_to(ROOT)} and {PICTURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
