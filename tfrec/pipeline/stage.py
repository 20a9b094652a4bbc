"""A stage: a queue, the threads that fill it, and the iterator its consumer reads."""

from collections.abc import Callable, Iterator
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar

from tfrec.errors import OutOfRangeError, StragglerError
from tfrec.pipeline.queue import Queue
from tfrec.pipeline.stage_runner import PrivateCoordinator, StageRunner
from tfrec.pipeline.threads import describe_stragglers, join_all

T = TypeVar("T")

_GRACE_SECS = 120.0
# A consumer that met a failure waits less for threads before it raises the error, which is to
# arrive within 50 ms even while another thread is inside a user's callable.
_FAILURE_GRACE_SECS = 0.04


class Stage(Iterator[T]):
    """What producers of rows and batchers return: iterate over it, or call `get`.

    The first `next` or `get` starts the threads of this stage and of all before it. A `for`
    statement ends with the data, and raises the first error of any thread, that very object. Any
    number of threads may take elements.

    The threads end with their coordinator. Without one they end with the data, with a failure or
    with `close`, which leaving `with stage:` calls.

    Attributes:
        queue: what the threads fill.
        runner: starts them, and knows the stages before this one.
    """

    def __init__(self, queue: Queue[Any], runner: StageRunner, take: Callable[[], T]) -> None:
        self.queue = queue
        self.runner = runner
        self._take = take

    def get(self) -> T:
        """Return the next element.

        Raises:
            OutOfRangeError: at the end, and also after a failure, which the coordinator's `join`
                raises.
        """
        self.runner.start()
        return self._take()

    def __next__(self) -> T:
        try:
            return self.get()
        except OutOfRangeError:
            pass  # what is raised below is to have no context
        coord = self.runner.coord
        if isinstance(coord, PrivateCoordinator):
            grace_secs = _FAILURE_GRACE_SECS if coord.should_stop() else _GRACE_SECS
            self.runner.leave()
            join_all(self._threads(), grace_secs)
            coord.has_raised = True
        if coord is not None:
            coord.raise_requested_exception()
        raise StopIteration

    def close(self) -> None:
        """End the threads of this stage and of all before it; elements in flight are dropped.

        Raises:
            StragglerError: a thread stays inside a user's callable for two minutes.
            BaseException: without a coordinator: a thread's error that iteration has not raised.
        """
        for runner in self.runner.chain:
            runner.cancel()
        self.runner.leave()
        stragglers = join_all(self._threads(), _GRACE_SECS)
        coord = self.runner.coord
        if isinstance(coord, PrivateCoordinator):
            has_raised, coord.has_raised = coord.has_raised, True
            if not has_raised:
                coord.raise_requested_exception()
        if stragglers:
            raise StragglerError(describe_stragglers(stragglers))

    def __enter__(self) -> "Stage[T]":
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _threads(self) -> list[Thread]:
        return [thread for runner in self.runner.chain for thread in runner.threads]
