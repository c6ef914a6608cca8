"""Faults of the server that pass through argument validation itself and look like the caller's: they must be kept."""

# Annotations must stay objects here: the SDKs resolve them, and some name classes inside a function.
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from scrubber.doctor.provocations.base import KEPT, Bench, Provocation, Request
from scrubber.doctor.provocations.faults import StockRow, broken_row


def default_factory(bench: Bench) -> Request:
    """The default factory of an argument validates a row of the server's own."""
    row = broken_row(bench.canary())

    def newest() -> StockRow:
        return StockRow.model_validate(row)

    def compare(sku: str, other: Annotated[StockRow, Field(default_factory=newest)]) -> str:
        return f"{sku} {other}"

    return Request(bench.tool(compare), {"sku": bench.canary()})


def validator_reads_row(bench: Bench) -> Request:
    """A validator of an argument validates a row; pydantic merges the row's error into the argument's."""
    row = broken_row(bench.canary())

    def known(value: str) -> str:
        StockRow.model_validate(row)
        return value

    def check(sku: Annotated[str, AfterValidator(known)]) -> str:
        return sku

    return Request(bench.tool(check), {"sku": bench.canary()})


def bad_default(bench: Bench) -> Request:
    """The declared default does not fit its own type, and the caller sent nothing for it."""
    default: Any = bench.canary()

    def reserve(sku: str, shelf: Annotated[int, Field(validate_default=True)] = default) -> str:
        return f"{sku} {shelf}"

    return Request(bench.tool(reserve), {"sku": bench.canary()})


def wrapper_rewrites(bench: Bench) -> Request:
    """A middleware or wrapper replaces the caller's good argument by a bad one."""
    bad = f"shelf {bench.canary()}"

    def rewritten(number: int) -> str:
        return str(number)

    async def around(name: str, _arguments: dict[str, Any], proceed: Any) -> Any:
        return await proceed(name, {"number": bad})

    name = bench.tool(rewritten)
    bench.around_calls(around)
    return Request(name, {"number": 4})


_KEEP = (KEPT,)

ALL = (
    Provocation("default factory", _KEEP, default_factory),
    Provocation("validator reads a row", _KEEP, validator_reads_row, corroborated=True),
    Provocation("bad declared default", _KEEP, bad_default, corroborated=True),
    Provocation("wrapper rewrites argument", _KEEP, wrapper_rewrites, wrapped=True, corroborated=True),
)
