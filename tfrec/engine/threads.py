"""Threads of this process: Pillow releases the GIL while it decodes and resizes."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from types import TracebackType
from typing import ParamSpec, TypeVar

from tfrec.engine.serial import SerialExecutor
from tfrec.engine.stopping import should_stop
from tfrec.engine.workers import default_num_workers

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class WorkerThreads(ThreadPoolExecutor):
    """Threads that nobody waits for when an interrupt ends their block.

    Python raises an interrupt after any call, even after the one that takes the lock of a future;
    then the worker that has the future's result waits for that lock for good.
    """

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        is_cut_off = is_interrupt(exc_type)
        self.shutdown(wait=not is_cut_off, cancel_futures=is_cut_off)


class _StoppableThreads(WorkerThreads):
    """Threads that begin nothing any more once the task's engine stops."""

    def submit(
        self,
        function: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Future[Result]:
        if should_stop():
            raise CancelledError
        return super().submit(function, *args, **kwargs)


def is_interrupt(exc_type: type[BaseException] | None) -> bool:
    """Say whether a block ends by what a signal handler raises."""
    return exc_type is not None and issubclass(exc_type, (KeyboardInterrupt, SystemExit))


def create_helper() -> Executor:
    """Return an executor of one thread beside the caller's; of none where there is but one core."""
    if default_num_workers() == 1:
        return SerialExecutor()
    return WorkerThreads(1, thread_name_prefix="tfrec-helper")


def create_thread_executor(num_workers: int | None = None) -> Executor:
    """Return an executor of `num_workers` threads; one worker needs no thread of its own."""
    num_workers = num_workers or default_num_workers()
    if num_workers == 1:
        return SerialExecutor()
    return WorkerThreads(num_workers, thread_name_prefix="tfrec-worker")


def worker_executor(num_threads: int = 1) -> Executor:
    """Return what a task uses for the parts of its work; it stops when the task's engine does.

    Several threads are for parts that wait for a network most of their time.
    """
    if num_threads > 1:
        return _StoppableThreads(num_threads)
    return SerialExecutor(should_stop)
