"""Everything that is not a tool call with bad arguments: other requests, and the application's own events."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from ..kit import Kit
from ..model import Step, act, ask, call, read, scenario
from .warehouse import load_row, load_rows_by_adapter


def _find_tool(kit: Kit) -> None:
    # PostHog reports a server without tools as an `$exception` of its own.
    def find(sku: str) -> str:
        return sku

    kit.tool(find)


@scenario("", "a call that succeeds")
def call_succeeds(kit: Kit) -> Sequence[Step]:
    def find(sku: str, shelf: int) -> str:
        return f"{sku} {shelf}"

    kit.tool(find)
    return [call("find", {"sku": kit.secret(), "shelf": 2})]


@scenario("keep", "PostHog's own report of a server without tools: text, no frames")
def no_tools(_kit: Kit) -> Sequence[Step]:
    return []


@scenario("keep", "a tool that does not exist is no argument validation", may_be_silent=True)
def unknown_tool(kit: Kit) -> Sequence[Step]:
    _find_tool(kit)
    return [call(kit.secret(0), {"sku": kit.secret(1)})]


@scenario("keep", "a resource cannot be read: no tool is involved", may_be_silent=True)
def resource_fault(kit: Kit) -> Sequence[Step]:
    _find_tool(kit)

    def stock() -> str:
        return str(load_row(kit.secret()))

    kit.server.resource("stock://all")(stock)
    return [read("stock://all")]


@scenario("keep", "the parameters of a resource's address do not fit: no tool is involved", may_be_silent=True)
def resource_template_arguments(kit: Kit) -> Sequence[Step]:
    _find_tool(kit)

    def shelf(number: int) -> str:
        return str(number)

    kit.server.resource("shelf://{number}")(shelf)
    return [read(f"shelf://{kit.secret()}")]


@scenario("keep", "a prompt fails: no tool is involved", may_be_silent=True)
def prompt_fault(kit: Kit) -> Sequence[Step]:
    _find_tool(kit)

    def greet(name: str) -> str:
        return f"{name} {load_row(kit.secret(1))}"

    kit.server.prompt()(greet)
    return [ask("greet", {"name": kit.secret(0)})]


@scenario("keep", "the arguments of a prompt do not fit: no tool is involved", may_be_silent=True)
def prompt_arguments(kit: Kit) -> Sequence[Step]:
    _find_tool(kit)

    def greet(name: str, times: int) -> str:
        return name * times

    kit.server.prompt()(greet)
    return [ask("greet", {"name": "a", "times": kit.secret()})]


@scenario("keep", "the application reports its own validation error, outside any request")
def reported_by_application(kit: Kit) -> Sequence[Step]:
    _find_tool(kit)

    async def report(_client: Any) -> None:
        try:
            load_rows_by_adapter(kit.secret())
        except ValidationError as error:
            kit.client.capture_exception(error)

    return [act(report)]


@scenario("keep", "a tool's body reports its own validation error and succeeds")
def reported_by_body(kit: Kit) -> Sequence[Step]:
    def find(sku: str) -> str:
        try:
            load_row(kit.secret(1))
        except ValidationError as error:
            kit.client.capture_exception(error)
        return sku

    kit.tool(find)
    return [call("find", {"sku": kit.secret(0)})]


@scenario("keep drop", "the application reports a real rejection itself (kept: it asked for it), then the SDK does")
def reported_rejection(kit: Kit) -> Sequence[Step]:
    def find(shelf: int) -> str:
        return str(shelf)

    async def around(name: str, arguments: dict[str, Any], proceed: Any) -> Any:
        try:
            return await proceed(name, arguments)
        except Exception as error:
            kit.client.capture_exception(error)
            raise

    kit.tool(find)
    kit.around_calls(around)
    return [call("find", {"shelf": kit.secret()})]
