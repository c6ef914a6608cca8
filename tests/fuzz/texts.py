"""Texts of refusals from bytes: pydantic's own, pieces of such put together at will, and noise."""

from __future__ import annotations

import datetime
from typing import Any, Literal

import pydantic
from pydantic import BaseModel, Field

from .building import CANARY
from .source import Source, json_value

WORD = "canaryword7"
"""Reads like a name from code: only its place says that it is the caller's."""


class Owner(BaseModel):
    sku: int
    zip: str = ""


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    size: float


class findArguments(BaseModel):
    name: str = Field("", max_length=40)
    number: int = Field(0, ge=-10, le=1000)
    items: list[Owner] = []
    prices: dict[str, int] = {}
    owners: dict[str, Owner] = {}
    either: int | list[int] = 0
    pet: Cat | Dog | None = Field(None, discriminator="kind")
    mode: Literal["a", "b"] = "a"
    pair: tuple[int, str] = (1, "x")
    keyed: dict[int, str] = {}
    day: datetime.date | None = None


class Strict(findArguments):
    model_config = {"extra": "forbid", "title": "findArguments"}
    sku: int


FIELDS = tuple(Strict.model_fields)


def arguments(source: Source) -> dict[str, Any]:
    """Arguments of a call: names that the tool declares, mostly, with any JSON."""
    return {
        (source.text() if source.below(8) == 0 else source.pick(FIELDS)): json_value(source)
        for _ in range(source.below(6))
    }


def refused(given: dict[str, Any], strict: bool) -> tuple[str, int] | None:
    """pydantic's text on arguments that do not fit and the number of errors, None where they do."""
    try:
        (Strict if strict else findArguments).model_validate(given)
    except pydantic.ValidationError as error:
        return str(error), error.error_count()
    return None


_PIECES = (
    "1 validation error for findArguments\n",
    "2 validation errors for call[find]\n",
    "Error executing tool find: 1 validation error for findArguments\n",
    "99999 validation errors for x\n",
    "number\n",
    "items.0.sku\n",
    "owners.`a.b`.sku\n",
    "prices.x.[key]\n",
    "  Field required [type=missing, input_value={}, input_type=dict]\n",
    "  Input should be a valid integer [type=int_parsing, input_value='ten', input_type=str]\n",
    "  Value error, 1 validation error for Row [type=value_error, input_value=1, input_type=int]\n",
    "  x [type=missing]\n",
    " [type=",
    ", input_value=",
    ", input_type=str]\n",
    "    For further information visit https://errors.pydantic.dev/2.14/v/missing\n",
    "Value error, ",
    "...",
    "\n",
    ' {"conversation_id": "01a22c07-6c87-7d18-ab71-a25aa3773c9f"}',
    CANARY,
    f"  {CANARY} [type={CANARY}, input_value={CANARY}, input_type={CANARY}]\n",
    f"{CANARY}\n",
    "[redacted]",
)


def pieced(source: Source) -> str:
    """Lines that look like pydantic's, in any order, with texts of the bytes' own between them."""
    out: list[str] = []
    for _ in range(source.below(24)):
        out.append(source.pick(_PIECES) if source.below(4) else source.raw_text(30))
    text = "".join(out)
    return text * (1 + source.below(200)) if source.below(16) == 1 else text
