"""Executors that run the tasks of a build: the only package, beside the pipeline, with threads.

`EXECUTORS` has one function an engine, from a number of workers, or None for as many as there
is room for, to a `concurrent.futures.Executor`.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager

from tfrec.engine.completed import map_completed
from tfrec.engine.ordered import map_ordered
from tfrec.engine.processes import create_process_executor
from tfrec.engine.ray import LostTaskError, create_ray_executor
from tfrec.engine.serial import SerialExecutor
from tfrec.engine.stopping import until_stopped
from tfrec.engine.threads import create_helper, create_thread_executor, worker_executor
from tfrec.engine.workers import count_workers, default_num_workers

EXECUTORS: dict[str, Callable[[int | None], Executor]] = {
    "threads": create_thread_executor,
    "processes": create_process_executor,
    "ray": create_ray_executor,
}


def shares_memory(executor: Executor) -> bool:
    """Say whether tasks run in this process, so that small ones cost little and need no pickling.

    True for `ThreadPoolExecutor` and `SerialExecutor` and what is derived from them.
    """
    return isinstance(executor, (ThreadPoolExecutor, SerialExecutor))


@contextmanager
def open_reader(executor: Executor) -> Iterator[Executor]:
    """Yield what reads and hashes files best: `executor`, or threads in place of a process pool.

    Neither needs the GIL, and processes take longer to start than thousands of files to read.
    """
    if isinstance(executor, ProcessPoolExecutor):
        with create_thread_executor(default_num_workers()) as threads:
            yield threads
    else:
        yield executor


__all__ = [
    "EXECUTORS",
    "LostTaskError",
    "SerialExecutor",
    "count_workers",
    "create_helper",
    "create_ray_executor",
    "default_num_workers",
    "map_completed",
    "map_ordered",
    "open_reader",
    "shares_memory",
    "until_stopped",
    "worker_executor",
]
