"""The caller's arguments do not fit: the events that should be dropped. And one call that is fine."""

# Annotations must stay objects here: the SDKs resolve them, and some name classes inside a function.
from typing import Any

from pydantic import BaseModel

from scrubber.doctor.provocations.base import DROPPED, STANDALONE, Bench, Provocation, Request


class Address(BaseModel):
    """A nested argument."""

    street: str
    postcode: int


class Order(BaseModel):
    """An argument with a model inside."""

    reference: str
    address: Address


def good_call(bench: Bench) -> Request:
    """Its arguments, result and intent are content."""
    answer = bench.canary()

    def look_up(sku: str) -> str:
        return f"{sku} {answer}"

    # posthog asks agents for `context`, the intent of a call, and takes it out again before the SDK sees it.
    return Request(bench.tool(look_up), {"sku": bench.canary(), "context": f"for {bench.canary()}"})


def missing_argument(bench: Bench) -> Request:
    """One of two is not sent."""

    def find(sku: str, shelf: int) -> str:
        return f"{sku} {shelf}"

    return Request(bench.tool(find), {"sku": bench.canary()})


def wrong_scalar(bench: Bench) -> Request:
    """Text for a number."""

    def count(shelf: int) -> str:
        return str(shelf)

    return Request(bench.tool(count), {"shelf": bench.canary()})


def nested_model(bench: Bench) -> Request:
    """A field of a model inside a model."""

    def place(order: Order) -> str:
        return order.reference

    address = {"street": bench.canary(), "postcode": bench.canary()}
    return Request(bench.tool(place), {"order": {"reference": bench.canary(), "address": address}})


def union(bench: Bench) -> Request:
    """No branch of a union fits."""

    def weigh(amount: int | list[int] | None) -> str:
        return str(amount)

    return Request(bench.tool(weigh), {"amount": {"value": bench.canary()}})


def unknown_argument(bench: Bench) -> Request:
    """An argument that the tool does not declare."""

    def paint(shelf: int) -> str:
        return str(shelf)

    return Request(bench.tool(paint), {"shelf": 1, "colour": bench.canary()})


def renamed_tool(bench: Bench) -> Request:
    """The tool has another name than its function."""

    def fetch_impl(shelf: int) -> str:
        return str(shelf)

    return Request(bench.tool(fetch_impl, "fetch_from_stock"), {"shelf": bench.canary()})


def async_tool(bench: Bench) -> Request:
    """The body is a coroutine function."""

    async def watch(shelf: int) -> str:
        return str(shelf)

    return Request(bench.tool(watch), {"shelf": bench.canary()})


def behind_wrapper(bench: Bench) -> Request:
    """A middleware or wrapper passes the call on."""

    def pass_on(number: int) -> str:
        return str(number)

    async def around(name: str, arguments: dict[str, Any], proceed: Any) -> Any:
        return await proceed(name, arguments)

    name = bench.tool(pass_on)
    bench.around_calls(around)
    return Request(name, {"number": bench.canary()})


_DROP = (DROPPED,)

ALL = (
    Provocation("good call", (), good_call),
    Provocation("missing argument", _DROP, missing_argument),
    Provocation("wrong scalar", _DROP, wrong_scalar),
    Provocation("nested model", _DROP, nested_model),
    Provocation("union", _DROP, union),
    Provocation("unknown argument", _DROP, unknown_argument, families=STANDALONE),
    Provocation("renamed tool", _DROP, renamed_tool),
    Provocation("async tool", _DROP, async_tool),
    Provocation("behind a wrapper", _DROP, behind_wrapper, wrapped=True),
)
