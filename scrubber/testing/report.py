"""What a leak check found: counts, places and what could not be looked at. No text of it holds a value of an event or
of a canary; `LeakReport.left` is the events themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

from scrubber.settings import Settings
from scrubber.testing.search import Place
from scrubber.words.verdict import Event

_MOST_LINES = 20


@dataclass(slots=True)
class ToolPlayed:
    """How one tool was played. answered: calls that came back; succeeded: those without an error; unwatched: the
    arguments that held no canary, and why; left_out: calls that were too many."""

    name: str
    calls: int = 0
    answered: int = 0
    succeeded: int = 0
    unwatched: dict[str, str] = field(default_factory=dict)
    left_out: int = 0


@dataclass(slots=True)
class LeakReport:
    """The result of `leak_check`, and events for `assert_baseline(report, ...)`.

    seen, dropped: how many events the hook saw, and dropped. left: the events that left, or would have. places: where
    canaries left. settings: of the hook, where it has any.
    """

    tools: list[ToolPlayed] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    canaries: int = 0
    seen: int = 0
    left: list[Event] = field(default_factory=list, repr=False)
    places: list[Place] = field(default_factory=list)
    planted_in: dict[int, str] = field(default_factory=dict)
    """By canary: the tool and the argument it was planted in."""
    settings: Settings | None = field(default=None, repr=False)
    raised: int = 0
    """How often the hook raised; posthog up to 7.36 sends the event then."""

    @property
    def dropped(self) -> int:
        """Events that the hook dropped."""
        return self.seen - len(self.left)

    @property
    def calls(self) -> int:
        """Calls of all tools."""
        return sum(tool.calls for tool in self.tools)

    @property
    def silent(self) -> list[str]:
        """Tools with a call that never came back: what they send was not seen."""
        return [tool.name for tool in self.tools if tool.answered < tool.calls]

    @property
    def unreached(self) -> list[str]:
        """Tools of which no call succeeded: their bodies may not have run. Give them arguments= that do."""
        return [tool.name for tool in self.tools if tool.calls and not tool.succeeded]

    @property
    def is_clean(self) -> bool:
        """Whether nothing left, the hook never raised, and every call came back."""
        return not (self.places or self.raised or self.silent)

    def __str__(self) -> str:
        parts = [self._summary(), *self._leaks()]
        if self.raised:
            parts.append(f"the hook raised {self.raised} times; posthog up to 7.36 sends an event when that happens")
        if self.silent:
            parts.append(f"calls that did not come back: {', '.join(self.silent)}; give skip= to leave them out")
        if self.unreached:
            parts.append(f"tools of which no call succeeded: {', '.join(self.unreached)}; give arguments= that do")
        for tool in self.tools:
            parts += [f"no canary in {tool.name}, {where}: {why}" for where, why in tool.unwatched.items()]
            if tool.left_out:
                parts.append(f"{tool.name}: {tool.left_out} more calls were left out")
        if self.skipped:
            parts.append(f"not called: {', '.join(self.skipped)}")
        return "\n".join(parts)

    def _summary(self) -> str:
        return (
            f"{len(self.tools)} tools, {self.calls} calls, {self.canaries} canaries; "
            f"{self.seen} events seen, {len(self.left)} left, {self.dropped} dropped"
        )

    def _leaks(self) -> list[str]:
        if not self.places:
            return []
        by_place: dict[tuple[str, str, str], list[str]] = {}
        for place in self.places:
            where = by_place.setdefault((place.name, _general(place.path), place.form), [])
            source = self.planted_in.get(place.canary, "a value of your own")
            if source not in where:
                where.append(source)
        lines = [f"what must not leave is in {len({place.event for place in self.places})} events:"]
        for (name, path, form), sources in by_place.items():
            more = f" and {len(sources) - 3} more" if len(sources) > 3 else ""
            lines.append(f"  {name} {path} ({form}), planted in {'; '.join(sources[:3])}{more}{_advice(path)}")
        hidden = len(lines) - 1 - _MOST_LINES
        return lines if hidden <= 0 else [*lines[: _MOST_LINES + 1], f"  and {hidden} more places"]


def _general(path: str) -> str:
    """A path without its indexes, so that the same place of many events is one line."""
    out, rest = "", path
    while "[" in rest:
        before, _, rest = rest.partition("[")
        index, _, rest = rest.partition("]")
        out += f"{before}[{'N' if index.isdigit() else index}]"
    return out + rest


def _advice(path: str) -> str:
    if path == "properties.$mcp_error_message":
        return (
            '; by default the text of a ValidationError is kept: set error_messages={"ValidationError": "shape"}, '
            'or say may_leave=["$mcp_error_message"]'
        )
    return ""
