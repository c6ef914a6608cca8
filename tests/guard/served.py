"""A guarded server as a process of its own: `python -m tests.guard.served FAMILY stdio|http|sse PORT LOG`.

Every record that any logger hands out goes to LOG, a JSON object per line. The process ends with its client (stdio), or
when it is told to, and by itself after `LONGEST` seconds.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field

from scrubber.guard import guard_arguments

from ..live.families import Family, installed_families
from .lowlevel import LowLevel

LONGEST = 60.0
Small = Annotated[int, Field(ge=-2147483648, le=2147483647)]


class Grade(BaseModel):
    """A grade of eggs."""

    quantity: int


def list_flocks(limit: Small = 3, customerId: UUID | None = None, grades: list[Grade] = []) -> str:  # noqa: B006
    """The flocks of a farm."""
    return f"{limit} flocks"


def count_eggs(date: date) -> str:
    """The eggs of one day."""
    return f"eggs of {date}"


def broken(x: int) -> str:
    """A tool with a fault of its own."""
    raise RuntimeError("the barn is on fire")


SCHEMAS = {
    "list_flocks": {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647},
            "customerId": {"type": "string"},
            "grades": {
                "type": "array",
                "items": {"type": "object", "properties": {"quantity": {"type": "integer"}}, "required": ["quantity"]},
            },
        },
    },
    "count_eggs": {"type": "object", "properties": {"date": {"type": "string"}}, "required": ["date"]},
}


def server_of(family: Family) -> Any:
    """A guarded server with the tools above."""
    if isinstance(family, LowLevel):
        server = family.make("farm", schemas=SCHEMAS)
    else:
        server = family.make("farm")
        for tool in (list_flocks, count_eggs, broken):
            family.add_tool(server, tool, None)
    guard_arguments(server)
    return server


def _record_to(path: Path) -> None:
    out = path.open("a", encoding="utf-8", buffering=1)
    original = logging.Logger.handle

    def handle(self: logging.Logger, record: logging.LogRecord) -> None:
        line = {"logger": record.name, "level": record.levelname, "text": record.getMessage()}
        if record.exc_info:
            line["text"] += " + traceback"
        out.write(json.dumps(line) + "\n")
        original(self, record)

    logging.Logger.handle = handle  # type: ignore[method-assign]
    for name in ("", "mcp", "fastmcp", "scrubber.guard"):
        logging.getLogger(name).setLevel(logging.DEBUG)


def serve(family: Family, server: Any, transport: str, port: int) -> None:
    """Run until the transport ends."""
    where: dict[str, Any] = {"host": "127.0.0.1", "port": port}
    if isinstance(family, LowLevel):
        if transport == "stdio":
            import_module("anyio").run(_stdio, server)
        else:
            import_module("uvicorn").run(_app(server), **where)
    elif family.name.startswith("fastmcp"):
        server.run(transport=transport, show_banner=False, **({} if transport == "stdio" else where))
    elif transport == "stdio":
        server.run("stdio")
    elif family.name == "mcp1":
        server.settings.host, server.settings.port = "127.0.0.1", port
        server.run("sse" if transport == "sse" else "streamable-http")
    else:
        server.run("sse" if transport == "sse" else "streamable-http", **where)


def _app(server: Any) -> Any:
    """A low-level server over streamable HTTP: mcp 2 makes the application, for mcp 1 one does it oneself."""
    if hasattr(server, "streamable_http_app"):
        return server.streamable_http_app()
    manager = import_module("mcp.server.streamable_http_manager").StreamableHTTPSessionManager(app=server)
    mount = import_module("starlette.routing").Mount("/mcp", app=manager.handle_request)

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        async with manager.run():
            yield

    return import_module("starlette.applications").Starlette(routes=[mount], lifespan=lifespan)


async def _stdio(server: Any) -> None:
    async with import_module("mcp.server.stdio").stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def main() -> None:
    """Serve the family named on the command line."""
    name, transport, port, log = sys.argv[1:5]
    ending = threading.Timer(LONGEST, os._exit, [3])
    ending.daemon = True
    ending.start()
    family = {one.name: one for one in [*installed_families(), LowLevel()]}[name]
    server = server_of(family)
    _record_to(Path(log))
    serve(family, server, transport, int(port))


if __name__ == "__main__":
    main()
