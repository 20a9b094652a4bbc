"""Record files as one collection: their records, their Examples, or their decoded samples."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfrec.dataset.description import RecordFile
from tfrec.dataset.input_splits import choose_split
from tfrec.dataset.inputs import resolve_inputs
from tfrec.dataset.opening import open_record_file
from tfrec.dataset.stored_images import decode_stored_image
from tfrec.errors import ConfigError, ExampleError, ImageError
from tfrec.example import FeatureValue, decode_example
from tfrec.example.keys import list_keys
from tfrec.schema.detect import find_image_keys
from tfrec.schema.features import read_buffer, read_label
from tfrec.storage import AnyStorage, Storage
from tfrec.wire import Record


class DecodedSample(NamedTuple):
    """One record, decoded.

    Attributes:
        image: uint8 of shape (height, width, channels): 3 (RGB), or 1 where raw pixels are grey.
        label: a number, or a text where the record has one; None without a label.
        class_name: of the label; None where nothing says it.
    """

    image: NDArray[np.uint8]
    label: int | str | None
    class_name: str | None


class PlacedRecord(NamedTuple):
    """A record, its file, and its number there, from 0."""

    file: RecordFile
    record_index: int
    record: Record

    def located(self, error: ExampleError) -> ExampleError:
        """Return an error of this record that names its place."""
        return error.at(self.file.path, self.record_index)


@dataclass(frozen=True, slots=True)
class Records(Iterable[bytes]):
    """The records of files, in their order, any number of times; it can be pickled.

    Each iteration opens the files anew, and closes each at its end.

    Attributes:
        files: that are read.
        storage: where they are.
        verify: compare the payloads' CRCs.
    """

    files: tuple[RecordFile, ...]
    storage: Storage
    verify: bool = True

    def __iter__(self) -> Iterator[bytes]:
        """Yield the payload of each record.

        Raises:
            DataLossError: a record is damaged; those before it were yielded.
            OSError: a file can't be read; it names the file.
        """
        return (placed.record.data for placed in self.read())

    @property
    def num_records(self) -> int | None:
        """How many records there are, as the datasets say; None where one doesn't say it."""
        numbers = [file.num_records for file in self.files]
        known = [number for number in numbers if number is not None]
        return sum(known) if len(known) == len(numbers) else None

    @property
    def class_names(self) -> Mapping[int, str]:
        """The class names by label, as the datasets say; without those that they contradict."""
        distinct: list[Mapping[int, str]] = []  # one for each dataset, not for each file
        for file in self.files:
            if file.class_names not in distinct:
                distinct.append(file.class_names)
        names = {label: name for mapping in distinct for label, name in mapping.items()}
        return {
            label: name
            for label, name in sorted(names.items())
            if all(mapping.get(label, name) == name for mapping in distinct)
        }

    def examples(self) -> Iterator[dict[str, FeatureValue]]:
        """Yield the features of each record.

        Raises:
            ExampleError: a record is no Example; it names the file and the record.
        """
        for placed in self.read():
            try:
                yield decode_example(placed.record.data)
            except ExampleError as error:
                raise placed.located(error) from error

    def samples(
        self, *, image_key: str | None = None, label_key: str | None = None
    ) -> Iterator[DecodedSample]:
        """Yield the image and the label of each record; both are looked for, unless named.

        Raises:
            ExampleError: a record has no image, or one that doesn't decode; it is named.
        """
        for placed in self.read():
            yield decode_sample(placed, image_key=image_key, label_key=label_key)

    def read(self) -> Iterator[PlacedRecord]:
        """Yield each record with its place; raises what iteration raises."""
        for file in self.files:
            with open_record_file(file.path, self.storage) as opened:
                for index, record in enumerate(opened.read_records(verify=self.verify)):
                    yield PlacedRecord(file, index, record)


def open_dataset(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    split: str | None = None,
    verify: bool = True,
    storage: Storage | None = None,
) -> Records:
    """Return the records of files, directories and patterns, as `resolve_inputs` takes them.

    Compression is found by content. A stream of records is read with `open_records`.

    Args:
        paths: one or several.
        split: of which the files are taken alone, such as "train"; by default those of all.
        verify: compare the payloads' CRCs.
        storage: where the files are; by default this machine, or what a URL names.

    Raises:
        ConfigError: there are no paths, one means no record files, or none is of the split.
        ManifestError: a manifest can't be read.
    """
    storage = storage or AnyStorage()
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not several:
        raise ConfigError("there is nothing to open: no file or directory is given")
    files = resolve_inputs([os.fspath(path) for path in several], storage)
    return Records(tuple(choose_split(files, split)), storage, verify)


open = open_dataset  # noqa: A001 (its public name, as in gzip and tarfile)


def decode_sample(
    placed: PlacedRecord, *, image_key: str | None = None, label_key: str | None = None
) -> DecodedSample:
    """Return the image and the label of one record; both are looked for, unless named.

    Raises:
        ExampleError: the record has no image, or one that doesn't decode; its place is named.
    """
    try:
        features = decode_example(placed.record.data, copy=False)
        return _decode(features, placed.file, image_key, label_key)
    except ExampleError as error:
        raise placed.located(error) from error


def _decode(
    features: Mapping[str, FeatureValue],
    file: RecordFile,
    image_key: str | None,
    label_key: str | None,
) -> DecodedSample:
    found = find_image_keys(features)
    image_key, label_key = image_key or found.image, label_key or found.label
    if image_key is None:
        raise ExampleError(f"no feature looks like an image; it has {list_keys(features)}")
    data = read_buffer(features, image_key)
    try:
        pixels = decode_stored_image(data, features, file)
    except ImageError as error:
        raise ExampleError(f"the image {error.reason}", image_key) from error
    label = None if label_key is None else read_label(features, label_key)
    return DecodedSample(pixels, label, None if label is None else file.class_name(label))
