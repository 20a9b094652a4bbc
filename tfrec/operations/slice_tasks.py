"""Write files of records, each as a task of its own."""

from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Executor
from functools import partial
from typing import NamedTuple

from tfrec.engine import map_ordered, until_stopped
from tfrec.errors import WorkerError
from tfrec.operations.output import CountedShard, ShardWriter
from tfrec.operations.progress import Advance
from tfrec.operations.slices import Slice, SliceReader, divide_records, find_records


class Target(NamedTuple):
    """Where a file is written, and what a manifest calls it."""

    path: str
    name: str


def write_slices(
    targets: Sequence[Target],
    inputs: Sequence[str],
    *,
    reader: SliceReader,
    writer: ShardWriter,
    executor: Executor,
    window: int,
    advance: Advance,
) -> list[CountedShard] | None:
    """Divide the records of files among `targets`, in their order.

    Return None, and write nothing, where the tasks would skip more records than there are: those of
    compressed files are reached from the start alone.

    Raises:
        ConfigError: a file is standard input.
        DataLossError: a record is damaged.
        WorkerError: a worker has died.
    """
    find = partial(
        find_records,
        selection=reader.selection,
        storage=reader.storage,
        num_files=len(inputs),
    )
    written: list[CountedShard] = []
    try:
        found = list(map_ordered(executor, find, inputs, window=window))
        slices = divide_records(found, len(targets))
        num_skipped = sum(part.num_skipped for parts in slices for part in parts)
        if num_skipped > sum(file.num_records for file in found):
            return None
        write = partial(_write_file, reader=reader, writer=writer)
        tasks = zip(targets, slices, strict=True)
        for counted in map_ordered(executor, write, tasks, window=window):
            written.append(counted)
            advance(counted.shard.num_records)
    except BrokenExecutor as error:
        raise WorkerError(
            f"a worker died before {targets[len(written)].name} was written, perhaps for lack of "
            "memory; try fewer workers"
        ) from error
    return written


def _write_file(
    task: tuple[Target, Slice], *, reader: SliceReader, writer: ShardWriter
) -> CountedShard:
    target, parts = task
    return writer.write(target.path, target.name, until_stopped(reader.read(parts)))
