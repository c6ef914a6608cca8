"""What a refused call looks like in PostHog: one `$mcp_tool_call`, and no `$exception`.

posthog.mcp (7.21 to 7.91.1) reports an error result as type `Error`, and an `$exception` beside it. Its options are the
only public way to say more: properties of an event, and a last look at each. They belong to the user's `instrument`
call, so all that the guard can offer is to make them.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from scrubber.guard.core import GuardError, Told, last
from scrubber.words.properties import GUARD_MARK as MARK
from scrubber.words.properties import GUARD_TYPE as ERROR_TYPE


def analytics_options(server: Any = None, *, package: str = "posthog", **options: Any) -> Any:
    """`MCPAnalyticsOptions` for `instrument(server, posthog, ...)`, the guard's part joined to your own.

    server: not needed, and taken so that the call reads like the others. package: "posthog" or "posthoganalytics".
    options: as of MCPAnalyticsOptions; `event_properties` and `before_send` of yours are called too, and lose only
    where the guard sets the same property of a refused call.

    Raises GuardError where the package has no `mcp` part.
    """
    try:
        made = import_module(f"{package}.mcp").MCPAnalyticsOptions
    except (ImportError, AttributeError) as error:
        raise GuardError(f"{package}.mcp has no MCPAnalyticsOptions: install posthog 7.21 or newer") from error
    event_properties = _properties(options.pop("event_properties", None))
    before_send = _last_look(options.pop("before_send", None))
    return made(event_properties=event_properties, before_send=before_send, **options)


guard_options = analytics_options
"""The same under the name that reads well beside `guard_arguments`."""


def _properties(own: Callable[..., Any] | None) -> Callable[..., Any]:
    async def event_properties(request: Any, extra: Any = None) -> dict[str, Any] | None:
        refused = _stamp(request, extra)
        found = own(request, extra) if own is not None else None
        if inspect.isawaitable(found):
            found = await found
        return {**(found or {}), **refused} if refused else found

    return event_properties


def _last_look(own: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    def before_send(event: Any) -> Any:
        if event.get("event") == "$exception" and (event.get("properties") or {}).get(MARK) is True:
            return None
        return own(event) if own is not None else event

    return before_send


def _stamp(request: Any, extra: Any) -> dict[str, Any]:
    """The properties of the call that was refused last, if `request` is that very call."""
    told = last.get()
    if told is None or not _is_call_of(told, request, extra):
        return {}
    refusal = told.refusal
    stamped = {
        "$mcp_error_type": ERROR_TYPE,
        "$mcp_error_message": refusal.text,
        "$mcp_error_code": refusal.code,
        MARK: True,
    }
    if refusal.field:
        stamped["$mcp_error_field"] = refusal.field
    return stamped


def _is_call_of(told: Told, request: Any, extra: Any) -> bool:
    """Whether a posthog callback is about the call that was refused.

    The context variable alone does not say: a client in the same task leaves it to its next call. fastmcp 4 gives its
    middleware a context of its own, so there the number of the request tells, and not the object.
    """
    if not isinstance(request, dict) or request.get("method") not in (None, "tools/call"):
        return False
    params = request.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    if name is not None and name != told.refusal.tool:
        return False
    context = extra.get("ctx") if isinstance(extra, dict) else None
    if context is None:
        context = _current()
    if context is None or context is told.request:
        return context is not None
    mine, theirs = getattr(told.request, "request_id", None), getattr(context, "request_id", None)
    return mine is not None and str(mine) == str(theirs) and type(told.request) is not type(context)


def _current() -> Any:
    """The request that is being answered, for posthog up to 7.36, which hands no context to its callbacks: mcp 1.x
    keeps it in a context variable of its own."""
    variable = getattr(sys.modules.get("mcp.server.lowlevel.server"), "request_ctx", None)
    return variable.get(None) if variable is not None else None
