"""What only the standalone package has: mounted servers, proxies, timeouts, dependencies, own tool classes."""

import asyncio
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ..families import Proceed
from ..kit import Kit
from ..model import STANDALONE, Step, call, scenario
from .bad_arguments import REJECTED
from .warehouse import StockRow, load_row

VALUE = "the frames are those of a rejection: the call event shows what the caller sent"
HIDDEN = "no user frame: the model in the message, or the body call before it in the chain, tells"

TIMED = ("fastmcp3", "fastmcp4")


def shelf(number: int) -> str:
    """A sync tool."""
    return str(number)


async def shelf_async(number: int) -> str:
    """An async tool."""
    return str(number)


def _mount(kit: Kit, *tools: Any) -> Any:
    child = kit.family.make("child")
    for tool in tools:
        kit.family.add_tool(child, tool, None)
    kit.server.mount(child, "kid")
    return child


@scenario("drop", f"{REJECTED}; the tool is on a mounted server", families=STANDALONE)
def mounted_rejection(kit: Kit) -> Sequence[Step]:
    _mount(kit, shelf)
    return [call("kid_shelf", {"number": kit.secret()})]


@scenario("drop", f"{REJECTED}; the async tool is on a mounted server", families=STANDALONE)
def mounted_rejection_async(kit: Kit) -> Sequence[Step]:
    _mount(kit, shelf_async)
    return [call("kid_shelf_async", {"number": kit.secret()})]


@scenario("drop", f"{REJECTED}; the mounted server has a middleware of its own", families=STANDALONE)
def mounted_rejection_middleware(kit: Kit) -> Sequence[Step]:
    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        return await proceed(name, arguments)

    kit.family.around_calls(_mount(kit, shelf), around)
    return [call("kid_shelf", {"number": kit.secret()})]


@scenario("drop", f"{REJECTED}; the tool is on a server mounted on a mounted server", families=STANDALONE)
def mounted_twice_rejection(kit: Kit) -> Sequence[Step]:
    grandchild = kit.family.make("grandchild")
    kit.family.add_tool(grandchild, shelf, None)
    child = kit.family.make("child")
    child.mount(grandchild, "deep")
    kit.server.mount(child, "kid")
    return [call("kid_deep_shelf", {"number": kit.secret()})]


@scenario("keep", "the body of a tool on a mounted server fails", families=STANDALONE)
def mounted_body_fault(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return f"{sku} {load_row(kit.secret(1))}"

    _mount(kit, find)
    return [call("kid_find", {"sku": kit.secret(0)})]


@scenario("keep", "the same, and its frame asks to be left out of tracebacks", families=STANDALONE, hard=HIDDEN)
def mounted_hidden_frame(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        __tracebackhide__ = True
        return str(StockRow.model_validate({"sku": sku, "count": f"many {sku}"}))

    _mount(kit, find)
    return [call("kid_find", {"sku": kit.secret(0)})]


@scenario("keep", "the mounted server's middleware spoils a good argument", families=STANDALONE, hard=VALUE)
def mounted_middleware_spoils(kit: Kit) -> Sequence[Step]:
    async def around(name: str, _arguments: dict[str, Any], proceed: Proceed) -> Any:
        return await proceed(name, {"number": f"shelf {kit.secret()}"})

    kit.family.around_calls(_mount(kit, shelf), around)
    return [call("kid_shelf", {"number": 4})]


@scenario("keep", "a proxied server rejects the arguments: only its text comes back", families=STANDALONE)
def proxied_rejection(kit: Kit) -> Sequence[Step]:
    backend = kit.family.make("backend")
    kit.family.add_tool(backend, shelf, None)
    if kit.family.name == "fastmcp2":
        proxy = type(kit.server).as_proxy(backend)
    else:
        proxy = import_module("fastmcp.server").create_proxy(backend)
    kit.server.mount(proxy, "far")
    return [call("far_shelf", {"number": kit.secret()})]


@scenario("drop", f"{REJECTED}; the tool has a timeout", families=TIMED)
def timed_rejection(kit: Kit) -> Sequence[Step]:
    kit.tool(shelf, timeout=5.0)
    return [call("shelf", {"number": kit.secret()})]


@scenario("drop", f"{REJECTED}; the async tool has a timeout", families=TIMED)
def timed_rejection_async(kit: Kit) -> Sequence[Step]:
    kit.tool(shelf_async, timeout=5.0)
    return [call("shelf_async", {"number": kit.secret()})]


@scenario("keep", "the body of a tool with a timeout fails", families=TIMED)
def timed_body_fault(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> str:
        return f"{sku} {load_row(kit.secret(1))}"

    kit.tool(find, timeout=5.0)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "the body takes longer than the tool's timeout", families=TIMED)
def timed_out(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> str:
        await asyncio.sleep(5)
        return sku

    kit.tool(find, timeout=0.05)
    return [call("find", {"sku": kit.secret()})]


@scenario("drop", f"{REJECTED}; the sync tool runs on the event loop's thread", families=("fastmcp4",))
def unthreaded_rejection(kit: Kit) -> Sequence[Step]:
    kit.tool(shelf, run_in_thread=False)
    return [call("shelf", {"number": kit.secret()})]


@scenario("keep", "the body of a sync tool on the event loop's thread fails", families=("fastmcp4",), hard=HIDDEN)
def unthreaded_body_fault(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        __tracebackhide__ = True
        return str(StockRow.model_validate({"sku": sku, "count": f"many {sku}"}))

    kit.tool(find, run_in_thread=False)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", "a dependency of the tool fails", families=STANDALONE)
def dependency_fault(kit: Kit) -> Sequence[Step]:
    depends = import_module("fastmcp.dependencies").Depends

    def row() -> StockRow:
        return load_row(kit.secret(1))

    def find(sku: str, row: StockRow = depends(row)) -> str:  # noqa: B008 - how a dependency is declared
        return f"{sku} {row}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("drop", f"{REJECTED}; the tool has a dependency", families=STANDALONE)
def dependency_rejection(kit: Kit) -> Sequence[Step]:
    depends = import_module("fastmcp.dependencies").Depends

    def row() -> str:
        return "row"

    def find(number: int, row: str = depends(row)) -> str:
        return f"{number} {row}"

    kit.tool(find)
    return [call("find", {"number": kit.secret()})]


@scenario("keep", "the user's own tool class fails in its `run`", families=STANDALONE)
def own_tool_class(kit: Kit) -> Sequence[Step]:
    base: Any = import_module("fastmcp.tools").Tool

    class StockTool(base):  # type: ignore[misc]
        async def run(self, arguments: dict[str, Any]) -> Any:
            return load_row(str(arguments["sku"]))

    parameters = {"type": "object", "properties": {"sku": {"type": "string"}}}
    kit.server.add_tool(StockTool(name="stock", description="", parameters=parameters))
    return [call("stock", {"sku": kit.secret()})]
