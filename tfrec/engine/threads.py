"""Threads of this process: Pillow releases the GIL while it decodes and resizes."""

from concurrent.futures import Executor, ThreadPoolExecutor
from types import TracebackType

from tfrec.engine.serial import SerialExecutor
from tfrec.engine.workers import default_num_workers


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
