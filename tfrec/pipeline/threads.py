"""Waiting for threads to end."""

import threading
import time
from collections.abc import Iterable, Sequence

from tfrec.pipeline.wakeup import Wakeup


def join_all(threads: Iterable[threading.Thread], timeout: float) -> list[threading.Thread]:
    """Wait until all threads have ended, at most `timeout` seconds for all.

    This thread is left out, and those that have not started count as ended.

    Returns:
        Those that are still alive.
    """
    this_thread = threading.current_thread()
    running = [thread for thread in threads if thread.is_alive() and thread is not this_thread]
    deadline = time.monotonic() + timeout
    for thread in running:
        remaining = max(deadline - time.monotonic(), 0)
        thread.join(min(remaining, threading.TIMEOUT_MAX))
    return [thread for thread in running if thread.is_alive()]


def describe_stragglers(threads: Iterable[threading.Thread]) -> str:
    return "threads still running: " + " ".join(sorted(thread.name for thread in threads))


def watch_end(threads: Sequence[threading.Thread], wakeup: Wakeup) -> threading.Thread:
    """Set `wakeup` when all threads have ended, from one thread more, which is returned.

    Only so can one wait for the end of threads or for something else, whichever comes first,
    without looking at either now and then.
    """

    def watch() -> None:
        for thread in threads:
            thread.join()
        wakeup.set_again()

    watcher = threading.Thread(target=watch, name="Coordinator-join-watcher", daemon=True)
    watcher.start()
    return watcher
