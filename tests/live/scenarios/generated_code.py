"""Tools made by `exec`: their frames name no module that can be imported and no source line."""

from collections.abc import Callable, Sequence
from typing import Any

from ..kit import Kit
from ..model import Step, call, scenario
from .bad_arguments import REJECTED
from .warehouse import StockRow

SHELF = """
def shelf(number: int) -> str:
    return str(number)
"""

FIND = """
def find(sku: str) -> str:
    return str(StockRow.model_validate({"sku": sku, "count": "many " + sku}))
"""

CHECK = """
def validate_arguments(value):
    return StockRow.model_validate({"sku": value, "count": "many " + value})
"""


def _made(source: str, name: str, filename: str, **names: Any) -> Callable[..., Any]:
    namespace: dict[str, Any] = {"StockRow": StockRow, **names}
    exec(compile(source, filename, "exec"), namespace)
    return namespace[name]  # type: ignore[no-any-return]


@scenario("drop", f"{REJECTED}; the tool's code was generated")
def generated_rejection(kit: Kit) -> Sequence[Step]:
    kit.tool(_made(SHELF, "shelf", "<generated>"))
    return [call("shelf", {"number": kit.secret()})]


@scenario("keep", "the generated body of the tool fails")
def generated_body(kit: Kit) -> Sequence[Step]:
    kit.tool(_made(FIND, "find", "<generated>"))
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", "a function of the user whose file, module and function are named like the SDK's validation fails")
def generated_lookalike(kit: Kit) -> Sequence[Step]:
    check = _made(
        CHECK,
        "validate_arguments",
        "/srv/app/shop/mcp/server/mcpserver/utilities/func_metadata.py",
        __name__="mcp.server.mcpserver.utilities.func_metadata",
    )

    def find(sku: str) -> str:
        return str(check(sku))

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]
