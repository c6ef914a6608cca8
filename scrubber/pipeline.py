"""The engine: runs the rules over one event, in order, and folds their outcomes into a verdict.

Shared by the hook and by everything that shows what the hook would do. It never changes its input. It does not
catch: a rule that fails is the door's to answer, and the answer there is to drop the event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scrubber.rules import grouping
from scrubber.rules.base import REMOVE, View
from scrubber.rules.closing import NESTED_RULE, Closing, Handling
from scrubber.rules.drops import drop_rules
from scrubber.rules.error_message import add_code_and_field
from scrubber.rules.nested import close, detach
from scrubber.words import properties as listed
from scrubber.words.paths import shown
from scrubber.words.policy import Policy
from scrubber.words.verdict import Decision, Event, Finding, Verdict

ENVELOPE_RULE = "envelope"
USER_RULE = "user_rule"
TOP_LEVEL_RULE = "top_level"
_MOST_NAMES = 4096

UserRule = Callable[[Event], Any]
"""A user's own rule: gets the scrubbed event, returns `Verdict.PASS` or True to keep it, `Verdict.DROP`, None or
False to drop it, or an event to send instead."""


class RuleError(Exception):
    """A rule failed. Carries the rule's name and the type of what it raised, never its text."""

    def __init__(self, rule: str, error: BaseException) -> None:
        self.rule = rule
        self.error_type = type(error).__name__
        super().__init__(f"rule {rule} failed with {self.error_type}")


class Outcome:
    """What a run gives the door: the verdict, the event, and the names of the rules that did something."""

    __slots__ = ("event", "fired", "verdict")

    def __init__(self, verdict: Verdict, event: Event | None, fired: Iterable[str]) -> None:
        self.verdict = verdict
        self.event = event
        self.fired = fired


class Pipeline:
    """The rules of one policy, ready to run. Safe from threads: what it remembers is only ever added to."""

    def __init__(self, policy: Policy, user_rules: Sequence[UserRule] = ()) -> None:
        self._policy = policy
        self._closing = Closing(policy)
        self._drops = drop_rules(policy)
        self._user_rules = tuple(user_rules)
        self._tables: dict[str, dict[Any, Handling]] = {"": {}, **{name: {} for name in policy.allow_on}}

    def decide(self, event: Any) -> Decision:
        """Run the rules and collect their findings."""
        findings: list[Finding] = []
        outcome = self.run(event, findings)
        return Decision(outcome.verdict, outcome.event, tuple(findings))

    def run(self, event: Any, findings: list[Finding] | None = None) -> Outcome:
        """The outcome for `event`. Raises `RuleError` where a rule fails."""
        view = _view(event, findings)
        if view is None:
            return _dropped(ENVELOPE_RULE, "properties" if isinstance(event, Mapping) else "", findings)
        rule = ENVELOPE_RULE
        try:
            if view.name == listed.EXCEPTION_EVENT:
                for rule, drops in self._drops:
                    reason = drops(view)
                    if reason is not None:
                        return _dropped(rule, "properties.$exception_list", findings, reason)
            rule = "closing"
            out = self._close(view)
            rule = TOP_LEVEL_RULE
            sent = self._envelope(view, out)
        except Exception as error:
            raise RuleError(rule, error) from None
        if self._user_rules:
            return self._apply_user_rules(sent, view)
        return Outcome(Verdict.REDACT if view.fired else Verdict.PASS, sent, view.fired)

    def _close(self, view: View) -> dict[str, Any]:
        """The properties that leave."""
        table = self._tables.get(view.name)
        if table is None:
            table = self._tables[""]
        out: dict[str, Any] = {}
        for name, value in view.properties.items():
            handling = table.get(name) or self._resolve(table, name, view.name)
            mode = handling.mode
            if mode == 0:
                kind = type(value)
                if kind is str or kind is bool or kind is int or kind is float or value is None:
                    out[name] = value
                    continue
                out[name], changed = close(value)
                if changed:
                    view.note_property(NESTED_RULE, name, "cut, or closed to the SDK's names inside")
            elif mode == 1:
                if handling.check(value):
                    out[name] = value
                else:
                    view.note_property(handling.rule, name, handling.reason)
            elif mode == 2:
                kept = handling.check(value, view)
                if kept is not REMOVE:
                    out[name] = kept
            else:
                view.note_property(handling.rule, name, handling.reason)
        self._across(view, out)
        return out

    def _resolve(self, table: dict[Any, Handling], name: Any, event_name: str) -> Handling:
        handling = self._closing.resolve(name, event_name)
        if len(table) < _MOST_NAMES and type(name) is str and len(name) <= 200:
            table[name] = handling
        return handling

    def _across(self, view: View, out: dict[str, Any]) -> None:
        """Properties that are made from others."""
        if view.refused is not None:
            add_code_and_field(view, out)
        if view.frameless and listed.FINGERPRINT not in out and listed.FINGERPRINT not in self._policy.block:
            out[listed.FINGERPRINT] = grouping.fingerprint(view, out[listed.EXCEPTION_LIST])
            view.fired.add(grouping.RULE)
        if self._policy.annotate and len(out) < len(view.properties):
            gone = {shown(name) for name in view.properties if name not in out}
            before = out.get(listed.ANNOTATION)
            gone.update(before if type(before) is list else ())
            out[listed.ANNOTATION] = sorted(gone)

    def _envelope(self, view: View, out: dict[str, Any]) -> Event:
        """The event around the properties, its keys in the order they came."""
        sent: Event = {}
        for key, value in view.event.items():
            if key == "properties":
                sent[key] = out
            elif type(key) is str:
                kept, changed = self._closing.top_level(key, value)
                if kept is not REMOVE:
                    sent[key] = kept
                if changed:
                    view.note(TOP_LEVEL_RULE, shown(key), "not open beside properties")
            else:
                view.note(TOP_LEVEL_RULE, "*", "a key that is no text")
        return sent

    def _apply_user_rules(self, sent: Event, view: View) -> Outcome:
        """The user's rules see the scrubbed event and decide on it; what they return is closed again, so that none
        can open what is closed."""
        event: Event = detach(sent)
        for user_rule in self._user_rules:
            name = rule_name(user_rule)
            try:
                answer = user_rule(event)
            except Exception as error:
                raise RuleError(name, error) from None
            if answer is True or answer is Verdict.PASS:
                continue
            if answer is None or answer is False or answer is Verdict.DROP:
                return _dropped(name, "", view.findings, "dropped by a rule of the user's")
            if not isinstance(answer, dict):
                raise RuleError(name, TypeError())
            if answer is not event:
                view.note(name, "", "changed by a rule of the user's")
            event = answer
        return self.again(event, view)

    def again(self, event: Event, view: View | None = None) -> Outcome:
        """Close an event that user code has had in its hands. Drop rules do not run again: the texts are gone."""
        fresh = _view(event, None)
        if fresh is None:
            return _dropped(ENVELOPE_RULE, "properties", view.findings if view is not None else None)
        try:
            sent = self._envelope(fresh, self._close(fresh))
        except Exception as error:
            raise RuleError("closing", error) from None
        fired = fresh.fired | (view.fired if view is not None else set())
        return Outcome(Verdict.REDACT if fired else Verdict.PASS, sent, fired)


def rule_name(rule: Any) -> str:
    """A user rule's name for counts, findings and logs: its `name`, else its function's or class's name."""
    for name in (getattr(rule, "name", None), getattr(rule, "__name__", None), type(rule).__name__):
        if type(name) is str and shown(name) == name:
            return name
    return USER_RULE


def _view(event: Any, findings: list[Finding] | None) -> View | None:
    """The event as rules see it, or None where it has no properties to look at."""
    if not isinstance(event, Mapping):
        return None
    raw = event if type(event) is dict else dict(event)
    properties = raw.get("properties")
    if not isinstance(properties, Mapping):
        return None
    if type(properties) is not dict:
        properties = dict(properties)
    name = raw.get("event")
    return View(raw, name if type(name) is str else "", properties, findings)


def _dropped(
    rule: str, path: str, findings: list[Finding] | None, reason: str = "no event with a mapping of properties"
) -> Outcome:
    if findings is not None:
        findings.append(Finding(rule, path, reason))
    return Outcome(Verdict.DROP, None, (rule,))

