"""Executors that run the tasks of a build: the only package, beside the pipeline, with threads.

`EXECUTORS` has one function an engine, from a number of workers to a `concurrent.futures.Executor`.
"""

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor

from tfrec.engine.completed import map_completed
from tfrec.engine.ordered import map_ordered
from tfrec.engine.processes import create_process_executor, worker_executor
from tfrec.engine.serial import SerialExecutor
from tfrec.engine.threads import create_thread_executor
from tfrec.engine.workers import default_num_workers

EXECUTORS: dict[str, Callable[[int], Executor]] = {
    "threads": create_thread_executor,
    "processes": create_process_executor,
}


def shares_memory(executor: Executor) -> bool:
    """Say whether tasks run in this process, so that small ones cost little and need no pickling.

    True for `ThreadPoolExecutor` and `SerialExecutor` and what is derived from them.
    """
    return isinstance(executor, (ThreadPoolExecutor, SerialExecutor))


__all__ = [
    "EXECUTORS",
    "SerialExecutor",
    "default_num_workers",
    "map_completed",
    "map_ordered",
    "shares_memory",
    "worker_executor",
]
