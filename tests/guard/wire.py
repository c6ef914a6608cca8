"""Clients of the served process: one way to call it over each transport, at each protocol revision."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..live.families import Family
from ..support import ROOT

NEWEST, HANDSHAKE = "2026-07-28", "2025-11-25"
STARTS_WITHIN = 30.0
CALL_WITHIN = 20.0


class Way(NamedTuple):
    """A transport and a protocol revision."""

    transport: str
    revision: str


def ways(family: Family) -> list[Way]:
    """What a family can be spoken to with. mcp 1.x, and fastmcp 2 and 3 on it, stop at 2025-11-25, and so does SSE."""
    both = family.name in ("mcp2", "fastmcp4", "lowlevel2")
    found = [
        Way(one, revision) for one in ("stdio", "http") for revision in ([NEWEST, HANDSHAKE] if both else [HANDSHAKE])
    ]
    return found if family.name.startswith("lowlevel") else [*found, Way("sse", HANDSHAKE)]


def command(family: Family, transport: str, port: int, log: Path) -> list[str]:
    return [sys.executable, "-W", "ignore", "-m", "tests.guard.served", family.name, transport, str(port), str(log)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


@contextmanager
def http_server(family: Family, transport: str, log: Path) -> Iterator[str]:
    """The served process on loopback; its address. It is ended with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    quiet: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command(family, transport, port, log), cwd=ROOT, env=environment(), **quiet)
    try:
        until = time.monotonic() + STARTS_WITHIN
        while not _answers(port):
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < until, "the server does not answer"
            time.sleep(0.05)
        # A low-level server of mcp 1 stands under a mount, which answers `/mcp` with a way to `/mcp/`.
        yield f"http://127.0.0.1:{port}/{'sse' if transport == 'sse' else 'mcp'}{'/' * (family.name == 'lowlevel1')}"
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@asynccontextmanager
async def connected(family: Family, way: Way, target: str | Path) -> AsyncIterator[Any]:
    """A client. `target`: the address, or the log that a process over stdio shall write."""
    mode = "legacy" if way.revision == HANDSHAKE else way.revision
    async with AsyncExitStack() as open_:
        if family.name in ("mcp1", "lowlevel1"):
            yield await _mcp1(open_, family, way, target)
            return
        parameters: Any = target
        if family.name.startswith("fastmcp"):
            if way.transport == "stdio":
                found = import_module("fastmcp.client.transports").StdioTransport
                program, *arguments = command(family, "stdio", 0, Path(target))
                parameters = found(program, arguments, env=environment(), cwd=str(ROOT))
            elif way.transport == "sse":
                parameters = import_module("fastmcp.client.transports").SSETransport(str(target))
            options = {"mode": mode} if family.name == "fastmcp4" else {}
            yield await open_.enter_async_context(import_module("fastmcp").Client(parameters, **options))
            return
        if way.transport == "stdio":
            started = import_module("mcp.client.stdio").stdio_client
            parameters = started(_stdio(family, Path(target)), errlog=_null(open_))
        elif way.transport == "sse":
            parameters = import_module("mcp.client.sse").sse_client(str(target))
        yield await open_.enter_async_context(import_module("mcp").Client(parameters, mode=mode))


def _stdio(family: Family, log: Path) -> Any:
    program, *arguments = command(family, "stdio", 0, log)
    found = import_module("mcp.client.stdio").StdioServerParameters
    return found(command=program, args=arguments, env=environment(), cwd=str(ROOT))


async def _mcp1(open_: AsyncExitStack, family: Family, way: Way, target: str | Path) -> Any:
    if way.transport == "stdio":
        client = import_module("mcp.client.stdio").stdio_client(_stdio(family, Path(target)), errlog=_null(open_))
    elif way.transport == "sse":
        client = import_module("mcp.client.sse").sse_client(str(target))
    else:
        client = import_module("mcp.client.streamable_http").streamablehttp_client(str(target))
    read, write, *_ = await open_.enter_async_context(client)
    session = await open_.enter_async_context(import_module("mcp").ClientSession(read, write))
    await session.initialize()
    return session


def _null(open_: AsyncExitStack) -> Any:
    return open_.enter_context(Path(os.devnull).open("w", encoding="utf-8"))


async def _calls(family: Family, way: Way, target: str | Path, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    async with connected(family, way, target) as client:
        await asyncio.wait_for(family.list_tools(client), CALL_WITHIN)
        return [await asyncio.wait_for(family.call_tool(client, *call), CALL_WITHIN) for call in calls]


def play(family: Family, way: Way, log: Path, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """The results of the calls, over a server of their own."""
    if way.transport == "stdio":
        return asyncio.run(_calls(family, way, log, calls))
    with http_server(family, way.transport, log) as address:
        return asyncio.run(_calls(family, way, address, calls))


def logged(log: Path) -> list[dict[str, str]]:
    """The records of the served process."""
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()]
