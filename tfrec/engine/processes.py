"""Processes of this machine, for work that holds the GIL.

They are spawned, not forked: a fork copies locks that other threads hold. A worker ignores Ctrl-C,
which reaches the whole group of processes, from its start on: its parent tells it to stop, so that
it can remove what it was writing. It ends by itself when its parent is gone.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import connection
from multiprocessing.synchronize import Event
from types import TracebackType
from typing import ParamSpec, TypeVar

from tfrec.engine.serial import SerialExecutor
from tfrec.engine.stopping import set_stop_event
from tfrec.engine.threads import is_interrupt
from tfrec.engine.workers import default_num_workers

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_GRACE_SECONDS = 5.0  # longer than an image takes, or a few records


class _StoppableProcessPool(ProcessPoolExecutor):
    """A pool whose running tasks are told to stop when its block ends by an error."""

    def __init__(self, num_workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._stop = context.Event()
        self._is_without_thread = False
        super().__init__(
            num_workers, mp_context=context, initializer=_start_worker, initargs=(self._stop,)
        )

    def submit(
        self,
        function: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Future[Result]:
        try:
            with _held_back_interrupts():  # the first task starts the workers
                return super().submit(function, *args, **kwargs)
        except RuntimeError as error:
            if "can't start new thread" not in str(error):
                raise
            self._is_without_thread = True  # that of the pool, which ends its workers
            for process in self._processes.values():
                process.kill()
            raise

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        if self._is_without_thread:
            return
        if exc_type is not None:
            self._stop.set()
        if is_interrupt(exc_type):
            self._shutdown_within_grace()
        else:
            self.shutdown(wait=True, cancel_futures=exc_type is not None)

    def _shutdown_within_grace(self) -> None:
        """Wait for workers that remove what they were writing, but not for good.

        The interrupt may have kept a lock that the pool's own thread needs (see WorkerThreads).
        """
        shutdown = threading.Thread(
            target=self.shutdown, kwargs={"cancel_futures": True}, daemon=True
        )
        shutdown.start()
        shutdown.join(_GRACE_SECONDS)


@contextlib.contextmanager
def _held_back_interrupts() -> Iterator[None]:
    """Have Ctrl-C and SIGTERM wait for the end of the block, in this process.

    A worker that is started and then not sent what it needs prints a traceback. The mask does not
    keep the handlers from running here: the system hands the signal to a thread that has no such
    mask, as a progress bar's, and Python runs the handler in its main thread all the same.
    """
    held_back: list[int] = []
    handlers = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                handler = signal.getsignal(number)
                if callable(handler):
                    handlers[number] = handler
                    signal.signal(number, lambda number, _frame: held_back.append(number))
        with _masked_ctrl_c():
            yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for held_back_number in held_back:
            signal.raise_signal(held_back_number)


@contextlib.contextmanager
def _masked_ctrl_c() -> Iterator[None]:
    """Mask Ctrl-C in the block, and in a process that starts in it for good.

    A worker takes a third of a second to import what it needs, before it can ignore anything.
    """
    if sys.platform == "win32":  # it has no such masks
        yield
        return
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)


def create_process_executor(num_workers: int | None = None) -> Executor:
    """Return an executor of `num_workers` processes; one worker needs no process of its own."""
    num_workers = num_workers or default_num_workers()
    if num_workers == 1:
        return SerialExecutor()
    return _StoppableProcessPool(num_workers)


def _start_worker(stop_event: Event) -> None:
    set_stop_event(stop_event)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="tfrec-parent-watch", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
