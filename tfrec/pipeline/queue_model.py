"""Closable, bounded queues with two first-come lines.

The model: a store, `closed`, and two lines of attempts, enqueues (plain closes among them) and
dequeues. After every change the heads of both lines are served until nothing moves. Only heads are
served, so nobody is overtaken, not even by a smaller request; each attempt has its own wake-up.

One trap shapes the code. Python runs signal handlers, and raises KeyboardInterrupt, after any call,
and a handler may call `cancel`. So rows move by subscripts and `+=` alone, and whatever must happen
together is written without a call between. Handlers must not call anything that waits.
"""

import itertools
import logging
import operator
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from tfrec.errors import CancelledError, ConfigError, OutOfRangeError
from tfrec.pipeline.attempts import Attempt, Close, Dequeue, Enqueue, Outcome
from tfrec.pipeline.coordinator import Coordinator
from tfrec.pipeline.layout import Layout, Row

T = TypeVar("T")
R = TypeVar("R")
Batch: TypeAlias = Any  # an array or list, or a list or dict of them, as the queue's layout says

_logger = logging.getLogger(__name__)
_numbers = itertools.count(1)


def numbered(kind: str) -> str:
    """Return a name that no other queue of this process has by default."""
    return f"{kind}-{next(_numbers)}"


class Feeder(Protocol):
    """Who fills a queue; a consumer that has to wait first makes sure that it runs."""

    coord: Coordinator | None

    def start(self) -> None:
        """Start filling, unless that was done before."""


class Queue(ABC, Generic[T]):
    """What the queues have in common: the two lines, closing, cancelling and timeouts.

    Every blocking method takes a `timeout` in seconds, then raises TimeoutError; whoever leaves by
    an exception, KeyboardInterrupt too, leaves the line and gives back what it had taken.

    Attributes:
        feeder: who fills the queue, where that is known.
        coord: the coordinator its feeder was started with.
    """

    feeder: Feeder | None = None
    coord: Coordinator | None = None

    def __init__(self, capacity: int, layout: Layout, name: str | None) -> None:
        self.capacity = operator.index(capacity)
        if self.capacity == 0:
            raise ConfigError("capacity is 0: such a queue accepts nothing; negative is unbounded")
        self.name = name or numbered(type(self).__name__)
        self._limit = self.capacity if self.capacity > 0 else sys.maxsize
        self._layout = layout
        self._pack = None if type(layout) is Layout else layout.pack
        self._lock = threading.RLock()
        self._closed = False
        self._reserve = 0  # how many rows must stay in the store
        self._enqueues: deque[Attempt] = deque()
        self._dequeues: deque[Dequeue[Row]] = deque()
        self._is_settling = False
        self._is_cancel_wanted = False
        self._close_hooks: list[Callable[[], object]] = []

    _store: deque[Row] | list[Row]

    @property
    def dtypes(self) -> list[Any] | None:
        return self._layout.dtypes

    @property
    def shapes(self) -> list[tuple[int | None, ...] | None] | None:
        return self._layout.shapes

    @property
    def names(self) -> list[str] | None:
        return self._layout.names

    def size(self) -> int:
        """Return the number of elements in the store."""
        return len(self._store)

    def is_closed(self) -> bool:
        return self._closed

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
        return self._perform(
            attempt, self._dequeues, timeout, lambda: self._layout.unpack(attempt.held[0])
        )

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
            try:
                with self._lock:
                    self._is_cancel_wanted = True
                    self._settle()
            except BaseException:  # Ctrl-C before all were woken
                self._settle_again()
                raise
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

    @abstractmethod
    def _move_one(self, held: list[Row]) -> None:
        """Move one row from the store to `held`, with no call once it has begun."""

    @abstractmethod
    def _give_back(self, attempt: Dequeue[Row]) -> None:
        """Put the rows that `attempt` holds back where they came from."""

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

    def _perform(
        self,
        attempt: Attempt,
        line: deque[Any],
        timeout: float | None,
        result: Callable[[], R] = lambda: None,  # type: ignore[assignment,return-value]
    ) -> R:
        """Let `attempt` stand in `line` until it is dealt with; undo it on any exception."""
        try:
            with self._lock:
                line.append(attempt)
                self._settle()
            if attempt.outcome is None:
                self._start_feeder()
                if not attempt.wait(timeout) and self._withdraw(attempt, line):
                    raise TimeoutError(self._describe_timeout(attempt, timeout))
            self._check_outcome(attempt)
            return result()
        except BaseException:
            self._withdraw(attempt, line)
            raise

    def _start_feeder(self) -> None:
        if self.feeder is not None and self.feeder.coord is not None:
            self.feeder.start()

    def _withdraw(self, attempt: Attempt, line: deque[Any]) -> bool:
        """Leave the line and give back; return False where the attempt was already dealt with."""
        with self._lock:
            is_waiting = attempt.outcome is None
            if is_waiting and attempt in line:
                line.remove(attempt)
            if isinstance(attempt, Dequeue) and (is_waiting or attempt.held):
                self._give_back(attempt)
            self._settle()
        return is_waiting

    def _settle(self) -> None:
        """Serve the heads of both lines until nothing moves; the caller holds the lock."""
        if self._is_settling:  # a signal handler came in between; the loop below goes on
            return
        self._is_settling = True
        try:
            self._serve_lines()
        except BaseException:  # Ctrl-C: others may not be left waiting
            self._serve_lines()
            raise
        finally:
            self._is_settling = False
        if self._is_cancel_wanted:
            self._settle()

    def _settle_again(self) -> None:
        with self._lock:
            self._settle()

    def _serve_lines(self) -> None:
        is_moving = True
        while is_moving:
            if self._is_cancel_wanted:
                self._is_cancel_wanted = False
                self._set_closed()
                while self._enqueues:
                    self._finish(self._enqueues, Outcome.CANCELLED)
            is_moving = self._serve_enqueues()
            is_moving = self._serve_dequeues() or is_moving

    def _serve_enqueues(self) -> bool:
        line, store = self._enqueues, self._store
        has_moved = False
        while line:
            attempt = line[0]
            if isinstance(attempt, Enqueue) and not self._closed:
                start = attempt.num_done
                end = min(len(attempt.rows), start + max(self._limit - len(store), 0))
                rows = attempt.rows[start:end]
                store += rows
                attempt.num_done = end
                has_moved = has_moved or end > start
                if end < len(attempt.rows):
                    return has_moved
                self._finish(line, Outcome.DONE)
            elif isinstance(attempt, Enqueue):
                self._finish(line, Outcome.CLOSED)
            else:
                self._set_closed()
                self._finish(line, Outcome.DONE)
            has_moved = True
        return has_moved

    def _serve_dequeues(self) -> bool:
        line, store = self._dequeues, self._store
        has_moved = False
        while line:
            attempt = line[0]
            while len(attempt.held) < attempt.num_wanted and len(store) > self._reserve:
                self._move_one(attempt.held)
                has_moved = True
            if len(attempt.held) == attempt.num_wanted:
                self._finish(line, Outcome.DONE)
            elif not self._closed:
                return has_moved
            elif attempt.takes_fewer and attempt.held:
                self._finish(line, Outcome.DONE)
            else:
                attempt.num_left = len(attempt.held)
                self._give_back(attempt)
                self._finish(line, Outcome.EXHAUSTED)
            has_moved = True
        return has_moved

    def _set_closed(self) -> None:
        self._closed = True
        self._reserve = 0

    @staticmethod
    def _finish(line: deque[Any], outcome: Outcome) -> None:
        """Take the head off its line and wake it."""
        attempt: Attempt = line[0]
        attempt.outcome = outcome
        del line[0]
        attempt.set()

    def _check_outcome(self, attempt: Attempt) -> None:
        if attempt.outcome is Outcome.CLOSED:
            raise CancelledError(f"queue {self.name!r} is closed: nothing can be enqueued")
        if attempt.outcome is Outcome.CANCELLED:
            raise CancelledError(f"queue {self.name!r} was cancelled while this call waited")
        if attempt.outcome is Outcome.EXHAUSTED and isinstance(attempt, Dequeue):
            raise OutOfRangeError(
                f"queue {self.name!r} is closed and has too few elements: "
                f"{attempt.num_wanted} asked for, {attempt.num_left} there"
            )

    def _describe_timeout(self, attempt: Attempt, timeout: float | None) -> str:
        if isinstance(attempt, Enqueue):
            what = f"enqueued {attempt.num_done} of {len(attempt.rows)} elements"
        elif isinstance(attempt, Dequeue):
            what = f"{attempt.num_wanted} elements asked for, {self.size()} there"
        else:
            what = "close waits"
        return f"queue {self.name!r}: nothing moved for {timeout} s: {what}"
