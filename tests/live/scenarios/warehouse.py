"""The small application that the scenario servers belong to: its models and its functions."""

import asyncio
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, TypeAdapter, field_validator, validate_call
from typing_extensions import TypedDict


class StockRow(BaseModel):
    """A row of the warehouse's own table."""

    sku: str
    count: int


class Address(BaseModel):
    """A nested argument."""

    street: str
    postcode: int


class Order(BaseModel):
    """An argument with a nested model."""

    reference: str
    address: Address


class Parcel(BaseModel):
    """An argument that checks itself."""

    weight: int

    @field_validator("weight")
    @classmethod
    def positive(cls, value: int) -> int:
        """Refuse a weight that is not positive."""
        if value <= 0:
            raise ValueError(f"weight {value} is not positive")
        return value


@dataclass
class Label:
    """A dataclass argument."""

    text: str
    copies: int


class Period(TypedDict):
    """A `TypedDict` argument."""

    start: int
    days: int


def broken_row(secret: str) -> dict[str, Any]:
    """In: a canary. Out: a row, as the database holds it, that is not a `StockRow`."""
    return {"sku": secret, "count": f"many {secret}"}


def load_row(secret: str) -> StockRow:
    """Validate a row that does not fit: a fault of the server's own data."""
    return StockRow.model_validate(broken_row(secret))


def load_rows_by_adapter(secret: str) -> list[StockRow]:
    """The same through a `TypeAdapter`, whose frame is pydantic's."""
    return TypeAdapter(list[StockRow]).validate_python([broken_row(secret)])


def load_row_by_constructor(secret: str) -> StockRow:
    """The same through the model's constructor."""
    return StockRow(**broken_row(secret))


async def load_row_later(secret: str) -> StockRow:
    """The same after a suspension."""
    await asyncio.sleep(0)
    return load_row(secret)


@validate_call
def reserve(count: int, note: str) -> str:
    """A function that validates its own arguments."""
    return f"{count} {note}"


def descend(depth: int, secret: str) -> StockRow:
    """Validate the broken row `depth` calls further down."""
    if depth == 0:
        return load_row(secret)
    return descend(depth - 1, secret)
