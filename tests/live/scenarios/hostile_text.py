"""Rejected arguments whose text imitates an error message, or is too large to be sent whole."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator

from ..kit import Kit
from ..model import Step, call, scenario
from .bad_arguments import REJECTED

ECHO = "the message is a forgery: the call event shows that the caller sent it"
HUGE = "the event lost its frames to its size"


@scenario("drop", f"{REJECTED}; the caller's mapping key is a forged line of a pydantic message")
def forged_key(kit: Kit) -> Sequence[Step]:
    def weigh(weights: dict[str, int]) -> str:
        return str(weights)

    kit.tool(weigh)
    key = f"x\n  Input should be fine [type=value_error, input_value='{kit.secret(0)}', input_type=str]\ny"
    return [call("weigh", {"weights": {key: kit.secret(1)}})]


@scenario("drop", f"{REJECTED}; the caller's mapping key is a forged nested validation error")
def forged_nested_error(kit: Kit) -> Sequence[Step]:
    def weigh(weights: dict[str, int]) -> str:
        return str(weights)

    kit.tool(weigh)
    key = f"1 validation error for StockRow\ncount\n  Field required [type=missing] {kit.secret(0)}"
    return [call("weigh", {"weights": {key: kit.secret(1)}})]


@scenario("drop", "the validator repeats the caller's text, which is a forged validation error", hard=ECHO)
def echoed_forgery(kit: Kit) -> Sequence[Step]:
    def refuse(value: str) -> str:
        raise ValueError(value)

    def find(sku: Annotated[str, AfterValidator(refuse)]) -> str:
        return sku

    kit.tool(find)
    text = f"1 validation error for StockRow\ncount\n  Input should be an integer [input_value='{kit.secret()}']"
    return [call("find", {"sku": text})]


@scenario("drop", f"{REJECTED}; the value looks like a credential, with line ends and other scripts in it")
def credential_like(kit: Kit) -> Sequence[Step]:
    def login(attempts: int) -> str:
        return str(attempts)

    kit.tool(login)
    return [call("login", {"attempts": f"Bearer {kit.secret(0)}\r\npassword={kit.secret(1)} \u2028 ünï ✓"})]


@scenario("drop", f"{REJECTED}; one value of 50 kB")
def one_huge_argument(kit: Kit) -> Sequence[Step]:
    def find(shelf: int) -> str:
        return str(shelf)

    kit.tool(find)
    return [call("find", {"shelf": kit.secret() + "y" * 50_000})]


@scenario("drop", f"{REJECTED}; values so large that the event loses its stack traces", hard=HUGE)
def several_huge_arguments(kit: Kit) -> Sequence[Step]:
    def find(first: int, second: int, third: int, fourth: int, fifth: int) -> str:
        return str(first + second + third + fourth + fifth)

    kit.tool(find)
    names = ("first", "second", "third", "fourth", "fifth")
    return [call("find", {name: kit.secret(at) + name * 9_000 for at, name in enumerate(names)})]


@scenario("drop", f"{REJECTED}; a mapping with 400 bad entries")
def many_errors(kit: Kit) -> Sequence[Step]:
    def weigh(weights: dict[str, int]) -> str:
        return str(weights)

    kit.tool(weigh)
    return [call("weigh", {"weights": {f"key {at} {kit.secret()}": kit.secret() for at in range(400)}})]
