"""The face of all queues: what producers and consumers call."""

import itertools
import logging
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from tfrec.errors import OutOfRangeError
from tfrec.pipeline.attempts import Attempt, Close, Dequeue, Enqueue
from tfrec.pipeline.coordinator import Coordinator
from tfrec.pipeline.layout import Layout, Row
from tfrec.pipeline.queue_model import QueueModel

T = TypeVar("T")
Batch: TypeAlias = Any  # an array or list, or a list or dict of them, as the queue's layout says

_numbers = itertools.count(1)
_logger = logging.getLogger(__name__)
_NEVER_STARTED = (
    "the threads that fill it were never started: make it inside `with Coordinator()`, "
    "or call `start_queue_runners`"
)


def numbered(kind: str) -> str:
    """Return a name that no other queue of this process has by default."""
    return f"{kind}-{next(_numbers)}"


class Feeder(Protocol):
    """Who fills a queue; a consumer that has to wait first makes sure that it runs."""

    coord: Coordinator | None

    def start(self) -> None:
        """Start filling, unless that was done before."""


class Queue(QueueModel, Generic[T]):
    """What the queues have in common; `queues.py` has the kinds.

    Every blocking method takes a `timeout` in seconds, then raises TimeoutError; whoever leaves by
    an exception, KeyboardInterrupt too, leaves the line and gives back what it had taken.

    Attributes:
        feeder: who fills the queue, where that is known.
        coord: the coordinator its feeder was started with.
    """

    feeder: Feeder | None = None
    coord: Coordinator | None = None

    def __init__(self, capacity: int, layout: Layout, name: str | None) -> None:
        super().__init__(capacity, name or numbered(type(self).__name__))
        self._layout = layout
        self._pack = None if type(layout) is Layout else layout.pack
        self._close_hooks: list[Callable[[], object]] = []

    @property
    def dtypes(self) -> list[Any] | None:
        return self._layout.dtypes

    @property
    def shapes(self) -> list[tuple[int | None, ...] | None] | None:
        return self._layout.shapes

    @property
    def names(self) -> list[str] | None:
        return self._layout.names

    def enqueue(self, vals: T, *, timeout: float | None = None) -> None:
        """Put one element in, waiting for room.

        Raises:
            CancelledError: the queue is closed, or was cancelled meanwhile.
            TimeoutError: there was no room in time.
            TypeError, ValueError: `vals` does not fit the queue.
        """
        row = vals if self._pack is None else self._pack(vals)
        try:
            with self._lock:
                store = self._store
                has_room = len(store) < self._limit
                if has_room and not self._closed and not self._enqueues:
                    store += (row,)
                    if self._dequeues:
                        self._settle()
                    return
        except BaseException:  # Ctrl-C before the waiting consumer was served
            self._settle_again()
            raise
        self._perform(Enqueue((row,)), self._enqueues, timeout)

    def enqueue_many(self, vals: Any, *, timeout: float | None = None) -> None:  # noqa: ANN401
        """Put many elements in, one sequence per component, none of another caller between.

        They may exceed the capacity. After an exception those already in stay in.

        Raises:
            CancelledError, TimeoutError, TypeError, ValueError: as `enqueue`.
        """
        rows = self._layout.pack_many(vals)
        if len(rows):
            self._perform(Enqueue(rows), self._enqueues, timeout)

    def dequeue(self, *, timeout: float | None = None) -> T:
        """Take one element out, waiting for it.

        Raises:
            OutOfRangeError: the queue is closed and empty.
            TimeoutError: none came in time.
        """
        attempt: Dequeue[Row] = Dequeue(1)

        def unpack() -> T:
            return self._layout.unpack(attempt.held[0])  # type: ignore[no-any-return]

        return self._perform(attempt, self._dequeues, timeout, unpack)

    def dequeue_many(self, n: int, *, timeout: float | None = None) -> Batch:
        """Take `n` elements out as one batch, waiting for all; `n` may exceed the capacity.

        Raises:
            OutOfRangeError: the queue is closed and has fewer; all of them stay.
            TimeoutError: too few came in time; all of them stay.
        """
        return self._take_batch(n, timeout, takes_fewer=False)

    def dequeue_up_to(self, n: int, *, timeout: float | None = None) -> Batch:
        """Take `n` elements out as one batch, or the 1 to `n` that a closed queue has left.

        Raises:
            OutOfRangeError: the queue is closed and empty.
            TimeoutError: too few came in time; all of them stay.
        """
        return self._take_batch(n, timeout, takes_fewer=True)

    def close(self, cancel_pending_enqueues: bool = False) -> None:  # noqa: FBT001, FBT002
        """Let nothing more in; what is in the store can still be taken out.

        A plain close waits behind the enqueues that are already waiting, and blocks its caller
        until they are in. With `cancel_pending_enqueues` it acts at once: waiting enqueues and
        closes fail with CancelledError. Closing again is harmless.
        """
        if cancel_pending_enqueues:
            self._cancel()
        elif not self._closed:
            self._perform(Close(), self._enqueues, None)
        while self._close_hooks:
            try:
                hook = self._close_hooks.pop()
            except IndexError:  # another thread closes too
                return
            hook()

    def cancel(self) -> None:
        """Close at once, failing every waiting enqueue; may be called in a signal handler."""
        self.close(cancel_pending_enqueues=True)

    def when_closed(self, hook: Callable[[], object]) -> None:
        """Run `hook` once, in the thread that closes the queue, or now if it is closed."""
        self._close_hooks.append(hook)
        if self._closed:
            self.close()

    def __iter__(self) -> Iterator[T]:
        """Yield elements until the end; then raise the coordinator's recorded error, if any."""
        if self.feeder is not None:
            self.feeder.start()
        while True:
            try:
                element = self.dequeue()
            except OutOfRangeError:
                break
            yield element
        if self.coord is not None:
            self.coord.raise_requested_exception()

    def _take_batch(self, n: int, timeout: float | None, *, takes_fewer: bool) -> Batch:
        if n < 0:
            raise ValueError(f"queue {self.name!r}: cannot take {n} elements")
        self._layout.check_stackable()
        if n == 0:
            return self._layout.stack([])
        attempt: Dequeue[Row] = Dequeue(n, takes_fewer=takes_fewer)
        return self._perform(
            attempt, self._dequeues, timeout, lambda: self._layout.stack(attempt.held)
        )

    def _before_waiting(self) -> None:
        if self.feeder is None or self.coord is not None:
            return
        if self.feeder.coord is not None:
            self.feeder.start()
        else:
            _logger.warning("waiting for queue %r: %s", self.name, _NEVER_STARTED)

    def _describe_timeout(self, attempt: Attempt, timeout: float | None) -> str:
        description = super()._describe_timeout(attempt, timeout)
        is_fed = self.feeder is None or self.coord is not None
        return description if is_fed else f"{description}; {_NEVER_STARTED}"
