"""The clock: rounds over a class of events, the contenders interleaved batch by batch."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from time import perf_counter_ns
from typing import Any

from bench_parts.contenders import Call, Contender
from bench_parts.events import CLASSES, Labelled, fresh

BATCH = 16
"""Events, at least, between two changes of contender: so few that they are still in the processor's caches, as an
event is when posthog hands it to its hook, and that a drift of the machine meets all contenders alike."""

Rounds = dict[str, list[float]]
"""Microseconds per event by contender, one for each round."""

Class = tuple[str, str]
"""Kind and class of an event."""


@contextmanager
def no_collection() -> Iterator[None]:
    """The collector runs before, not during: when it runs depends on what else a process holds, and would be charged
    to whoever happens to allocate at that moment."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def batches(stream: Sequence[Labelled]) -> list[Sequence[Labelled]]:
    """Out: the stream in pieces; none ends between a call and the exception that follows it."""
    cut: list[Sequence[Labelled]] = []
    start = 0
    for at in range(1, len(stream) + 1):
        together = at < len(stream) and (stream[at - 1][0], stream[at][0]) == ("$mcp_tool_call", "$exception")
        if at == len(stream) or (at - start >= BATCH and not together):
            cut.append(stream[start:at])
            start = at
    return cut


def spend(call: Call, events: Sequence[Any], into: Sequence[list[int]]) -> None:
    """Call on each event, and add the nanoseconds of each to its place in `into`."""
    for event, times in zip(events, into, strict=True):
        start = perf_counter_ns()
        call(event)
        times[0] += perf_counter_ns() - start


def one_round(
    pieces: Sequence[Sequence[Labelled]], contenders: Sequence[Contender], turn: int
) -> dict[str, dict[Class, int]]:
    """In: `turn`, which contender goes first. Out: nanoseconds by contender and class."""
    classes = {(kind, name) for piece in pieces for kind, name, _ in piece}
    total = {contender.name: {one: [0] for one in classes} for contender in contenders}
    for number, piece in enumerate(pieces):
        events = [event for _, _, event in piece]
        first = (turn + number) % len(contenders)
        for contender in (*contenders[first:], *contenders[:first]):
            into = [total[contender.name][kind, name] for kind, name, _ in piece]
            lead, copies = fresh(events), fresh(events)
            # Without it a contender finds in the processor's caches what its neighbour left there, and a variant of the
            # hook behind another one seems a quarter quicker than the first.
            spend(contender.ready(), lead, [[0]] * len(lead))
            spend(contender.ready(), copies, into)
    return {name: {one: times[0] for one, times in by.items()} for name, by in total.items()}


def clock() -> float:
    """Out: nanoseconds that reading the clock adds to each event."""
    figures = []
    for _ in range(9):
        times = [0]
        spend(lambda event: None, [None] * 2000, [times] * 2000)
        figures.append(times[0] / 2000)
    return median(figures)


def measure(
    stream: Sequence[Labelled], contenders: Sequence[Contender], rounds: int, warm_up: int = 2
) -> tuple[dict[str, dict[str, Rounds]], dict[str, dict[str, int]]]:
    """Out: by kind and class, and for `all` classes of a kind: the rounds, and the number of events."""
    number = Counter((kind, name) for kind, name, _ in stream)
    groups = {(kind, "all"): [one for one in number if one[0] == kind] for kind in CLASSES}
    groups |= {(kind, name): [(kind, name)] for kind, names in CLASSES.items() for name in names if number[kind, name]}
    pieces = batches(stream)
    measured: dict[str, dict[str, Rounds]] = {kind: {} for kind in CLASSES}
    numbers: dict[str, dict[str, int]] = {kind: {} for kind in CLASSES}
    for kind, name in sorted(groups, key=lambda one: list(CLASSES).index(one[0])):
        measured[kind][name] = {contender.name: [] for contender in contenders}
        numbers[kind][name] = sum(number[one] for one in groups[kind, name])
    with no_collection():
        ticks = clock()
        for turn in range(-warm_up, rounds):
            spent = one_round(pieces, contenders, turn)
            for (kind, name), members in groups.items():
                for contender, by in spent.items():
                    if turn >= 0:
                        mean = sum(by[one] for one in members) / numbers[kind][name]
                        measured[kind][name][contender].append((mean - ticks) / 1000)
            # Nothing here makes cycles, but a peer may.
            gc.collect()
    return measured, numbers


def best_of(call: Callable[[], Any], rounds: int = 7, least_ns: int = 2_000_000) -> float:
    """Out: the median over rounds of the microseconds of one call, repeated until a round lasts `least_ns`."""
    start = perf_counter_ns()
    call()
    once = max(perf_counter_ns() - start, 1)
    repeats = max(1, least_ns // once)
    figures = []
    for _ in range(rounds):
        start = perf_counter_ns()
        for _ in range(repeats):
            call()
        figures.append((perf_counter_ns() - start) / repeats / 1000)
    return median(figures)
