"""What the fittings of mcp 1.x and 2.x share: both look a tool up in `ToolManager.get_tool` and call its `run`.

`get_tool` is wrapped on the manager of one server. It is the only place inside of posthog's own wrapper, which
replaces `ToolManager.call_tool`, in either order of installation (mcp 1.26 to 2.3, posthog 7.21 to 7.91.1).
A guarded tool is of a subclass of the tool's class and shares its attributes, so that whoever else asks for a tool
reads and changes the SDK's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import Any

from pydantic import ValidationError

from scrubber.guard.aliases import of_model
from scrubber.guard.calls import Call, Fault
from scrubber.guard.core import Guard, GuardError, failed, faults_of

_running: ContextVar[Any] = ContextVar("scrubber_guard_running", default=None)
"""The request whose tool is running: what that tool calls in process is the SDK's alone."""

_FLAG = "__scrubber_guard__"


def install(server: Any, guard: Guard, error_result: Callable[[str], Any], title: str) -> None:
    """Guard every tool that the server has and will have. Raises GuardError, named after `title`, where it cannot."""
    manager: Any = getattr(server, "_tool_manager", None)
    found = getattr(manager, "get_tool", None)
    if not callable(found) or not callable(getattr(manager, "call_tool", None)):
        raise GuardError(f"{title}: no ToolManager with get_tool and call_tool; this mcp version is not known")
    if getattr(found, _FLAG, False):
        raise GuardError(f"{title}: the server has a guard already; call guard_arguments once")
    tools: dict[int, tuple[Any, Any]] = {}

    def get_tool(name: str) -> Any:
        tool = found(name)
        if tool is None:
            return None
        known = tools.get(id(tool))
        if known is not None and known[0] is tool:
            return known[1]
        try:
            guarded = _guarded(tool, guard, error_result)
        except Exception as error:
            failed(error)
            return tool
        if len(tools) >= 4096:
            tools.clear()
        tools[id(tool)] = (tool, guarded)
        return guarded

    setattr(get_tool, _FLAG, True)
    manager.get_tool = get_tool


def _same(tool: Any, class_: type, changed: dict[str, Any] | None = None) -> Any:
    """An object of `class_` with the tool's attributes: the very same, or a copy with some changed."""
    made: Any = object.__new__(class_)
    object.__setattr__(made, "__dict__", tool.__dict__ if changed is None else {**tool.__dict__, **changed})
    for slot in ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__"):
        object.__setattr__(made, slot, getattr(tool, slot, None))
    return made


_classes: dict[type, type] = {}


def _class_of(original: type) -> type:
    """The subclass of a tool's class with the guard's `run`; made once for each class."""
    known = _classes.get(original)
    if known is not None:
        return known

    def run(self: Any, arguments: dict[str, Any], *rest: Any, **options: Any) -> Any:
        return self.__scrubber_run__(arguments, *rest, **options)

    names = {"run": run, "__module__": original.__module__, "__doc__": original.__doc__}
    made: type = type(original)(original.__name__, (original,), {**names, "__slots__": ("__scrubber_run__",)})
    _classes[original] = made
    return made


def _guarded(tool: Any, guard: Guard, error_result: Callable[[str], Any]) -> Any:
    made = _same(tool, _class_of(type(tool)))
    object.__setattr__(made, "__scrubber_run__", _run_of(tool, guard, error_result))
    return made


def _run_of(tool: Any, guard: Guard, error_result: Callable[[str], Any]) -> Callable[..., Awaitable[Any]]:
    """The guarded `run` of one tool.

    It hands over the SDK's own coroutine and awaits nothing, so no frame of the guard's is in a traceback: what is
    raised looks to PostHog, and to the hook that judges where it was raised, as it does without the guard.
    """

    def run(arguments: dict[str, Any], context: Any = None, convert_result: bool = False) -> Awaitable[Any]:
        request = _request_of(context) if convert_result else None
        if request is None or _running.get() is request:
            # A call in process: its caller expects the SDK's exception.
            return tool.run(arguments, context=context, convert_result=convert_result)  # type: ignore[no-any-return]
        to_run = tool
        try:
            to_run, refused = _judge(tool, guard, arguments, request, error_result)
            if refused is not None:
                return _answered(refused)
        except Exception as error:
            failed(error)
        # Not taken back: it names this very request, and the next one is another.
        _running.set(request)
        return to_run.run(arguments, context=context, convert_result=convert_result)  # type: ignore[no-any-return]

    return run


async def _answered(result: Any) -> Any:
    return result


def _request_of(context: Any) -> Any:
    """The request that a Context belongs to, or None outside of one (mcp raises there)."""
    try:
        return context.request_context if context is not None else None
    except (ValueError, LookupError, AttributeError):
        return None


def _judge(
    tool: Any, guard: Guard, arguments: dict[str, Any], request: Any, error_result: Callable[[str], Any]
) -> tuple[Any, Any]:
    """The tool to run, bound already, or the result that refuses the call."""
    metadata = tool.fn_metadata
    plan = guard.known_plan(tool.parameters) or guard.plan(tool.parameters, partial(of_model, metadata.arg_model))
    strangers = guard.strangers(plan, arguments)
    unknown = guard.unknown_of(strangers)
    if strangers:
        # The SDK's own model drops them; one that an author closed would refuse those to be ignored.
        arguments = {name: value for name, value in arguments.items() if name in plan.allowed}
    bound, faults = _bind(metadata, arguments)
    if faults or unknown:
        call = Call(tool.name, plan.schema, arguments, unknown, plan.order)
        return tool, guard.tell(call, faults, request, error_result)
    if bound is None:
        return tool, None
    return _same(tool, type(tool), {"fn_metadata": bound}), None


def _bind(metadata: Any, arguments: dict[str, Any]) -> tuple[_Bound | None, list[Fault]]:
    """The bound arguments, or why they do not bind; neither where the SDK itself crashes on them."""
    parsed = None
    # mcp 1.x and mcp 2.0 crash here on a number of 5,000 digits, or on deep JSON, in a text.
    with suppress(ValueError, RecursionError):
        parsed = metadata.pre_parse_json(arguments)
    try:
        kept = metadata.arg_model.model_validate(arguments if parsed is None else parsed)
    except ValidationError as error:
        return None, faults_of(error)
    except Exception:
        # A validator or a default factory that crashes is the server's fault, and the SDK reports it as such.
        return None, []
    return (None if parsed is None else _Bound(metadata, kept)), []


class _Kept:
    """Stands for the argument model, and answers with what it made of the arguments before."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def model_validate(self, _: Any) -> Any:
        return self._value


class _Bound:
    """A tool's `FuncMetadata` for one call whose arguments are bound: default factories and validators run once."""

    __slots__ = ("_metadata", "arg_model")

    def __init__(self, metadata: Any, kept: Any) -> None:
        self._metadata = metadata
        self.arg_model = _Kept(kept)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._metadata, name)

    def pre_parse_json(self, data: Any) -> Any:
        return data

    def validate_arguments(self, _: Any) -> Any:
        return self.arg_model.model_validate(None).model_dump_one_level()

    def call_fn_with_arg_validation(self, *arguments: Any, **options: Any) -> Any:
        # mcp 1.x, and 2.x before 2.3: the SDK's own code, which asks this object for what it validates.
        return type(self._metadata).call_fn_with_arg_validation(self, *arguments, **options)
