"""What the pages say of the comparison with the caller's arguments holds: sizes, what is kept, what stays undecidable."""

from __future__ import annotations

from typing import Any

import pydantic
import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from scrubber import Settings, pairing
from scrubber.pairing import Pairing
from scrubber.rules import comparing
from scrubber.rules import sent as walk
from scrubber.rules.corroboration import contradiction
from scrubber.words import message

from ..support import ROOT

PAGE = " ".join((ROOT / "docs" / "origin.md").read_text("utf-8").split())


class Row(BaseModel):
    sku: int


class findArguments(BaseModel):
    name: str = ""
    number: int = 0
    prices: dict[str, int] = {}
    pair: tuple[int, str] = (1, "x")
    either: int | list[int] = 0
    shelf: int = Field(0, alias="shelfNumber")


def refused(arguments: dict[str, Any], model: type[BaseModel] = findArguments) -> str:
    with pytest.raises(pydantic.ValidationError) as caught:
        model.model_validate(arguments)
    return str(caught.value)


def checking(row: Any, **config: Any) -> type[BaseModel]:
    """A model of arguments whose validator reads a row of the server's."""

    class checkedArguments(BaseModel):
        model_config = ConfigDict(**config)
        v: Any

        @field_validator("v")
        @classmethod
        def of_database(cls, value: Any) -> Any:
            Row.model_validate(row)
            return value

    return checkedArguments


def test_the_page_gives_the_sizes_of_the_code() -> None:
    for said in (
        f"at most {pairing.MOST} calls",
        f"more than {pairing.LONGEST:.0f} seconds",
        f"more than {comparing.MOST_NODES:,} members, {comparing.MOST_TEXT:,} characters or {comparing.DEPTH} levels",
        f"at most {walk.MOST_STEPS:,} steps",
    ):
        assert said in PAGE, said
    assert len(message.MISSING_NAME) == 4
    assert Settings().corroborate is True


def test_a_successful_call_is_not_kept() -> None:
    kept = Pairing()
    for is_error in (False, None, "true", 1):
        properties = {"$mcp_tool_name": "t", "$mcp_is_error": is_error, "$mcp_parameters": {}}
        kept.see({"event": "$mcp_tool_call", "timestamp": "t", "properties": properties}, 1, 0.0)
    assert len(kept) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"number": "ten"},
        {"shelfNumber": "ten"},
        {"prices": {"a.b": "x"}},
        {"pair": ["a", 2]},
        {"either": {"a": 1}},
        {"number": "y" * 200},
    ],
)
def test_what_the_page_allows_for_is_explained(arguments: dict[str, Any]) -> None:
    assert contradiction(refused(arguments), arguments, False) is None


def test_a_printed_alias_that_was_not_sent_is_sent() -> None:
    class plainArguments(BaseModel):
        model_config = ConfigDict(loc_by_alias=False)
        shelf: int = Field(alias="shelfNumber")

    sent = {"shelfNumber": "ten"}
    assert contradiction(refused(sent, plainArguments), sent, False) is not None


@pytest.mark.parametrize(
    "text, sent, transformed",
    [
        (refused({"number": "rewritten"}), {"number": "[redacted]"}, False),
        (refused({"v": "A-1"}, checking({"sku": "A-1"})), {"v": "A-1"}, False),
        (refused({"v": {}}, checking({})), {"v": {}}, False),
        (refused({"number": 7.5}), {"label": "x", "other": 7.5}, True),
        (refused({"number": "a" * 60 + "b" * 60}), {"number": "a" * 60 + "-" + "b" * 60}, False),
        (refused({"v": {"sku": 1}}, checking({"sku": "x"}, hide_input_in_errors=True)), {"v": {"sku": 1}}, False),
    ],
    ids=["redacted", "same value", "both lack it", "hidden", "cut", "inputs hidden"],
)
def test_what_the_page_calls_undecidable_is_explained(text: str, sent: dict[str, Any], transformed: bool) -> None:
    """Faults of a server that are dropped. One that is told apart some day leaves this list and the page's."""
    assert contradiction(text, sent, transformed) is None
