"""What a run starts from: recorded events to change, and the first inputs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.fuzz.building import BASES
from tests.support import Recorded, recorded

_MOST_FRAMES = 14


def write_bases(most: int = 90) -> int:
    """Choose events of the recordings, one of each scenario before a second of any, and write them. Out: how many.

    An `$exception` comes with the call event before it. Fixed once chosen: what a saved input means depends on them.
    """
    chosen: dict[str, list[dict[str, Any]]] = {}
    others: dict[str, list[dict[str, Any]]] = {}
    last: Recorded | None = None
    for at, row in enumerate(recorded()):
        name = row.event["event"]
        if name == "$exception":
            pair = [last.event] if last is not None and last.event["event"] == "$mcp_tool_call" else []
            events = [*pair, row.event]
            # Each scenario from another recording, so that all SDKs are among them.
            key = f"{row.scenario} {row.truth}"
            if key not in chosen or at % 7 == 0:
                chosen[key] = events
        else:
            others.setdefault(f"{name} {row.scenario}" if name != "$mcp_initialize" else name, [row.event])
        last = row
    wanted = [*list(chosen.values())[:most], *[others[key] for key in list(others)[:12]]]
    lines = [json.dumps(_small(events), separators=(",", ":")) for events in wanted]
    with Path(BASES).open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(("\n".join(lines) + "\n").encode())
    return len(lines)


def _small(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Long traces lose frames in their middle, long texts their ends: what is decided by stays."""
    for event in events:
        for entry in event["properties"].get("$exception_list") or []:
            stack = entry.get("stacktrace") if isinstance(entry, dict) else None
            frames = stack.get("frames") if isinstance(stack, dict) else None
            if frames and len(frames) > _MOST_FRAMES:
                del frames[2 : len(frames) - _MOST_FRAMES + 2]
    return json.loads(json.dumps(events))


def seeds(target: str) -> list[bytes]:
    """The first inputs of a target: recorded events and texts in the form in which the target reads its bytes."""
    with gzip.open(BASES, "rt", encoding="utf-8") as lines:
        bases = [json.loads(line) for line in lines]
    if target == "hook":
        changed = [bytes([at % 6, 1 + at % 7, at, 3]) + bytes(range(40)) for at in range(len(bases))]
        return [*changed, *(b"\x01\x00" + json.dumps(events).encode() for events in bases[::9])]
    if target == "parser":
        texts = {entry["value"] for events in bases for entry in events[-1]["properties"].get("$exception_list", [])}
        return [b"\x00" + text.encode() for text in sorted(texts)[:40]] + [b"\x03" + bytes(range(60))]
    return [bytes([form]) + bytes(range(at, at + 50)) for form in range(4) for at in range(0, 200, 20)]
