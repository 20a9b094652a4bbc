"""Batchers: stages that gather the elements of one or more sources into batches.

In flight are at most `capacity` elements in the queue and one in the hand of each thread. One
element is one call of its source, so that its parts cannot come apart. Numbers and arrays are
stacked, with one copy; other objects come as lists.

A source is a queue, a stage, an iterator (advanced by one thread at a time), or a callable, which
is called from all threads. Its end is OutOfRangeError or StopIteration; any other exception stops
the coordinator and is raised where the stage is iterated over. Keyword options of all batchers:

    dtypes      of the components; default those of the first element
    coord       the coordinator; default the current one, else that of the sources, else a private
    collection  where `start_queue_runners` finds the stage; default the one of the process
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfrec.errors import OutOfRangeError
from tfrec.pipeline.collection import QueueRunners
from tfrec.pipeline.component import DTypeLike
from tfrec.pipeline.coordinator import Coordinator
from tfrec.pipeline.inferred_layout import Each, InferredLayout
from tfrec.pipeline.queue import Batch, Queue, numbered
from tfrec.pipeline.queue_runner import Operation
from tfrec.pipeline.queues import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from tfrec.pipeline.sources import Door, Source, open_sources
from tfrec.pipeline.stage import Stage
from tfrec.pipeline.stage_runner import StageRunner


def batch(
    source: Source[Any],
    batch_size: int,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,  # noqa: FBT001, FBT002  TensorFlow's signature
    shapes: Each | None = None,
    dynamic_pad: bool = False,  # noqa: FBT001, FBT002
    allow_smaller_final_batch: bool = False,  # noqa: FBT001, FBT002
    *,
    dtypes: DTypeLike | Each | None = None,
    coord: Coordinator | None = None,
    collection: QueueRunners | None = None,
) -> Stage[Batch]:
    """Return a stage of batches; with one thread in the order of the source.

    Args:
        source: where the elements come from.
        batch_size: elements in a batch; may exceed the capacity.
        num_threads: how many threads call the source.
        capacity: bound on the elements that wait; negative: none.
        enqueue_many: whether each component is a sequence of rows, to be batched anew.
        shapes: of the components; default those of the first element.
        dynamic_pad: pad what differs in shape at its end, to the largest of the batch.
        allow_smaller_final_batch: let a last batch of fewer elements out instead of dropping it.
        dtypes: see the module.
        coord: see the module.
        collection: see the module.
    """
    return _stage(
        _fifo_queue("batch", capacity, dtypes, shapes, pads=dynamic_pad),
        _repeated(source, num_threads),
        _Taking(batch_size, enqueue_many, allow_smaller_final_batch),
        coord,
        collection,
    )


def batch_join(
    sources: Sequence[Source[Any]],
    batch_size: int,
    capacity: int = 32,
    enqueue_many: bool = False,  # noqa: FBT001, FBT002
    shapes: Each | None = None,
    dynamic_pad: bool = False,  # noqa: FBT001, FBT002
    allow_smaller_final_batch: bool = False,  # noqa: FBT001, FBT002
    *,
    dtypes: DTypeLike | Each | None = None,
    coord: Coordinator | None = None,
    collection: QueueRunners | None = None,
) -> Stage[Batch]:
    """Return a stage of batches from several sources, with one thread for each.

    Each source's own order is kept; the stage ends with the last of them. Their elements must be
    alike. Other arguments as of `batch`.
    """
    return _stage(
        _fifo_queue("batch_join", capacity, dtypes, shapes, pads=dynamic_pad),
        sources,
        _Taking(batch_size, enqueue_many, allow_smaller_final_batch),
        coord,
        collection,
    )


def shuffle_batch(
    source: Source[Any],
    batch_size: int,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,  # noqa: FBT001, FBT002
    shapes: Each | None = None,
    allow_smaller_final_batch: bool = False,  # noqa: FBT001, FBT002
    *,
    dtypes: DTypeLike | Each | None = None,
    coord: Coordinator | None = None,
    collection: QueueRunners | None = None,
) -> Stage[Batch]:
    """Return a stage of batches of elements drawn at random from those that wait.

    The seed fixes the draws; the order repeats only if filling and taking interleave alike. A good
    capacity is `min_after_dequeue + (num_threads + 2) * batch_size`. After each draw at least
    `min_after_dequeue` elements remain, until the source has ended. Other arguments as of `batch`.
    """
    return _stage(
        _shuffle_queue("shuffle_batch", capacity, min_after_dequeue, seed, dtypes, shapes),
        _repeated(source, num_threads),
        _Taking(batch_size, enqueue_many, allow_smaller_final_batch),
        coord,
        collection,
    )


def shuffle_batch_join(
    sources: Sequence[Source[Any]],
    batch_size: int,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,  # noqa: FBT001, FBT002
    shapes: Each | None = None,
    allow_smaller_final_batch: bool = False,  # noqa: FBT001, FBT002
    *,
    dtypes: DTypeLike | Each | None = None,
    coord: Coordinator | None = None,
    collection: QueueRunners | None = None,
) -> Stage[Batch]:
    """Return a stage like that of `shuffle_batch`, from several sources as `batch_join` has."""
    return _stage(
        _shuffle_queue("shuffle_batch_join", capacity, min_after_dequeue, seed, dtypes, shapes),
        sources,
        _Taking(batch_size, enqueue_many, allow_smaller_final_batch),
        coord,
        collection,
    )


class _Taking(NamedTuple):
    """How elements get in and batches out."""

    batch_size: int
    enqueue_many: bool
    takes_fewer: bool


def _stage(
    queue: Queue[Any],
    sources: Sequence[Source[Any]],
    taking: _Taking,
    coord: Coordinator | None,
    collection: QueueRunners | None,
) -> Stage[Batch]:
    if taking.batch_size < 1:
        raise ValueError(f"batch_size is {taking.batch_size}: it must be at least 1")
    if not sources:
        raise ValueError("there are no sources to batch")
    doors = open_sources(sources)
    different = list(dict.fromkeys(doors))
    op_names = [f"enqueue_{position}" for position in range(len(doors))]
    runner = StageRunner(
        queue,
        [
            _enqueue_op(door, queue, op_name, many=taking.enqueue_many)
            for door, op_name in zip(doors, op_names, strict=True)
        ],
        op_names=op_names,
        coord=coord,
        collection=collection,
        sources=[runner for door in different for runner in door.runners],
        cancel_sources=[cancel for door in different for cancel in door.cancels],
    )
    dequeue = queue.dequeue_up_to if taking.takes_fewer else queue.dequeue_many
    return Stage(queue, runner, lambda: dequeue(taking.batch_size))


def _enqueue_op(door: Door[Any], queue: Queue[Any], name: str, *, many: bool) -> Operation:
    """Return what one thread repeats; a failure gets a note of where it happened."""
    enqueue = queue.enqueue_many if many else queue.enqueue

    def run() -> None:
        try:
            enqueue(door())
        except OutOfRangeError:
            raise
        except Exception as error:
            notes = getattr(error, "__notes__", ())
            if not any(note.startswith("in stage ") for note in notes):  # one of an earlier stage
                error.add_note(f"in stage {queue.name!r}, operation {name!r}")
            raise

    return run


def _repeated(source: Source[Any], num_threads: int) -> list[Source[Any]]:
    if num_threads < 1:
        raise ValueError(f"num_threads is {num_threads}: it must be at least 1")
    return [source] * num_threads


def _fifo_queue(
    kind: str,
    capacity: int,
    dtypes: DTypeLike | Each | None,
    shapes: Each | None,
    *,
    pads: bool,
) -> Queue[Any]:
    queue_type = PaddingFIFOQueue if pads else FIFOQueue
    layout = InferredLayout(dtypes, shapes, pads=pads)
    return queue_type(capacity, layout=layout, name=numbered(kind))


def _shuffle_queue(
    kind: str,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None,
    dtypes: DTypeLike | Each | None,
    shapes: Each | None,
) -> Queue[Any]:
    layout = InferredLayout(dtypes, shapes)
    return RandomShuffleQueue(
        capacity, min_after_dequeue, seed=seed, layout=layout, name=numbered(kind)
    )
