"""Ending on a signal as tidily as on Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def tidy_on_sigterm() -> Iterator[None]:
    """SIGTERM, which a supervisor or a time limit sends, leaves the block by an exception: what was begun is removed.

    The process then ends with 143, as shells say it. Outside the main thread, where no signal can be caught, nothing
    changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before if before is not None else signal.SIG_DFL)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
