"""The comparison of a refusal with what was sent, asked both ways."""

from __future__ import annotations

from typing import Any

from scrubber.rules import corroboration
from scrubber.rules.comparing import is_bounded
from scrubber.rules.sent import Sent
from scrubber.words import message, quickly


def contradiction(text: str, arguments: dict[str, Any], transformed: bool) -> str | None:
    """What the engine says; where the text can be read the short way, it must say what the long way says.

    The long way takes the caller's own words out of the text first, and may take out of pydantic's lines what only
    looks like one. A text that can be read in one way only needs none of that, and is then compared as it stands.
    """
    quick = quickly.first(text)
    found = corroboration.contradiction(text, arguments, transformed, quick)
    long = corroboration.contradiction(text, arguments, transformed)
    if found is not None and long == corroboration.TOO_LARGE:
        # What is plainly another value needs no look at the rest.
        return found
    if found != long:
        assert quickly.certain(text, quick) is not None
        assert corroboration._own_words(arguments)
        assert is_bounded(arguments)
        problems = message.parse(text).problems  # type: ignore[union-attr]
        assert (found is None) == all(map(Sent(arguments, [], transformed).explain, problems))
    return found
