"""Canaries: values that no program has by itself, and where each was planted."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_USUAL = (200_000_000, 2_000_000_000)
_FEWEST_DIGITS = 7
"""A number with fewer digits turns up by chance: in a line number, a duration, a port."""


class Planted(NamedTuple):
    """A canary and its place: `where` is a tool and an argument in words, from the server's own schema."""

    value: Any
    where: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """The range of a number, both ends allowed; None where it is open."""

    low: float | None = None
    high: float | None = None


class Mint:
    """Makes canaries, each one once. The same seed makes the same ones in the same order.

    They are made-up words that can be spoken, not random letters: what looks random is taken for a key by posthog's
    own sanitiser and removed, and then nothing would be known of the hook. Two words with a space are no name either,
    because plain names may leave.
    """

    def __init__(self, seed: int = 0) -> None:
        # No secrets are made here, and a run must be repeatable.
        self._random = random.Random(seed)  # noqa: S311
        self._made: set[Any] = set()
        self.planted: list[Planted] = []

    def plant(self, value: T, where: str) -> T:
        """Watch for `value`. Returns it."""
        self.planted.append(Planted(value, where))
        return value

    def word(self) -> str:
        """A word of eight letters."""
        return self._new(lambda: "".join(self._pick(_CONSONANTS) + self._pick(_VOWELS) for _ in range(4)))

    def phrase(self) -> str:
        """Two words with a space."""
        return f"{self.word().capitalize()} {self.word()}"

    def text(self, shortest: int = 0, longest: int | None = None) -> str:
        """A phrase of a length, in characters."""
        made = self.phrase()
        while len(made) < shortest:
            made += f" {self.word()}"
        return made if longest is None else made[: max(longest, 0)]

    def whole(self, bounds: Bounds, step: float | None = None) -> tuple[int, bool]:
        """A whole number in a range, and whether it can be told from chance."""
        low, high = self._range(bounds)
        step = int(step) if step and step == int(step) else 1
        first, last = -(-int(low) // step), int(high) // step
        if first > last:
            return int(low), False
        made = self._random.randint(first, last) * step
        return made, len(str(abs(made))) >= _FEWEST_DIGITS

    def fraction(self, bounds: Bounds) -> tuple[float, bool]:
        """A number with a fraction in a range, and whether it can be told from chance."""
        low, high = self._range(bounds)
        # Sixty-fourths: what JSON, a float and a decimal write the same.
        made = self._random.randint(int(low * 64), max(int(low * 64), int(high * 64))) / 64
        made = min(max(made, low), high)
        return made, len(repr(abs(made)).replace(".", "").lstrip("0")) >= _FEWEST_DIGITS

    def day(self) -> str:
        """A date in the past that no clock of today prints."""

        def make() -> str:
            return (date(1903, 1, 1) + timedelta(self._random.randrange(23_000))).isoformat()

        return self._new(make)

    def uuid(self) -> str:
        """A random UUID."""
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def number(self, low: int, high: int) -> int:
        """Any number of a range, for parts of a value."""
        return self._random.randint(low, high)

    def _range(self, bounds: Bounds) -> tuple[float, float]:
        """Where to take a number from: a range of nine and ten digits if there is room for one, because such numbers
        fit 32 bits and no count or duration has them."""
        low, high = bounds.low, bounds.high
        if low is None and high is None:
            return _USUAL
        if high is None:
            start = max(low or 0, _USUAL[0])
            return start, start + _USUAL[1]
        if high > 2 * _USUAL[0] and (low is None or low <= _USUAL[0]):
            return _USUAL[0], min(high, _USUAL[1])
        return (low if low is not None else high - _USUAL[1]), high

    def _pick(self, letters: str) -> str:
        return self._random.choice(letters)

    def _new(self, make: Callable[[], str]) -> str:
        made = make()
        for _ in range(1000):
            if made not in self._made:
                break
            made = make()
        self._made.add(made)
        return made
