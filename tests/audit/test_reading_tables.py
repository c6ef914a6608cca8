"""Rows of tables, by the names of their columns: HogQL and CSV."""

from __future__ import annotations

import json
from pathlib import Path

from scrubber.audit.reading import Source, only_input
from scrubber.audit.records import Row, Unreadable

from . import files

EVENTS = files.events(20)


def rows_of(source: Source) -> list[Row | Unreadable]:
    return [row for batch in source.batches() for row in batch.rows()]


def test_a_hogql_response_may_hold_the_whole_event_in_one_cell(tmp_path: Path) -> None:
    path = tmp_path / "x"
    rows = [[one, one["uuid"]] for one in EVENTS[:3]] + [["no event", "7"]]
    path.write_text(json.dumps({"results": rows, "columns": ["*", "properties.extra"]}))
    read = rows_of(only_input(str(path)))
    assert [row.event["properties"].pop("extra") for row in read[:3]] == [one["uuid"] for one in EVENTS[:3]]
    assert [row.event for row in read[:3]] == EVENTS[:3]
    assert isinstance(read[3], Unreadable)


def test_cells_of_a_table_are_what_they_stand_for(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(
        "event,$mcp_is_error,$mcp_server_version,$mcp_duration_ms,mine,properties.`a b`,*.timestamp,team_id\r\n"
        'x,True,1.0,12.5,007,"[1, 2]",2026,7\r\n'
        'y,,,,,"{not json",,\r\n'
    )
    first, second = rows_of(only_input(str(path)))
    assert isinstance(first, Row)
    assert isinstance(second, Row)
    assert first.event == {
        "event": "x",
        "timestamp": "2026",
        "properties": {
            "$mcp_is_error": True,
            "$mcp_server_version": "1.0",
            "$mcp_duration_ms": 12.5,
            "mine": "007",
            "a b": [1, 2],
        },
    }
    assert first.columns == {"team_id": "7"}
    assert first.line == 2
    assert second.event == {"event": "y", "properties": {"a b": "{not json"}}


def test_a_row_with_a_cell_too_few_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('event,a\nx,1\nx\nx,1,2\n"x"y,1\nx,2\n')
    reasons = [row.reason if isinstance(row, Unreadable) else "" for row in rows_of(only_input(str(path)))]
    length = "a row with more or fewer cells than there are columns"
    assert reasons == ["", length, length, "not valid CSV, or longer than 16 MiB", ""]
