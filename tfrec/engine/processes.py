"""Processes of this machine, for work that holds the GIL.

They are spawned, not forked: a fork copies locks that other threads hold. A worker ignores Ctrl-C,
which reaches the whole group of processes: its parent tells it to stop, so that it can remove what
it was writing. It ends by itself when its parent is gone.
"""

import multiprocessing
import os
import signal
import threading
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import connection
from multiprocessing.synchronize import Event
from types import TracebackType

from tfrec.engine.serial import SerialExecutor

_stop_event: Event | None = None  # in a worker: set when its parent wants it to stop


class _StoppableProcessPool(ProcessPoolExecutor):
    """A pool whose running tasks are told to stop when its block ends by an error."""

    def __init__(self, num_workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._stop = context.Event()
        super().__init__(
            num_workers, mp_context=context, initializer=_start_worker, initargs=(self._stop,)
        )

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        if exc_type is not None:
            self._stop.set()
        self.shutdown(wait=True, cancel_futures=exc_type is not None)


def create_process_executor(num_workers: int) -> Executor:
    """Return an executor of `num_workers` processes; one worker needs no process of its own."""
    if num_workers == 1:
        return SerialExecutor()
    return _StoppableProcessPool(num_workers)


def worker_executor() -> SerialExecutor:
    """Return what a task uses for the parts of its work; it stops when the task's engine does."""
    return SerialExecutor() if _stop_event is None else SerialExecutor(_stop_event.is_set)


def _start_worker(stop_event: Event) -> None:
    global _stop_event  # noqa: PLW0603 (a pool's initializer has no other way to hand it on)
    _stop_event = stop_event
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="tfrec-parent-watch", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
