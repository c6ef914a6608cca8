"""From what a binder refused to what the model reads. Pure: imports no SDK, and prints no value of an argument.

In:  faults and the call, see `calls`.
Out: a `Refusal`: one text whose sentences each stand alone, a code and a field for analytics, the paths for the log.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scrubber.guard.calls import MOST_FAULTS, TOGETHER, Call, Fault, Refusal
from scrubber.guard.names import MOST_HINTS, is_plain, listed, nearest
from scrubber.guard.sentences import MISSING, Said, sentences
from scrubber.words import message

MOST_SENTENCES = 10
_MOST_UNKNOWN = 5
UNKNOWN_CODE = "unknown_argument"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONGEST_TEXT = 2000
"""posthog.mcp cuts an error message at 2,048 characters; a cut text could not be recognised."""
_LONGEST_PATH = 200


def refusal(call: Call, faults: Sequence[Fault]) -> Refusal:
    """What is said of a call that a binder refused for `faults`, or that has unknown arguments."""
    said = list({one.sentence: one for one in sentences(call, faults[:MOST_FAULTS])}.values())
    missing = [one for one in said if call.unknown and one.code in MISSING and one.path in call.allowed]
    text = _error_line(call.tool, [one for one in said if one not in missing], max(0, len(faults) - MOST_FAULTS))
    if call.unknown:
        text = " ".join(filter(None, (text, _unknown_line(call, missing))))
    text = one_line(text)
    if len(text) > _LONGEST_TEXT:
        text = f"{text[: _LONGEST_TEXT - 4].rsplit(' ', 1)[0]} ..."
    paths = [one_line(one.path, _LONGEST_PATH) or "arguments" for one in said] + ["*"] * bool(call.unknown)
    return Refusal(
        call.tool,
        text,
        _code(said[0].code) if said else UNKNOWN_CODE,
        one_line(next((one.field for one in said if one.field), ""), _LONGEST_PATH),
        tuple(dict.fromkeys(paths))[: MOST_SENTENCES + 1],
    )


def one_line(text: str, longest: int | None = None) -> str:
    """A schema may come from another server, through a proxy: its names start no line in a log, and fill none."""
    return _CONTROL.sub(" ", text[:longest])


def _code(code: str) -> str:
    return code if code in message.KNOWN_CODES or code in (TOGETHER, UNKNOWN_CODE) else "custom"


def _error_line(tool: str, said: Sequence[Said], left: int) -> str:
    if not said:
        return ""
    shown = said[:MOST_SENTENCES]
    left += len(said) - len(shown)
    more = f" There {'is 1 more fault' if left == 1 else f'are {left} more faults'}." if left else ""
    return f"Error executing tool '{tool}': " + " ".join(f"{one.sentence}." for one in shown) + more


def _unknown_line(call: Call, missing: Sequence[Said]) -> str:
    """One mistake, one sentence after the other: what nobody knows, what was meant, what is missing, what exists."""
    tool, unknown, allowed = call.tool, call.unknown, call.allowed
    printed = [f"'{name}'" for name in unknown if is_plain(name)][:_MOST_UNKNOWN]
    noun = "parameter" if len(unknown) == 1 else "parameters"
    hidden = len(unknown) - len(printed)
    if printed:
        named = f"Unknown {noun} {', '.join(printed)}" + (f" and {hidden} more" if hidden else "")
    else:
        named = f"Unknown {noun}" if len(unknown) == 1 else f"{len(unknown)} unknown {noun}"
    sentences = [f"{named} for tool '{tool}'."]
    hints = _hints(call, missing)
    if hints:
        sentences.append(f"Did you mean: {', '.join(hints)}?")
    sentences += [f"{one.sentence}." for one in missing[:MOST_SENTENCES]]
    sentences.append(
        f"Allowed parameters: {listed(list(allowed), 40, 900)}." if allowed else "The tool takes no parameters."
    )
    return " ".join(sentences)


def _hints(call: Call, missing: Sequence[Said]) -> list[str]:
    """Hints for the first few names; what is missing comes first, because it is what was most likely meant."""
    wanted = {one.path for one in missing}
    found: dict[str, None] = {}
    for name in call.unknown[:_MOST_UNKNOWN]:
        near = nearest(name, call.allowed)
        found.update(dict.fromkeys(near[:1] if len(call.unknown) > 1 else near))
    return sorted(found, key=lambda hint: hint not in wanted)[:MOST_HINTS]
