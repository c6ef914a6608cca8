"""A validation error, or another fault, in the body of a tool whose arguments were fine."""

import asyncio
import functools
import json
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError, create_model, validate_call

from ..kit import Kit
from ..model import SDK, Step, call, scenario
from .warehouse import (
    StockRow,
    broken_row,
    load_row,
    load_row_by_constructor,
    load_row_later,
    load_rows_by_adapter,
    reserve,
)

HIDDEN = "no user frame: the model in the message, or the body call before it in the chain, tells"

BODY = "the arguments are fine; the tool's body fails"


@scenario("keep", BODY)
def body_sync(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return f"{sku} {StockRow.model_validate(broken_row(kit.secret(1)))}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY}, after a suspension")
def body_async(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> str:
        return f"{sku} {await load_row_later(kit.secret(1))}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY}, in a function on another thread")
def body_thread(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> str:
        return f"{sku} {await asyncio.to_thread(load_row, kit.secret(1))}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY}, in a task that it awaits")
def body_task(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> str:
        return f"{sku} {await asyncio.create_task(load_row_later(kit.secret(1)))}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY}: the TypeAdapter of a function it calls, so the innermost frame is pydantic's")
def body_type_adapter(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return f"{sku} {load_rows_by_adapter(kit.secret(1))}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY}: a function it calls uses a model's constructor")
def body_constructor(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return f"{sku} {load_row_by_constructor(kit.secret(1))}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", f"{BODY}: it calls a function that validates its own arguments with bad ones")
def body_validated_function(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return reserve(f"many {sku}", sku)  # type: ignore[arg-type]

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", f"{BODY} on the caller's own value, which it validates itself")
def body_checks_caller_value(kit: Kit) -> Sequence[Step]:
    def load(text: str) -> str:
        return StockRow.model_validate_json(text).sku

    kit.tool(load)
    return [call("load", {"text": f'{{"sku": "{kit.secret()}" '})]


@scenario("keep", f"{BODY}: its function and its model have the names the SDK uses")
def body_lookalike_names(kit: Kit) -> Sequence[Step]:
    class findArguments(BaseModel):
        model_config = ConfigDict(title="call[find]")
        count: int

    def validate_arguments(value: str) -> findArguments:
        return findArguments.model_validate({"count": value})

    def find(sku: str) -> str:
        return str(validate_arguments(sku))

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", f"{BODY}, and its frame asks to be left out of tracebacks", hard=HIDDEN)
def body_hidden_frame(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        __tracebackhide__ = True
        return str(StockRow.model_validate({"sku": sku, "count": f"many {sku}"}))

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", f"{BODY}, hidden frame, in an async tool", hard=HIDDEN)
def body_hidden_frame_async(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> str:
        __tracebackhide__ = True
        await asyncio.sleep(0)
        return str(StockRow.model_validate({"sku": sku, "count": f"many {sku}"}))

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario(
    "keep",
    f"{BODY}: hidden frame, and a model with the name of the SDK's own",
    hard="no user frame and the SDK's name: the call event shows no such argument",
)
def body_hidden_lookalike(kit: Kit) -> Sequence[Step]:
    title = "findArguments" if kit.family.name in SDK else "call[find]"
    row = create_model("Row", __config__=ConfigDict(title=title), count=(int, ...))

    def find(sku: str) -> str:
        __tracebackhide__ = True
        return str(row.model_validate({"count": f"many {sku}"}))

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", "the tool is pydantic's own callable: its body leaves no user frame", families=SDK, hard=HIDDEN)
def body_is_pydantic_callable(kit: Kit) -> Sequence[Step]:
    kit.tool(StockRow.model_validate_json, name="load")
    # A JSON text of a string: the SDK replaces the texts of objects and lists by what they hold.
    return [call("load", {"json_data": f'"{kit.secret()}"'})]


@scenario("keep", "the tool is a partial of pydantic's own callable on the server's data", families=SDK, hard=HIDDEN)
def body_is_pydantic_partial(kit: Kit) -> Sequence[Step]:
    load = functools.partial(StockRow.model_validate, obj=broken_row(kit.secret()))
    load.__name__ = "load"  # type: ignore[attr-defined]
    kit.tool(load, name="load")
    return [call("load", {})]


@scenario("keep", "the tool validates its own result, which does not fit")
def body_return_check(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> int:
        return sku  # type: ignore[return-value]

    kit.tool(validate_call(validate_return=True)(find), name="find")
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", f"{BODY}: it decodes text that is not JSON")
def body_json_error(kit: Kit) -> Sequence[Step]:
    def load(text: str) -> str:
        return str(json.loads(f"<{text}>"))

    kit.tool(load)
    return [call("load", {"text": kit.secret()})]


@scenario("keep", f"{BODY} with a RuntimeError")
def body_runtime_error(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        raise RuntimeError(f"the warehouse is closed: {sku}")

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", "the body reports a failure on purpose")
def deliberate_tool_error(kit: Kit) -> Sequence[Step]:
    error = kit.family.tool_error

    def find(sku: str) -> str:
        raise error(f"no such sku: {sku}")

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", "the body turns its own validation error into a tool error")
def tool_error_from_validation(kit: Kit) -> Sequence[Step]:
    error = kit.family.tool_error

    def find(sku: str) -> str:
        try:
            return load_row(kit.secret(1)).sku
        except ValidationError as cause:
            raise error(f"no stock for {sku}") from cause

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]
