"""User code between the SDK's dispatch and its tools: a wrapper, or a middleware where the SDK has them."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from ..families import Proceed
from ..kit import Kit
from ..model import Step, call, scenario
from .bad_arguments import REJECTED
from .warehouse import load_row

VALUE = "the frames are those of a rejection: the call event shows what the caller sent"

NESTED = {"mcp1": "drop keep", "mcp2": "drop keep"}


def _shelf_tool(kit: Kit) -> None:
    def shelf(number: int) -> str:
        return str(number)

    kit.tool(shelf)


@scenario("drop", f"{REJECTED}; a wrapper passes the call on")
def wrapper_passes_through(kit: Kit) -> Sequence[Step]:
    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        return await proceed(name, arguments)

    _shelf_tool(kit)
    kit.around_calls(around)
    return [call("shelf", {"number": kit.secret()})]


@scenario("drop", f"{REJECTED}; twenty wrappers pass the call on, so that the middle of the frames is cut")
def many_wrappers(kit: Kit) -> Sequence[Step]:
    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        return await proceed(name, arguments)

    _shelf_tool(kit)
    for _ in range(20):
        kit.around_calls(around)
    return [call("shelf", {"number": kit.secret()})]


@scenario("drop", f"{REJECTED}; a wrapper adds a good argument of its own and leaves the bad one")
def wrapper_adds_argument(kit: Kit) -> Sequence[Step]:
    def shelf(number: int, tenant: str) -> str:
        return f"{number} {tenant}"

    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        return await proceed(name, {**arguments, "tenant": kit.secret(1)})

    kit.tool(shelf)
    kit.around_calls(around)
    return [call("shelf", {"number": kit.secret(0)})]


@scenario("keep", "a wrapper replaces the caller's good argument by a bad one", hard=VALUE)
def wrapper_spoils_argument(kit: Kit) -> Sequence[Step]:
    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        return await proceed(name, {"number": f"shelf {arguments['number']} {kit.secret()}"})

    _shelf_tool(kit)
    kit.around_calls(around)
    return [call("shelf", {"number": 4})]


@scenario("keep", "a wrapper loses the caller's good argument", hard=VALUE)
def wrapper_loses_argument(kit: Kit) -> Sequence[Step]:
    def shelf(number: int, note: str) -> str:
        return f"{number} {note}"

    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        return await proceed(name, {"note": arguments["note"]})

    kit.tool(shelf)
    kit.around_calls(around)
    return [call("shelf", {"number": 4, "note": kit.secret()})]


@scenario("drop", f"{REJECTED}; a wrapper tries once more while it handles the first rejection")
def wrapper_retries(kit: Kit) -> Sequence[Step]:
    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        try:
            return await proceed(name, arguments)
        except Exception:
            return await proceed(name, arguments)

    _shelf_tool(kit)
    kit.around_calls(around)
    return [call("shelf", {"number": kit.secret()})]


@scenario("either", "a wrapper translates the rejection into an error of its own")
def wrapper_translates(kit: Kit) -> Sequence[Step]:
    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        try:
            return await proceed(name, arguments)
        except Exception as error:
            raise RuntimeError(f"{name} failed for {kit.secret(1)}") from error

    _shelf_tool(kit)
    kit.around_calls(around)
    return [call("shelf", {"number": kit.secret(0)})]


@scenario("drop", f"{REJECTED}; the wrapper's own handled KeyError is only the context")
def wrapper_cache_miss(kit: Kit) -> Sequence[Step]:
    cache: dict[str, Any] = {}

    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        try:
            return cache[name]
        except KeyError:
            return await proceed(name, arguments)

    _shelf_tool(kit)
    kit.around_calls(around)
    return [call("shelf", {"number": kit.secret()})]


@scenario("keep", "a wrapper raises its own validation error before it passes the call on")
def wrapper_bug_before(kit: Kit) -> Sequence[Step]:
    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        load_row(kit.secret())
        return await proceed(name, arguments)

    _shelf_tool(kit)
    kit.around_calls(around)
    return [call("shelf", {"number": 4})]


@scenario("keep", "a wrapper handles the rejection and raises a validation error of its own")
def wrapper_bug_in_handler(kit: Kit) -> Sequence[Step]:
    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        try:
            return await proceed(name, arguments)
        except Exception:
            return str(load_row(kit.secret(1)))

    _shelf_tool(kit)
    kit.around_calls(around)
    return [call("shelf", {"number": kit.secret(0)})]


@scenario("keep", "a wrapper calls another tool with bad arguments of its own making", by_family=NESTED)
def wrapper_calls_other_tool(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return sku

    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        if name == "find":
            await kit.inner_call("shelf", {"number": f"of {kit.secret(1)}"})
        return await proceed(name, arguments)

    _shelf_tool(kit)
    kit.tool(find)
    kit.around_calls(around)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "a wrapper sends the call to another tool, which its arguments do not fit", hard=VALUE)
def wrapper_redirects(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return sku

    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        return await proceed("shelf" if name == "find" else name, {"number": arguments["sku"]})

    _shelf_tool(kit)
    kit.tool(find)
    kit.around_calls(around)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", "a wrapper passes the call on, and the body fails")
def wrapper_body_fault(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return f"{sku} {load_row(kit.secret(1))}"

    async def around(name: str, arguments: dict[str, Any], proceed: Proceed) -> Any:
        try:
            return await proceed(name, arguments)
        except ValidationError:
            raise

    kit.tool(find)
    kit.around_calls(around)
    return [call("find", {"sku": kit.secret(0)})]
