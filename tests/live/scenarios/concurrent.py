"""Calls that overlap in one session: the events of one must not be taken for the other's."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from ..kit import Kit
from ..model import Step, act, scenario
from .warehouse import load_row

# Long enough for the rejection to be reported while the other call is in its body.
PAUSE_SECONDS = 0.15


def _together(kit: Kit, *requests: tuple[str, dict[str, Any]]) -> Step:
    async def ask_all(client: Any) -> None:
        calls = [kit.family.call_tool(client, name, arguments) for name, arguments in requests]
        await asyncio.gather(*calls, return_exceptions=True)

    return act(ask_all)


@scenario("drop keep", "a rejection while another call is in its async body, which then fails")
def rejection_during_async_body(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> str:
        await asyncio.sleep(PAUSE_SECONDS)
        return f"{sku} {load_row(kit.secret(1))}"

    def shelf(number: int) -> str:
        return str(number)

    kit.tool(find)
    kit.tool(shelf)
    return [_together(kit, ("find", {"sku": kit.secret(0)}), ("shelf", {"number": kit.secret(2)}))]


@scenario(
    "drop keep",
    "a rejection of a tool while an accepted call of the same tool is in its body, which then fails",
)
def rejection_during_same_tool(kit: Kit) -> Sequence[Step]:
    async def shelf(number: int) -> str:
        await asyncio.sleep(PAUSE_SECONDS)
        return f"{number} {load_row(kit.secret(1))}"

    kit.tool(shelf)
    return [_together(kit, ("shelf", {"number": 4}), ("shelf", {"number": kit.secret(0)}))]


@scenario(
    "drop keep",
    "a rejection while another call is in its sync body, which then fails",
    # The mcp 1.x SDK and fastmcp 2 run a sync body on the event loop's thread: the body fails first.
    by_family={"mcp1": "keep drop", "fastmcp2": "keep drop"},
)
def rejection_during_sync_body(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        time.sleep(PAUSE_SECONDS)
        return f"{sku} {load_row(kit.secret(1))}"

    async def shelf(number: int) -> str:
        return str(number)

    kit.tool(find)
    kit.tool(shelf)
    return [_together(kit, ("find", {"sku": kit.secret(0)}), ("shelf", {"number": kit.secret(2)}))]


@scenario("drop drop drop", "three rejections at once")
def rejections_together(kit: Kit) -> Sequence[Step]:
    async def shelf(number: int) -> str:
        return str(number)

    kit.tool(shelf)
    return [_together(kit, *(("shelf", {"number": kit.secret(at)}) for at in range(3)))]
