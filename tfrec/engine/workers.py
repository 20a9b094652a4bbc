"""How many workers an engine has where nobody says so."""

import os
import sys
from concurrent.futures import Executor

from tfrec.engine.ray import RayExecutor


def default_num_workers() -> int:
    """Return the number of cores that this process may use."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def count_workers(executor: Executor) -> int:
    """Return how many tasks an executor runs at once, as far as that is known."""
    return executor.num_workers if isinstance(executor, RayExecutor) else default_num_workers()
