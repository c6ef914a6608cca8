"""A real posthog client whose wire ends in this process: what the hook saw, and what left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from scrubber.hook import Scrubber
from scrubber.settings import Settings
from scrubber.testing.errors import TestingError
from scrubber.testing.recorder import Recorder
from scrubber.testing.sink import Sink
from scrubber.words.verdict import Event

FLUSH_SECONDS = 10.0


class Wire:
    """What `open_wire` and the fixtures give. Every property first waits until the client has sent what it holds."""

    def __init__(self, client: Any, settings: Settings | None, hook: Any, recorder: Recorder, sink: Sink) -> None:
        self.client = client
        """The `Posthog` client, to be given to `instrument(server, wire.client)` or used as it is."""
        self.settings = settings
        """The settings of the hook; None where a hook was given that has none."""
        self.hook = hook
        """The hook under test: a `Scrubber`, or what was given as `before_send`."""
        self._recorder = recorder
        self._sink = sink

    def flush(self) -> None:
        """Wait until every event that was captured has arrived; at most 10 s. Raises `TestingError` where one has
        not: an event that was not seen leaving must not pass for one that did not leave."""
        until = time.monotonic() + FLUSH_SECONDS
        self.client.flush()
        while _waiting(self.client) and time.monotonic() < until:
            time.sleep(0.01)
        if _waiting(self.client):
            raise TestingError(
                f"posthog_wire: the client still holds events after {FLUSH_SECONDS:.0f} s; nothing can be said of them"
            )
        self._check_arrival()

    def _check_arrival(self) -> None:
        """What the hook let pass has arrived here, whole and readable."""
        if self._sink.unread:
            raise TestingError(
                "posthog_wire: the client sent a body that cannot be read here; leave out capture_compression and "
                "unset POSTHOG_CAPTURE_COMPRESSION (gzip and deflate are read, zstd is not)"
            )
        missing = len(self._recorder.passed) - len(self._sink.events)
        if missing > 0:
            raise TestingError(
                f"posthog_wire: {missing} of the events that the hook let pass did not arrive; one may be too large "
                "for posthog to send, or HTTP_PROXY is set without NO_PROXY=127.0.0.1"
            )

    @property
    def seen(self) -> list[Event]:
        """The events as the hook got them, before it."""
        self.flush()
        return self._recorder.seen

    @property
    def left(self) -> list[Event]:
        """The events that left, decoded from the bytes on the wire."""
        self.flush()
        return self._sink.events

    @property
    def dropped(self) -> list[Event]:
        """The events that the hook dropped, as it got them."""
        self.flush()
        return self._recorder.dropped

    @property
    def raised(self) -> int:
        """How often the hook raised. posthog up to 7.36 sends the event all the same."""
        return self._recorder.raised

    def __repr__(self) -> str:
        # pytest prints the arguments of a failed test: this is one, and the events are content.
        return f"<Wire seen={len(self._recorder.seen)} left={len(self._sink.events)}>"


@contextmanager
def open_wire(
    settings: Settings | None = None,
    *,
    before_send: Callable[[Any], Any] | None = None,
    package: str = "posthog",
    **client_options: Any,
) -> Iterator[Wire]:
    """A wire, closed with the block.

    settings: the hook is `Scrubber(settings)`; when not given, with the settings of the environment. before_send: a
    hook of your own instead; not together with settings. package: `posthog`, or `posthoganalytics`.
    client_options: as of `Posthog(...)`; the host and the way of sending are the wire's.

    Raises `TestingError` for options that cannot be honoured, and where the package is not installed.
    """
    _check(settings, before_send, client_options)
    make = _client_class(package)
    hook = before_send
    if hook is None:
        settings = settings if settings is not None else Settings()
        hook = Scrubber(settings)
    else:
        settings = getattr(hook, "settings", None)
    recorder = Recorder(hook)
    sink = Sink()
    try:
        options = {"flush_interval": 0.05, "max_retries": 0, "timeout": 5, **client_options}
        client = make("phc_testing", host=sink.address, before_send=recorder, **options)
        try:
            yield Wire(client, settings, hook, recorder, sink)
        finally:
            # Not shutdown(): in posthog up to 7.36 it waits for the queue without a limit.
            client.flush()
            client.join()
    finally:
        sink.close()


def _check(settings: Any, before_send: Any, client_options: dict[str, Any]) -> None:
    if settings is not None and not isinstance(settings, Settings):
        raise TestingError("posthog_wire: settings must be a scrubber.Settings; write settings=Settings(...)")
    if settings is not None and before_send is not None:
        raise TestingError("posthog_wire: give settings or before_send, not both; Scrubber(settings) is a before_send")
    if before_send is not None and not callable(before_send):
        raise TestingError("posthog_wire: before_send must be a callable that takes the event")
    fixed = {
        "host": "the wire's own",
        "send": "always on",
        "disabled": "always off",
        "project_api_key": "the wire's own",
    }
    for name in sorted(fixed.keys() & client_options):
        raise TestingError(f"posthog_wire: {name} is {fixed[name]} and cannot be given")


def _client_class(package: str) -> Any:
    try:
        return import_module(package).Posthog
    except (ImportError, AttributeError):
        raise TestingError(
            f"posthog_wire: there is no {package}.Posthog here; install posthog 7.21 or newer, "
            'or give package="posthoganalytics"'
        ) from None


def _waiting(client: Any) -> bool:
    queue = getattr(client, "queue", None)
    return bool(getattr(queue, "unfinished_tasks", 0))
