"""What every fitting shares: the options, the plan of a tool, the one log line, and the note of what was refused."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

from scrubber.guard import words
from scrubber.guard.aliases import Parameter, declared
from scrubber.guard.calls import Call, Fault, Refusal
from scrubber.guard.nodes import COMBINATIONS, Node, properties_of, top_level
from scrubber.words.errors import ScrubberError

logger = logging.getLogger("scrubber.guard")

Unknown = Literal["refuse", "allow"]

POSTHOG_ARGUMENTS = frozenset({"context", "conversation_id", "llm_model"})
"""What posthog.mcp adds to every tool's schema (7.21 to 7.91.1) and takes away again before the tool is called."""
_MOST_PLANS = 4096
_LONGEST_NAME = 128


class GuardError(ScrubberError):
    """The guard cannot be installed here. Says what, where, and what to do instead."""


class Plan(NamedTuple):
    """What the guard knows of one tool: its schema, and the names that a caller may use."""

    schema: Node
    allowed: frozenset[str]
    order: tuple[str, ...]
    closed: bool
    """Whether other names are a mistake."""


class Told(NamedTuple):
    """The last refusal that was given in this context, and the request that it answered."""

    request: Any
    refusal: Refusal


last: ContextVar[Told | None] = ContextVar("scrubber_guard_last", default=None)


class Guard:
    """One guard: its options, and what it remembers of the tools."""

    def __init__(self, unknown: Unknown, ignore: Iterable[str]) -> None:
        self.unknown = unknown
        self.ignore = frozenset(ignore)
        self._skipped = self.ignore | POSTHOG_ARGUMENTS
        self._plans: dict[int, tuple[Any, Plan]] = {}

    def plan(
        self, schema: Any, parameters: Callable[[], Iterable[Parameter] | None] | None = None, *, is_open: bool = False
    ) -> Plan:
        """The plan for a tool with this schema; made once for each schema object.

        parameters: gives what binds, or None where the schema's names are all there are. is_open: whether a schema
        that says nothing about other names allows them.
        """
        known = self.known_plan(schema)
        if known is not None:
            return known
        root: Node = schema if isinstance(schema, dict) else {}
        properties, all_there_are = top_level(root)
        names = list(properties)
        if names != list(properties_of(root)):
            # What the combinations of the top level declare, as if it stood there; what they forbid the checker says.
            root = {**{key: value for key, value in root.items() if key not in COMBINATIONS}, "properties": properties}
        bound = parameters() if parameters is not None else None
        closed = all_there_are and (root.get("additionalProperties") is False or not is_open)
        closed = closed and (isinstance(root.get("properties"), dict) or bool(bound))
        if bound is not None:
            root, names = declared(root, bound)
        plan = Plan(root, frozenset(names), tuple(names), closed)
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        self._plans[id(schema)] = (schema, plan)
        return plan

    def known_plan(self, schema: Any) -> Plan | None:
        """The plan that was made for this very schema before."""
        known = self._plans.get(id(schema))
        # The schema is kept, so that no other object can have its id.
        return known[1] if known is not None and known[0] is schema else None

    def strangers(self, plan: Plan, arguments: Mapping[str, Any]) -> list[str]:
        """Names in the arguments that no parameter has, those to be skipped included."""
        if not plan.closed or plan.allowed.issuperset(arguments):
            return []
        return [name for name in arguments if name not in plan.allowed]

    def unknown_of(self, strangers: Collection[str]) -> list[str]:
        """The strangers to refuse."""
        if self.unknown == "allow" or not strangers:
            return []
        return [name for name in strangers if name not in self._skipped]

    def tell(self, call: Call, faults: list[Fault], request: Any, error_result: Callable[[str], Any]) -> Any:
        """The result that refuses a call, logged once and noted for the analytics of this request.

        Noted last: where something here fails the SDK answers the call, and what it raises then is not the guard's.
        """
        refusal = words.refusal(call, faults)
        result = error_result(refusal.text)
        logger.info("refused %s: %s", words.one_line(refusal.tool, _LONGEST_NAME), ", ".join(refusal.paths))
        last.set(Told(request, refusal))
        return result


def faults_of(error: Any) -> list[Fault]:
    """Code and location of each error of a pydantic ValidationError; never its messages, inputs or contexts."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return [Fault(one["type"], tuple(one["loc"])) for one in found]


def failed(error: BaseException) -> None:
    """The guard itself failed: the SDK handles the call as if there were no guard, and this says so."""
    with suppress(Exception):
        # A filter of the author's that raises may be the very failure.
        logger.warning("the guard failed with %s; the call went to the SDK", type(error).__name__)
