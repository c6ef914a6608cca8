"""Body faults whose cause chain is unusual: groups, deep recursion, handled errors left as context."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import anyio
from pydantic import ValidationError

from ..kit import Kit
from ..model import STANDALONE, Step, call, scenario
from .body_faults import BODY
from .warehouse import descend, load_row, load_row_later


@scenario("keep", f"{BODY}: a task group with two failures")
def body_exception_group(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> str:
        async with anyio.create_task_group() as group:
            group.start_soon(load_row_later, kit.secret(1))
            group.start_soon(load_row_later, kit.secret(2))
        return sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY}: one of several gathered coroutines")
def body_gather(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> str:
        rows = await asyncio.gather(load_row_later(kit.secret(1)), asyncio.sleep(0))
        return f"{sku} {rows}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY} ninety calls down, so that the middle of its frames is cut")
def body_deep_recursion(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return f"{sku} {descend(90, kit.secret(1))}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY} with a RuntimeError while it handles a validation error")
def body_context_validation(kit: Kit) -> Sequence[Step]:
    known: dict[str, Any] = {}

    def find(sku: str) -> str:
        try:
            return load_row(kit.secret(1)).sku
        except ValidationError:
            return str(known[sku])

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY} with a validation error while it handles a KeyError")
def body_validation_in_handler(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        known: dict[str, Any] = {}
        try:
            return str(known[sku])
        except KeyError:
            return load_row(kit.secret(1)).sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario(
    "keep",
    f"{BODY}: an async generator (versions that do not consume it see no fault)",
    families=STANDALONE,
    may_be_silent=True,
)
def body_async_generator(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> AsyncIterator[str]:
        yield sku
        yield (await load_row_later(kit.secret(1))).sku

    kit.tool(find, output_schema=None)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY}: the tool takes the request's context")
def body_context_tool(kit: Kit) -> Sequence[Step]:
    context_type = kit.context_type

    async def find(sku: str, ctx: context_type) -> str:  # type: ignore[valid-type]
        return f"{sku} {ctx is None} {load_row(kit.secret(1))}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]
