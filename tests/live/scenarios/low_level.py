"""What only the mcp SDKs have: resolved parameters, low-level servers, the SDK's validation used by a body."""

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

from pydantic import BaseModel

from ..kit import Kit
from ..model import SDK, Step, call, scenario
from .bad_arguments import REJECTED
from .warehouse import StockRow, load_row


def _resolve(fn: Any) -> Any:
    return import_module("mcp.server.mcpserver.resolve").Resolve(fn)


@scenario("drop", f"{REJECTED}; another parameter is resolved by the server", families=("mcp2",))
def resolved_rejection(kit: Kit) -> Sequence[Step]:
    def tenant() -> str:
        return "tenant"

    def find(shelf: int, tenant: Annotated[str, _resolve(tenant)]) -> str:
        return f"{shelf} {tenant}"

    kit.tool(find)
    return [call("find", {"shelf": kit.secret()})]


@scenario("keep", "a resolver of the server fails", families=("mcp2",))
def resolver_fault(kit: Kit) -> Sequence[Step]:
    def row() -> StockRow:
        return load_row(kit.secret(1))

    def find(sku: str, row: Annotated[StockRow, _resolve(row)]) -> str:
        return f"{sku} {row}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "a resolver is a model class that a good argument does not fit: no user frame", families=("mcp2",))
def resolver_is_model_class(kit: Kit) -> Sequence[Step]:
    class Numbered(BaseModel):
        sku: int

    def find(sku: str, row: Annotated[Numbered, _resolve(Numbered)]) -> str:
        return f"{sku} {row}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", "the body runs the SDK's argument model of another tool on the server's data", families=SDK)
def argument_model_in_body(kit: Kit) -> Sequence[Step]:
    def shelf(number: int) -> str:
        return str(number)

    async def find(sku: str) -> str:
        tool = await kit.find_tool("shelf")
        return f"{sku} {tool.fn_metadata.arg_model.model_validate({'number': kit.secret(1)})}"

    kit.tool(shelf)
    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "the body runs the SDK's whole validation of another tool on the server's data", families=SDK)
def argument_validation_in_body(kit: Kit) -> Sequence[Step]:
    def shelf(number: int) -> str:
        return str(number)

    async def find(sku: str) -> str:
        tool = await kit.find_tool("shelf")
        details = tool.fn_metadata
        if hasattr(details, "validate_arguments"):
            return f"{sku} {details.validate_arguments({'number': kit.secret(1)})}"
        return sku + str(await details.call_fn_with_arg_validation(shelf, False, {"number": kit.secret(1)}, None))

    kit.tool(shelf)
    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "a low-level server checks the schema and reports text: no frames", families=("mcp1",))
def low_level_schema(kit: Kit) -> Sequence[Step]:
    server = import_module("mcp.server.lowlevel").Server("low")
    types = import_module("mcp.types")
    schema = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}

    async def list_tools() -> list[Any]:
        return [types.Tool(name="shelf", inputSchema=schema)]

    async def call_tool(name: str, arguments: dict[str, Any]) -> list[Any]:
        return [types.TextContent(type="text", text=f"{name} {arguments}")]

    server.list_tools()(list_tools)
    server.call_tool()(call_tool)
    kit.server = server
    return [call("shelf", {"number": kit.secret()})]


@scenario("keep", "the handler of a low-level server validates by itself and fails", families=("mcp1",))
def low_level_handler(kit: Kit) -> Sequence[Step]:
    server = import_module("mcp.server.lowlevel").Server("low")
    types = import_module("mcp.types")

    async def list_tools() -> list[Any]:
        return [types.Tool(name="stock", inputSchema={"type": "object"})]

    async def call_tool(_name: str, arguments: dict[str, Any]) -> list[Any]:
        return [types.TextContent(type="text", text=StockRow.model_validate(arguments).sku)]

    server.list_tools()(list_tools)
    server.call_tool()(call_tool)
    kit.server = server
    return [call("stock", {"sku": kit.secret(0), "count": kit.secret(1)})]
