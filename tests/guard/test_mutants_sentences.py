"""Sentences from faults, with the schema written out: every kind of fault, at an argument, inside of one, and at none."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber.guard.calls import TOGETHER, Call, Fault
from scrubber.guard.sentences import Said, sentences

WHOLE: Any = {"type": "integer"}
TEXT: Any = {"type": "string"}
LIST: Any = {"type": "array", "items": TEXT}


def of(schema: Any, *faults: tuple[str, tuple[Any, ...]], arguments: Any = None) -> list[str]:
    found = sentences(Call("t", schema, arguments or {}), [Fault(*fault) for fault in faults])
    return [one.sentence for one in found]


def one(schema: Any, code: str, *loc: Any, given: Any = None, **defs: Any) -> str:
    """The sentence on one fault of the argument `x`, or of all arguments where `loc` is empty."""
    root = {"properties": {"x": schema}, "$defs": defs}
    (sentence,) = of(root, (code, loc), arguments={"x": given})
    return sentence


def model(*names: str) -> Any:
    return {"type": "object", "properties": dict.fromkeys(names, WHOLE)}


def test_a_sentence_knows_what_it_is_about() -> None:
    call = Call("t", {"properties": {"x": {"type": "array", "items": model("n")}}}, {})
    assert sentences(call, [Fault("int_type", ("x", 0, "n"))]) == [
        Said("x[0].n must be a whole number", "x[0].n", "int_type", "x.N.n")
    ]


@pytest.mark.parametrize(
    "code, loc, says",
    [
        ("extra_forbidden", ("x", "CANARY"), "x has an unknown field (allowed: unitPrice)"),
        ("extra_forbidden", ("x", "unit_price"), "x has an unknown field (allowed: unitPrice)"),
        ("extra_forbidden", ("CANARY",), "the arguments have an unknown field (allowed: x)"),
        ("missing", ("x", "unitPrice"), "x.unitPrice is required"),
        ("missing", (), "the arguments are invalid"),
        ("int_type", ("x", "CANARY"), "x is not valid"),
        ("int_type", ("CANARY",), "the arguments are invalid"),
        ("int_type", (), "the arguments are invalid"),
        ("dict_type", ("x",), "x must be an object"),
        ("value_error", ("x",), "x is not valid"),
        ("value_error", ("x", "unitPrice"), "x.unitPrice is not valid"),
        ("union_tag_invalid", ("x",), "x is not valid"),
        ("union_tag_invalid", (), "the arguments are invalid"),
    ],
)
def test_kinds_of_faults(code: str, loc: tuple[Any, ...], says: str) -> None:
    assert one({**model("unitPrice"), "additionalProperties": False}, code, *loc) == says


def test_an_unknown_field_inside_is_said_of_what_holds_it() -> None:
    assert one(model("a"), "extra_forbidden", "x", "CANARY") == "x has an unknown field (allowed: a)"
    nested = {"properties": {"y": model("b", "a")}}
    assert one(nested, "extra_forbidden", "x", "y", "CANARY") == "x.y has an unknown field (allowed: a, b)"
    assert one({}, "extra_forbidden", "x", "CANARY") == "x has an unknown field"


@pytest.mark.parametrize("number, more", [(20, ""), (21, " and 1 more")])
def test_twenty_allowed_fields_are_listed(number: int, more: str) -> None:
    names = [f"n{at:02}" for at in range(number)]
    says = f"x has an unknown field (allowed: {', '.join(names[:20])}{more})"
    assert one(model(*names), "extra_forbidden", "x", "CANARY") == says


def test_keys() -> None:
    counts = {"additionalProperties": WHOLE}
    assert one(counts, "int_parsing", "x", "CANARY", "[key]") == "a key of x must be a whole number"
    assert one(counts, "no_such_code", "x", "CANARY", "[key]") == "a key of x is not valid"
    assert of(counts, ("no_such_code", ("CANARY", "[key]"))) == ["a key of the arguments is not valid"]


def test_where_the_schema_has_no_shape_the_code_says_whether_it_is_a_range() -> None:
    assert one(WHOLE, "less_than", "x") == "x is out of range"
    assert one({}, "is_instance_of", "x") == "x is not valid"


def test_the_shapes_of_a_union_behind_references() -> None:
    union = {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
    assert one(union, "is_instance_of", "x", A=WHOLE, B=LIST) == "x must be a whole number or a list"


@pytest.mark.parametrize("code", ["value_error", TOGETHER, "a_code_of_the_authors"])
def test_a_rule_of_the_authors_own_over_several_fields_names_eight_of_them(code: str) -> None:
    assert one(model("a"), code, "x") == "x is not valid"
    assert one(model("a", "b"), code, "x") == "the arguments are invalid: x.a, x.b do not fit together"
    assert of(model("a", "b"), (code, ())) == ["the arguments are invalid: a, b do not fit together"]
    assert of({}, (code, ())) == ["the arguments are invalid"]
    eight = ", ".join(f"x.{name}" for name in "abcdefgh")
    assert one(model(*"abcdefgh"), code, "x") == f"the arguments are invalid: {eight} do not fit together"
    assert one(model(*"abcdefghi"), code, "x") == f"the arguments are invalid: {eight} and 1 more do not fit together"


def test_what_two_faults_of_different_arguments_say_is_kept_in_order() -> None:
    schema = {"properties": {"y": WHOLE, "x": {"anyOf": [WHOLE, LIST]}, "z": WHOLE}}
    says = of(
        schema,
        ("int_type", ("y",)),
        ("int_type", ("x", "int")),
        ("list_type", ("x", "list[str]")),
        ("int_type", ("z",)),
    )
    assert says == ["y must be a whole number", "x must be a whole number or a list", "z must be a whole number"]


def ways(*faults: tuple[str, ...], **defs: Any) -> list[str]:
    """What is said of an `x` that is one of these models, each field of which in `faults` is missing."""
    root = {"properties": {"x": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in defs]}}, "$defs": defs}
    return of(root, *[("missing", ("x", *fault)) for fault in faults])


AB, CD, EFG = model("a", "b"), model("c", "d"), model("e", "f", "g")


def test_the_branch_that_lacks_the_least_is_the_one_that_was_meant() -> None:
    faults = [("A", "a"), ("A", "b"), ("E", "e"), ("E", "f"), ("E", "g")]
    assert ways(*faults, A=AB, E=EFG) == ["x.a is required", "x.b is required"]


def test_branches_as_likely_are_all_said_in_one_sentence() -> None:
    faults = [("A", "a"), ("A", "b"), ("C", "c"), ("C", "d")]
    says = "x.a is required and x.b is required, or x.c is required and x.d is required"
    assert ways(*faults, A=AB, C=CD) == [says]
    call = Call("t", {"properties": {"x": {"anyOf": [AB | {"title": "A"}, CD | {"title": "C"}]}}}, {})
    found = sentences(call, [Fault("missing", ("x", *fault)) for fault in faults])
    assert found == [Said(says, "x.a", "missing", "x.a")]


def test_three_of_the_ways_are_said_and_the_same_sentence_once() -> None:
    names = dict(zip("ABCD", "abcd", strict=True))
    defs = {name: model(field) for name, field in names.items()}
    assert ways(*names.items(), **defs) == ["x.a is required, or x.b is required, or x.c is required"]
    assert ways(("A", "a"), ("C", "a"), ("B", "b"), A=AB, B=model("b"), C=AB) == ["x.a is required, or x.b is required"]


def test_a_union_inside_a_branch_is_told_together_within_it() -> None:
    root = {
        "properties": {"x": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/C"}]}},
        "$defs": {"A": {"properties": {"v": {"anyOf": [WHOLE, LIST]}}}, "C": CD},
    }
    faults: list[Any] = [("int_type", ("x", "A", "v", "int")), ("list_type", ("x", "A", "v", "list[str]"))]
    faults += [("missing", ("x", "C", "c")), ("missing", ("x", "C", "d"))]
    assert of(root, *faults) == ["x.v must be a whole number or a list, or x.c is required and x.d is required"]


def test_the_nearest_branch_of_an_inner_union_is_chosen_within_each_way() -> None:
    def field(name: str, node: Any) -> Any:
        return {"properties": {name: node}}

    deep = {"anyOf": [{**model("p"), "title": "P"}, {**model("q"), "title": "Q"}]}
    middle = {"anyOf": [{**field("w", deep), "title": "M1"}, {**model("m"), "title": "M2"}]}
    other = field("c", field("d", EFG))
    root = {"properties": {"x": {"anyOf": [{**field("v", middle), "title": "A"}, {**other, "title": "C"}]}}}
    inner = [("v", "M1", "w", "P", "p"), ("v", "M1", "w", "Q", "q"), ("v", "M2", "m")]
    faults: list[Any] = [("missing", ("x", "A", *loc)) for loc in inner]
    faults += [("missing", ("x", "C", "c", "d", name)) for name in "efg"]
    assert of(root, *faults) == [
        "x.v.w.p is required, or x.v.w.q is required, or x.c.d.e is required and x.c.d.f is required and x.c.d.g is required"
    ]


def test_a_schema_of_any_shape_makes_a_sentence() -> None:
    for properties in (None, 3, ["a"], "ab"):
        node = {"type": "object", "properties": properties}
        assert one(node, "extra_forbidden", "x", "CANARY") == "x has an unknown field"
        assert one(node, "value_error", "x") == "x is not valid"


LISTED: Any = {"type": "array", "items": {"enum": ["hen", "duck"]}}


@pytest.mark.parametrize(
    "at, given, hint",
    [
        (0, ["duk", "x"], " (did you mean duck?)"),
        (1, ["x", "duk"], " (did you mean duck?)"),
        (0, ["zebra", "duk"], ""),
        (0, ["duck"], ""),
        (1, ["duk"], ""),
    ],
)
def test_the_hint_is_for_the_value_at_the_place(at: int, given: list[str], hint: str) -> None:
    assert one(LISTED, "enum", "x", at, given=given) == f"x[{at}] must be one of: hen, duck{hint}"


@pytest.mark.parametrize(
    "given, hint",
    [
        ('["a"]', ", not a string of JSON"),
        ('  {"a": 1}', ", not a string of JSON"),
        (" " * 63 + "[", ", not a string of JSON"),
        (" " * 64 + "[", ""),
        ("a [", ""),
        ("", ""),
    ],
)
def test_a_list_that_was_sent_as_text_is_said_so(given: str, hint: str) -> None:
    assert one(LIST, "list_type", "x", given=given) == f"x must be a list{hint}"
