"""Public middleware: the mcp 2.x server's list, and the standalone package's ready-made error handler."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ..kit import Kit
from ..model import STANDALONE, Step, call, scenario
from .bad_arguments import REJECTED
from .warehouse import load_row

UNDEC = "undecidable: the call event shows the spoiled arguments too"


def _shelf_tool(kit: Kit) -> None:
    def shelf(number: int) -> str:
        return str(number)

    kit.tool(shelf)


@scenario("drop", f"{REJECTED}; a middleware outside the instrumentation passes it on", families=("mcp2",))
def outer_middleware_passes(kit: Kit) -> Sequence[Step]:
    async def observe(ctx: Any, call_next: Any) -> Any:
        return await call_next(ctx)

    _shelf_tool(kit)
    kit.server.middleware.append(observe)
    return [call("shelf", {"number": kit.secret()})]


@scenario(
    "either",
    "a middleware outside the instrumentation spoils a good argument: the call event shows the spoiled one",
    families=("mcp2",),
    hard=UNDEC,
)
def outer_middleware_spoils(kit: Kit) -> Sequence[Step]:
    async def spoil(ctx: Any, call_next: Any) -> Any:
        if ctx.method == "tools/call":
            arguments = {"number": f"shelf {kit.secret()}"}
            ctx.params["arguments"] = arguments
        return await call_next(ctx)

    _shelf_tool(kit)
    kit.server.middleware.append(spoil)
    return [call("shelf", {"number": 4})]


def _error_handler(kit: Kit) -> None:
    handling = import_module("fastmcp.server.middleware.error_handling")
    kit.server.add_middleware(handling.ErrorHandlingMiddleware(include_traceback=False, transform_errors=True))


@scenario("drop", f"{REJECTED}; the ready-made middleware transforms the error", families=STANDALONE)
def error_handler_rejection(kit: Kit) -> Sequence[Step]:
    _shelf_tool(kit)
    _error_handler(kit)
    return [call("shelf", {"number": kit.secret()})]


@scenario("keep", "the body fails; the ready-made middleware transforms the error", families=STANDALONE)
def error_handler_body_fault(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return f"{sku} {load_row(kit.secret(1))}"

    kit.tool(find)
    _error_handler(kit)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("drop", f"{REJECTED}; the ready-made middleware tries again", families=STANDALONE)
def retry_middleware_rejection(kit: Kit) -> Sequence[Step]:
    handling = import_module("fastmcp.server.middleware.error_handling")
    _shelf_tool(kit)
    kit.server.add_middleware(handling.RetryMiddleware(max_retries=1, base_delay=0.001, retry_exceptions=(Exception,)))
    return [call("shelf", {"number": kit.secret()})]


@scenario(
    "drop",
    f"{REJECTED}; the server masks the details of errors",
    families=STANDALONE,
    options={"mask_error_details": True},
)
def masked_rejection(kit: Kit) -> Sequence[Step]:
    _shelf_tool(kit)
    return [call("shelf", {"number": kit.secret()})]


@scenario(
    "keep",
    "the body fails; the server masks the details of errors",
    families=STANDALONE,
    options={"mask_error_details": True},
)
def masked_body_fault(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return f"{sku} {load_row(kit.secret(1))}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


STRICT = {"strict_input_validation": True}


@scenario("drop", f"{REJECTED}, in strict mode", families=STANDALONE, options=STRICT)
def strict_rejection(kit: Kit) -> Sequence[Step]:
    _shelf_tool(kit)
    return [call("shelf", {"number": f"7 {kit.secret()}"})]


@scenario("drop", f"{REJECTED}, in strict mode, in an async tool", families=STANDALONE, options=STRICT)
def strict_rejection_async(kit: Kit) -> Sequence[Step]:
    async def shelf(number: int) -> str:
        return str(number)

    kit.tool(shelf)
    return [call("shelf", {"number": kit.secret()})]


@scenario("keep", "the body fails; the server validates in strict mode", families=STANDALONE, options=STRICT)
def strict_body_fault(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return f"{sku} {load_row(kit.secret(1))}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]
