"""A tool's body calls another tool of the same server with arguments of its own making.

The mcp SDKs' instrumentation also sends a pair of events for the inner call; the standalone package's sees
the outer call alone.
"""

import asyncio
import functools
from collections.abc import Sequence

from ..kit import Kit
from ..model import SDK, Step, call, scenario
from .warehouse import load_row

NEST = "no user frame: a second dispatch earlier in the chain tells"

INNER = {"mcp1": "drop keep", "mcp2": "drop keep"}


def _shelf_tool(kit: Kit) -> None:
    def shelf(number: int) -> str:
        return str(number)

    kit.tool(shelf)


@scenario("keep", "the body calls another tool with bad arguments: the outer fault is the body's", by_family=INNER)
def nested_raised(kit: Kit) -> Sequence[Step]:
    _shelf_tool(kit)

    async def find(sku: str) -> str:
        return str(await kit.inner_call("shelf", {"number": f"of {kit.secret(1)}"})) + sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "the same, in a task of the body", by_family=INNER)
def nested_in_task(kit: Kit) -> Sequence[Step]:
    _shelf_tool(kit)

    async def find(sku: str) -> str:
        inner = asyncio.ensure_future(kit.inner_call("shelf", {"number": f"of {kit.secret(1)}"}))
        return str(await inner) + sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "the body passes the caller's own value on to another tool, which rejects it", by_family=INNER)
def nested_forwards_value(kit: Kit) -> Sequence[Step]:
    _shelf_tool(kit)

    async def find(number: str) -> str:
        return str(await kit.inner_call("shelf", {"number": number}))

    kit.tool(find)
    return [call("find", {"number": kit.secret()})]


@scenario(
    "",
    "the body swallows the inner rejection and succeeds",
    by_family={"mcp1": "drop", "mcp2": "drop"},
)
def nested_swallowed(kit: Kit) -> Sequence[Step]:
    _shelf_tool(kit)

    async def find(sku: str) -> str:
        try:
            await kit.inner_call("shelf", {"number": f"of {kit.secret(1)}"})
        except Exception:
            return sku
        return "never"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "the body handles the inner rejection and fails meanwhile", by_family=INNER)
def nested_then_fault(kit: Kit) -> Sequence[Step]:
    _shelf_tool(kit)

    async def find(sku: str) -> str:
        try:
            return str(await kit.inner_call("shelf", {"number": f"of {kit.secret(1)}"}))
        except Exception:
            raise RuntimeError(f"no shelf for {sku}")  # noqa: B904 - the implicit context is the case

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "the inner tool's body fails", by_family={"mcp1": "keep keep", "mcp2": "keep keep"})
def nested_body_fault(kit: Kit) -> Sequence[Step]:
    def stock(sku: str) -> str:
        return f"{sku} {load_row(kit.secret(1))}"

    async def find(sku: str) -> str:
        return str(await kit.inner_call("stock", {"sku": sku}))

    kit.tool(stock)
    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "the body takes the SDK's tool object and runs it with bad arguments")
def tool_object_run(kit: Kit) -> Sequence[Step]:
    _shelf_tool(kit)

    async def find(sku: str) -> str:
        tool = await kit.find_tool("shelf")
        return str(await tool.run({"number": f"of {kit.secret(1)}"}, **kit.run_options)) + sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario(
    "drop keep",
    "the tool is a partial of the server's own call with bad arguments: no user frame",
    families=SDK,
    hard=NEST,
)
def nested_without_user_frame(kit: Kit) -> Sequence[Step]:
    _shelf_tool(kit)
    find = functools.partial(kit.server.call_tool, "shelf", {"number": f"of {kit.secret()}"})
    find.__name__ = "find"  # type: ignore[attr-defined]
    kit.tool(find, name="find")
    return [call("find", {})]
