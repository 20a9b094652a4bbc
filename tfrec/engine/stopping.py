"""How a task learns that its engine stops: it looks between two of its items, and ends by an error.

That leaves it the time to remove what it was writing.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Protocol, TypeVar

Item = TypeVar("Item")

_ITEMS_A_LOOK = 16  # to look whether to stop takes as long as a small record


class StopEvent(Protocol):
    """What an engine sets in its workers: an event of threads or of processes."""

    def is_set(self) -> bool:
        """Say whether the engine stops."""


_event: StopEvent | None = None


def set_stop_event(event: StopEvent) -> None:
    """Have the tasks of this worker stop when the event is set."""
    global _event  # noqa: PLW0603 (a worker's start has no other way to hand it on to tasks)
    _event = event


def should_stop() -> bool:
    """Say whether the engine of the running task stops; False outside of a task."""
    return _event is not None and _event.is_set()


def until_stopped(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items of a long task, which ends by an error once the task's engine stops.

    Raises:
        CancelledError: the engine stops.
    """
    for number, item in enumerate(items):
        if number % _ITEMS_A_LOOK == 0 and should_stop():
            raise CancelledError
        yield item
