"""The three queues: first in first out, padding, and random shuffle."""

from collections import deque
from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

from tfrec.errors import ConfigError
from tfrec.pipeline.attempts import Dequeue
from tfrec.pipeline.layout import Layout, Row, TypedLayout, make_layout
from tfrec.pipeline.queue import Queue

T = TypeVar("T")

_NOTHING: Any = object()


class FIFOQueue(Queue[T]):
    """Elements come out in the order they went in.

    Args:
        capacity: bound on the elements held; negative: none.
        dtypes: the type of each component; None: an element is any one object, unchecked.
        shapes: the shape of each component, which `dequeue_many` needs.
        names: the components' names: elements are then dicts.
        name: for messages and threads; default the kind and a number.
        layout: what an element is, instead of `dtypes`, `shapes` and `names`.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any = None,  # noqa: ANN401  whatever numpy takes for a dtype, or a list of these
        shapes: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        *,
        name: str | None = None,
        layout: Layout | None = None,
    ) -> None:
        super().__init__(capacity, layout or make_layout(dtypes, shapes, names), name)
        self._store: deque[Row] = deque()

    def dequeue(self, *, timeout: float | None = None) -> T:
        row = _NOTHING
        try:
            with self._lock:
                store = self._store
                if store and not self._dequeues:
                    row = store[0]
                    del store[0]
                    if self._enqueues:
                        self._settle()
            if row is not _NOTHING:
                return row if self._pack is None else self._layout.unpack(row)  # type: ignore[no-any-return]
        except BaseException:  # Ctrl-C after the row was taken
            with self._lock:
                if row is not _NOTHING:
                    self._store.appendleft(row)
                self._settle()
            raise
        return super().dequeue(timeout=timeout)

    def _move_one(self, held: list[Row]) -> None:
        store = self._store
        held += (store[0],)
        del store[0]

    def _give_back(self, attempt: Dequeue[Row]) -> None:
        rows = attempt.held[::-1]
        attempt.held = []
        self._store.extendleft(rows)


class PaddingFIFOQueue(FIFOQueue[T]):
    """A FIFOQueue whose shapes may have None for a dimension that varies.

    A batch is padded at the end of each such dimension to its longest element, with zeros, False
    or b"". `dequeue` returns elements unpadded.

    Args:
        capacity, names, name, layout: as of FIFOQueue.
        dtypes, shapes: one per component; required unless there is a `layout`.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any = None,  # noqa: ANN401  as of FIFOQueue
        shapes: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        *,
        name: str | None = None,
        layout: Layout | None = None,
    ) -> None:
        if layout is None:
            if dtypes is None or shapes is None:
                raise ConfigError("a padding queue needs dtypes and shapes")
            layout = TypedLayout(dtypes, shapes, names, pads=True)
        super().__init__(capacity, name=name, layout=layout)


class RandomShuffleQueue(Queue[T]):
    """Each element that comes out is drawn uniformly from those in the queue.

    While the queue is open at least `min_after_dequeue` elements remain in it. The same seed and
    the same sequence of operations give the same order.

    Args:
        capacity, dtypes, shapes, names, name, layout: as of FIFOQueue.
        min_after_dequeue: from 0 to less than the capacity.
        seed: an integer; default fresh randomness.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any = None,  # noqa: ANN401  as of FIFOQueue
        shapes: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        seed: int | None = None,
        *,
        name: str | None = None,
        layout: Layout | None = None,
    ) -> None:
        super().__init__(capacity, layout or make_layout(dtypes, shapes, names), name)
        if not 0 <= min_after_dequeue < self._limit:
            raise ConfigError(
                f"min_after_dequeue is {min_after_dequeue}, capacity {capacity}: "
                "it must be from 0 to less than the capacity"
            )
        self.min_after_dequeue = min_after_dequeue
        self._reserve = min_after_dequeue
        self._store: list[Row] = []
        self._random = Random(seed).random

    def _move_one(self, held: list[Row]) -> None:
        store = self._store
        drawn = int(self._random() * len(store))
        held += (store[drawn],)
        store[drawn] = store[-1]
        del store[-1]

    def _give_back(self, attempt: Dequeue[Row]) -> None:
        rows = attempt.held
        attempt.held = []
        self._store += rows
