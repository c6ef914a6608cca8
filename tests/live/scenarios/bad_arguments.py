"""The caller's arguments do not fit the tool's declaration: the events a guard should drop."""

import functools
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StrictInt

from ..kit import Kit
from ..model import Step, call, scenario
from .warehouse import Label, Order, Period

REJECTED = "the SDK's argument validation rejects the caller's value before the body runs"


@scenario("drop", REJECTED)
def missing_argument(kit: Kit) -> Sequence[Step]:
    def find(sku: str, shelf: int) -> str:
        return f"{sku} {shelf}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("drop", REJECTED)
def wrong_scalar(kit: Kit) -> Sequence[Step]:
    def find(sku: str, shelf: int) -> str:
        return f"{sku} {shelf}"

    kit.tool(find)
    return [call("find", {"sku": "a", "shelf": kit.secret()})]


@scenario("drop", REJECTED)
def async_tool(kit: Kit) -> Sequence[Step]:
    async def find(shelf: int) -> str:
        return str(shelf)

    kit.tool(find)
    return [call("find", {"shelf": kit.secret()})]


@scenario("drop", REJECTED)
def strict_list_item(kit: Kit) -> Sequence[Step]:
    def pick(lines: list[StrictInt], note: str) -> str:
        return f"{lines} {note}"

    kit.tool(pick)
    return [call("pick", {"lines": [1, True, 3], "note": kit.secret()})]


@scenario("drop", REJECTED)
def null_for_list(kit: Kit) -> Sequence[Step]:
    def pick(lines: list[int], note: str) -> str:
        return f"{lines} {note}"

    kit.tool(pick)
    return [call("pick", {"lines": None, "note": kit.secret()})]


@scenario("drop", REJECTED)
def nested_model_field(kit: Kit) -> Sequence[Step]:
    def place(order: Order) -> str:
        return order.reference

    kit.tool(place)
    address = {"street": kit.secret(0), "postcode": kit.secret(1)}
    return [call("place", {"order": {"reference": kit.secret(2), "address": address}})]


@scenario("drop", REJECTED)
def union_without_branch(kit: Kit) -> Sequence[Step]:
    def count(amount: int | list[int] | None) -> str:
        return str(amount)

    kit.tool(count)
    return [call("count", {"amount": {"value": kit.secret()}})]


@scenario("drop", REJECTED)
def discriminator_unknown(kit: Kit) -> Sequence[Step]:
    class Box(BaseModel):
        kind: Literal["box"]
        width: int

    class Tube(BaseModel):
        kind: Literal["tube"]
        length: int

    def pack(shape: Annotated[Box | Tube, Field(discriminator="kind")]) -> str:
        return shape.kind

    kit.tool(pack)
    return [call("pack", {"shape": {"kind": kit.secret(), "width": 4}})]


@scenario("drop", REJECTED)
def literal_unknown(kit: Kit) -> Sequence[Step]:
    def sort(order: Literal["asc", "desc"]) -> str:
        return order

    kit.tool(sort)
    return [call("sort", {"order": kit.secret()})]


@scenario("drop", REJECTED)
def alias_argument(kit: Kit) -> Sequence[Step]:
    def page(size: Annotated[int, Field(alias="pageSize")]) -> str:
        return str(size)

    kit.tool(page)
    return [call("page", {"pageSize": kit.secret()})]


@scenario("drop", REJECTED)
def json_text_for_list(kit: Kit) -> Sequence[Step]:
    def pick(lines: list[int]) -> str:
        return str(lines)

    kit.tool(pick)
    return [call("pick", {"lines": f'[1, "{kit.secret()}"]'})]


@scenario(
    "",
    "a text that is JSON is a good text; the mcp SDKs decode it for a type other than `str` and reject it",
    by_family={"mcp1": "either", "mcp2": "either"},
)
def json_text_for_optional_text(kit: Kit) -> Sequence[Step]:
    def note(text: str | None) -> str:
        return str(text)

    kit.tool(note)
    return [call("note", {"text": f'{{"note": "{kit.secret()}"}}'})]


@scenario("drop", REJECTED)
def dataclass_argument(kit: Kit) -> Sequence[Step]:
    def print_label(label: Label) -> str:
        return label.text

    kit.tool(print_label)
    return [call("print_label", {"label": {"text": kit.secret(0), "copies": kit.secret(1)}})]


@scenario("drop", REJECTED)
def typed_dict_argument(kit: Kit) -> Sequence[Step]:
    def report(period: Period) -> str:
        return str(period)

    kit.tool(report)
    return [call("report", {"period": {"start": 1, "weeks": kit.secret()}})]


@scenario("drop", REJECTED)
def several_arguments(kit: Kit) -> Sequence[Step]:
    def move(sku: str, source: int, target: int, fast: bool) -> str:
        return f"{sku} {source} {target} {fast}"

    kit.tool(move)
    return [call("move", {"sku": 7, "source": kit.secret(0), "fast": kit.secret(1)})]


@scenario("drop", f"{REJECTED}; the tool has another name than its function")
def renamed_tool(kit: Kit) -> Sequence[Step]:
    def find_impl(shelf: int) -> str:
        return str(shelf)

    kit.tool(find_impl, name="find_in_stock")
    return [call("find_in_stock", {"shelf": kit.secret()})]


@scenario("drop", f"{REJECTED}; the tool is a bound method")
def method_tool(kit: Kit) -> Sequence[Step]:
    class Shelves:
        def find(self, shelf: int) -> str:
            return str(shelf)

    kit.tool(Shelves().find)
    return [call("find", {"shelf": kit.secret()})]


@scenario("drop", f"{REJECTED}; the body is behind a decorator of the user")
def decorated_tool(kit: Kit) -> Sequence[Step]:
    def timed(fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return fn(*args, **kwargs)

        return wrapper

    @timed
    def find(shelf: int) -> str:
        return str(shelf)

    kit.tool(find)
    return [call("find", {"shelf": kit.secret()})]


@scenario("drop", f"{REJECTED}; the tool takes the request's context")
def context_tool(kit: Kit) -> Sequence[Step]:
    context_type = kit.context_type

    async def find(shelf: int, ctx: context_type) -> str:  # type: ignore[valid-type]
        return f"{shelf} {ctx is None}"

    kit.tool(find)
    return [call("find", {"shelf": kit.secret()})]


@scenario(
    "drop",
    f"{REJECTED}: an argument it does not declare (the mcp SDKs ignore those)",
    by_family={"mcp1": "", "mcp2": ""},
)
def unknown_argument(kit: Kit) -> Sequence[Step]:
    def find(shelf: int) -> str:
        return str(shelf)

    kit.tool(find)
    return [call("find", {"shelf": 1, "colour": kit.secret()})]


@scenario("drop drop", f"{REJECTED}, twice in one session")
def rejected_twice(kit: Kit) -> Sequence[Step]:
    def find(shelf: int) -> str:
        return str(shelf)

    kit.tool(find)
    return [call("find", {"shelf": kit.secret(0)}), call("find", {"shelf": kit.secret(1)})]
