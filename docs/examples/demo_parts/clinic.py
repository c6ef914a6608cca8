"""A clinic's MCP server, the calls a client makes to it, and the content that must not leave.

`make_server()` gives a real server of the MCP SDK that is installed; `connect()` its real client, in memory.
"""

from __future__ import annotations

import datetime
import sqlite3
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any, Literal

from pydantic import BaseModel, Field

SECRETS = {
    "a patient's name": "Ottilie Brandt",
    "the words given for a date": "after her biopsy",
    "a doctor's note": "started on sertraline",
    "a phone number of a row": "0151/2849771",
    "another patient's name": "Ines Okafor",
    "another doctor's note": "seropositive since May",
}
"""Content that the calls below carry: what it is, and the words to look for in the bytes that left."""

_PATIENT, _WHEN, _NOTE, _PHONE, _PATIENT_2, _NOTE_2 = SECRETS.values()

Kind = Literal["refusal", "fault", "good"]


@dataclass(frozen=True)
class Call:
    """One call of a tool. kind: what becomes of it."""

    kind: Kind
    story: str
    tool: str
    arguments: dict[str, Any]


CALLS = (
    Call(
        "refusal",
        "the arguments are refused before the tool runs",
        "book_visit",
        {"patient": _PATIENT, "day": _WHEN, "notes": _NOTE},
    ),
    Call("fault", "the tool's own code fails on a database row", "next_visit", {"room": 4}),
    Call("good", "it works", "book_visit", {"patient": _PATIENT_2, "day": "2031-03-14", "notes": _NOTE_2}),
)


class Visit(BaseModel):
    """A row of the table of visits, as the tools want it."""

    room: int
    patient: str
    phone: str = Field(pattern=r"^[0-9 +-]+$")


def _database() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", check_same_thread=False)
    database.execute("create table visits (room integer, patient text, phone text)")
    database.execute("insert into visits values (4, 'Konrad Vesper', ?)", (_PHONE,))
    return database


DATABASE = _database()


def book_visit(patient: str, day: datetime.date, notes: str) -> str:
    """Book a visit for a patient."""
    return f"Booked {patient} on {day:%d %B %Y}. For the doctor: {notes}"


def next_visit(room: int) -> str:
    """Say who comes next to a room."""
    row = DATABASE.execute("select room, patient, phone from visits where room = ?", (room,)).fetchone()
    visit = Visit.model_validate(dict(zip(("room", "patient", "phone"), row, strict=True)))
    return f"{visit.patient}, phone {visit.phone}"


def is_mcp1() -> bool:
    """Whether the MCP SDK that is installed is of the 1.x line."""
    return metadata.version("mcp").startswith("1.")


def make_server() -> Any:
    """A server with the clinic's tools: `FastMCP` of mcp 1.x, or `MCPServer` of mcp 2.x."""
    where, name = ("fastmcp", "FastMCP") if is_mcp1() else ("mcpserver", "MCPServer")
    server = getattr(import_module(f"mcp.server.{where}"), name)("clinic")
    for tool in (book_visit, next_visit):
        server.tool()(tool)
    return server


def connect(server: Any) -> AbstractAsyncContextManager[Any]:
    """The SDK's own client, connected to `server` in memory."""
    if is_mcp1():
        memory = import_module("mcp.shared.memory")
        connected: AbstractAsyncContextManager[Any] = memory.create_connected_server_and_client_session(
            server._mcp_server
        )
        return connected
    client: AbstractAsyncContextManager[Any] = import_module("mcp").Client(server)
    return client
