"""Threads that fill a queue."""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from tfrec.errors import OutOfRangeError
from tfrec.pipeline.coordinator import Coordinator, make_current
from tfrec.pipeline.queue import Queue

_logger = logging.getLogger(__name__)

Operation = Callable[[], object]


class Closable(Protocol):
    """What a runner asks of its queue."""

    name: str

    def close(self, cancel_pending_enqueues: bool = False) -> None:  # noqa: FBT001, FBT002
        """Let nothing more in."""


class QueueRunner:
    """Runs each operation, which enqueues once, in a thread of its own, over and over.

    A thread ends when its operation raises one of `queue_closed_exception_types`; the last one
    then closes the queue. Any other exception stops the coordinator, and the stop cancels the
    queue. Without a coordinator such an exception goes to `exceptions_raised` and to
    `threading.excepthook`; if that thread was the last, the queue stays open and its consumers
    wait for ever. Stages (`batch` and the producers) always have a coordinator.

    Attributes:
        coord: the coordinator it belongs to, if it is known before `create_threads`.

    Args:
        queue: the queue.
        enqueue_ops: called over and over, each by one thread; one that appears several times is
            called by several threads.
        close_op: default `queue.close()`.
        cancel_op: default `queue.close(cancel_pending_enqueues=True)`.
        queue_closed_exception_types: a non-empty tuple; default `(OutOfRangeError,)`. Add
            `CancelledError` where an operation takes from a queue that may be cancelled.
        op_names: for the threads' names; default the operations' own.
    """

    coord: Coordinator | None = None

    def __init__(
        self,
        queue: Closable,
        enqueue_ops: Sequence[Operation],
        close_op: Operation | None = None,
        cancel_op: Operation | None = None,
        queue_closed_exception_types: tuple[type[BaseException], ...] | None = None,
        *,
        op_names: Sequence[str] | None = None,
    ) -> None:
        if queue is None or not enqueue_ops:
            raise ValueError("a queue runner needs a queue and at least one enqueue operation")
        self._queue = queue
        self._enqueue_ops = list(enqueue_ops)
        self._close_op = close_op or queue.close
        self._cancel_op = cancel_op or (lambda: queue.close(cancel_pending_enqueues=True))
        self._closed_types = _checked_types(queue_closed_exception_types)
        self._op_names = list(op_names or map(_name_of, self._enqueue_ops))
        self._lock = threading.Lock()
        self._num_outstanding = 0
        self._was_started = False
        self._exceptions_raised: list[BaseException] = []

    @property
    def queue(self) -> Closable:
        return self._queue

    @property
    def enqueue_ops(self) -> list[Operation]:
        return self._enqueue_ops

    @property
    def close_op(self) -> Operation:
        return self._close_op

    @property
    def cancel_op(self) -> Operation:
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[BaseException], ...]:
        return self._closed_types

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What operations raised while there was no coordinator."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        return self._queue.name

    def create_threads(
        self,
        coord: Coordinator | None = None,
        daemon: bool = False,  # noqa: FBT001, FBT002  TensorFlow's signature
        start: bool = False,  # noqa: FBT001, FBT002
    ) -> list[threading.Thread]:
        """Make one thread per operation, and one more that cancels the queue when `coord` stops.

        All are registered with `coord`. While threads of an earlier call are outstanding, started
        or not, nothing is made.
        """
        if not self._claim():
            return []
        threads = self._make_workers(coord, daemon=daemon)
        if coord is not None:
            threads.append(
                self._make_thread("close_on_stop", self._close_on_stop, coord, daemon=daemon)
            )
        self._launch(threads, coord, start=start)
        return threads

    def _claim(self, *, only_once: bool = False) -> bool:
        """Count all operations as outstanding, unless some are, or have ever been."""
        with self._lock:
            if self._num_outstanding or (only_once and self._was_started):
                return False
            self._was_started = True
            self._num_outstanding = len(self._enqueue_ops)
            self._exceptions_raised = []
            return True

    def _make_workers(self, coord: Coordinator | None, *, daemon: bool) -> list[threading.Thread]:
        if isinstance(self._queue, Queue):
            self._queue.coord = coord
        return [
            self._make_thread(op_name, self._work, operation, coord, daemon=daemon)
            for op_name, operation in zip(self._op_names, self._enqueue_ops, strict=True)
        ]

    def _make_thread(
        self, what: str, target: Callable[..., None], *args: object, daemon: bool
    ) -> threading.Thread:
        name = f"QueueRunnerThread-{self.name}-{what}"
        return threading.Thread(target=target, args=args, name=name, daemon=daemon)

    def _launch(
        self, threads: Sequence[threading.Thread], coord: Coordinator | None, *, start: bool
    ) -> None:
        if coord is not None:
            for thread in threads:
                coord.register_thread(thread)
        if not start:
            return
        try:
            for thread in threads:
                thread.start()
        except RuntimeError as error:  # the system has no more threads
            if coord is not None:
                coord.request_stop(error)
                _run_quietly(self._cancel_op)  # the thread that would do it may not have started
            raise

    def _work(self, operation: Operation, coord: Coordinator | None) -> None:
        """Repeat `operation` until it or the coordinator ends it."""
        has_ended = False
        make_current(coord)
        try:
            while coord is None or not coord.should_stop():
                operation()
        except BaseException as error:
            if self._is_end(error):
                has_ended = coord is None or not coord.should_stop()
            elif coord is None:
                self._exceptions_raised.append(error)
                raise
            else:
                coord.request_stop(error)
        finally:
            with self._lock:
                self._num_outstanding -= 1
                is_last = self._num_outstanding == 0
            if has_ended and is_last:
                _run_quietly(self._close_op)

    def _is_end(self, error: BaseException) -> bool:
        return isinstance(error, self._closed_types)

    def _close_on_stop(self, coord: Coordinator) -> None:
        coord.wait_for_stop()
        _run_quietly(self._cancel_op)


def _run_quietly(operation: Operation) -> None:
    try:
        operation()
    except Exception:  # a thread's edge; nobody can act on it
        _logger.debug("closing a queue failed", exc_info=True)


def _name_of(operation: Operation) -> str:
    return getattr(operation, "__name__", type(operation).__name__)


def _checked_types(
    types: tuple[type[BaseException], ...] | None,
) -> tuple[type[BaseException], ...]:
    if types is None:
        return (OutOfRangeError,)
    if not isinstance(types, tuple) or not types:
        raise TypeError(f"queue_closed_exception_types is no non-empty tuple: {types!r}")
    for kind in types:
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError(f"queue_closed_exception_types holds no exception class: {kind!r}")
    return types
