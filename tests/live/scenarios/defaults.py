"""Declared defaults of arguments: a default that fails is the server's fault, whatever the caller sent."""

import functools
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from ..kit import Kit
from ..model import Step, call, scenario
from .bad_arguments import REJECTED
from .warehouse import StockRow, broken_row, load_row

SENT = "the frames are those of a rejection: the call event shows that the caller sent nothing for it"


@scenario("drop", f"{REJECTED}; another argument has a default factory that works")
def factory_works_other_bad(kit: Kit) -> Sequence[Step]:
    def find(shelf: int, notes: Annotated[list[str], Field(default_factory=list)]) -> str:
        return f"{shelf} {notes}"

    kit.tool(find)
    return [call("find", {"shelf": kit.secret()})]


@scenario("keep", "the default factory of an argument raises KeyError")
def factory_raises(kit: Kit) -> Sequence[Step]:
    def owner() -> str:
        return {"other": "x"}[kit.secret(1)]

    def find(sku: str, owner: Annotated[str, Field(default_factory=owner)]) -> str:
        return f"{sku} {owner}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "the default factory of an argument validates the server's own row")
def factory_validates_row(kit: Kit) -> Sequence[Step]:
    def row() -> StockRow:
        return load_row(kit.secret(1))

    def find(sku: str, row: Annotated[StockRow, Field(default_factory=row)]) -> str:
        return f"{sku} {row}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario(
    "keep",
    "the default factory is a model class that cannot be made without values: no user frame",
    hard=SENT,
)
def factory_is_model_class(kit: Kit) -> Sequence[Step]:
    def find(sku: str, row: Annotated[StockRow, Field(default_factory=StockRow)]) -> str:
        return f"{sku} {row}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("keep", "the default factory is a partial of pydantic's own callable: no user frame", hard=SENT)
def factory_is_partial(kit: Kit) -> Sequence[Step]:
    factory = functools.partial(StockRow.model_validate, broken_row(kit.secret(1)))

    def find(sku: str, row: Annotated[StockRow, Field(default_factory=factory)]) -> str:
        return f"{sku} {row}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "the declared default does not fit its own type; the caller sent nothing for it", hard=SENT)
def bad_default(kit: Kit) -> Sequence[Step]:
    default = kit.secret(1)

    def find(sku: str, shelf: Annotated[int, Field(validate_default=True)] = default) -> str:  # type: ignore[assignment]
        return f"{sku} {shelf}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("either", "the declared default does not fit, and the caller's other value does not either", hard=SENT)
def bad_default_and_bad_value(kit: Kit) -> Sequence[Step]:
    default = kit.secret(1)

    def find(count: int, shelf: Annotated[int, Field(validate_default=True)] = default) -> str:  # type: ignore[assignment]
        return f"{count} {shelf}"

    kit.tool(find)
    return [call("find", {"count": kit.secret(0)})]
