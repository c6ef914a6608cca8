"""The arguments are fine and the server fails: the events that must be kept, without their texts."""

# Annotations must stay objects here: the SDKs resolve them, and some name classes inside a function.
from typing import Any

from pydantic import BaseModel, TypeAdapter

from scrubber.doctor.provocations.base import DROPPED, KEPT, SDK, STANDALONE, Bench, Provocation, Request


class StockRow(BaseModel):
    """A row of the server's own table."""

    sku: str
    count: int


def broken_row(canary: str) -> dict[str, Any]:
    """A row, as a database may hold it, that is not a `StockRow`."""
    return {"sku": canary, "count": f"many {canary}"}


def body_validation_error(bench: Bench) -> Request:
    """The body validates a row that does not fit."""
    row = broken_row(bench.canary())

    def load(sku: str) -> str:
        return f"{sku} {StockRow.model_validate(row)}"

    return Request(bench.tool(load), {"sku": bench.canary()})


def body_runtime_error(bench: Bench) -> Request:
    """The body raises."""

    def sell(sku: str) -> str:
        raise RuntimeError(f"the warehouse is closed: {sku}")

    return Request(bench.tool(sell), {"sku": bench.canary()})


def helper_adapter(bench: Bench) -> Request:
    """A helper's TypeAdapter fails: the innermost frame is pydantic's."""
    row = broken_row(bench.canary())

    def rows() -> list[StockRow]:
        return TypeAdapter(list[StockRow]).validate_python([row])

    def list_all(sku: str) -> str:
        return f"{sku} {rows()}"

    return Request(bench.tool(list_all), {"sku": bench.canary()})


def result_model(bench: Bench) -> Request:
    """The result does not fit the declared model."""

    def show(sku: str) -> StockRow:
        return broken_row(sku)  # type: ignore[return-value]

    return Request(bench.tool(show), {"sku": bench.canary()})


def result_schema(bench: Bench) -> Request:
    """The result is text where the output schema says object."""

    def show(sku: str) -> str:
        return sku

    schema = {"type": "object", "properties": {"sku": {"type": "string"}}}
    return Request(bench.tool(show, output_schema=schema), {"sku": bench.canary()})


def nested_call(bench: Bench) -> Request:
    """The body calls another tool with bad arguments of its own making."""
    made_up = f"of {bench.canary()}"

    def inner(number: int) -> str:
        return str(number)

    async def outer(sku: str) -> str:
        return f"{sku} {await bench.inner_call('inner', {'number': made_up})}"

    bench.tool(inner)
    return Request(bench.tool(outer), {"sku": bench.canary()})


def deliberate_tool_error(bench: Bench) -> Request:
    """The body reports a failure on purpose."""
    error = bench.family.tool_error

    def order(sku: str) -> str:
        raise error(f"no such sku: {sku}")

    return Request(bench.tool(order), {"sku": bench.canary()})


def resource_fault(bench: Bench) -> Request:
    """A resource cannot be read; no tool is involved."""
    row = broken_row(bench.canary())

    def stock() -> str:
        return str(StockRow.model_validate(row))

    bench.server.resource("stock://all")(stock)
    return Request(resource="stock://all")


_KEEP = (KEPT,)
# The mcp SDKs' instrumentation also sees the inner call, which was refused.
_INNER: dict[str, tuple[str, ...]] = dict.fromkeys(SDK, (DROPPED, KEPT))

ALL = (
    Provocation("body: ValidationError", _KEEP, body_validation_error),
    Provocation("body: RuntimeError", _KEEP, body_runtime_error),
    Provocation("helper's TypeAdapter", _KEEP, helper_adapter),
    Provocation("result conversion", _KEEP, result_model, families=SDK),
    Provocation("result conversion", _KEEP, result_schema, families=STANDALONE),
    Provocation("nested call", _KEEP, nested_call, by_family=_INNER),
    Provocation("deliberate ToolError", _KEEP, deliberate_tool_error),
    Provocation("resource fault", _KEEP, resource_fault, may_be_silent=True),
)
