"""The fitting of the standalone fastmcp 2.14, 3.x and 4.x: one middleware (run on 2.14.7, 3.0.2, 3.4.11, 4.0, 4.2.3).

The middleware stands next to the tools, whatever is added later. It overrides `__call__` and nothing else: posthog.mcp
takes one that overrides `on_call_tool` for one that may reroute tools, and then neither adds nor takes away its own
arguments. It returns a refusal and raises none, so that no middleware and no log of the SDK sees an exception.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache, partial
from importlib import import_module, metadata
from typing import Any, NamedTuple

from pydantic import ValidationError

from scrubber.guard import binding
from scrubber.guard.calls import Call, Fault
from scrubber.guard.chain import Innermost, has_cache
from scrubber.guard.core import Guard, GuardError, Plan, failed
from scrubber.guard.lookup import Inside, Lookup

_running: ContextVar[Any] = ContextVar("scrubber_guard_fastmcp_running", default=None)
"""The request whose tool is running: what that tool calls in process is the SDK's alone."""


class _Outer(NamedTuple):
    """A request at the first guard on its way: the name that its client knows the tool by, and that guard."""

    request: Any
    name: str
    fitting: _Fitting


_outer: ContextVar[_Outer | None] = ContextVar("scrubber_guard_outer", default=None)
"""A mounted server knows the tool by another name, and need not have a guard of its own."""


class _Step(NamedTuple):
    """What to do with a call: answer `result`, or go on with `context`."""

    result: Any
    context: Any
    runs_here: bool
    """Whether the tool's own function runs next, and not another server's chain."""


def install(server: Any, guard: Guard) -> None:
    """Add the guard to the server's middleware. Raises GuardError where it could not do its work."""
    name = "fastmcp.FastMCP"
    major = int(metadata.version("fastmcp").split(".", 1)[0])
    if major < 4 and getattr(server, "strict_input_validation", False):
        raise GuardError(
            f"{name}: strict_input_validation=True makes fastmcp {major}.x refuse arguments before any middleware, "
            "with the value in its reply. Leave it off (the guard names bad arguments either way), or use fastmcp 4"
        )
    if any(getattr(one, "scrubber_guard", None) is not None for one in server.middleware):
        raise GuardError(f"{name}: the server has a guard already; call guard_arguments once")
    if not _keeps_errors() and has_cache(server.middleware):
        raise GuardError(
            f"{name}: ResponseCachingMiddleware of this fastmcp (2, 3.0) would store a refusal and answer it as a "
            "success. Call guard_arguments(server) before you add it"
        )
    if major < 3 and _runs_tasks(server):
        raise GuardError(
            f"{name}: fastmcp 2 starts a background task before any middleware, so a call that asks for one cannot be "
            "guarded. Declare the tools with task=False (and the server without tasks=True), or use fastmcp 3 or 4"
        )
    _stand(server, _Fitting(guard))


def _stand(server: Any, fitting: _Fitting | None) -> None:
    """Put a guard next to the server's tools. fitting: None in a mounted server: that which the call met before."""
    kept = [one for one in server.middleware if not hasattr(one, "scrubber_guard")]
    server.middleware = Innermost(kept, _middleware()(server, fitting), before_cache=not _keeps_errors())


@lru_cache
def _middleware() -> Any:
    class ArgumentGuard(import_module("fastmcp.server.middleware").Middleware):  # type: ignore[misc]
        def __init__(self, server: Any, fitting: _Fitting | None) -> None:
            self.scrubber_guard = fitting
            self.server = server

        # fastmcp 2 hands `call_next` over by name.
        async def __call__(self, context: Any, call_next: Any) -> Any:
            if context.method != "tools/call":
                return await call_next(context)
            request = _request_of(context)
            outer = _outer.get()
            if outer is not None and outer.request is not request:
                outer = None
            fitting = self.scrubber_guard or (outer and outer.fitting)
            if fitting is None or request is None or _running.get() is request:
                # In process: its caller expects the SDK's exception. Or a mounted server, called by its own clients.
                return await call_next(context)
            token = None if outer else _outer.set(_Outer(request, context.message.name, fitting))
            try:
                return await fitting.call(self.server, request, context, call_next)
            finally:
                if token is not None:
                    _outer.reset(token)

    return ArgumentGuard


def _runs_tasks(server: Any) -> bool:
    """Whether the server, or a tool that it has by now, runs as a background task (fastmcp 2)."""
    tools = getattr(getattr(server, "_tool_manager", None), "_tools", {}).values()
    modes = [getattr(getattr(tool, "task_config", None), "mode", "forbidden") for tool in tools]
    return bool(getattr(server, "_support_tasks_by_default", False)) or any(mode != "forbidden" for mode in modes)


def _result() -> Any:
    try:
        return import_module("fastmcp.tools.base").ToolResult
    except (ImportError, AttributeError):
        return import_module("fastmcp.tools.tool").ToolResult


def _keeps_errors() -> bool:
    """Whether a result of this fastmcp can say that it is an error: from 3.1 on."""
    return "is_error" in getattr(_result(), "model_fields", {})


def _error_result() -> Callable[[str], Any]:
    """How an error result is made; where results cannot say so, one that converts itself."""
    base: Any = _result()
    if _keeps_errors():
        return lambda text: base(content=text, is_error=True)
    result = import_module("mcp.types").CallToolResult

    class Refused(base):  # type: ignore[misc]
        def to_mcp_result(self) -> Any:
            return result(content=self.content, isError=True)

    return lambda text: Refused(content=text)


class _Fitting:
    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.error_result = _error_result()
        self.binder = binding.Binder()
        self.lookup = Lookup()
        self.is_server = import_module("fastmcp").FastMCP

    async def call(self, server: Any, request: Any, context: Any, call_next: Any) -> Any:
        """One tool call of a server: refused here, or handed on."""
        step = None
        try:
            step = await self._judge(server, request, context)
        except Exception as error:
            failed(error)
        if step is None:
            return await call_next(context)
        if step.result is not None:
            return step.result
        if not step.runs_here:
            return await call_next(step.context)
        running = _running.set(request)
        try:
            return await call_next(step.context)
        finally:
            _running.reset(running)

    async def _judge(self, server: Any, request: Any, context: Any) -> _Step | None:
        message = context.message
        tool = self.lookup.known(server, message, request)
        if tool is not None:
            call, faults, step = self._decide(context, tool, server, {})
            if not faults and not call.unknown:
                return step
        # Nobody is refused by a tool that was found for somebody else.
        child = await self.lookup.child(server, message.name)
        tool = None if child is not None else await self.lookup.find(server, message, request)
        if tool is not None:
            child = getattr(tool, "_server", None)
        if isinstance(child, self.is_server):
            # A mounted server runs its own chain, where its middleware may still change arguments.
            if not any(hasattr(one, "scrubber_guard") for one in child.middleware):
                _stand(child, None)
            return _Step(None, context, runs_here=False)
        if tool is None:
            return None
        inside = await self.lookup.inside(tool) or {}
        call, faults, step = self._decide(context, tool, server, inside)
        if not faults and not call.unknown:
            return step
        return _Step(self.guard.tell(call, faults, request, self.error_result), context, runs_here=False)

    def _decide(self, context: Any, tool: Any, server: Any, inside: Inside) -> tuple[Call, list[Fault], _Step]:
        """The call as the words need it, what is wrong with it, and how it goes on if nothing is."""
        message = context.message
        arguments = message.arguments or {}
        plan = self.guard.known_plan(tool.parameters) or self._plan(tool)
        strangers = self.guard.strangers(plan, arguments)
        unknown: list[str] = []
        if strangers:
            unknown = self.guard.unknown_of(strangers)
            arguments = {name: value for name, value in arguments.items() if name in plan.allowed}
            context = context.copy(message=message.model_copy(update={"arguments": arguments}))
        faults = self._faults(tool, arguments, server, inside)
        outer = _outer.get()
        name = outer.name if outer is not None else message.name
        return Call(name, plan.schema, arguments, unknown, plan.order), faults, _Step(None, context, runs_here=True)

    def _plan(self, tool: Any) -> Plan:
        parameters = partial(self.binder.parameters, tool)
        return self.guard.plan(tool.parameters, parameters, is_open=self.binder.is_open(tool))

    def _faults(self, tool: Any, arguments: dict[str, Any], server: Any, inside: Inside) -> list[Fault]:
        try:
            return self.binder.faults(tool, arguments, strict=binding.is_strict(server), inside=inside)
        except ValidationError:
            raise
        except Exception:
            # A validator or a default factory that crashes is the server's fault, and the SDK reports it as such.
            return []


def _request_of(context: Any) -> Any:
    """The request that a call belongs to; None for a call in process, and for one that the chain only watches."""
    if getattr(context.message, "name", None) is None or context.fastmcp_context is None:
        return None
    try:
        return context.fastmcp_context.request_context
    except (ValueError, LookupError, AttributeError):
        return None
