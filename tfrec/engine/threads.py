"""Threads of this process: Pillow releases the GIL while it decodes and resizes."""

from concurrent.futures import Executor, ThreadPoolExecutor

from tfrec.engine.serial import SerialExecutor


def create_thread_executor(num_workers: int) -> Executor:
    """Return an executor of `num_workers` threads; one worker needs no thread of its own."""
    if num_workers == 1:
        return SerialExecutor()
    return ThreadPoolExecutor(num_workers, thread_name_prefix="tfrec-worker")
