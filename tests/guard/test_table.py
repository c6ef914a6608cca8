"""The bad arguments of the issue's table and its control, on every installed SDK, reply and log both.

Mutations that turn a test here red: another word in `shapes._FORMATS` or `shapes._WORDS`, `walk._index` without the
index, `shapes._range` without a bound, no `missing` in `words._MISSING`, `logger.info` as `logger.warning` in
`core.Guard.tell`, and a fitting that raises its refusal instead of returning it.
"""

from __future__ import annotations

import logging
from datetime import date, datetime, time
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from ..live.families import Family
from . import kit
from .kit import families, is_standalone, needs_sdk

pytestmark = [pytest.mark.live, needs_sdk]


class Grade(BaseModel):
    quantity: int


def tools(family: Family) -> list[Any]:
    word: dict[str, Any] = {"alias": "from"} if is_standalone(family) else {"validation_alias": "from"}
    since = Annotated[date | None, Field(**word)]

    def list_flocks(limit: int = 3, begin=None, customerId=None, grades=None, small=1) -> str:  # type: ignore[no-untyped-def]
        return f"limit {limit!r}"

    list_flocks.__annotations__ = {
        "limit": int,
        "begin": since,
        "customerId": UUID | None,
        "grades": list[Grade],
        "small": Annotated[int, Field(ge=-2147483648, le=2147483647)],
        "return": str,
    }
    # No None for the one with an alias: Python 3.10 then wraps its annotation, and fastmcp 2 finds no alias in it.
    list_flocks.__defaults__ = (3, date(2026, 1, 1), None, [], 1)

    def count_eggs(date: date) -> str:
        return str(date)

    def plan(at: datetime = datetime(2026, 1, 1), hour: time = time(1), weight: float = 1.0, dry: bool = True) -> str:
        return "planned"

    count_eggs.__annotations__["date"] = date
    return [list_flocks, count_eggs, plan]


FLOCKS = "list_flocks"
WHOLE = "must be a whole number"
TABLE = [
    (FLOCKS, {"from": "10/11/2026"}, "from", "from must be a date, YYYY-MM-DD"),
    (FLOCKS, {"from": 123}, "from", "from must be a date, YYYY-MM-DD"),
    (FLOCKS, {"limit": "ten"}, "limit", f"limit {WHOLE}"),
    (FLOCKS, {"limit": None}, "limit", f"limit {WHOLE}"),
    (FLOCKS, {"small": 2147483648}, "small", f"small {WHOLE} from -2147483648 to 2147483647"),
    (FLOCKS, {"customerId": "Acme"}, "customerId", "customerId must be an id"),
    (FLOCKS, {"grades": "invalid"}, "grades", "grades must be a list"),
    (FLOCKS, {"grades": [1]}, "grades[0]", "grades[0] must be an object"),
    (FLOCKS, {"grades": [{"quantity": "ten"}]}, "grades[0].quantity", f"grades[0].quantity {WHOLE}"),
    (FLOCKS, {"grades": [{"quantity": None}]}, "grades[0].quantity", f"grades[0].quantity {WHOLE}"),
    (FLOCKS, {"grades": [{"Quantity": 1}]}, "grades[0].quantity", "grades[0].quantity is required"),
    (FLOCKS, {"grades": [{"quantity": 1}, {"quantity": []}]}, "grades[1].quantity", f"grades[1].quantity {WHOLE}"),
    ("count_eggs", {}, "date", "date is required"),
    ("plan", {"at": "soon"}, "at", "at must be a date and time"),
    ("plan", {"hour": "noon"}, "hour", "hour must be a time"),
    ("plan", {"weight": "heavy"}, "weight", "weight must be a number"),
    ("plan", {"dry": "perhaps"}, "dry", "dry must be true or false"),
]


@families
@pytest.mark.promise("guard:names")
def test_each_names_its_argument(family: Family) -> None:
    server = kit.build(family, *tools(family))
    answers = kit.play(family, server, *[(name, arguments) for name, arguments, _, _ in TABLE])
    for (name, _, path, says), answer in zip(TABLE, answers, strict=True):
        kit.refused(answer, f"Error executing tool '{name}': {says}.", f"refused {name}: {path}")


@families
def test_what_binds_runs(family: Family) -> None:
    """Mutation: a guard that compares types itself instead of asking the SDK's binder."""
    server = kit.build(family, *tools(family))
    answers = kit.play(family, server, (FLOCKS, {"limit": "2"}), (FLOCKS, {}), (FLOCKS, {"limit": 2147483648}))
    assert [(answer.text, answer.is_error) for answer in answers] == [
        ("limit 2", False),
        ("limit 3", False),
        ("limit 2147483648", False),
    ]
    assert not any(answer.guard_lines for answer in answers)


def verify(data: dict) -> str:  # type: ignore[type-arg]
    return f"verified {sorted(data)}"


def pair(a: str, b: str) -> str:
    return a + b


def search_alarms(severity: Literal["critical", "info", "warn"]) -> str:
    return severity


verify.__annotations__["data"] = dict
pair.__annotations__.update(a=str, b=str)
search_alarms.__annotations__["severity"] = Literal["critical", "info", "warn"]


@families
def test_what_people_were_burnt_by(family: Family) -> None:
    """An object sent as text, a null among many parameters, a value that is not among the allowed, a list for one."""
    server = kit.build(family, *tools(family), verify, pair, search_alarms)
    encoded, null, allowed, list_for_one = kit.play(
        family,
        server,
        ("verify", {"data": '{"age": 26, "code": "CANARY"}'}),
        ("pair", {"a": None, "b": "CANARY"}),
        ("search_alarms", {"severity": "critcal"}),
        (FLOCKS, {"limit": [1]}),
    )
    if is_standalone(family):
        text = "Error executing tool 'verify': data must be an object, not a string of JSON."
        kit.refused(encoded, text, "refused verify: data")
    else:
        assert encoded.text == "verified ['age', 'code']"
    kit.refused(null, "Error executing tool 'pair': a must be text.", "refused pair: a")
    said = "severity must be one of: critical, info, warn (did you mean critical?)"
    kit.refused(allowed, f"Error executing tool 'search_alarms': {said}.", "refused search_alarms: severity")
    kit.refused(list_for_one, f"Error executing tool 'list_flocks': limit {WHOLE}.", "refused list_flocks: limit")


@families
def test_several_faults_are_all_said(family: Family) -> None:
    server = kit.build(family, *tools(family))
    answer = kit.only(family, server, FLOCKS, {"limit": "ten", "customerId": "Acme", "grades": [1]})
    kit.refused(
        answer,
        "Error executing tool 'list_flocks': limit must be a whole number. customerId must be an id. "
        "grades[0] must be an object.",
        "refused list_flocks: limit, customerId, grades[0]",
    )


SCHEMA = {
    "type": "object",
    "properties": {
        "limit": {"type": "integer"},
        "small": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647},
        "grades": {
            "type": "array",
            "items": {"type": "object", "properties": {"quantity": {"type": "integer"}}, "required": ["quantity"]},
        },
        "from": {"type": "string", "format": "date"},
        "customerId": {"type": "string", "format": "uuid"},
    },
}
LOW = [row for row in TABLE if row[0] == FLOCKS and not ({"from", "customerId"} & set(row[1]))]


def test_low_level_servers_too() -> None:
    """What a JSON schema can tell; it says nothing of formats, as mcp 1.x checks none."""
    family = kit.LowLevel()
    dated = {"type": "object", "properties": {"date": {"type": "string"}}, "required": ["date"]}
    server = family.make("low", schemas={FLOCKS: SCHEMA, "count_eggs": dated})
    kit.guard_arguments(server)
    low = (FLOCKS, {"small": -2147483649}, *TABLE[4][2:])
    rows = [*LOW, low, (FLOCKS, {"from": 123}, "from", "from must be a date, YYYY-MM-DD"), TABLE[12]]
    answers = kit.play(family, server, *[(name, arguments) for name, arguments, _, _ in rows], (FLOCKS, {"limit": 2}))
    for (name, _, path, says), answer in zip(rows, answers, strict=False):
        kit.refused(answer, f"Error executing tool '{name}': {says}.", f"refused {name}: {path}")
    assert answers[-1].text == "ran ['limit']"


@families
@pytest.mark.promise("guard:quiet")
def test_one_line_and_nothing_beside_it(family: Family) -> None:
    """Mutation: log the reply, or the arguments, beside the path."""
    server = kit.build(family, *tools(family))
    answer = kit.only(family, server, FLOCKS, {"limit": "CANARY", "grades": [{"quantity": "CANARY"}]})
    (line,) = answer.guard_lines
    assert line.level == logging.INFO
    assert "CANARY" not in line.everything
    assert "must" not in line.everything
    assert kit.leaks(answer, "CANARY") == []
