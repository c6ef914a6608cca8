"""The rules that drop `$exception` events. Each says above its test why the event may be lost."""

from __future__ import annotations

from typing import Any

from scrubber.rules.base import Called, DropRule, View
from scrubber.rules.corroboration import arguments_of, contradiction
from scrubber.rules.origin import REFUSED, Judgement, judge
from scrubber.words.chain import TOOL_ERRORS, Link, call_of, cause_chain, is_sdk, links
from scrubber.words.policy import Policy
from scrubber.words.properties import ERROR_TYPE, EXCEPTION_LIST, GUARD_MARK, GUARD_TYPE, TOOL_NAME

REFUSAL_RULE = "argument_refusal"
GUARD_RULE = "guard_refusal"
CORROBORATION_RULE = "corroboration"
EXPECTED_RULE = "expected_exception"
DELIBERATE_RULE = "deliberate_refusal"


def argument_refusal(view: View) -> str | None:
    """Drop an SDK's refusal of the called tool's arguments.

    Nobody can act on it in error tracking: no frame of one's own code, and the caller was told. Nothing is
    lost: the call event beside it, which carries the tool's name and `$mcp_is_error`, stays.

    Where that call event was seen, its arguments must explain the refusal: some faults of a server look like the
    caller's in everything else.
    """
    judgement = judge(view.properties)
    if not judgement.refusal:
        return None
    why_not = _contradiction(judgement, view.sent) if view.sent is not None else None
    if why_not is not None:
        view.note(CORROBORATION_RULE, "properties.$exception_list", why_not)
        return None
    return REFUSED


def _contradiction(judgement: Judgement, called: Called) -> str | None:
    try:
        sent = arguments_of(*called)
        # Where the call event does not hold the arguments, its event's own evidence decides.
        if sent is None:
            return None
        return contradiction(judgement.text, sent, judgement.transformed, judgement.quick)
    except Exception:
        # Arguments that cannot be compared (one that cannot be printed) prove nothing: the fault is sent.
        return "the arguments cannot be compared"


def guard_refusal(view: View) -> str | None:
    """Drop what posthog.mcp reports of a reply of the guard's (`scrubber.guard`).

    The guard answered the caller with a sentence, and the call event beside it keeps the record, so nobody can act on
    this one. The mark alone is not enough: the reply is an error result, of which posthog.mcp (7.21 to 7.91.1) makes
    one entry without frames. An event with a traceback, or with a cause, reports something that was raised.
    """
    properties = view.properties
    if properties.get(GUARD_MARK) is not True or properties.get(ERROR_TYPE) != GUARD_TYPE:
        return None
    if type(properties.get(TOOL_NAME)) is not str:
        return None
    chain = _chain(view)
    if chain is None or len(chain) != 1 or chain[0].frames or "stacktrace" in properties[EXCEPTION_LIST][0]:
        return None
    return "a call that the argument guard refused"


def expected(types: frozenset[str]) -> DropRule:
    """The rule that drops faults whose type, or a cause's, the user named as expected.

    Matched from the outermost link along `raise ... from` only. A `context` link says that something was
    being handled when another fault arose, and a group's member that others arose too: dropping by those
    would hide the other fault.
    """

    def expected_exception(view: View) -> str | None:
        chain = links(_without_frames(view.properties.get(EXCEPTION_LIST)), view.properties.get("$lib_version"))
        if chain is None:
            return None
        for link in cause_chain(chain):
            # posthog writes no module for the built-in ones.
            if link.type is not None and (link.type in types or f"{link.module or 'builtins'}.{link.type}" in types):
                return "a type the settings name as expected"
        return None

    return expected_exception


def _without_frames(exception_list: Any) -> Any:
    """The list without its traces: types alone are asked for, and a trace that is malformed says nothing of them."""
    if type(exception_list) is not list:
        return exception_list
    return [{**one, "stacktrace": None} if type(one) is dict else one for one in exception_list]


def deliberate_refusal(view: View) -> str | None:
    """Drop a ToolError that tool code raised on purpose, where the user asked for it.

    It is the tool's answer, not a fault; the call event keeps the count. Only if nothing stands under it: a
    cause or a context may be the fault that the ToolError reports. And only from user code's own frame: an
    SDK raises the same type for faults that it found.
    """
    if not isinstance(view.properties.get(TOOL_NAME), str):
        return None
    chain = _chain(view)
    if chain is None or chain[-1].name not in TOOL_ERRORS:
        return None
    wrapped_once = len(chain) == 2 and chain[0].name in TOOL_ERRORS and chain[1].source in (None, "cause")
    if not (len(chain) == 1 or wrapped_once) or not chain[-1].frames:
        return None
    if is_sdk(call_of(chain[-1].frames[-1])):
        return None
    return "a ToolError that tool code raised on purpose"


def _chain(view: View) -> list[Link] | None:
    return links(view.properties.get(EXCEPTION_LIST), view.properties.get("$lib_version"))


def drop_rules(policy: Policy) -> list[tuple[str, DropRule]]:
    """The drop rules that a policy asks for, by name, in order."""
    rules: list[tuple[str, DropRule]] = []
    if policy.drop_argument_rejections:
        rules.append((REFUSAL_RULE, argument_refusal))
        rules.append((GUARD_RULE, guard_refusal))
    if policy.expected_exceptions:
        rules.append((EXPECTED_RULE, expected(policy.expected_exceptions)))
    if policy.drop_refusals:
        rules.append((DELIBERATE_RULE, deliberate_refusal))
    return rules
