"""Names that bind and stand in no schema, and names in the schema that bind nothing.

Mutations that turn a test here red: allowing only what the schema shows, all that it shows, or saying `not valid` of an
argument that came under its other name.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel

from scrubber.guard.aliases import Parameter, declared, of_arguments, of_model

from ..live.families import Family
from . import kit
from .kit import families, is_standalone, needs_sdk

SINCE = Annotated[date, Field(validation_alias=AliasChoices("from", "since", AliasPath("range", "start", 0)))]
SIZE = Annotated[int, Field(validation_alias=AliasPath("box", "size"))]


class Priced(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    unit_price: float
    sold_on: date = date(2026, 1, 1)


def eggs(since, size=1, item=None):  # type: ignore[no-untyped-def]
    return f"since {since} {size}"


eggs.__annotations__ = {"since": SINCE, "size": SIZE, "item": Priced | None}
DAY = "2026-11-30"
CORE: Any = TypeAdapter(eggs).core_schema
TAKES = "alias" in CORE["arguments_schema"]["arguments_schema"][0]
"""Whether pydantic reads `validation_alias` of a function's parameters: from 2.12 on. Before, they bind by their names."""


def skip_where_functions_have_no_aliases(family: Family) -> None:
    if is_standalone(family) and not TAKES:
        pytest.skip("fastmcp binds to the function, and this pydantic gives its parameters no other names")


@families
@pytest.mark.live
@needs_sdk
def test_every_name_that_binds_is_known(family: Family) -> None:
    skip_where_functions_have_no_aliases(family)
    server = kit.build(family, eggs)
    ways: list[dict[str, Any]] = [{"from": DAY}, {"since": DAY}, {"range": {"start": [DAY]}}]
    *good, boxed, unknown, unbound = kit.play(
        family,
        server,
        *[
            ("eggs", way)
            for way in [*ways, {"from": DAY, "box": {"size": 4}}, {"begin": DAY}, {"size": 4, "from": DAY}]
        ],
    )
    assert [answer.text for answer in good] == [f"since {DAY} 1"] * 3
    assert boxed.text == f"since {DAY} 4"
    allowed = unknown.text.partition("Allowed parameters: ")[2].rstrip(".").split(", ")
    assert sorted(allowed) == ["box", "from", "item", "range", "since"]
    # The schema shows it, and nothing binds from it: mcp would drop it in silence.
    assert unbound.text.startswith("Unknown parameter 'size' for tool 'eggs'.")


@families
@pytest.mark.live
@needs_sdk
@pytest.mark.parametrize(
    "arguments, path, must",
    [
        ({"from": "CANARY"}, "from", "must be a date, YYYY-MM-DD"),
        ({"since": "CANARY"}, "since", "must be a date, YYYY-MM-DD"),
        ({"range": {"start": ["CANARY"]}}, "range.start[0]", "must be a date, YYYY-MM-DD"),
        ({"from": DAY, "box": {"size": "CANARY"}}, "box.size", "must be a whole number"),
        ({"from": DAY, "item": {"unit_price": "CANARY"}}, "item.unitPrice", "must be a number"),
        ({"from": DAY, "item": {"unitPrice": "CANARY"}}, "item.unitPrice", "must be a number"),
        ({}, "from", "is required"),
    ],
)
def test_an_argument_is_named_as_it_came(family: Family, arguments: dict[str, Any], path: str, must: str) -> None:
    skip_where_functions_have_no_aliases(family)
    answer = kit.only(family, kit.build(family, eggs), "eggs", arguments)
    kit.refused(answer, f"Error executing tool 'eggs': {path} {must}.", f"refused eggs: {path}")


def test_what_pydantic_declares() -> None:
    class Model(BaseModel):
        plain: int
        other: int = Field(alias="another")
        since: SINCE
        size: SIZE

    expected = [
        Parameter(("plain",), (("plain",),)),
        Parameter(("another", "other"), (("another",),)),
        Parameter(("from", "since", "since"), (("from",), ("since",), ("range", "start", 0))),
        Parameter(("size",), (("box", "size"),)),
    ]
    assert of_model(Model) == expected

    def function(plain: int, other: int, since: date, size: int) -> None: ...

    function.__annotations__ = {
        "plain": int,
        "other": Annotated[int, Field(alias="another")],
        "since": SINCE,
        "size": SIZE,
    }
    core: Any = TypeAdapter(function).core_schema
    if TAKES:
        assert of_arguments(core["arguments_schema"]) == expected
    assert of_model(Priced)[0] == Parameter(("unitPrice", "unit_price"), (("unitPrice",), ("unit_price",)))


@pytest.mark.parametrize(
    "path",
    [("a", 10_000_000, "b"), ("a", -1), ("a", *("b",) * 300), (3, "a")],
)
def test_paths_of_any_size(path: Any) -> None:
    """An author's own, but nothing says that it is sensible."""
    schema, names = declared({"properties": {"n": {"type": "integer"}}}, [Parameter(("n",), (path,))])
    assert names == (["a"] if path[0] == "a" else [])
    assert len(repr(schema)) < 5000
