"""Producers: queues that one thread fills with the same elements, epoch after epoch.

Each epoch is enqueued whole before the next, so epochs never mix, whatever the capacity. Shuffling
is on by default; the order for a seed is fixed for ever (see shuffling.py). The first iteration
starts the thread; so does `dequeue` where the coordinator is known; else `start_queue_runners`.

All take `coord` (default the current coordinator, that of the innermost `with Coordinator()`) and
`collection` (where `start_queue_runners` finds them; default the one of the process).
"""

import glob
import operator
import os
import threading
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias, TypeVar

import numpy as np

from tfrec.errors import ConfigError, OutOfRangeError
from tfrec.pipeline.collection import QueueRunners
from tfrec.pipeline.coordinator import Coordinator
from tfrec.pipeline.queue import Queue
from tfrec.pipeline.queues import FIFOQueue
from tfrec.pipeline.shuffling import shuffled
from tfrec.pipeline.stage import Stage
from tfrec.pipeline.stage_runner import StageRunner

T = TypeVar("T")
FileName: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def string_input_producer(
    strings: Sequence[FileName] | str,
    num_epochs: int | None = None,
    shuffle: bool = True,  # noqa: FBT001, FBT002  TensorFlow's signature
    seed: int | None = None,
    capacity: int = 32,
    *,
    coord: Coordinator | None = None,
    collection: QueueRunners | None = None,
) -> Queue[Any]:
    """Return a queue of `strings`, each as it was given.

    Args:
        strings: file names, say; a single `str` is a pattern, see `match_filenames`.
        num_epochs: how often each comes; default without end.
        shuffle: whether each epoch has an order of its own; default yes.
        seed: an integer that fixes the orders; default fresh randomness.
        capacity: of the queue; negative: unbounded, only with `num_epochs`.
        coord: see the module.
        collection: see the module.

    Raises:
        ValueError: there are no strings, or the pattern matches no file.
    """
    elements = match_filenames(strings) if isinstance(strings, str) else list(strings)
    epochs = _Epochs(elements, num_epochs, seed, shuffle=shuffle)
    return _produce(FIFOQueue(_checked(capacity, num_epochs)), epochs, coord, collection)


def input_producer(
    rows: Any,  # noqa: ANN401  whatever numpy makes an array of
    element_shape: Sequence[int] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,  # noqa: FBT001, FBT002
    seed: int | None = None,
    capacity: int = 32,
    *,
    coord: Coordinator | None = None,
    collection: QueueRunners | None = None,
) -> Queue[Any]:
    """Return a queue of `rows`, an array or nested lists, all of one shape.

    Numbers become an array; other objects come as they were given. `element_shape` is what the
    shape of a row has to be, default any; other arguments as of string_input_producer.

    Raises:
        ValueError: there are no rows, or they differ in shape.
    """
    array = np.asarray(rows)
    if array.ndim == 0:
        raise ValueError(f"input_producer needs a sequence of rows: {rows!r}")
    if element_shape is not None and array.shape[1:] != tuple(element_shape):
        raise ValueError(f"rows have the shape {array.shape[1:]}, expected {tuple(element_shape)}")
    capacity = _checked(capacity, num_epochs)
    if array.dtype.kind in "biufc":
        epochs = _Epochs(array, num_epochs, seed, shuffle=shuffle)
        queue: Queue[Any] = FIFOQueue(capacity, [array.dtype], [array.shape[1:]])
    else:
        epochs = _Epochs(list(rows), num_epochs, seed, shuffle=shuffle)
        queue = FIFOQueue(capacity)
    return _produce(queue, epochs, coord, collection)


def range_input_producer(
    limit: int,
    num_epochs: int | None = None,
    shuffle: bool = True,  # noqa: FBT001, FBT002
    seed: int | None = None,
    capacity: int = 32,
    *,
    coord: Coordinator | None = None,
    collection: QueueRunners | None = None,
) -> Queue[int]:
    """Return a queue of the integers from 0 to `limit - 1`; see string_input_producer."""
    epochs = _Epochs(range(operator.index(limit)), num_epochs, seed, shuffle=shuffle)
    return _produce(FIFOQueue(_checked(capacity, num_epochs)), epochs, coord, collection)


def slice_input_producer(
    columns: Sequence[Sequence[Any]],
    num_epochs: int | None = None,
    shuffle: bool = True,  # noqa: FBT001, FBT002
    seed: int | None = None,
    capacity: int = 32,
    *,
    coord: Coordinator | None = None,
    collection: QueueRunners | None = None,
) -> Stage[list[Any]]:
    """Return a stage of rows: lists of the values of all columns at one index.

    Other arguments as of string_input_producer.

    Raises:
        ValueError: there are no columns or no rows, or the columns differ in length.
    """
    columns = list(columns)
    if not columns:
        raise ValueError("slice_input_producer was given no columns")
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        raise ValueError(f"columns have different lengths: {lengths}")
    epochs = _Epochs(range(lengths[0]), num_epochs, seed, shuffle=shuffle)
    queue: Queue[int] = FIFOQueue(_checked(capacity, num_epochs))
    runner = _runner(queue, epochs, coord, collection)

    def take_row() -> list[Any]:
        index = queue.dequeue()
        return [column[index] for column in columns]

    return Stage(queue, runner, take_row)


def limit_epochs(value: T, num_epochs: int | None = None) -> Callable[[], T]:
    """Return a callable that returns `value` `num_epochs` times, then raises OutOfRangeError.

    By default it returns `value` without end. Threads may share it.
    """
    remaining = _checked_epochs(num_epochs)
    lock = threading.Lock()

    def take() -> T:
        nonlocal remaining
        if remaining is not None:
            with lock:
                if remaining == 0:
                    raise OutOfRangeError(f"the value came {num_epochs} times")
                remaining -= 1
        return value

    return take


def match_filenames(pattern: str) -> list[str]:
    """Return the files that match a pattern as of the shell, `**` for any directories, sorted.

    Raises:
        ValueError: there is none.
    """
    names = sorted(glob.glob(pattern, recursive=True))
    if not names:
        raise ValueError(f"no file matches the pattern {pattern!r}")
    return names


class _Epochs:
    """What a producer's thread repeats; `queue` is set before its thread starts."""

    def __init__(
        self,
        elements: Any,  # noqa: ANN401  a sequence or an array
        num_epochs: int | None,
        seed: int | None,
        *,
        shuffle: bool,
    ) -> None:
        if len(elements) == 0:
            raise ValueError(f"a producer needs at least one element: {elements!r}")
        self._elements = elements
        self._remaining = _checked_epochs(num_epochs)
        self._random = Random(seed if seed is None else operator.index(seed)).random
        self._shuffle = shuffle

    def enqueue_next(self, queue: Queue[Any]) -> None:
        """Enqueue all elements once, in order or in a new one."""
        if self._remaining == 0:
            raise OutOfRangeError("all epochs are over")
        if self._remaining is not None:
            self._remaining -= 1
        queue.enqueue_many(self._order() if self._shuffle else self._elements)

    def _order(self) -> Any:  # noqa: ANN401
        if isinstance(self._elements, np.ndarray):
            return self._elements[shuffled(range(len(self._elements)), self._random)]
        return shuffled(self._elements, self._random)


def _produce(
    queue: Queue[T],
    epochs: _Epochs,
    coord: Coordinator | None,
    collection: QueueRunners | None,
) -> Queue[T]:
    _runner(queue, epochs, coord, collection)
    return queue


def _runner(
    queue: Queue[Any],
    epochs: _Epochs,
    coord: Coordinator | None,
    collection: QueueRunners | None,
) -> StageRunner:
    """Return the runner, which the queue keeps."""
    return StageRunner(
        queue,
        [lambda: epochs.enqueue_next(queue)],
        op_names=["enqueue_epoch"],
        coord=coord,
        collection=collection,
    )


def _checked(capacity: int, num_epochs: int | None) -> int:
    if capacity < 0 and num_epochs is None:
        raise ConfigError("an unbounded queue without num_epochs would fill the memory")
    return capacity


def _checked_epochs(num_epochs: int | None) -> int | None:
    if num_epochs is None:
        return None
    if not isinstance(num_epochs, int | np.integer) or num_epochs < 1:
        raise ValueError(f"num_epochs is neither None nor an integer from 1 on: {num_epochs!r}")
    return int(num_epochs)
