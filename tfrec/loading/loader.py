"""`Loader`: the decoded samples of a dataset in batches of arrays."""

import math
import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfrec.dataset.reading import DecodedSample, PlacedRecord, Records, decode_sample, open_dataset
from tfrec.engine import EXECUTORS, default_num_workers, map_ordered
from tfrec.errors import ExampleError
from tfrec.loading.options import ReadOptions
from tfrec.loading.shuffling import shuffle_files, shuffle_through_buffer

_PARTS_A_THREAD = 2  # of a batch, so that the threads end it at about the same time
_MAX_PART_SIZE = 16  # samples


class Batch(NamedTuple):
    """`images` uint8 of shape (n, height, width, channels); `labels` int64 of shape (n,)."""

    images: NDArray[np.uint8]
    labels: NDArray[np.int64]


class _Part(NamedTuple):
    """Records of a batch, the places of their samples in it, and with its last ones the batch.

    A task of several records, which are decoded where they belong, spares the threads most of their
    waiting for one another.
    """

    records: list[PlacedRecord]
    images: NDArray[np.uint8]
    labels: NDArray[np.int64]
    whole: Batch | None


class Loader(Iterable[Batch]):
    """Batches of the samples of records, decoded by threads, in an order that the seed decides.

    While the caller works on a batch, the threads decode the next ones.

    It can be iterated any number of times, and pickled; it holds no open file. The threads and
    files of an iteration end with it, also where it is left early.

    Args:
        records: what `tfrec.open` returns, or the paths that it would be given.
        options: how they are read.
        image_key: the feature that is the image; by default looked for.
        label_key: the feature that is the label, a number; by default looked for.
    """

    def __init__(
        self,
        records: Records | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        options: ReadOptions | None = None,
        *,
        image_key: str | None = None,
        label_key: str | None = None,
    ) -> None:
        self.records = records if isinstance(records, Records) else open_dataset(records)
        self.options = options or ReadOptions()
        self.image_key = image_key
        self.label_key = label_key

    def for_worker(self, worker: int, num_workers: int) -> "Loader":
        """Return the loader of one of several workers that share the records."""
        options = replace(self.options, worker=worker, num_workers=num_workers)
        return Loader(self.records, options, image_key=self.image_key, label_key=self.label_key)

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches of all epochs; a batch may hold the end of one and the next's start.

        Raises:
            DataLossError: a file is damaged.
            ExampleError: a record has no image of the common size, or no numeric label; its place
                is named.
        """
        num_threads = self.options.num_threads or default_num_workers()
        part_size, window = self._divide(num_threads)
        with (
            EXECUTORS["threads"](num_threads) as executor,
            closing(
                map_ordered(executor, self._fill, self._parts(part_size), window=window)
            ) as filled,
        ):
            for batch in filled:
                if batch is not None:
                    yield batch

    def _divide(self, num_threads: int) -> tuple[int, int]:
        """Return how many samples a task has, and how many tasks are in flight."""
        size = self.options.batch_size
        part_size = min(math.ceil(size / (_PARTS_A_THREAD * num_threads)), _MAX_PART_SIZE)
        if num_threads == 1:  # the caller's
            return part_size, 1
        window = self.options.prefetch * math.ceil(size / part_size)
        return part_size, max(window, num_threads)  # of small batches too, each thread has one

    def _parts(self, part_size: int) -> Iterator[_Part]:
        """Read the records of each batch, and yield them with the places of their samples."""
        size = self.options.batch_size
        records = self._read()
        shape: tuple[int, ...] | None = None
        while batch := list(islice(records, size)):
            if len(batch) < size and self.options.drop_remainder:
                return
            # The first image is decoded once more, for its shape: a batch needs its memory before.
            shape = shape or self._decode(batch[0]).image.shape
            images = np.empty((len(batch), *shape), np.uint8)
            labels = np.empty(len(batch), np.int64)
            for start in range(0, len(batch), part_size):
                part = slice(start, start + part_size)
                is_last = start + part_size >= len(batch)
                whole = Batch(images, labels) if is_last else None
                yield _Part(batch[part], images[part], labels[part], whole)

    def _fill(self, part: _Part) -> Batch | None:
        """Decode the samples of a part into their places."""
        shape = part.images.shape[1:]
        for number, placed in enumerate(part.records):
            sample = self._decode(placed)
            part.labels[number] = _number_of(placed, sample, shape)
            part.images[number] = sample.image
        return part.whole

    def _decode(self, placed: PlacedRecord) -> DecodedSample:
        return decode_sample(placed, image_key=self.image_key, label_key=self.label_key)

    def _read(self) -> Iterator[PlacedRecord]:
        """Yield this worker's records of all epochs."""
        options = self.options
        epochs = count() if options.num_epochs is None else range(options.num_epochs)
        for epoch in epochs:
            records = self._read_epoch(epoch)
            mine: Iterator[PlacedRecord] = islice(
                records, options.worker, None, options.num_workers
            )
            if options.num_epochs is None:
                mine = self._refuse_none(mine)
            if options.shuffle:
                yield from shuffle_through_buffer(
                    mine, buffer_size=options.buffer_size, seed=options.seed, epoch=epoch
                )
            else:
                yield from mine

    def _read_epoch(self, epoch: int) -> Iterator[PlacedRecord]:
        files = self.records.files
        if self.options.shuffle:
            files = tuple(shuffle_files(files, seed=self.options.seed, epoch=epoch))
        return replace(self.records, files=files).read()

    def _refuse_none(self, records: Iterator[PlacedRecord]) -> Iterator[PlacedRecord]:
        """Yield the records of one of endless epochs; without any, none would ever come."""
        first = next(records, None)
        if first is None:
            worker, num_workers = self.options.worker, self.options.num_workers
            whose = f" for worker {worker} of {num_workers}" if num_workers > 1 else ""
            raise ValueError(f"the files have no records{whose} to read without end")
        yield first
        yield from records


def _number_of(placed: PlacedRecord, sample: DecodedSample, shape: tuple[int, ...]) -> int:
    """Return the label of a sample that fits its batch."""
    if sample.image.shape != shape:
        raise placed.located(
            ExampleError(
                "images of different shapes make no batch; build the dataset with one `--size`",
                found=str(sample.image.shape),
                expected=str(shape),
            )
        )
    if not isinstance(sample.label, int):
        raise placed.located(
            ExampleError(
                "the record has no label that is a number; name it with `label_key`",
                found=repr(sample.label),
            )
        )
    return sample.label
