"""Tools that are no function of the server's own: made from an OpenAPI document, of another server through a proxy, and
with parameters that mcp 2 resolves itself.

Mutations that turn a test here red: unknown arguments of an OpenAPI tool let through, a missing part of the path that is
not named where fastmcp refuses it, a proxy that is guarded as if it bound something, a resolver's parameter that a client
can fill in.
"""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from scrubber.guard import guard_arguments

from ..live.families import Family
from . import kit
from .kit import FAMILIES, families, is_standalone, needs_sdk
from .wire import HANDSHAKE, NEWEST

pytestmark = [pytest.mark.live, needs_sdk]
STANDALONE = [family for family in FAMILIES if is_standalone(family)]
standalone = pytest.mark.parametrize("family", STANDALONE, ids=[family.name for family in STANDALONE])

PARAMETERS = [
    {"name": "farm", "in": "path", "required": True, "schema": {"type": "string"}},
    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
]
EGGS = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
ANSWERS = {"200": {"description": "done"}}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "farm", "version": "1"},
    "paths": {
        "/flocks/{farm}": {"get": {"operationId": "flocks", "parameters": PARAMETERS, "responses": ANSWERS}},
        "/eggs": {
            "post": {
                "operationId": "eggs",
                "requestBody": {"required": True, "content": {"application/json": {"schema": EGGS}}},
                "responses": ANSWERS,
            }
        },
        "/ping": {"get": {"operationId": "ping", "responses": ANSWERS}},
    },
}


def api(asked: list[Any]) -> Any:
    """The API that the document describes; it notes what it is asked."""
    routing = import_module("starlette.routing")
    answer = import_module("starlette.responses").JSONResponse

    async def note(request: Any) -> Any:
        body = await request.body()
        asked.append({**request.path_params, **request.query_params, **(json.loads(body) if body else {})})
        return answer({"done": True})

    routes = [
        routing.Route("/flocks/{farm}", note),
        routing.Route("/eggs", note, methods=["POST"]),
        routing.Route("/ping", note),
    ]
    return import_module("starlette.applications").Starlette(routes=routes)


def from_openapi(family: Family, asked: list[Any], **options: Any) -> Any:
    http = import_module("httpx2" if family.name == "fastmcp4" else "httpx")
    client = http.AsyncClient(transport=http.ASGITransport(app=api(asked)), base_url="http://farm")
    server = import_module("fastmcp").FastMCP.from_openapi(DOCUMENT, client=client)
    guard_arguments(server, **options)
    return server


@standalone
def test_unknown_arguments_of_openapi_tools(family: Family) -> None:
    """fastmcp leaves them out of the request, with their names in a WARNING, and the API answers another question."""
    asked: list[Any] = []
    server = from_openapi(family, asked)
    flocks, eggs, ping = kit.play(
        family,
        server,
        ("flocks", {"farm": "a", "limt": "CANARY"}),
        ("eggs", {"count": 1, "cuont": "CANARY"}),
        ("ping", {"host": "CANARY"}),
    )
    said = "Unknown parameter 'limt' for tool 'flocks'. Did you mean: limit? Allowed parameters: farm, limit."
    kit.refused(flocks, said, "refused flocks: *")
    said = "Unknown parameter 'cuont' for tool 'eggs'. Did you mean: count? Allowed parameters: count."
    kit.refused(eggs, said, "refused eggs: *")
    kit.refused(ping, "Unknown parameter 'host' for tool 'ping'. The tool takes no parameters.", "refused ping: *")
    assert asked == []


@standalone
def test_what_an_openapi_tool_sends_on(family: Family) -> None:
    """Nothing is bound there: the API checks its own arguments, and names to be ignored do not reach it."""
    asked: list[Any] = []
    server = from_openapi(family, asked, ignore=["traceId"])
    answers = kit.play(
        family,
        server,
        ("flocks", {"farm": "a", "limit": "ten", "traceId": "CANARY", "context": "CANARY"}),
        ("eggs", {"count": "x"}),
    )
    assert not any(answer.is_error or answer.guard_lines or answer.loud for answer in answers)
    assert asked == [{"farm": "a", "limit": "ten"}, {"count": "x"}]


@standalone
def test_a_missing_part_of_the_path(family: Family) -> None:
    """From fastmcp 4.2 on the SDK refuses it; before, the API is asked for a path with a brace in it."""
    asked: list[Any] = []
    answer = kit.only(family, from_openapi(family, asked), "flocks", {"limit": 1})
    if answer.is_error:
        kit.refused(answer, "Error executing tool 'flocks': farm is required.", "refused flocks: farm")
        assert asked == []
    else:
        assert asked == [{"farm": "{farm}", "limit": "1"}]
        assert family.version < "4.2"


def add(limit: int, q: str = "") -> str:
    return f"ran {limit}"


def proxy_of(backend: Any) -> Any:
    fastmcp = import_module("fastmcp")
    create = getattr(import_module("fastmcp.server"), "create_proxy", None)
    return create(backend) if create is not None else fastmcp.FastMCP.as_proxy(backend)


@standalone
@pytest.mark.parametrize("backend_guarded", [True, False])
def test_proxies(family: Family, backend_guarded: bool) -> None:
    """The backend binds, and answers for itself; where its schema is closed, unknown names do not get that far."""
    plain = kit.play(family, proxy_of(kit.build(family, add, guarded=backend_guarded)), *PROXIED)
    server = proxy_of(kit.build(family, add, guarded=backend_guarded))
    guard_arguments(server)
    good, bad, unknown = kit.play(family, server, *PROXIED)
    assert (good.text, good.is_error) == ("ran 1", False)
    assert bad.is_error
    if backend_guarded:
        assert bad.text == "Error executing tool 'add': limit must be a whole number."
    else:
        assert bad.text == plain[1].text
    assert [line.text for line in bad.loud] == [line.text for line in plain[1].loud]
    assert unknown.is_error
    if backend_guarded or family.name != "fastmcp2":
        said = "Unknown parameter 'lim' for tool 'add'. Did you mean: limit? limit is required. "
        assert unknown.text.startswith((said, said.replace("limit is required. ", "")))
        assert [line.text.partition(":")[0] for line in unknown.guard_lines] == ["refused add"]
    else:
        # fastmcp 2 declares no `additionalProperties`, so the proxy cannot know that the schema is closed.
        assert unknown.text == plain[2].text


PROXIED = [("add", {"limit": 1}), ("add", {"limit": "x"}), ("add", {"lim": 1})]


class Answer(BaseModel):
    sure: bool


def resolving(asked: list[str], seen: list[int]) -> Any:
    """A tool of mcp 2 with one parameter that the server works out, and one that it asks the user for."""
    mcpserver = import_module("mcp.server.mcpserver")

    async def owner(n: int) -> str:
        seen.append(n)
        return f"owner {n}"

    async def confirmed(n: int) -> Any:
        asked.append(f"question {n}")
        return mcpserver.Elicit("Are you sure?", Answer)

    async def remove(n, by, sure):  # type: ignore[no-untyped-def]
        return f"removed {n} by {by}: {sure.sure}"

    remove.__annotations__ = {
        "n": int,
        "by": Annotated[str, mcpserver.Resolve(owner)],
        "sure": Annotated[Answer, mcpserver.Resolve(confirmed)],
        "return": str,
    }
    confirmed.__annotations__["return"] = mcpserver.Elicit[Answer]
    return remove


@families
@pytest.mark.parametrize("revision", [NEWEST, HANDSHAKE])
def test_parameters_that_mcp_2_resolves(family: Family, revision: str) -> None:
    """They are no arguments: a client cannot fill them in. A bad argument is refused before anybody is asked."""
    if family.name != "mcp2":
        pytest.skip("mcp 2 only")
    if not hasattr(import_module("mcp.server.mcpserver"), "Resolve"):
        pytest.skip("this release has no Resolve")
    types = import_module("mcp_types")
    asked: list[str] = []
    seen: list[int] = []

    async def answer(context: Any, params: Any) -> Any:
        return types.ElicitResult(action="accept", content={"sure": True})

    server = kit.build(family, resolving(asked, seen))
    mode = "legacy" if revision == HANDSHAKE else revision

    async def run() -> list[kit.Answer]:
        client = import_module("mcp").Client(server, mode=mode, elicitation_callback=answer)
        async with client as session:
            calls = [{"n": "CANARY"}, {"n": 1, "by": "CANARY"}, {"n": 1, "sure": {"sure": True}}, {}]
            found = [await kit.ask(family, session, ("remove", arguments)) for arguments in calls]
            assert (asked, seen) == ([], [])
            return [*found, await kit.ask(family, session, ("remove", {"n": "2"}))]

    bad, filled, answered, missing, good = asyncio.run(run())
    kit.refused(bad, "Error executing tool 'remove': n must be a whole number.", "refused remove: n")
    kit.refused(filled, "Unknown parameter 'by' for tool 'remove'. Allowed parameters: n.", "refused remove: *")
    kit.refused(answered, "Unknown parameter 'sure' for tool 'remove'. Allowed parameters: n.", "refused remove: *")
    kit.refused(missing, "Error executing tool 'remove': n is required.", "refused remove: n")
    assert (good.text, good.is_error) == ("removed 2 by owner 2: True", False)
    assert set(seen) == {2}
    assert not good.guard_lines
