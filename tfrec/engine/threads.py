"""Threads of this process: Pillow releases the GIL while it decodes and resizes."""

from concurrent.futures import Executor, ThreadPoolExecutor

from tfrec.engine.serial import SerialExecutor
from tfrec.engine.workers import default_num_workers


def create_thread_executor(num_workers: int | None = None) -> Executor:
    """Return an executor of `num_workers` threads; one worker needs no thread of its own."""
    num_workers = num_workers or default_num_workers()
    if num_workers == 1:
        return SerialExecutor()
    return ThreadPoolExecutor(num_workers, thread_name_prefix="tfrec-worker")
