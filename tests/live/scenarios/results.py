"""The body returned something that its own declaration refuses."""

from collections.abc import Sequence

from pydantic import BaseModel

from ..kit import Kit
from ..model import SDK, STANDALONE, Step, call, scenario
from .warehouse import StockRow, broken_row

RESULT = "the arguments are fine; the tool's result does not fit its declaration"


@scenario("keep", f"{RESULT} (a model)", families=SDK)
def result_model(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> StockRow:
        return broken_row(sku)  # type: ignore[return-value]

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", f"{RESULT} (a list, which the SDK wraps)", families=SDK)
def result_list(kit: Kit) -> Sequence[Step]:
    async def find(sku: str) -> list[int]:
        return [sku]  # type: ignore[list-item]

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", f"{RESULT} (a model with the name of the SDK's argument model)", families=SDK)
def result_lookalike(kit: Kit) -> Sequence[Step]:
    class findArguments(BaseModel):
        sku: int

    def find(sku: str) -> findArguments:
        return {"sku": sku}  # type: ignore[return-value]

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", f"{RESULT} (text where an object is declared)", families=STANDALONE)
def result_not_object(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        return sku

    kit.tool(find, output_schema={"type": "object", "properties": {"sku": {"type": "string"}}})
    return [call("find", {"sku": kit.secret()})]
