"""The fitting of the standalone fastmcp 2.14, 3.x and 4.x: one middleware (run on 2.14.7, 3.0.2, 3.4.11, 4.0, 4.2.3).

The middleware overrides `__call__` and nothing else: posthog.mcp takes one that overrides `on_call_tool` for one that
may reroute tools, and then neither adds nor takes away its own arguments. It returns a refusal and raises none, so that
no middleware and no log of the SDK sees an exception.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from importlib import import_module, metadata
from typing import Any, NamedTuple

from pydantic import ValidationError

from scrubber.guard import binding
from scrubber.guard.core import Guard, GuardError, failed
from scrubber.guard.lookup import Lookup
from scrubber.guard.words import Call, Fault

_running: ContextVar[Any] = ContextVar("scrubber_guard_fastmcp_running", default=None)
"""The request whose tool is running: what that tool calls in process is the SDK's alone."""
_outer: ContextVar[tuple[Any, str] | None] = ContextVar("scrubber_guard_outer", default=None)
"""The request, and the name that its client knows the tool by: a mounted server knows it by another."""


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
    outside = [type(one).__name__ for one in server.middleware]
    if any(getattr(one, "scrubber_guard", False) for one in server.middleware):
        raise GuardError(f"{name}: the server has a guard already; call guard_arguments once")
    if major < 3 and "ResponseCachingMiddleware" in outside:
        raise GuardError(
            f"{name}: ResponseCachingMiddleware of fastmcp 2 would store a refusal and answer it as a success. "
            "Call guard_arguments(server) before you add it"
        )
    if major < 3 and _runs_tasks(server):
        raise GuardError(
            f"{name}: fastmcp 2 starts a background task before any middleware, so a call that asks for one cannot be "
            "guarded. Declare the tools with task=False (and the server without tasks=True), or use fastmcp 3 or 4"
        )
    server.add_middleware(_Fitting(guard).middleware)


def _runs_tasks(server: Any) -> bool:
    """Whether the server, or a tool that it has by now, runs as a background task (fastmcp 2)."""
    tools = getattr(getattr(server, "_tool_manager", None), "_tools", {}).values()
    modes = [getattr(getattr(tool, "task_config", None), "mode", "forbidden") for tool in tools]
    return bool(getattr(server, "_support_tasks_by_default", False)) or any(mode != "forbidden" for mode in modes)


def _error_result() -> Callable[[str], Any]:
    """How an error result is made: `is_error` from fastmcp 3.1 on; before, a result that converts itself."""
    try:
        found = import_module("fastmcp.tools.base").ToolResult
    except (ImportError, AttributeError):
        found = import_module("fastmcp.tools.tool").ToolResult
    base: Any = found
    if "is_error" in getattr(base, "model_fields", {}):
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
        fitting = self

        class ArgumentGuard(import_module("fastmcp.server.middleware").Middleware):  # type: ignore[misc]
            scrubber_guard = True

            # fastmcp 2 hands `call_next` over by name.
            async def __call__(self, context: Any, call_next: Any) -> Any:
                if context.method != "tools/call":
                    return await call_next(context)
                return await fitting.call(context, call_next)

        self.middleware = ArgumentGuard()

    async def call(self, context: Any, call_next: Any) -> Any:
        """One tool call: refused here, or handed on."""
        request = _request_of(context)
        if request is None or _running.get() is request:
            # A call in process: its caller expects the SDK's exception.
            return await call_next(context)
        step = None
        token = None
        try:
            known = _outer.get()
            if known is None or known[0] is not request:
                token = _outer.set((request, context.message.name))
            step = await self._judge(context, request)
        except Exception as error:
            failed(error)
        try:
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
        finally:
            if token is not None:
                _outer.reset(token)

    async def _judge(self, context: Any, request: Any) -> _Step | None:
        message = context.message
        server = context.fastmcp_context.fastmcp
        tool = self.lookup.known(server, message, request)
        if tool is not None:
            call, faults, step = self._decide(context, tool, server)
            if not faults and not call.unknown:
                return step
        # Nobody is refused by a tool that was found for somebody else.
        tool = await self.lookup.find(server, message, request)
        if tool is None:
            return None
        child = getattr(tool, "_server", None)
        if isinstance(child, self.is_server):
            # A mounted server of fastmcp 3 and 4 runs its own chain, where its middleware may still change arguments.
            if not any(getattr(one, "scrubber_guard", False) for one in child.middleware):
                child.add_middleware(self.middleware)
            return _Step(None, context, runs_here=False)
        call, faults, step = self._decide(context, tool, server)
        if not faults and not call.unknown:
            return step
        refusal = self.guard.tell(call, faults, request)
        return _Step(self.error_result(refusal.text), context, runs_here=False)

    def _decide(self, context: Any, tool: Any, server: Any) -> tuple[Call, list[Fault], _Step]:
        """The call as the words need it, what is wrong with it, and how it goes on if nothing is."""
        message = context.message
        arguments = message.arguments or {}
        plan = self.guard.plan(tool.parameters, open_by_default=not self.binder.binds(tool))
        strangers = self.guard.strangers(plan, arguments)
        unknown: list[str] = []
        if strangers:
            unknown = self.guard.unknown_of(strangers)
            arguments = {name: value for name, value in arguments.items() if name in plan.allowed}
            context = context.copy(message=message.model_copy(update={"arguments": arguments}))
        faults = self._faults(tool, arguments, strict=_is_strict(server))
        name = (_outer.get() or (None, message.name))[1]
        return Call(name, plan.schema, arguments, unknown, plan.order), faults, _Step(None, context, runs_here=True)

    def _faults(self, tool: Any, arguments: dict[str, Any], *, strict: bool) -> list[Fault]:
        try:
            return self.binder.faults(tool, arguments, strict=strict)
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


def _is_strict(server: Any) -> bool:
    """fastmcp 4 validates strictly itself; the guard has to bind as it does."""
    return bool(getattr(server, "strict_input_validation", False))
