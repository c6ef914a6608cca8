"""The options of a user's client that let content out, with and without the hook."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Iterator, Mapping
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from scrubber.doctor.guard import silence
from scrubber.doctor.raising import Fate
from scrubber.doctor.records import Level, Remark
from scrubber.words import properties as listed

_DEEPEST = 3
HOOK_SECONDS = 5.0
ABOUT = "client"


def examine(client: Any, hook_type: type[Any], fate: Fate) -> list[Remark]:
    """Remarks on a client: a finding for each option by which content leaves, a note for what is worth knowing.

    client: what `Posthog(...)` made, or the posthog module itself. hook_type: the class of the hook. fate: what the
    installed posthog does when a hook raises.
    """
    hook = getattr(client, "before_send", None)
    # Only AsyncPosthog waits for a hook.
    waits = iscoroutinefunction(getattr(client, "capture_immediate", None))
    remarks = _hook(hook, hook_type, fate, waits)
    guarded = not any(remark.level is Level.FINDING for remark in remarks)
    remarks += _options(client, guarded)
    remarks += _other_ways(client)
    if not remarks:
        remarks.append(Remark(Level.NOTE, ABOUT, f"before_send is a {hook_type.__name__}; no leaking option is on"))
    return remarks


def _hook(hook: Any, hook_type: type[Any], fate: Fate, waits: bool) -> list[Remark]:
    """Who looks at the events before they leave."""
    set_it = f"set before_send={hook_type.__name__}()"
    if hook is None:
        text = "has no before_send: arguments and exception texts leave as they are"
        return [Remark(Level.FINDING, ABOUT, text, set_it)]
    remarks = []
    own = isinstance(hook, hook_type)
    if not own and not holds(hook, hook_type):
        text = f"before_send is no {hook_type.__name__} and does not wrap one"
        remarks.append(Remark(Level.FINDING, ABOUT, text, f"{set_it[4:]}, and hand your hook over as then="))
    elif not own:
        text = f"before_send wraps a {hook_type.__name__}: nobody closes what it adds afterwards"
        remarks.append(Remark(Level.NOTE, ABOUT, text, f"{set_it[4:]} and hand your hook over as then="))
    problem = _try(hook, waits)
    if problem is not None:
        remarks.append(Remark(Level.FINDING, ABOUT, f"before_send, given made-up events, {problem}", set_it))
    if not own and fate is Fate.SENT:
        text = "before_send is your own code, and this posthog sends the original event when it raises"
        remarks.append(Remark(Level.FINDING, ABOUT, text, "hand it over as then=, or upgrade posthog"))
    return remarks


def holds(hook: Any, hook_type: type[Any], depth: int = 0) -> bool:
    """Whether a callable is the hook or keeps one where it can call it: a partial's function or arguments, a bound
    object's attributes, a closure's cells, a default, a global that its code names."""
    if isinstance(hook, hook_type):
        return True
    if depth >= _DEEPEST or isinstance(hook, (str, bytes, int, float, type(None))):
        return False
    return any(holds(part, hook_type, depth + 1) for part in _parts(hook))


def _parts(hook: Any) -> Iterator[Any]:
    if isinstance(hook, (list, tuple)):
        yield from hook
        return
    for name in ("func", "__wrapped__", "__self__", "__func__"):
        if hasattr(hook, name):
            yield getattr(hook, name)
    yield from getattr(hook, "args", None) or ()
    yield from (getattr(hook, "keywords", None) or {}).values()
    yield from getattr(hook, "__defaults__", None) or ()
    for cell in getattr(hook, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue  # a name that is not set yet
    code = getattr(hook, "__code__", None)
    if code is not None:
        known = getattr(hook, "__globals__", {})
        yield from (known[name] for name in code.co_names if name in known)
    elif not isinstance(hook, type):
        yield from list(getattr(hook, "__dict__", {}).values())
        called = vars(type(hook)).get("__call__")
        if called is not None:
            yield called


def _try(hook: Any, waits: bool) -> str | None:
    """What is wrong with what the hook makes of a tool call and a fault, both made up; None where nothing is."""
    canary = f"canary-{secrets.token_hex(5)}"
    call = {"$mcp_tool_name": "probe", "$mcp_is_error": False, listed.PARAMETERS: {"request": canary}}
    entry = {"type": "RuntimeError", "value": canary, "mechanism": {"type": "generic", "handled": True}}
    fault = {listed.EXCEPTION_LIST: [entry]}
    for name, properties in ((listed.TOOL_CALL_EVENT, call), (listed.EXCEPTION_EVENT, fault)):
        event = {"event": name, "distinct_id": "doctor", "properties": properties, "timestamp": "", "uuid": ""}
        try:
            with silence():
                answer = hook(event)
                if isawaitable(answer) and waits:
                    answer = asyncio.run(_awaited(answer))
        except Exception as error:
            return f"raises {type(error).__name__}"
        if isawaitable(answer):
            close = getattr(answer, "close", None)
            if callable(close):
                close()
            return "is asynchronous, and this client does not wait for it"
        if canary in repr(answer):
            return f"lets {'the arguments' if name == listed.TOOL_CALL_EVENT else 'the text of an exception'} through"
    return None


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await asyncio.wait_for(answer, HOOK_SECONDS)


def _options(client: Any, guarded: bool) -> list[Remark]:
    """Options that collect content. With the hook they are notes: it removes what they collect."""
    level = Level.NOTE if guarded else Level.FINDING
    remarks = []
    for name, what, removed in (
        ("capture_exception_code_variables", "collects the local variables of every frame", "the hook removes them"),
        ("enable_exception_autocapture", "sends every uncaught exception with its text", "the hook removes the text"),
        ("debug", "writes each event to the log before it is queued", "the hook saw it first"),
    ):
        if getattr(client, name, False) is not True:
            continue
        if guarded and name == "enable_exception_autocapture":
            continue
        text = f"{name} is on: it {what}" + (f"; {removed}" if guarded else "")
        remarks.append(Remark(level, ABOUT, text, "turn it off"))
    if getattr(client, "log_captured_exceptions", False) is True:
        text = "log_captured_exceptions is on: texts of exceptions go to your own log, which no hook sees"
        remarks.append(Remark(Level.NOTE, ABOUT, text))
    if getattr(client, "enable_full_ai_capture", False) is True:
        text = "enable_full_ai_capture is on: prompts and answers are sent in full; only profile=strict closes $ai_*"
        remarks.append(Remark(Level.NOTE, ABOUT, text))
    if getattr(client, "disabled", False) is True:
        remarks.append(Remark(Level.NOTE, ABOUT, "the client is disabled: it sends nothing"))
    return remarks


def _other_ways(client: Any) -> list[Remark]:
    """Metrics and spans leave by ways of their own, which before_send does not see."""
    remarks = []
    for name, private, hook, what in (
        ("metrics", "_metrics_config", "before_send", "metric samples"),
        ("traces", "_traces_config", "before_span_send", "spans"),
    ):
        config = getattr(client, private, None) if hasattr(client, private) else getattr(client, name, None)
        if config is None or config is False or not isinstance(config, (Mapping, bool)):
            continue
        own = config.get(hook) if isinstance(config, Mapping) else None
        if own:
            text = f"{name} is on: {what} pass your own {hook}, and never this hook"
            remarks.append(Remark(Level.NOTE, ABOUT, text))
        else:
            text = f"{name} is on: {what} leave with their attributes, and before_send never sees them"
            advice = f"give {name} a {hook} of its own, or turn it off"
            remarks.append(Remark(Level.FINDING, ABOUT, text, advice))
    return remarks
