"""What a time of listening came to: the exit code, and the sentence about it."""

from __future__ import annotations

from scrubber.audit.listening.session import Counts
from scrubber.words.verdict import Verdict

NOTHING = "No event came. Does the app use this address as the host of its client, and flush or shut it down?"


def outcome(counts: Counts, wanted: int | None = None) -> tuple[int, str]:
    """The exit code and the sentence. wanted: how many events were asked for.

    0: the policy would have sent everything as it came. 1: it would not, or something could not be read. 2: nothing
    came, or less than was asked for, so that a test that never reached its app does not pass.
    """
    if not counts.clean:
        return 1, f"Not clean: {'; '.join(_findings(counts))}."
    if not counts.events:
        return 2, NOTHING
    if wanted is not None and counts.events < wanted:
        return 2, f"Fewer events came than the {wanted} that were asked for."
    return 0, "Clean: the policy would have sent everything as it came."


def _findings(counts: Counts) -> list[str]:
    done = [f"{word} {counts.verdicts[verdict]}" for verdict, word in _DONE if counts.verdicts[verdict]]
    found = [f"the policy would have {' and '.join(done)} of {plural(counts.events, 'event')}"] if done else []
    if counts.unreadable:
        found.append(f"{plural(counts.unreadable, 'record')} could not be read")
    return found


_DONE = ((Verdict.REDACT, "redacted"), (Verdict.DROP, "dropped"))


def plural(number: int, word: str) -> str:
    """`1 event`, `2 events`."""
    return f"{number} {word}{'' if number == 1 else 's'}"
