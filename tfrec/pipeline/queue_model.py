"""The model of the queues: a store, `closed`, and two first-come lines of attempts.

Enqueues (plain closes among them) stand in one line, dequeues in the other. After every change the
heads of both lines are served until nothing moves. Only heads are served, so nobody is overtaken,
not even by a smaller request; each attempt has its own wake-up.

One trap shapes the code. Python runs signal handlers, and raises KeyboardInterrupt, after any call,
and a handler may call `cancel`. So rows move by subscripts and `+=` alone, and what must happen
together is written without a call between. Handlers must not call anything that waits.
"""

import operator
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Protocol, Self, TypeVar

from tfrec.errors import CancelledError, ConfigError, OutOfRangeError
from tfrec.pipeline.attempts import Attempt, Dequeue, Enqueue, Outcome
from tfrec.pipeline.layout import Row

R = TypeVar("R")


class _Store(Protocol):
    def __len__(self) -> int: ...
    def __iadd__(self, rows: Iterable[Row], /) -> Self: ...


class QueueModel(ABC):
    """Rows in a store, and who waits for them or for room.

    Attributes:
        name: for messages and threads.
        capacity: bound on the rows in the store; negative: none.
    """

    _store: "_Store"

    def __init__(self, capacity: int, name: str) -> None:
        self.name = name
        self.capacity = operator.index(capacity)
        if self.capacity == 0:
            raise ConfigError("capacity is 0: such a queue accepts nothing; negative is unbounded")
        self._limit = self.capacity if self.capacity > 0 else sys.maxsize
        self._lock = threading.RLock()
        self._closed = False
        self._reserve = 0  # how many rows must stay in the store
        self._enqueues: deque[Attempt] = deque()
        self._dequeues: deque[Dequeue[Row]] = deque()
        self._is_settling = False
        self._is_cancel_wanted = False

    def size(self) -> int:
        """Return the number of elements in the store."""
        return len(self._store)

    def is_closed(self) -> bool:
        return self._closed

    @abstractmethod
    def _move_one(self, held: list[Row]) -> None:
        """Move one row from the store to `held`, with no call once it has begun."""

    @abstractmethod
    def _give_back(self, attempt: Dequeue[Row]) -> None:
        """Put the rows that `attempt` holds back where they came from."""

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
                self._before_waiting()
                if not attempt.wait(timeout) and self._withdraw(attempt, line, undo=False):
                    raise TimeoutError(self._describe_timeout(attempt, timeout))
            self._check_outcome(attempt)
            return result()
        except BaseException:
            self._withdraw(attempt, line, undo=True)
            raise

    def _before_waiting(self) -> None:  # noqa: B027  nothing, unless a queue knows better
        """Run in a thread that is about to wait, without the lock."""

    def _cancel(self) -> None:
        """Close at once and fail every waiting enqueue and close."""
        try:
            with self._lock:
                self._is_cancel_wanted = True
                self._settle()
        except BaseException:  # Ctrl-C before all were woken
            self._settle_again()
            raise

    def _withdraw(self, attempt: Attempt, line: deque[Any], *, undo: bool) -> bool:
        """Leave the line and give back what is held; return whether the attempt was waiting.

        With `undo` also a dequeue that was dealt with gives back.
        """
        with self._lock:
            is_waiting = attempt.outcome is None
            if is_waiting and attempt in line:
                line.remove(attempt)
            if isinstance(attempt, Dequeue) and (is_waiting or undo):
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
