"""Validators of arguments: some judge the caller's value, some fail on the server's own data."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from ..kit import Kit
from ..model import Step, call, scenario
from .warehouse import Parcel, StockRow, broken_row

MERGED = "pydantic merged the inner error: its location goes deeper than the argument does"
STRING = "only the message tells: it is a validation error's text that the caller did not send"
VALUE = "the frames are those of a rejection: the call event shows what the caller sent"


@scenario("drop", "a validator raises a custom pydantic error about the caller's value")
def custom_error(kit: Kit) -> Sequence[Step]:
    def known(value: str) -> str:
        raise PydanticCustomError("unknown_sku", "no such sku: {sku}", {"sku": value})

    def find(sku: Annotated[str, AfterValidator(known)]) -> str:
        return sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("drop", "a validator raises ValueError about the caller's value")
def value_error(kit: Kit) -> Sequence[Step]:
    def known(value: str) -> str:
        raise ValueError(f"no such sku: {value}")

    def find(sku: Annotated[str, AfterValidator(known)]) -> str:
        return sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("drop", "a field validator of an argument's model refuses the caller's value")
def field_validator_refuses(kit: Kit) -> Sequence[Step]:
    def ship(parcel: Parcel, note: str) -> str:
        return f"{parcel} {note}"

    kit.tool(ship)
    return [call("ship", {"parcel": {"weight": -4}, "note": kit.secret()})]


@scenario("drop", "a model validator of an argument's model refuses the caller's values")
def model_validator_refuses(kit: Kit) -> Sequence[Step]:
    class Span(BaseModel):
        first: str
        last: str

        @model_validator(mode="after")
        def ordered(self) -> "Span":
            if self.first > self.last:
                raise ValueError(f"{self.first} is after {self.last}")
            return self

    def report(span: Span) -> str:
        return span.first

    kit.tool(report)
    return [call("report", {"span": {"first": f"z {kit.secret(0)}", "last": f"a {kit.secret(1)}"}})]


@scenario(
    "keep",
    "a validator reads the server's own row, whose error pydantic merges into the argument's",
    hard=MERGED,
)
def merged_nested_error(kit: Kit) -> Sequence[Step]:
    def known(value: str) -> str:
        StockRow.model_validate(broken_row(kit.secret(1)))
        return value

    def find(sku: Annotated[str, AfterValidator(known)]) -> str:
        return sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "a validator turns the error of the server's own row into the text of a ValueError", hard=STRING)
def stringified_nested_error(kit: Kit) -> Sequence[Step]:
    def known(value: str) -> str:
        try:
            StockRow.model_validate(broken_row(kit.secret(1)))
        except ValidationError as error:
            raise ValueError(str(error)) from error
        return value

    def find(sku: Annotated[str, AfterValidator(known)]) -> str:
        return sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep", "a field validator of an argument's model reads the server's own row", hard=MERGED)
def merged_error_in_model(kit: Kit) -> Sequence[Step]:
    row = broken_row(kit.secret(1))

    class Request(BaseModel):
        sku: str

        @field_validator("sku")
        @classmethod
        def known(cls, value: str) -> str:
            StockRow.model_validate(row)
            return value

    def find(request: Request) -> str:
        return request.sku

    kit.tool(find)
    return [call("find", {"request": {"sku": kit.secret(0)}})]


@scenario("keep", "a validator has a bug: it raises AttributeError")
def validator_bug(kit: Kit) -> Sequence[Step]:
    def known(value: str) -> str:
        return value.upper_case()  # type: ignore[attr-defined,no-any-return]

    def find(sku: Annotated[str, AfterValidator(known)]) -> str:
        return sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret()})]


@scenario("either", "a validator of the server replaces a good value by one that does not fit", hard=VALUE)
def validator_spoils_value(kit: Kit) -> Sequence[Step]:
    def spoil(value: object) -> object:
        return f"spoiled {kit.secret()} {type(value).__name__}"

    def find(shelf: Annotated[int, BeforeValidator(spoil)]) -> str:
        return str(shelf)

    kit.tool(find)
    return [call("find", {"shelf": 3})]
