"""The runner of a stage: it knows what it reads from, and which coordinator it belongs to.

The coordinator is settled when a stage starts: the one it was given or made under, else that of a
stage before it, else a private one, which it shares with the stages before it.
"""

import threading
from collections.abc import Iterable, Sequence
from typing import Any

from tfrec.errors import CancelledError
from tfrec.pipeline.collection import DEFAULT_COLLECTION, QueueRunners
from tfrec.pipeline.coordinator import Coordinator, current_coordinator
from tfrec.pipeline.queue import Queue
from tfrec.pipeline.queue_runner import Operation, QueueRunner

_binding_lock = threading.Lock()


class StageRunner(QueueRunner):
    """Starts once, on demand, together with the runners it reads from.

    Args:
        queue, enqueue_ops, op_names: as of QueueRunner.
        coord: default the current coordinator of the thread that makes it.
        collection: where it can be started explicitly; default the one of the process.
        sources: the runners of the stages before it.
        cancel_sources: what to cancel besides its queue, so that no thread stays blocked.
    """

    def __init__(
        self,
        queue: Queue[Any],
        enqueue_ops: Sequence[Operation],
        *,
        op_names: Sequence[str] | None = None,
        coord: Coordinator | None = None,
        collection: QueueRunners | None = None,
        sources: Iterable["StageRunner"] = (),
        cancel_sources: Iterable[Operation] = (),
    ) -> None:
        super().__init__(queue, enqueue_ops, cancel_op=self.cancel, op_names=op_names)
        self.coord = coord or current_coordinator()
        self.sources = list(sources)
        self.threads: list[threading.Thread] = []
        self._filled_queue = queue
        self._is_chain_started = False
        self._cancel_sources = list(cancel_sources)
        queue.feeder = self
        (DEFAULT_COLLECTION if collection is None else collection).add_weakly(self)

    @property
    def chain(self) -> list["StageRunner"]:
        """The runners of this stage and of all before it, each once, the last stage first."""
        found = [self]
        for runner in found:  # grows meanwhile
            found += [source for source in runner.sources if source not in found]
        return found

    def cancel(self) -> None:
        """End every call that is blocked in the stage's queue or in what it reads from."""
        self._filled_queue.cancel()
        for cancel in self._cancel_sources:
            cancel()

    def start(self) -> None:
        """Start the threads of this stage and of all before it, unless they were before."""
        if self._is_chain_started:
            return
        chain = self.chain
        _bind(chain)
        for runner in reversed(chain):
            runner.start_alone()
        self._is_chain_started = True

    def start_alone(self) -> None:
        """Start the threads of this stage as daemons; no thread is needed to cancel its queue."""
        coord = self.coord
        if coord is None or self._filled_queue.is_closed() or not self._claim(only_once=True):
            return
        workers = self._make_workers(coord, daemon=True)
        self._note_started(workers)
        self._filled_queue.when_closed(coord.call_on_stop(self.cancel))
        self._launch(workers, coord, start=True)

    def leave(self) -> None:
        """Let this stage and all before it, which have ended, go from private coordinators."""
        for runner in self.chain:
            if isinstance(runner.coord, PrivateCoordinator):
                runner.coord.leave(runner)

    def create_threads(
        self,
        coord: Coordinator | None = None,
        daemon: bool = False,  # noqa: FBT001, FBT002  TensorFlow's signature
        start: bool = False,  # noqa: FBT001, FBT002
    ) -> list[threading.Thread]:
        """Make the threads as `QueueRunner.create_threads` does, always with a coordinator."""
        if coord is not None:
            self.coord = coord
        _bind(self.chain)
        threads = super().create_threads(self.coord, daemon, start)
        self._note_started(threads)
        return threads

    def _is_end(self, error: BaseException) -> bool:
        # A CancelledError is an end where this stage was closed, not where a source met it.
        was_closed = isinstance(error, CancelledError) and self._filled_queue.is_closed()
        return was_closed or super()._is_end(error)

    def _note_started(self, threads: Sequence[threading.Thread]) -> None:
        self.threads += threads
        if isinstance(self.coord, PrivateCoordinator):
            self.coord.running.add(self)


class PrivateCoordinator(Coordinator):
    """The coordinator of stages that were given none; it stops when the last of them has ended.

    Attributes:
        running: the stages that were started and have not ended.
        has_raised: whether a consumer was told the recorded error.
    """

    def __init__(self) -> None:
        super().__init__()
        self.running: set[StageRunner] = set()
        self.has_raised = False

    def leave(self, runner: StageRunner) -> None:
        """Let a stage that has ended go."""
        self.running.discard(runner)
        if not self.running:
            self.request_stop()


def _bind(chain: Sequence[StageRunner]) -> None:
    """Give the runners of `chain` that have no coordinator the one of the chain."""
    with _binding_lock:
        coord = next(filter(_is_usable, (runner.coord for runner in chain)), None)
        coord = coord or PrivateCoordinator()
        for runner in chain:
            runner.coord = runner.coord or coord


def _is_usable(coord: Coordinator | None) -> bool:
    """Say whether stages may share `coord`; a private one ends with its stages."""
    is_over = isinstance(coord, PrivateCoordinator) and coord.should_stop()
    return coord is not None and not is_over
