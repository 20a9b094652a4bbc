"""The collection of queue runners, which starts many of them at once.

Producers and batchers add their runner weakly: it lives as long as its stage or queue, so that
pipelines that were never started leave nothing behind.
"""

import logging
import threading
import weakref
from typing import TYPE_CHECKING

from tfrec.pipeline.coordinator import Coordinator, current_coordinator
from tfrec.pipeline.queue_runner import QueueRunner

if TYPE_CHECKING:
    from collections.abc import Callable

_logger = logging.getLogger(__name__)


class QueueRunners:
    """Runners that are started together; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[Callable[[], QueueRunner | None]] = []

    def add(self, runner: QueueRunner) -> None:
        """Keep `runner` until `clear`."""
        with self._lock:
            self._entries.append(lambda: runner)

    def add_weakly(self, runner: QueueRunner) -> None:
        """Add `runner` for as long as something else keeps it."""
        with self._lock:
            self._entries = [entry for entry in self._entries if entry() is not None]
            self._entries.append(weakref.ref(runner))

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()

    def start(
        self,
        coord: Coordinator | None = None,
        daemon: bool = True,  # noqa: FBT001, FBT002  TensorFlow's signature
        start: bool = True,  # noqa: FBT001, FBT002
    ) -> list[threading.Thread]:
        """Create the threads of every runner that does not belong to another coordinator.

        Args:
            coord: default the current coordinator, if there is one.
            daemon: whether the threads are daemons.
            start: whether to start the threads.
        """
        coord = coord or current_coordinator()
        with self._lock:
            runners = [runner for entry in self._entries if (runner := entry()) is not None]
        if coord is not None:
            runners = [runner for runner in runners if runner.coord in (None, coord)]
        if not runners:
            _logger.warning("no queue runner was collected: nothing is started")
        return [
            thread for runner in runners for thread in runner.create_threads(coord, daemon, start)
        ]


DEFAULT_COLLECTION = QueueRunners()


def add_queue_runner(runner: QueueRunner, collection: QueueRunners | None = None) -> None:
    """Add `runner` to `collection`, default the one of the process."""
    (DEFAULT_COLLECTION if collection is None else collection).add(runner)


def start_queue_runners(
    coord: Coordinator | None = None,
    daemon: bool = True,  # noqa: FBT001, FBT002  TensorFlow's signature
    start: bool = True,  # noqa: FBT001, FBT002
    collection: QueueRunners | None = None,
) -> list[threading.Thread]:
    """Create and start the threads of all collected runners; see `QueueRunners.start`."""
    collection = DEFAULT_COLLECTION if collection is None else collection
    return collection.start(coord, daemon, start)
