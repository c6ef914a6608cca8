"""The engine: runs the rules over one event, in order, and folds their outcomes into a verdict.

Shared by the hook and by everything that shows what the hook would do. It never changes its input. It does not
catch: a rule that fails is the door's to answer, and the answer there is to drop the event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from scrubber.plans import Plan
from scrubber.rules import grouping
from scrubber.rules.base import REMOVE, Called, View
from scrubber.rules.closing import NESTED_RULE, Closing
from scrubber.rules.drops import drop_rules
from scrubber.rules.error_message import RULE as MESSAGE_RULE
from scrubber.rules.nested import close, detach
from scrubber.words import properties as listed
from scrubber.words.paths import shown
from scrubber.words.policy import Policy
from scrubber.words.verdict import Decision, Event, Finding, Verdict

ENVELOPE_RULE = "envelope"
USER_RULE = "user_rule"
TOP_LEVEL_RULE = "top_level"
_MOST_PLANS = 512
_MOST_EVENTS = 256
_LONGEST_PLAN = 256

_SCALARS = frozenset({str, bool, int, float, type(None)})
_TEXT = frozenset({str})
_ENVELOPE = itemgetter(*listed.TOP_LEVEL)
_ENVELOPE_SIZE = len(listed.TOP_LEVEL) + 1

UserRule = Callable[[Event], Any]
"""A user's own rule: gets the scrubbed event, returns `Verdict.PASS` or True to keep it, `Verdict.DROP`, None or
False to drop it, or an event to send instead."""


class RuleError(Exception):
    """A rule failed. Carries the rule's name and the type of what it raised, never its text."""

    def __init__(self, rule: str, error: BaseException) -> None:
        self.rule = rule
        self.error_type = type(error).__name__
        super().__init__(f"rule {rule} failed with {self.error_type}")


class Outcome(NamedTuple):
    """What a run gives the door: the verdict, the event, and the names of the rules that did something."""

    verdict: Verdict
    event: Event | None
    fired: Iterable[str]


class Pipeline:
    """The rules of one policy, ready to run. Safe from threads: what it remembers is only ever added to."""

    def __init__(self, policy: Policy, user_rules: Sequence[UserRule] = ()) -> None:
        self._policy = policy
        self._closing = Closing(policy)
        self._drops = drop_rules(policy)
        self._user_rules = tuple(user_rules)
        self._plans: dict[tuple[tuple[Any, ...], str], Plan] = {}
        self._event_names: set[str] = set()

    def decide(self, event: Any) -> Decision:
        """Run the rules and collect their findings."""
        findings: list[Finding] = []
        outcome = self.run(event, findings)
        return Decision(outcome.verdict, outcome.event, tuple(findings))

    def run(self, event: Any, findings: list[Finding] | None = None, sent: Called | None = None) -> Outcome:
        """The outcome for `event`. Raises `RuleError` where a rule fails.

        sent: what the call sent that the event belongs to (`scrubber.pairing`), where it was seen.
        """
        view = _view(event, findings)
        if view is None:
            return _dropped(ENVELOPE_RULE, "properties" if isinstance(event, Mapping) else "", findings)
        rule = ENVELOPE_RULE
        try:
            if view.name == listed.EXCEPTION_EVENT:
                view.sent = sent
                for rule, drops in self._drops:
                    reason = drops(view)
                    if reason is not None:
                        return _dropped(rule, "properties.$exception_list", findings, reason)
            rule = "closing"
            out = self._close(view)
            rule = TOP_LEVEL_RULE
            scrubbed = self._envelope(view, out)
        except Exception as error:
            raise RuleError(rule, error) from None
        if self._user_rules:
            return self._apply_user_rules(scrubbed, view)
        return Outcome(Verdict.REDACT if view.fired else Verdict.PASS, scrubbed, view.fired)

    def _close(self, view: View) -> dict[str, Any]:
        """The properties that leave.

        Runs inside every request, so what depends on the names alone is planned once for each set of names; an event
        then costs one copy and a look at the values that have a kind or a rule.
        """
        names = tuple(view.properties)
        plan = self._plans.get((names, view.name)) or self._plan(names, view.name)
        out = view.properties.copy()
        if plan.closed:
            view.fired |= plan.closed_rules
            for name, handling in plan.closed:
                del out[name]
                if view.findings is not None:
                    view.note_property(handling.rule, name, handling.reason)
        if plan.known and not plan.has_known(out):
            self._look(view, out, plan)
        for name, check, handling in plan.kinds:
            if not check(out[name]):
                del out[name]
                view.note_property(handling.rule, name, handling.reason)
        if not _SCALARS.issuperset(map(type, plan.open_values(out))):
            self._close_containers(view, out, plan.open)
        for name, rule in plan.rules:
            kept = rule(out[name], view)
            if kept is REMOVE:
                del out[name]
            else:
                out[name] = kept
        if view.refused is not None and listed.ERROR_CODE not in out:
            self._add_refused(view, *view.refused, out)
        if view.frameless or self._policy.annotate:
            self._across(view, out)
        return out

    @staticmethod
    def _look(view: View, out: dict[str, Any], plan: Plan) -> None:
        """Look at each value that has a kind; remember the values of an event in which all had theirs."""
        before = len(out)
        values = plan.known_values(out)
        for name, handling in plan.known:
            if not handling.check(out[name]):
                del out[name]
                view.note_property(handling.rule, name, handling.reason)
        if len(out) == before:
            plan.remember(values)

    @staticmethod
    def _close_containers(view: View, out: dict[str, Any], names: Iterable[Any]) -> None:
        """Rebuild the containers under open names; scalars and unknown objects stay."""
        for name in names:
            if type(out[name]) not in _SCALARS:
                out[name], changed = close(out[name])
                if changed:
                    view.note_property(NESTED_RULE, name, "cut, or closed to the SDK's names inside")

    def _plan(self, names: tuple[Any, ...], event_name: str) -> Plan:
        plan = Plan([(name, self._closing.resolve(name, event_name)) for name in names])
        if event_name in self._event_names or len(self._event_names) < _MOST_EVENTS:
            self._event_names.add(event_name)
            if len(self._plans) >= _MOST_PLANS:
                # Events with ever new names: start over rather than grow or never learn again.
                self._plans.clear()
            if len(names) <= _LONGEST_PLAN:
                self._plans[names, event_name] = plan
        return plan

    def _across(self, view: View, out: dict[str, Any]) -> None:
        """Properties that are made from all others."""
        if view.frameless and listed.FINGERPRINT not in out and listed.FINGERPRINT not in self._policy.block:
            out[listed.FINGERPRINT] = grouping.fingerprint(view, out[listed.EXCEPTION_LIST])
            view.note_property(grouping.RULE, listed.FINGERPRINT, "without text and frames all faults would be one")
        gone = {shown(name) for name in view.properties if name not in out} if self._policy.annotate else set()
        if gone and listed.ANNOTATION not in self._policy.block:
            before = out.get(listed.ANNOTATION)
            gone.update(before if type(before) is list else ())
            out[listed.ANNOTATION] = sorted(gone)

    def _add_refused(self, view: View, code: str, field: str, out: dict[str, Any]) -> None:
        """Set `$mcp_error_code` and `$mcp_error_field` on the call event, as far as the settings let them leave."""
        for name, value in ((listed.ERROR_CODE, code), (listed.ERROR_FIELD, field)):
            if value and name not in out and self._closing.lets(name, value):
                out[name] = value
                view.note_property(MESSAGE_RULE, name, "read off the refusal's text")

    def _envelope(self, view: View, out: dict[str, Any]) -> Event:
        """The event around the properties, its keys in the order they came."""
        event = view.event
        if len(event) == _ENVELOPE_SIZE:
            try:
                usual = _TEXT.issuperset(map(type, _ENVELOPE(event)))
            except KeyError:
                usual = False
            if usual:
                sent = event.copy()
                sent["properties"] = out
                return sent
        return self._unusual_envelope(view, out)

    def _unusual_envelope(self, view: View, out: dict[str, Any]) -> Event:
        sent: Event = {}
        for key, value in view.event.items():
            if key == "properties":
                sent[key] = out
            elif type(key) is str:
                kept, changed = self._closing.top_level(key, value, view.name)
                if kept is not REMOVE:
                    sent[key] = kept
                if changed:
                    view.note(TOP_LEVEL_RULE, shown(key), "not open beside properties")
            else:
                view.note(TOP_LEVEL_RULE, "*", "a key that is no text")
        return sent

    def _apply_user_rules(self, scrubbed: Event, view: View) -> Outcome:
        """The user's rules see the scrubbed event and decide on it; what they return is closed again, so that none
        can open what is closed."""
        event: Event = detach(scrubbed)
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
            event = answer
        if event != scrubbed:
            view.note(USER_RULE, "", "changed by a rule of the user's")
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
    own = getattr(rule, "name", None), getattr(rule, "__name__", None), type(rule).__name__
    for name in own:
        if type(name) is str and shown(name) == name and name not in ("function", "method"):
            return name
    return USER_RULE


def _view(event: Any, findings: list[Finding] | None) -> View | None:
    """The event as rules see it, or None where it has no properties to look at."""
    if type(event) is not dict:
        if not isinstance(event, Mapping):
            return None
        event = dict(event)
    properties = event.get("properties")
    if type(properties) is not dict:
        if not isinstance(properties, Mapping):
            return None
        properties = dict(properties)
    name = event.get("event")
    return View(event, name if type(name) is str else "", properties, findings)


def _dropped(
    rule: str,
    path: str,
    findings: list[Finding] | None,
    reason: str = "no event with a mapping of properties",
) -> Outcome:
    if findings is not None:
        findings.append(Finding(rule, path, reason))
    return Outcome(Verdict.DROP, None, (rule,))
