"""The fitting of the low-level `Server` of mcp 1.x and 2.x (read and run on 1.26, 1.30, 2.0 and 2.3).

There is no function to bind: what a tool declares is its JSON schema, in the server's own list of tools. mcp 1.x checks
arguments against it with jsonschema (and prints the value); mcp 2.x checks nothing, so that installing the guard is
what asks for the check. The guard wraps the handler of `tools/call`, and posthog has to wrap the guard: see `install`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from scrubber.guard.calls import Call
from scrubber.guard.core import Guard, GuardError, failed
from scrubber.guard.schema_check import Checker

_FLAG = "__scrubber_guard__"
_POSTHOG_FLAG = "__posthog_mcp_wrapped__"
_NAME = "mcp.server.lowlevel.Server"
_FIRST = (
    "the server is instrumented by posthog already, and a guard installed now would be outside of it: refused calls "
    "would leave no event, or two. Call guard_arguments(server) before instrument(server, ...)"
)
_MOST_TOOLS = 4096

Handler = Callable[..., Awaitable[Any]]
Listing = Callable[[Any], Awaitable[list[Any]]]


def install(server: Any, guard: Guard) -> None:
    """Wrap the server's handler of tool calls. Raises GuardError where that would not work."""
    if hasattr(server, "request_handlers"):
        _install_1(server, guard)
    elif hasattr(server, "get_request_handler"):
        _install_2(server, guard)
    else:
        raise GuardError(f"{_NAME}: neither request_handlers nor get_request_handler; this mcp version is not known")


def _refuse_second(handler: Any, listing: Any) -> None:
    if handler is None or listing is None:
        missing = "tools/call" if handler is None else "tools/list"
        raise GuardError(f"{_NAME}: no handler for {missing} yet; register the server's handlers, then guard it")
    if getattr(handler, _FLAG, False):
        raise GuardError(f"{_NAME}: the server has a guard already; call guard_arguments once")
    if getattr(handler, _POSTHOG_FLAG, False) or getattr(listing, _POSTHOG_FLAG, False):
        raise GuardError(f"{_NAME}: {_FIRST}")


def _install_1(server: Any, guard: Guard) -> None:
    types = import_module("mcp.types")
    handlers = server.request_handlers
    call, listing = handlers.get(types.CallToolRequest), handlers.get(types.ListToolsRequest)
    _refuse_second(call, listing)

    async def tools(_: Any) -> list[Any]:
        result = await listing(types.ListToolsRequest(method="tools/list"))
        return list(getattr(result, "root", result).tools)

    def error_result(text: str) -> Any:
        content = [types.TextContent(type="text", text=text)]
        return types.ServerResult(types.CallToolResult(content=content, isError=True))

    checked = _Tools(guard, tools, error_result, checks=_validates(call))

    async def guarded(request: Any) -> Any:
        refused, changed = await checked.judge(request.params, _request_of(server))
        if refused is not None:
            return refused
        return await call(request if changed is None else request.model_copy(update={"params": changed}))

    setattr(guarded, _FLAG, True)
    handlers[types.CallToolRequest] = guarded


def _request_of(server: Any) -> Any:
    try:
        return server.request_context
    except LookupError:
        return None


def _validates(handler: Any) -> bool:
    """Whether the server registered with `call_tool(validate_input=False)`: then its author wants no check of types."""
    code, cells = getattr(handler, "__code__", None), getattr(handler, "__closure__", None)
    if code is None or not cells or "validate_input" not in code.co_freevars:
        return True
    return bool(cells[code.co_freevars.index("validate_input")].cell_contents)


def _install_2(server: Any, guard: Guard) -> None:
    types = import_module("mcp_types")
    entry, listing = server.get_request_handler("tools/call"), server.get_request_handler("tools/list")
    _refuse_second(getattr(entry, "handler", None), getattr(listing, "handler", None))
    call, list_tools, list_params = entry.handler, listing.handler, listing.params_type

    async def tools(context: Any) -> list[Any]:
        found: list[Any] = []
        cursor = None
        while len(found) < _MOST_TOOLS:
            result = await list_tools(context, list_params(cursor=cursor) if cursor else list_params())
            found += result.tools
            cursor = getattr(result, "next_cursor", None)
            if not cursor:
                break
        return found

    def error_result(text: str) -> Any:
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)

    checked = _Tools(guard, tools, error_result, checks=True)

    async def guarded(context: Any, params: Any) -> Any:
        refused, changed = await checked.judge(params, context)
        if refused is not None:
            return refused
        return await call(context, params if changed is None else changed)

    setattr(guarded, _FLAG, True)
    server.add_request_handler("tools/call", entry.params_type, guarded)


class _Tools:
    """The tools of one server, by the list that it gives its clients."""

    def __init__(self, guard: Guard, tools: Listing, error_result: Callable[[str], Any], *, checks: bool) -> None:
        self.guard = guard
        self.tools = tools
        self.error_result = error_result
        self.checks = checks
        self.schemas: dict[str, Any] = {}
        self.checker = Checker()

    async def judge(self, params: Any, request: Any) -> tuple[Any, Any]:
        """A refusal or None, and the changed params or None."""
        if request is None:
            return None, None
        try:
            name, arguments = params.name, params.arguments or {}
            schema = self.schemas.get(name)
            known = schema is not None
            if not known:
                schema = await self._listed(name, request)
            if schema is None:
                return None, None
            faults, unknown, dropped = self._found(schema, arguments)
            if known and (faults or unknown):
                # The list may have changed since it was read: nobody is refused by an old one.
                schema = await self._listed(name, request)
                if schema is None:
                    return None, None
                faults, unknown, dropped = self._found(schema, arguments)
            if faults or unknown:
                plan = self.guard.plan(schema)
                call = Call(name, plan.schema, arguments, unknown, plan.order)
                return self.guard.tell(call, faults, request, self.error_result), None
            if dropped:
                left = {key: value for key, value in arguments.items() if key not in dropped}
                return None, params.model_copy(update={"arguments": left})
        except Exception as error:
            failed(error)
        return None, None

    def _found(self, schema: Any, arguments: Any) -> tuple[Any, list[str], frozenset[str]]:
        strangers = self.guard.strangers(self.guard.plan(schema), arguments)
        if not strangers:
            return (self.checker.faults(schema, arguments) if self.checks else []), [], frozenset()
        unknown = self.guard.unknown_of(strangers)
        gone = frozenset(strangers)
        left = {key: value for key, value in arguments.items() if key not in gone}
        faults = self.checker.faults(schema, left) if self.checks else []
        # Only what the schema forbids is taken away; what a handler never declared it may still read.
        closed = schema.get("additionalProperties") is False or schema.get("unevaluatedProperties") is False
        return faults, unknown, gone if closed else frozenset()

    async def _listed(self, name: str, request: Any) -> Any:
        """The schema that the server's own list gives the tool now, or None."""
        listed = await self.tools(request)
        self.schemas = {tool.name: _schema_of(tool) for tool in listed[:_MOST_TOOLS]}
        return self.schemas.get(name)


def _schema_of(tool: Any) -> Any:
    found = getattr(tool, "input_schema", None)
    return found if found is not None else getattr(tool, "inputSchema", None)
