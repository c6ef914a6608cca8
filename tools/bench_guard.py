"""What the guard adds to a good call of a small tool: with and without, in one run, on every SDK that is installed.

In:  `--calls N` per server and round, `--rounds N`.
Out: a table on stdout, in microseconds for a whole call through the SDK's own in-memory client; exit status 1 where the
     guard adds more than `TARGET` to one of them.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import platform
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from scrubber.guard import guard_arguments  # noqa: E402
from tests.guard.lowlevel import LowLevel  # noqa: E402
from tests.live.families import Family, installed_families, version_of  # noqa: E402

TARGET = 30.0
BATCH = 20
WARM_UP = 50
SCHEMA = {"type": "object", "properties": {"limit": {"type": "integer"}, "q": {"type": "string"}}}


class Cost(NamedTuple):
    """Microseconds of a call."""

    family: str
    version: str
    without: float
    with_guard: float
    added: float


def find(limit: int = 3, q: str = "") -> str:
    """A small tool: two parameters, no work."""
    return q


def servers(family: Family) -> Iterator[Any]:
    """Out: the server without the guard, then the same with it."""
    for guarded in (False, True):
        if isinstance(family, LowLevel):
            server = family.make("low", schemas={"find": SCHEMA})
        else:
            server = family.make("farm")
            family.add_tool(server, find, None)
        if guarded:
            guard_arguments(server)
        yield server


async def batch(family: Family, client: Any, calls: int) -> float:
    """Out: microseconds per call."""
    started = time.perf_counter()
    for _ in range(calls):
        await family.call_tool(client, "find", {"limit": 2, "q": "hens"})
    return (time.perf_counter() - started) / calls * 1e6


async def measure(family: Family, calls: int, rounds: int) -> Cost:
    """The two servers in turn, a batch each, so that what the machine does meanwhile meets both."""
    times: tuple[list[float], list[float]] = ([], [])
    async with AsyncExitStack() as open_:
        clients = [await open_.enter_async_context(family.connect(server)) for server in servers(family)]
        for client in clients:
            await family.list_tools(client)
            await batch(family, client, WARM_UP)
        gc.collect()
        gc.disable()
        try:
            for at in range(rounds * calls // BATCH):
                for which in (0, 1) if at % 2 else (1, 0):
                    times[which].append(await batch(family, clients[which], BATCH))
        finally:
            gc.enable()
    # The fastest tenth: what else the machine does makes a batch slower and never faster.
    without, with_guard = (statistics.median(sorted(one)[: max(1, len(one) // 10)]) for one in times)
    return Cost(family.name, version_of(family.package) or "", without, with_guard, with_guard - without)


def table(costs: list[Cost]) -> str:
    """Out: the costs as a Markdown table."""
    lines = ["| SDK | without | with the guard | added |", "|---|---|---|---|"]
    for cost in costs:
        lines.append(
            f"| {cost.family} {cost.version} | {cost.without:.0f} us | {cost.with_guard:.0f} us | {cost.added:.1f} us |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)
    families: list[Family] = [*installed_families(), LowLevel()]
    costs = [asyncio.run(measure(family, chosen.calls, chosen.rounds)) for family in families]
    calls = chosen.rounds * chosen.calls
    print(f"Python {platform.python_version()} ({platform.machine()}).")
    print(f"The fastest tenth of {calls} calls each, in turns of {BATCH}.")
    print(table(costs))
    over = [cost.family for cost in costs if cost.added > TARGET]
    print(f"Target: at most {TARGET:.0f} us added. " + (f"Over it: {', '.join(over)}." if over else "Met by all."))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
