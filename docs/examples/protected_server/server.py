"""A bookshop's MCP server. What is asked and answered stays in the shop; PostHog gets names, types and counts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from posthog import Posthog
from posthog.mcp import instrument
from pydantic import Field

from scrubber import Scrubber, Settings
from scrubber.guard import analytics_options, guard_arguments

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:
    # mcp 1.x
    from mcp.server.fastmcp import FastMCP as MCPServer

SETTINGS = Settings.from_file(Path(__file__).with_name("scrubber.toml"))
Customers = dict[str, str]
"""The address of each customer, by name."""


def plain(posthog: Any, customers: Customers) -> Any:
    """The server and its tools, and nothing else."""
    server = MCPServer("bookshop")

    @server.tool()
    def order(title: str, customer: str, copies: Annotated[int, Field(ge=1, le=50)] = 1) -> str:
        """Order a book for a customer."""
        posthog.capture("order_placed", distinct_id="shop", properties={"copies": copies})
        return f"{copies} of {title} will go to {customers.get(customer, 'the shop')}"

    @server.tool()
    def address_of(customer: str) -> str:
        """The address of a customer."""
        return customers[customer]

    return server


def build(posthog: Any, customers: Customers) -> Any:
    """The server, guarded and instrumented: what runs in the shop, and what the tests check."""
    server = plain(posthog, customers)
    guard_arguments(server, unknown="refuse")
    instrument(server, posthog, analytics_options(server))
    return server


def main() -> None:
    """Run the shop's server on stdio."""
    posthog = Posthog(os.environ["POSTHOG_KEY"], before_send=Scrubber(SETTINGS))
    try:
        build(posthog, {"Ada Vance": "3 Mill Lane, Oldcastle"}).run()
    finally:
        posthog.shutdown()


if __name__ == "__main__":
    main()
