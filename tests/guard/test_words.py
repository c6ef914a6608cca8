"""The words and the path, without any SDK: pydantic makes the faults, its JSON schema the shapes.

Mutations that turn a test here red: a segment printed that the schema does not declare, a label of a union in a path, a
client's key in one, a bound of a range left out, a value of the arguments in a sentence.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    Json,
    PastDate,
    ValidationError,
    create_model,
    field_validator,
    model_validator,
)

from scrubber.guard.calls import Call, Fault, Refusal
from scrubber.guard.core import faults_of
from scrubber.guard.shapes import words
from scrubber.guard.walk import walk
from scrubber.guard.words import refusal
from scrubber.words import kinds

from ..support import ROOT
from ..unit.test_rooms import FORBIDDEN, IMPURE, imports_of


class Kind(Enum):
    HEN = "hen"
    DUCK = "duck"


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    age: int
    name: str


class Period(BaseModel):
    start: date
    end: date

    @model_validator(mode="after")
    def ordered(self) -> Period:
        if self.end < self.start:
            raise ValueError("CANARY end before start")
        return self


class Even(BaseModel):
    n: int

    @field_validator("n")
    @classmethod
    def even(cls, value: int) -> int:
        assert value % 2 == 0, "CANARY"
        return value


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    reference: str
    address: str = ""


class Tree(BaseModel):
    value: int
    children: list[Tree] = []


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


def said(type_: Any, value: Any) -> Refusal:
    """The refusal of a tool `t` with one parameter `x` of that type."""
    model = create_model("tArguments", x=(type_, ...))
    arguments = {"x": value}
    with pytest.raises(ValidationError) as raised:
        model.model_validate(arguments)
    return refusal(Call("t", model.model_json_schema(), arguments), faults_of(raised.value))


@pytest.mark.parametrize(
    "type_, value, sentence",
    [
        (int, "ten", "x must be a whole number."),
        (int | None, "ten", "x must be a whole number."),
        (Annotated[int, Field(ge=1)], 0, "x must be a whole number of at least 1."),
        (Annotated[int, Field(gt=1, lt=5)], 7, "x must be a whole number from 2 to 4."),
        (Annotated[int, Field(le=5)], 7, "x must be a whole number of at most 5."),
        (Annotated[int, Field(multiple_of=5)], 7, "x must be a whole number, a multiple of 5."),
        (Annotated[float, Field(gt=0, le=1)], 7, "x must be a number greater than 0 and at most 1."),
        (Annotated[float, Field(ge=0, lt=1)], 7, "x must be a number from 0 and less than 1."),
        (Annotated[float, Field(allow_inf_nan=False)], "inf", "x must be a finite number."),
        (float, "CANARY", "x must be a number."),
        (Decimal, "CANARY", "x must be a number."),
        (bool, "CANARY", "x must be true or false."),
        (str, 5, "x must be text."),
        (Annotated[str, Field(min_length=2, max_length=4)], "CANARY", "x must be text of 2 to 4 characters."),
        (Annotated[str, Field(max_length=1)], "CANARY", "x must be text of at most 1 character."),
        (Annotated[str, Field(pattern="^[a-z]+$")], "CANARY", "x must be text that matches ^[a-z]+$."),
        (date, "CANARY", "x must be a date, YYYY-MM-DD."),
        (PastDate, "2999-01-01", "x must be a date in the past, YYYY-MM-DD."),
        (timedelta, "CANARY", "x must be a duration, such as PT1H30M."),
        (UUID, "mCANARY", "x must be an id."),
        (list[int], "CANARY", "x must be a list."),
        (list[int], '["CANARY"]', "x must be a list, not a string of JSON."),
        (dict[str, int], '{"CANARY": 1}', "x must be an object, not a string of JSON."),
        (Annotated[list[int], Field(max_length=2)], [1, 2, 3], "x must be a list of at most 2 items."),
        (set[int], 5, "x must be a list."),
        (tuple[int, str], [1, 2], "x[1] must be text."),
        (dict[str, int], {"CANARY": "CANARY"}, "x[*] must be a whole number."),
        (dict[int, int], {"CANARY": 1}, "a key of x must be a whole number."),
        (dict[str, list[Even]], {"CANARY": [{"n": "CANARY"}]}, "x[*][0].n must be a whole number."),
        (Kind, "duk", "x must be one of: hen, duck (did you mean duck?)."),
        (Literal["critical", "info", "warn"], "major", "x must be one of: critical, info, warn."),
        (Literal[1, 2], 3, "x must be one of: 1, 2."),
        (Literal["on"], "CANARY", "x must be exactly on."),
        (int | list[int], "CANARY", "x must be a whole number or a list."),
        (int | list[int], ["CANARY"], "x[0] must be a whole number."),
        (date | int, "CANARY", "x must be a date, YYYY-MM-DD or a whole number."),
        (Pet, {"kind": "CANARY"}, "x.kind must be one of: cat, dog."),
        (Pet, {}, "x.kind is required, one of: cat, dog."),
        (Pet, {"kind": "cat", "lives": "CANARY"}, "x.lives must be a whole number."),
        (list[Pet], [{"kind": "dog", "age": 1}], "x[0].name is required."),
        (Pet | int, {"kind": "dog", "age": "CANARY", "name": ""}, "x.age must be a whole number."),
        (Cat | Period, {"lives": 1}, "x.kind is required."),
        (
            Period,
            {"start": "2026-02-01", "end": "2026-01-01"},
            "the arguments are invalid: x.start, x.end do not fit together.",
        ),
        (Even, {"n": 3}, "x.n is not valid."),
        (Closed, {"reference": "", "CANARY": 1}, "x has an unknown field (allowed: address, reference)."),
        (Tree, {"value": 1, "children": [{"value": "CANARY"}]}, "x.children[0].value must be a whole number."),
        (Json[list[int]], "CANARY", "x must be text that holds JSON."),
        (list[list[int]], [[], [1, "CANARY"]], "x[1][1] must be a whole number."),
        (int | list[int | dict[str, Cat]], ["CANARY"], "x[0] must be a whole number or an object."),
        (int | list[int | dict[str, Even]], [{"CANARY": {"n": "CANARY"}}], "x[0][*].n must be a whole number."),
        (Literal[1, 2] | str, None, "x must be one of: 1, 2 or text."),
        (Annotated[Decimal, Field(ge=0)], -1, "x must be a number of at least 0."),
        (IPv4Address, "CANARY", "x must be an IPv4 address."),
        (Literal["a"] | Literal["b"], "CANARY", "x must be one of: a, b."),
    ],
)
@pytest.mark.promise("guard:names")
def test_sentences(type_: Any, value: Any, sentence: str) -> None:
    made = said(type_, value)
    assert made.text == f"Error executing tool 't': {sentence}"
    assert "CANARY" not in repr(made)
    assert made.field == "" or kinds.field(made.field)
    assert kinds.slug(made.code)


def test_a_client_key_that_is_a_declared_name_elsewhere() -> None:
    """A key of a map is never printed, whatever it is called."""
    assert said(dict[str, Even], {"n": {"n": "x"}}).paths == ("x[*].n",)
    assert said(dict[str, Even] | int, {"n": {"n": "x"}}).paths == ("x[*].n",)


def test_many_faults_are_bounded() -> None:
    made = said(list[int], ["CANARY"] * 100_000)
    assert made.text.endswith("x[9] must be a whole number. There are 99990 more faults.")
    assert len(made.text) <= 2000
    assert len(made.paths) <= 11


def test_long_lists_of_allowed_values_are_bounded() -> None:
    many: Any = Literal[tuple(f"value_number_{at}" for at in range(500))]
    made = said(many, "value_number_x")
    assert " more" in made.text
    assert len(made.text) < 700


def test_a_code_of_the_authors_own_is_not_printed() -> None:
    made = refusal(Call("t", {"properties": {"x": {"type": "integer"}}}, {}), [faults("CANARY_code", ("x",))])
    assert (made.text, made.code) == ("Error executing tool 't': x is not valid.", "custom")


def faults(code: str, loc: tuple[Any, ...]) -> Any:
    return Fault(code, loc)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": []},
        {"properties": {"x": True}},
        {"properties": {"x": {"$ref": "#/$defs/none"}}},
        {"properties": {"x": {"$ref": "#/properties/x"}}},
        {"properties": {"x": {"$ref": "http://elsewhere"}}},
        {"properties": {"x": {"anyOf": [{"$ref": "#/properties/x"}, {"$ref": "#/properties/x"}]}}},
        {"properties": {"x": {"type": ["integer", "null", 3], "enum": "CANARY"}}},
        {"properties": {"x": {"type": {}, "minimum": "CANARY", "items": 4, "allOf": [3]}}},
        {"properties": {"x": {"oneOf": [], "discriminator": "CANARY", "additionalProperties": 3}}},
        {"$ref": "#"},
    ],
)
def test_schemas_of_any_shape(schema: Any) -> None:
    for code in (
        "int_parsing",
        "missing",
        "union_tag_invalid",
        "extra_forbidden",
        "value_error",
        "CANARY",
        "less_than",
    ):
        for loc in ((), ("x",), ("x", 0), ("x", "CANARY"), ("CANARY",), ("x", "CANARY", 4, "[key]")):
            made = refusal(Call("t", schema, {"x": "CANARY"}), [faults(code, loc)])
            assert made.text.startswith("Error executing tool 't': ")
            assert "CANARY" not in repr(made)


def test_a_walk_says_where_it_stopped() -> None:
    schema = {"properties": {"order": {"type": "object", "properties": {"id": {"type": "integer"}}}}}
    assert walk(schema, ("order", "CANARY", "id"))[:2] == ("order", "order")
    assert walk(schema, ("order", "CANARY")).stopped


def test_no_shape_where_the_schema_says_none() -> None:
    assert words([{}], "is_instance_of") is None
    assert words([{"type": "integer"}], "less_than") is None


@pytest.mark.parametrize("name", ["words", "sentences", "calls", "walk", "nodes", "shapes", "names", "aliases"])
def test_the_words_are_pure(name: str) -> None:
    """They read no clock, no disk and no environment, and import no SDK."""
    imported = {found.split(".")[0] for found in imports_of(ROOT / "scrubber" / "guard" / f"{name}.py")}
    assert not imported & (FORBIDDEN | IMPURE | {"jsonschema", "pydantic"})
