"""The posthog door: `before_send`. Event in; the event to send, or `None`, out. It never raises."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from threading import get_ident
from time import monotonic
from typing import Any

from scrubber.pairing import Pairing
from scrubber.pipeline import Outcome, Pipeline, RuleError, UserRule
from scrubber.rules.base import Called
from scrubber.rules.nested import detach
from scrubber.settings import Settings
from scrubber.words import properties as listed
from scrubber.words.errors import SettingsError
from scrubber.words.verdict import Decision, Event, Finding, Verdict

logger = logging.getLogger("scrubber")

THEN_RULE = "then"
FAILED_REASON = "a rule failed; the event is dropped unseen"
_WARN_EVERY = 60.0
"""Seconds between two warnings about the same rule and exception type."""

_TOTALS: dict[Verdict | str, tuple[str, ...]] = {
    Verdict.PASS: ("sent",),
    Verdict.REDACT: ("sent", "redacted"),
    Verdict.DROP: ("dropped",),
    "failed": ("dropped", "failed"),
}

_hooks: weakref.WeakSet[Scrubber] = weakref.WeakSet()


class Scrubber:
    """A `before_send` hook with one policy.

    settings: the policy; read from arguments, environment and file by `Settings()` when not given.
    then: a hook of the user's own, called with the scrubbed event; what it returns is closed again. If it fails,
    the event is dropped. It must be a plain function, because posthog's client calls hooks synchronously.
    rules: the user's own rules (`scrubber.pipeline.UserRule`), run on the scrubbed event before `then`.

    One object serves `Posthog(before_send=...)`, `AsyncPosthog`, `posthog.before_send` and
    `MCPAnalyticsOptions(before_send=...)`, also all at once: an event seen twice is not changed again.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        then: Callable[[Event], Any] | None = None,
        rules: Sequence[UserRule] = (),
    ) -> None:
        if settings is not None and not isinstance(settings, Settings):
            raise SettingsError("Scrubber: settings must be a scrubber.Settings; write Scrubber(Settings(...))")
        for rule in (*rules, *((then,) if then is not None else ())):
            if not callable(rule):
                raise SettingsError("Scrubber: then and rules must be callables that take the event")
        self.settings = settings if settings is not None else Settings()
        self._rules = tuple(rules)
        self._pipeline = Pipeline(self.settings.policy(), rules)
        self._then = then
        self._pairing = Pairing() if self.settings.corroborate else None
        self._deciding = Pairing() if self.settings.corroborate else None
        self._lock = threading.Lock()
        self._counted: dict[tuple[Any, ...], int] = {}
        """How often an outcome came with a set of rules; few sets exist, and one look-up is all an event pays."""
        self._warned: dict[tuple[str, str], float] = {}
        _hooks.add(self)

    def __call__(self, event: Any) -> Event | None:
        """What posthog calls. Any object in; a dict to send, or `None` to drop, out."""
        return self._run(event, None, self._pairing).event

    def decide(self, event: Any) -> Decision:
        """The verdict on an event, with the findings behind it: the same engine as calling the hook, and counted
        nowhere. `then` and the user's rules run too. Like the hook, it compares an `$exception` with the call event
        decided right before it on the same thread."""
        findings: list[Finding] = []
        outcome = self._run(event, findings, self._deciding, counted=False)
        return Decision(outcome.verdict, outcome.event, tuple(findings))

    def counts(self) -> dict[str, Any]:
        """How many events were `sent`, `dropped`, `redacted` (sent, but changed) and `failed` (dropped because a rule
        failed), and under `by_rule` how often each rule did which."""
        with self._lock:
            counted = list(self._counted.items())
        totals = dict.fromkeys(("sent", "dropped", "redacted", "failed"), 0)
        rules: dict[str, dict[str, int]] = {}
        for (what, *fired), number in counted:
            for total in _TOTALS[what]:
                totals[total] += number
            for rule in fired:
                by_what = rules.setdefault(rule, {})
                by_what[_TOTALS[what][-1]] = by_what.get(_TOTALS[what][-1], 0) + number
        return {**totals, "by_rule": dict(sorted(rules.items()))}

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy, or one in another process, is a new hook with the same policy: counts and locks do not travel.
        return (_make, (self.settings, self._then, self._rules))

    def _run(
        self, event: Any, findings: list[Finding] | None, pairing: Pairing | None, counted: bool = True
    ) -> Outcome:
        try:
            sent = self._see(event, pairing) if pairing is not None else None
            outcome = self._pipeline.run(event, findings, sent)
            if self._then is not None and outcome.event is not None:
                outcome = self._chain(self._then, outcome.event, outcome.fired, findings)
        except KeyboardInterrupt:
            # The user's own Ctrl-C; nothing is sent by an exception that passes through posthog.
            raise
        except BaseException as error:
            # Whatever it is, the event must not leave: posthog up to 7.36 sends the original when a hook raises.
            return self._failed(error, findings, counted)
        if counted:
            self._count(outcome.verdict, outcome.fired)
        return outcome

    def _see(self, event: Any, pairing: Pairing) -> Called | None:
        """What the call sent that belongs to an `$exception`; None for other events and where they are not known."""
        try:
            if not (pairing.waiting or event["properties"].get(listed.IS_ERROR) is True):
                # Most events neither fail nor follow a failure.
                return None
            with self._lock:
                return pairing.see(event, get_ident(), monotonic())
        except Exception:
            # An event that cannot even be looked up belongs to no call; its own evidence decides.
            return None

    def _chain(
        self, then: Callable[[Event], Any], event: Event, fired: Iterable[str], findings: list[Finding] | None
    ) -> Outcome:
        """Hand the scrubbed event to the user's own hook."""
        try:
            answer = then(detach(event))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise RuleError(THEN_RULE, error) from None
        if answer is None:
            if findings is not None:
                findings.append(Finding(THEN_RULE, "", "dropped by the user's own hook"))
            return Outcome(Verdict.DROP, None, (THEN_RULE,))
        if not isinstance(answer, dict):
            if hasattr(answer, "close"):
                answer.close()  # a coroutine that nobody will await
            raise RuleError(THEN_RULE, TypeError())
        again = self._pipeline.again(answer)
        if again.event is None:
            return again
        changed = answer != event
        if changed and findings is not None:
            findings.append(Finding(THEN_RULE, "", "changed by the user's own hook"))
        all_fired = {*fired, *again.fired, *((THEN_RULE,) if changed else ())}
        return Outcome(Verdict.REDACT if all_fired else Verdict.PASS, again.event, all_fired)

    def _failed(self, error: BaseException, findings: list[Finding] | None, counted: bool) -> Outcome:
        rule, type_ = (
            (error.rule, error.error_type) if isinstance(error, RuleError) else ("engine", type(error).__name__)
        )
        if findings is not None:
            findings[:] = [Finding(rule, "", FAILED_REASON)]
        if counted:
            self._count("failed", (rule,))
            self._warn(rule, type_)
        return Outcome(Verdict.DROP, None, (rule,))

    def _count(self, what: Verdict | str, rules: Iterable[str]) -> None:
        key = (what, *rules)
        with self._lock:
            self._counted[key] = self._counted.get(key, 0) + 1

    def _warn(self, rule: str, type_: str) -> None:
        """One line, without the event, the exception's text or its traceback: all of them may hold content."""
        now = monotonic()
        with self._lock:
            last = self._warned.get((rule, type_))
            if last is not None and now - last < _WARN_EVERY:
                return
            if len(self._warned) < 256:
                self._warned[rule, type_] = now
        logger.warning("scrubber: rule %s failed with %s; the event was dropped", rule, type_)

    def _after_fork(self) -> None:
        # Another thread of the parent may have held the lock; nobody in the child will release it.
        self._lock = threading.Lock()


def _make(settings: Settings, then: Callable[[Event], Any] | None, rules: Sequence[UserRule]) -> Scrubber:
    return Scrubber(settings, then=then, rules=rules)


def _renew_locks() -> None:
    for hook in list(_hooks):
        hook._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
