"""Executors that run the tasks of a build: the only package, beside the pipeline, with threads.

`EXECUTORS` has one function an engine, from a number of workers to a `concurrent.futures.Executor`.
"""

from collections.abc import Callable
from concurrent.futures import Executor

from tfrec.engine.ordered import map_ordered
from tfrec.engine.serial import SerialExecutor
from tfrec.engine.threads import create_thread_executor
from tfrec.engine.workers import default_num_workers

EXECUTORS: dict[str, Callable[[int], Executor]] = {
    "threads": create_thread_executor,
}

__all__ = ["EXECUTORS", "SerialExecutor", "default_num_workers", "map_ordered"]
