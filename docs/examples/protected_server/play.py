"""Calls the shop's tools, well and badly, and lets posthog send what it wants to a host of yours.

    python play.py http://127.0.0.1:8000            # as the shop runs
    python play.py http://127.0.0.1:8000 --no-hook  # without the hook and the guard

Point it at `scrubber listen`. Nothing goes anywhere else.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import Any

from posthog import Posthog
from posthog.mcp import instrument
from server import SETTINGS, build, plain

from scrubber import Scrubber

CUSTOMERS = {"Ottilie Brandt": "14 Quay Street, Port Selby"}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("order", {"title": "Emma", "customer": "Ottilie Brandt", "copies": 2}),
    ("order", {"title": "Emma", "customer": "Ottilie Brandt", "copies": "two for ottilie@example.test"}),
    ("address_of", {"customer": "Ottilie Brandt"}),
    ("address_of", {"customer": "Konrad Vesper"}),
)


async def call_all(server: Any) -> None:
    """Each call once, through the SDK's own client in memory."""
    try:
        from mcp import Client

        connected = Client(server)
    except ImportError:
        # mcp 1.x
        from mcp.shared.memory import create_connected_server_and_client_session

        connected = create_connected_server_and_client_session(server._mcp_server)
    async with connected as client:
        for tool, arguments in CALLS:
            with suppress(Exception):
                await client.call_tool(tool, arguments)


def main(host: str, *options: str) -> None:
    """host: where posthog is to send. options: `--no-hook`."""
    bare = "--no-hook" in options
    posthog = Posthog("phc_any", host=host, before_send=None if bare else Scrubber(SETTINGS))
    server = plain(posthog, CUSTOMERS) if bare else build(posthog, CUSTOMERS)
    if bare:
        instrument(server, posthog)
    asyncio.run(call_all(server))
    posthog.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
