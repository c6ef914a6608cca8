"""Transformed tools of the standalone package: an argument renamed, hidden, or only described anew."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ..kit import Kit
from ..model import STANDALONE, Step, call, scenario
from .bad_arguments import REJECTED
from .warehouse import load_row

SENT = "the frames are those of a rejection: the call event shows that the caller sent nothing for it"


def _transformed(kit: Kit, fn: Any, name: str, **options: Any) -> None:
    tools = import_module("fastmcp.tools")
    kit.server.add_tool(tools.Tool.from_tool(tools.Tool.from_function(fn), name=name, **options))


def _change(**options: Any) -> Any:
    return import_module("fastmcp.tools.tool_transform").ArgTransform(**options)


def shelf(number: int, note: str = "") -> str:
    """The tool that is transformed."""
    return f"{number} {note}"


async def shelf_async(number: int) -> str:
    """The same as a coroutine function."""
    return str(number)


def failing(number: int) -> str:
    """A tool whose body fails."""
    return f"{number} {load_row('-'.join(('canary', 'of', 'body')))}"


@scenario("drop", f"{REJECTED}; the transformed tool renames the argument", families=STANDALONE)
def transformed_renamed(kit: Kit) -> Sequence[Step]:
    _transformed(kit, shelf, "shelf_by_id", transform_args={"number": _change(name="shelf_id")})
    return [call("shelf_by_id", {"shelf_id": kit.secret()})]


@scenario("drop", f"{REJECTED}; the transformed async tool renames the argument", families=STANDALONE)
def transformed_renamed_async(kit: Kit) -> Sequence[Step]:
    _transformed(kit, shelf_async, "shelf_by_id", transform_args={"number": _change(name="shelf_id")})
    return [call("shelf_by_id", {"shelf_id": kit.secret()})]


@scenario("drop", f"{REJECTED}; the transformed tool keeps the argument's name", families=STANDALONE)
def transformed_same_name(kit: Kit) -> Sequence[Step]:
    _transformed(kit, shelf, "shelf_by_id", transform_args={"number": _change(description="which one")})
    return [call("shelf_by_id", {"number": kit.secret()})]


@scenario("drop", f"{REJECTED}; a transformed tool of a transformed tool", families=STANDALONE)
def transformed_twice(kit: Kit) -> Sequence[Step]:
    tools = import_module("fastmcp.tools")
    inner = tools.Tool.from_tool(
        tools.Tool.from_function(shelf), name="inner", transform_args={"number": _change(name="shelf_id")}
    )
    outer = tools.Tool.from_tool(inner, name="outer", transform_args={"shelf_id": _change(name="id_of_shelf")})
    kit.server.add_tool(outer)
    return [call("outer", {"id_of_shelf": kit.secret()})]


@scenario("keep", "the transformed tool injects a hidden value that does not fit", families=STANDALONE, hard=SENT)
def transformed_hidden_bad(kit: Kit) -> Sequence[Step]:
    _transformed(kit, shelf, "shelf_of_house", transform_args={"number": _change(hide=True, default=kit.secret(1))})
    return [call("shelf_of_house", {"note": kit.secret(0)})]


@scenario("either", "the transformed tool's required argument is missing", families=STANDALONE)
def transformed_missing(kit: Kit) -> Sequence[Step]:
    _transformed(kit, shelf, "shelf_by_id", transform_args={"number": _change(name="shelf_id")})
    return [call("shelf_by_id", {"note": kit.secret()})]


@scenario("keep", "the body of the transformed tool fails", families=STANDALONE)
def transformed_body_fault(kit: Kit) -> Sequence[Step]:
    kit.plant("canary-of-body")
    _transformed(kit, failing, "failing_by_id", transform_args={"number": _change(name="shelf_id")})
    return [call("failing_by_id", {"shelf_id": 3})]


@scenario(
    "either",
    "the user's transforming function passes the caller's bad value to the tool",
    families=STANDALONE,
)
def transform_function_forwards(kit: Kit) -> Sequence[Step]:
    forward = import_module("fastmcp.tools.tool_transform").forward_raw

    async def checked(number: str, note: str = "") -> Any:
        return await forward(number=number, note=note)

    _transformed(kit, shelf, "shelf_checked", transform_fn=checked)
    return [call("shelf_checked", {"number": kit.secret()})]
