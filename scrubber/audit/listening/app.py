"""The stand-in as an ASGI app: takes what a PostHog SDK sends, answers as PostHog would, and hands the events on."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from scrubber.audit.listening import answers
from scrubber.audit.listening.bodies import Body, read
from scrubber.audit.listening.unpacking import MOST_BYTES, TOO_LARGE

SLOWEST = 20.0
"""Seconds in which a body must have come; an SDK waits 15 for its answer."""
MOST_WAITING = 4 * MOST_BYTES
"""Bytes of bodies that may be under way at one time; who comes then is asked to come again."""

TOO_SLOW = "a body that did not come to its end"


class Taker(Protocol):
    """What the app hands on. Both are called from several threads."""

    def take(self, body: Body) -> None:
        """The events of a request, before it is answered."""

    def note(self, path: str, text: str) -> None:
        """Something to say of a request without events; the path can be shown."""


class StandIn:
    """The endpoints, around one `Taker`."""

    def __init__(self, taker: Taker) -> None:
        self._taker = taker
        self._waiting = 0

    async def __call__(self, request: Request) -> Response:
        """Answer one request, whatever its path."""
        path = request.url.path
        if request.method == "POST" and (path.rstrip("/") or "/") in answers.EVENT_PATHS:
            return await self._events(request, path)
        other = answers.to_other(path)
        if other is None:
            self._taker.note(answers.printed(path), answers.UNKNOWN_NOTE)
            return JSONResponse(answers.UNKNOWN, 404)
        printed, answer, note = other
        if note:
            self._taker.note(printed, note)
        return JSONResponse(answer)

    async def _events(self, request: Request, path: str) -> Response:
        packed = bytearray()
        try:
            refusal = await self._receive(request, packed)
            if refusal is not None:
                body = refusal
            else:
                # Unpacking and judging take time: not on the loop that receives.
                headers = {name.lower(): value for name, value in request.headers.items()}
                body = await run_in_threadpool(read, path, headers, dict(request.query_params), bytes(packed))
        finally:
            self._waiting -= len(packed)
        if body.status == 503:
            return JSONResponse({"detail": "busy"}, 503, {"Retry-After": "1"})
        await run_in_threadpool(self._taker.take, body)
        if body.status != 200:
            return JSONResponse({"detail": body.unreadable[0]}, body.status)
        return JSONResponse(answers.to_events(path, body.uuids))

    async def _receive(self, request: Request, packed: bytearray) -> Body | None:
        """Fill `packed` with the request's body. Out: a refusal, where it is too large or too slow."""

        async def fill() -> Body | None:
            async for chunk in request.stream():
                packed.extend(chunk)
                self._waiting += len(chunk)
                if len(packed) > MOST_BYTES:
                    return Body(unreadable=(TOO_LARGE,), status=413)
                if self._waiting > MOST_WAITING:
                    return Body(status=503)
            return None

        try:
            return await asyncio.wait_for(fill(), SLOWEST)
        except (asyncio.TimeoutError, ClientDisconnect):
            return Body(unreadable=(TOO_SLOW,), status=408)


def make_app(taker: Taker) -> Starlette:
    """The app. Every path goes to one place, because what PostHog does not have is part of the answer too."""

    async def endpoint(request: Request) -> Response:
        return await stand_in(request)

    stand_in = StandIn(taker)
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]
    routes: list[Any] = [Route("/{path:path}", endpoint, methods=methods)]
    return Starlette(routes=routes)
