"""The schema that names all that binds, written out whole: each way in which a parameter's names and paths may stand."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from scrubber.guard.aliases import Parameter, Path, declared, of_arguments, of_model

DATE: Any = {"type": "string", "format": "date"}
WHOLE: Any = {"type": "integer"}


@pytest.mark.parametrize("option", ["populate_by_name", "validate_by_name"])
def test_a_field_is_taken_by_its_name_too_where_the_model_says_so(option: str) -> None:
    if option not in ConfigDict.__annotations__:
        pytest.skip("this pydantic has no such option")

    class Model(BaseModel):
        model_config = ConfigDict(**{option: True})  # type: ignore[typeddict-item]
        since: int = Field(alias="from")

    assert of_model(Model) == [Parameter(("from", "since"), (("from",), ("since",)))]


@pytest.mark.parametrize(
    "options, more",
    [({}, []), ({"populate_by_name": True}, [("since",)]), ({"validate_by_name": True}, [("since",)])],
)
def test_a_parameter_is_taken_by_its_name_too_where_the_core_schema_says_so(options: Any, more: list[Path]) -> None:
    core = {"type": "arguments", "arguments_schema": [{"name": "since", "alias": "from"}, {"name": "n"}], **options}
    assert of_arguments(core) == [
        Parameter(("from", "since"), (("from",), *more)),
        Parameter(("n",), (("n",),)),
    ]


def shown(properties: Any, *parameters: Parameter) -> tuple[Any, list[str]]:
    """The properties and the names; what else the schema says is kept."""
    schema, names = declared({"type": "object", "properties": properties}, parameters)
    assert schema["type"] == "object"
    return schema["properties"], names


def test_every_path_of_a_parameter_is_declared_with_its_node_and_the_schemas_names_come_first() -> None:
    since = Parameter(("from", "since"), (("from",), ("since",), ("range", "start", 0)))
    properties, names = shown({"since": DATE, "n": WHOLE}, since, Parameter(("n",), (("n",),)))
    first = {"type": "array", "prefixItems": [DATE]}
    assert properties == {
        "since": DATE,
        "n": WHOLE,
        "from": DATE,
        "range": {"type": "object", "properties": {"start": first}},
    }
    assert names == ["since", "n", "from", "range"]


def test_a_name_that_the_schema_shows_and_nothing_binds_is_no_name() -> None:
    properties, names = shown({"size": WHOLE}, Parameter(("size",), (("box", "size"),)))
    assert properties == {"size": WHOLE, "box": {"type": "object", "properties": {"size": WHOLE}}}
    assert names == ["box"]


def test_a_name_that_the_schema_shows_keeps_its_own_node() -> None:
    properties, names = shown({"a": WHOLE, "b": DATE}, Parameter(("a", "b"), (("a",), ("b",))))
    assert (properties, names) == ({"a": WHOLE, "b": DATE}, ["a", "b"])


def test_a_path_into_what_the_schema_shows_stands_beside_what_it_holds() -> None:
    box = {"type": "object", "title": "Box", "properties": {"lid": DATE}}
    properties, _ = shown({"size": WHOLE, "box": box}, Parameter(("size",), (("box", "size"),)))
    assert properties["box"] == {"type": "object", "title": "Box", "properties": {"lid": DATE, "size": WHOLE}}


def test_two_parameters_out_of_one_argument() -> None:
    paths: list[Path] = [("range", "days", 0), ("range", "days", 2), ("range", "unit", "name"), ("range", "unit", "id")]
    parameters = [Parameter((f"p{at}",), (path,)) for at, path in enumerate(paths)]
    properties, names = shown({"p0": DATE, "p1": WHOLE, "p2": DATE, "p3": WHOLE}, *parameters)
    assert properties["range"]["properties"] == {
        "days": {"type": "array", "prefixItems": [DATE, {}, WHOLE]},
        "unit": {"type": "object", "properties": {"name": DATE, "id": WHOLE}},
    }
    assert names == ["range"]


def test_a_list_inside_of_a_list() -> None:
    parameters = [Parameter(("n",), (("a", 0, 1),)), Parameter(("d",), (("a", 0, 0),))]
    properties, _ = shown({"n": WHOLE, "d": DATE}, *parameters)
    inner = {"type": "array", "prefixItems": [DATE, WHOLE]}
    assert properties["a"] == {"type": "array", "prefixItems": [inner]}


@pytest.mark.parametrize(
    "step, length, held", [(-1, 1, None), (0, 1, 0), (1, 2, 1), (255, 256, 255), (256, 256, None), (300, 256, None)]
)
def test_an_item_is_declared_up_to_the_256th(step: int, length: int, held: int | None) -> None:
    properties, _ = shown({"n": WHOLE}, Parameter(("n",), (("a", step),)))
    items = properties["a"]["prefixItems"]
    assert len(items) == length
    assert [at for at, item in enumerate(items) if item] == [held] * (held is not None)
    assert all(item in ({}, WHOLE) for item in items)


def test_a_parameter_that_the_schema_does_not_show_may_be_anything() -> None:
    assert shown({}, Parameter(("n",), (("a",), ("b", "c")))) == (
        {"a": {}, "b": {"type": "object", "properties": {"c": {}}}},
        ["a", "b"],
    )


def test_a_path_that_begins_with_no_name_is_passed_over() -> None:
    assert shown({"n": WHOLE}, Parameter(("n",), ((3, "a"), ("b",)))) == ({"n": WHOLE, "b": WHOLE}, ["b"])


@pytest.mark.parametrize("odd", [None, 3, ["a"]])
def test_a_schema_of_any_shape_takes_the_names(odd: Any) -> None:
    path = Parameter(("n",), (("a", "b"), ("c", 0)))
    assert declared({"properties": odd}, [path])[1] == ["a", "c"]
    held = {"a": {"properties": odd}, "c": {"prefixItems": odd if odd != ["a"] else None}, "n": WHOLE}
    properties, _ = shown(held, path)
    assert properties["a"] == {"type": "object", "properties": {"b": WHOLE}}
    assert properties["c"] == {"type": "array", "prefixItems": [WHOLE]}
