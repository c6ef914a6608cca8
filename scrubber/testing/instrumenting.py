"""Watching a server with a real posthog client, and leaving the server as it was.

A server that nobody instruments is instrumented with a wire's client, and everything that `instrument` put into it is
taken out again. A server that is instrumented already keeps its client: for the time of the check the client's hook
is asked as always, and what it lets pass is recorded and goes nowhere.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from scrubber.hook import Scrubber
from scrubber.settings import Settings
from scrubber.testing.errors import TestingError
from scrubber.testing.recorder import Recorder
from scrubber.testing.wire import Wire, open_wire
from scrubber.words.verdict import Event

PACKAGES = ("posthog", "posthoganalytics")
_ROOTS = frozenset({"mcp", "mcp_types", "fastmcp", "starlette"})
_DEEPEST, _MOST_OBJECTS = 6, 5_000


class Watch:
    """What was seen of a server while it was watched."""

    def __init__(self, recorded: Wire | Recorder, analytics: Any) -> None:
        self._recorded = recorded
        self._analytics = analytics

    async def drain(self) -> None:
        """Wait for the events that posthog.mcp still has in hand; on the loop that the calls were made on."""
        await self._analytics.flush()

    @property
    def seen(self) -> list[Event]:
        """The events as the hook got them."""
        return self._recorded.seen

    @property
    def left(self) -> list[Event]:
        """The events that left, or would have."""
        return self._recorded.left if isinstance(self._recorded, Wire) else self._recorded.passed

    @property
    def settings(self) -> Settings | None:
        """The settings of the hook that was tried; None where it has none."""
        found = getattr(self._recorded.hook, "settings", None)
        return found if isinstance(found, Settings) else None

    @property
    def raised(self) -> int:
        """How often the hook raised."""
        return self._recorded.raised


class Hooked(NamedTuple):
    """What a check tries: settings, or a hook, or neither; the client where the server has one; options of
    `instrument`."""

    settings: Settings | None = None
    before_send: Callable[[Any], Any] | None = None
    package: str = "posthog"
    options: Any = None


@contextmanager
def watched(server: Any, hooked: Hooked) -> Iterator[Watch]:
    """Watch a server. Raises `TestingError` where it cannot be."""
    key = getattr(server, "_mcp_server", None) or getattr(server, "_lowlevel_server", None) or server
    for package in PACKAGES:
        module = sys.modules.get(f"{package}.mcp")
        data = module.get_server_tracking_data(key) if module is not None else None
        if module is not None and data is not None:
            with _client_held(data, hooked) as recorder:
                yield Watch(recorder, module.McpAnalytics(key))
            return
    module = _module(hooked.package)
    with open_wire(hooked.settings, before_send=hooked.before_send, package=hooked.package) as wire:
        before = _Photo(server)
        analytics = module.instrument(server, wire.client, hooked.options)
        undo = before.undo()
        try:
            if module.get_server_tracking_data(key) is None:
                raise TestingError(
                    f"leak_check: {hooked.package}.mcp could not instrument the server; try instrument(server, client) "
                    "by hand with a logger in its options to see why"
                )
            yield Watch(wire, analytics)
        finally:
            for one in undo:
                one()
            # posthog offers no way to take a server back; without this a later instrument() of it would do nothing.
            getattr(import_module(f"{hooked.package}.mcp._internal"), "_server_tracking", {}).pop(key, None)


def _module(package: str) -> Any:
    try:
        return import_module(f"{package}.mcp")
    except ImportError:
        raise TestingError(f"leak_check: there is no {package}.mcp here; install posthog 7.21 or newer") from None


@contextmanager
def _client_held(data: Any, hooked: Hooked) -> Iterator[Recorder]:
    """The client of a server that is instrumented: its hook is asked, and nothing is sent."""
    client = getattr(data.sink, "_posthog", None)
    if client is None or not hasattr(client, "before_send"):
        raise TestingError(
            "leak_check: the server is instrumented without a client that could be watched; give instrument() a "
            "Posthog(...), or leak_check a server that is not instrumented yet"
        )
    if hooked.options is not None:
        raise TestingError("leak_check: options= is for a server that is not instrumented yet; this one has its own")
    own = client.before_send
    # The client may be a wire's: its recorder counts what is to arrive, and nothing of this will.
    hook = own.hook if isinstance(own, Recorder) else own
    if hooked.before_send is not None or hooked.settings is not None:
        hook = hooked.before_send or Scrubber(hooked.settings)
    recorder = client.before_send = Recorder(hook, sends=False)
    try:
        yield recorder
    finally:
        client.before_send = own


class _Photo:
    """The attributes and containers of a server and of the SDK's objects in it, as they were."""

    def __init__(self, server: Any) -> None:
        self._kept: list[tuple[dict[Any, Any] | list[Any], dict[Any, Any] | list[Any]]] = []
        seen: set[int] = set()
        front: list[Any] = [server]
        for _ in range(_DEEPEST):
            following: list[Any] = []
            for value in front:
                if id(value) in seen or len(seen) > _MOST_OBJECTS:
                    continue
                seen.add(id(value))
                inside = _inside(value)
                if inside is not None:
                    self._kept.append((inside, inside.copy()))
                    following += inside.values() if isinstance(inside, dict) else inside
            front = following

    def undo(self) -> list[Callable[[], None]]:
        """What takes back each change since the photo, and nothing that comes after."""
        found: list[Callable[[], None]] = []
        for now, before in self._kept:
            if isinstance(now, dict) and isinstance(before, dict):
                found += [
                    _put_back(now, key, before, now.get(key, _GONE))
                    for key in [*now, *(key for key in before if key not in now)]
                    if now.get(key, _GONE) is not before.get(key, _GONE)
                ]
            elif isinstance(now, list):
                known = {id(one) for one in before}
                found += [_take_out(now, one) for one in now if id(one) not in known]
        return found


_GONE: Any = object()


def _inside(value: Any) -> dict[Any, Any] | list[Any] | None:
    if type(value) in (dict, list):
        return value  # type: ignore[no-any-return]
    if any(base.__module__.partition(".")[0] in _ROOTS for base in type(value).__mro__):
        return getattr(value, "__dict__", None)
    return None


def _put_back(now: dict[Any, Any], key: Any, before: dict[Any, Any], put: Any) -> Callable[[], None]:
    def undo() -> None:
        if now.get(key, _GONE) is not put:
            return
        if key in before:
            now[key] = before[key]
        else:
            now.pop(key, None)

    return undo


def _take_out(now: list[Any], item: Any) -> Callable[[], None]:
    def undo() -> None:
        now[:] = [one for one in now if one is not item]

    return undo
