"""`Loader`: the decoded samples of a dataset in batches of arrays."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import count, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfrec.dataset.reading import DecodedSample, PlacedRecord, Records, decode_sample
from tfrec.engine import EXECUTORS, default_num_workers, map_ordered
from tfrec.errors import ExampleError
from tfrec.loading.options import ReadOptions
from tfrec.loading.shuffling import shuffle_files, shuffle_through_buffer


class Batch(NamedTuple):
    """`images` uint8 of shape (n, height, width, channels); `labels` int64 of shape (n,)."""

    images: NDArray[np.uint8]
    labels: NDArray[np.int64]


class Loader(Iterable[Batch]):
    """Batches of the samples of records, decoded by threads, in an order that the seed decides.

    It can be iterated any number of times, and pickled; it holds no open file. The threads and
    files of an iteration end with it, also where it is left early.

    Args:
        records: what `tfrec.open` returns.
        options: how they are read.
        image_key: the feature that is the image; by default looked for.
        label_key: the feature that is the label, a number; by default looked for.
    """

    def __init__(
        self,
        records: Records,
        options: ReadOptions | None = None,
        *,
        image_key: str | None = None,
        label_key: str | None = None,
    ) -> None:
        self.records = records
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
        with closing(self.samples()) as samples:
            while batch := list(islice(samples, self.options.batch_size)):
                if len(batch) < self.options.batch_size and self.options.drop_remainder:
                    return
                images = np.stack([sample.image for sample in batch])
                yield Batch(images, np.array([sample.label for sample in batch], np.int64))

    def samples(self) -> Generator[DecodedSample]:
        """Yield the samples of all epochs one by one; they all have one shape of image."""
        num_threads = self.options.num_threads or default_num_workers()
        decode = partial(_decode, image_key=self.image_key, label_key=self.label_key)
        shape: tuple[int, ...] | None = None
        with EXECUTORS["threads"](num_threads) as executor:
            decoded = map_ordered(executor, decode, self._read(), window=4 * num_threads)
            for placed, sample in decoded:
                shape = shape or sample.image.shape
                _refuse_misfit(placed, sample, shape)
                yield sample

    def _read(self) -> Iterator[PlacedRecord]:
        """Yield this worker's records of all epochs."""
        options = self.options
        epochs = count() if options.num_epochs is None else range(options.num_epochs)
        for epoch in epochs:
            records = self._read_epoch(epoch)
            mine = islice(records, options.worker, None, options.num_workers)
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
        num_records = 0
        for placed in replace(self.records, files=files).read():
            num_records += 1
            yield placed
        if not num_records and self.options.num_epochs is None:
            raise ValueError("the files have no records to read without end")


def _decode(
    placed: PlacedRecord, *, image_key: str | None, label_key: str | None
) -> tuple[PlacedRecord, DecodedSample]:
    return placed, decode_sample(placed, image_key=image_key, label_key=label_key)


def _refuse_misfit(placed: PlacedRecord, sample: DecodedSample, shape: tuple[int, ...]) -> None:
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
