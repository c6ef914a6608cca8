"""What the test kit says when it cannot do what it was asked for. Never a value from an event."""

from __future__ import annotations

from scrubber.words.errors import ScrubberError


class TestingError(ScrubberError):
    """The test kit was asked for something it cannot do: what, where, and what to do instead."""

    # The name begins like a test class's; pytest must not collect it where a test imports it.
    __test__ = False
