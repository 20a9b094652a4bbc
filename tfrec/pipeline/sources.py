"""What a stage reads from: a queue, another stage, an iterator, or a callable."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeAlias, TypeVar

from tfrec.errors import CancelledError, OutOfRangeError
from tfrec.pipeline.queue import Queue
from tfrec.pipeline.queues import FIFOQueue
from tfrec.pipeline.stage import Stage
from tfrec.pipeline.stage_runner import StageRunner

T = TypeVar("T")

Source: TypeAlias = Queue[T] | Stage[T] | Iterator[T] | Callable[[], T]


class Door(Generic[T]):
    """Takes one element of a source per call; its end is OutOfRangeError, of whatever kind it is.

    Attributes:
        runners: those of the stage that the source is, if it is one.
        cancels: what ends a call that is blocked in the source.
    """

    def __init__(self, source: Source[T]) -> None:
        self.runners: list[StageRunner] = []
        self.cancels: list[Callable[[], object]] = []
        self._upstream: Queue[Any] | None = None
        if isinstance(source, Queue):
            self._open_queue(source)
            self._take: Callable[[], T] = source.dequeue
        elif isinstance(source, Stage):
            self._open_queue(source.queue)
            self._take = source.get
        elif isinstance(source, Iterator):
            baton = _Baton(source)
            self.cancels = [baton.cancel]
            self._take = baton.take
        elif callable(source):
            self._take = source
        else:
            raise TypeError(
                f"{source!r} is no source: expected a queue, a stage, an iterator "
                "(`iter(...)` makes one) or a callable that returns one element"
            )

    def __call__(self) -> T:
        try:
            return self._take()
        except StopIteration as end:
            raise OutOfRangeError("the source has ended") from end
        except OutOfRangeError:
            # A stage that failed must not pass for one that ended.
            if self._upstream is not None and self._upstream.coord is not None:
                self._upstream.coord.raise_requested_exception()
            raise

    def _open_queue(self, queue: Queue[Any]) -> None:
        self._upstream = queue
        self.cancels = [queue.cancel]
        if isinstance(queue.feeder, StageRunner):
            self.runners = [queue.feeder]


class _Baton(Generic[T]):
    """Lets one thread at a time advance an iterator; a stop wakes those who wait for their turn.

    A lock would not do: it cannot be cancelled while its holder is inside the iterator.
    """

    def __init__(self, iterator: Iterator[T]) -> None:
        self._turns: FIFOQueue[Iterator[T]] = FIFOQueue(1)
        self._turns.enqueue(iterator)
        self.cancel = self._turns.cancel

    def take(self) -> T:
        iterator = self._turns.dequeue()
        try:
            return next(iterator)
        finally:
            with suppress(CancelledError):  # the stop came meanwhile; nobody waits any more
                self._turns.enqueue(iterator)


def open_sources(sources: Sequence[Source[Any]]) -> list[Door[Any]]:
    """Return a door for each source; the same source gets the same door."""
    doors: dict[int, Door[Any]] = {}
    for source in sources:
        if id(source) not in doors:
            doors[id(source)] = Door(source)
    return [doors[id(source)] for source in sources]
