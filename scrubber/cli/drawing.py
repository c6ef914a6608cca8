"""Rich drawings, in a terminal and elsewhere."""

from __future__ import annotations

import io
from collections.abc import Callable

from rich.console import Console

PLAIN_WIDTH = 120
"""Columns where there is no terminal."""


def draw(out: Console, print_on: Callable[[Console], None]) -> None:
    """Print to a terminal as it is. Elsewhere: no colour, no padding, and lines that nothing wraps again."""
    if out.is_terminal:
        print_on(out)
        return
    plain = Console(file=io.StringIO(), width=PLAIN_WIDTH, highlight=False, color_system=None)
    with plain.capture() as capture:
        print_on(plain)
    for line in capture.get().splitlines():
        out.print(line.rstrip(), soft_wrap=True, markup=False)
