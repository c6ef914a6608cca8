"""Other processes that audit batches."""

from __future__ import annotations

import gc
import multiprocessing
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from scrubber.audit.desk import Desk, Part
from scrubber.audit.reading import Batch
from scrubber.settings import Settings
from scrubber.words.errors import ScrubberError

_WAITING = 2
"""Batches that may wait for each worker: one is being sent while it audits the other."""
_LOOK = 0.5
"""Seconds between two looks whether the workers are alive, while one is waited for."""


class WorkerError(ScrubberError):
    """A worker ended before its time."""


class Workers:
    """Worker processes that take batches from one queue. With none of them, every batch is refused.

    A context: on the way out they are ended at once, whatever they do, and joined.
    """

    def __init__(self, number: int, settings: Settings, reveal: bool) -> None:
        self._number = max(number, 0)
        self._arguments = settings, reveal
        self._processes: list[Any] = []
        self._tasks: Any = None
        self._results: Any = None

    def __enter__(self) -> Workers:
        if not self._number:
            return self
        # A fork starts at once, and is safe only where no other thread may hold a lock.
        forks = sys.platform == "linux" and threading.active_count() == 1
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        self._tasks = context.Queue(self._number * _WAITING)
        self._results = context.Queue()
        for _ in range(self._number):
            process = context.Process(target=_work, args=(self._tasks, self._results, *self._arguments), daemon=True)
            process.start()
            self._processes.append(process)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join()
        for each in (self._tasks, self._results):
            if each is not None:
                # What still waits in it is wanted by nobody.
                each.cancel_join_thread()
                each.close()

    def offer(self, source: int, number: int, batch: Batch) -> bool:
        """Give a batch to a worker, if one has room for it."""
        if not self._number:
            return False
        try:
            self._tasks.put_nowait((source, number, batch))
        except queue.Full:
            return False
        return True

    def parts(self) -> Iterator[Part]:
        """What each worker audited, once all batches are done. Raises `WorkerError` where one is gone."""
        for _ in self._processes:
            self._wait(lambda: self._tasks.put(None, timeout=_LOOK), queue.Full)
        for _ in self._processes:
            found = self._wait(lambda: self._results.get(timeout=_LOOK), queue.Empty)
            if isinstance(found, str):
                raise WorkerError(f"a worker failed with {found}; run it with --jobs 1")
            yield found

    def _wait(self, attempt: Any, not_yet: type[Exception]) -> Any:
        while True:
            try:
                return attempt()
            except not_yet:
                for process in self._processes:
                    if process.exitcode not in (None, 0):
                        raise WorkerError(
                            f"a worker ended with status {process.exitcode}; it may have had too little memory: use "
                            "fewer --jobs"
                        ) from None


def _work(tasks: Any, results: Any, settings: Settings, reveal: bool) -> None:
    """The life of a worker."""
    # Ctrl-C reaches the whole group; the first process ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(200_000, 10, 10)
    try:
        desk = Desk(settings, reveal)
        while (task := tasks.get()) is not None:
            desk.take(*task)
        results.put(desk.part())
    except Exception as error:
        # Its type alone: the text of an error may hold what was read.
        results.put(type(error).__name__)
        while tasks.get() is not None:
            # Nobody waits for room in the queue.
            pass
