"""Record files as one collection: their records, their Examples, or their decoded samples."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfrec.dataset.description import RecordFile
from tfrec.dataset.inputs import resolve_inputs
from tfrec.dataset.opening import open_record_file
from tfrec.errors import ExampleError, ImageError
from tfrec.example import BytesList, FeatureValue, decode_example
from tfrec.images import (
    SNIFF_BYTES,
    DecodedImage,
    ImageSettings,
    decode_image,
    make_codec,
    sniff_format,
)
from tfrec.schema.detect import find_image_keys, find_stored_size, guess_raw_size
from tfrec.schema.features import read_bytes, read_int64
from tfrec.storage import AnyStorage, Storage
from tfrec.wire import Record

_AS_STORED = ImageSettings(size=None)


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
        return (record.data for _, _, record in self._read())

    def examples(self) -> Iterator[dict[str, FeatureValue]]:
        """Yield the features of each record.

        Raises:
            ExampleError: a record is no Example; it names the file and the record.
        """
        for file, index, record in self._read():
            try:
                yield decode_example(record.data)
            except ExampleError as error:
                raise error.at(file.path, index) from error

    def samples(
        self, *, image_key: str | None = None, label_key: str | None = None
    ) -> Iterator[DecodedSample]:
        """Yield the image and the label of each record; both are looked for, unless named.

        Raises:
            ExampleError: a record has no image, or one that doesn't decode; it is named.
        """
        for file, index, record in self._read():
            try:
                yield _decode(decode_example(record.data), file, image_key, label_key)
            except ExampleError as error:
                raise error.at(file.path, index) from error

    def _read(self) -> Iterator[tuple[RecordFile, int, Record]]:
        for file in self.files:
            with open_record_file(file.path, self.storage) as opened:
                for index, record in enumerate(opened.read_records(verify=self.verify)):
                    yield file, index, record


def open_dataset(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    verify: bool = True,
    storage: Storage | None = None,
) -> Records:
    """Return the records of files, directories and patterns, as `resolve_inputs` takes them.

    Compression is found by content. A stream of records is read with `open_records`.

    Raises:
        ConfigError: a path means no record files.
        ManifestError: a manifest can't be read.
    """
    storage = storage or AnyStorage()
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    files = resolve_inputs([os.fspath(path) for path in several], storage)
    return Records(tuple(files), storage, verify)


open = open_dataset  # noqa: A001 (its public name, as in gzip and tarfile)


def _decode(
    features: Mapping[str, FeatureValue],
    file: RecordFile,
    image_key: str | None,
    label_key: str | None,
) -> DecodedSample:
    found = find_image_keys(features)
    image_key, label_key = image_key or found.image, label_key or found.label
    if image_key is None:
        present = ", ".join(map(repr, features)) or "none"
        raise ExampleError(f"no feature looks like an image; it has {present}")
    data = read_bytes(features, image_key)
    try:
        image = _decode_image(data, find_stored_size(features), file)
    except ImageError as error:
        raise ExampleError(f"the image {error.reason}", image_key) from error
    pixels = np.frombuffer(image.tobytes(), np.uint8).reshape(image.height, image.width, -1)
    label = None if label_key is None else _read_label(features, label_key)
    return DecodedSample(pixels, label, None if label is None else file.class_name(label))


def _decode_image(data: bytes, size: tuple[int, int] | None, file: RecordFile) -> DecodedImage:
    if sniff_format(data[:SNIFF_BYTES]) is not None:
        return decode_image(data, path=file.path, settings=_AS_STORED)
    settings = {} if file.manifest is None else file.manifest.config.get("image", {})
    guessed = guess_raw_size(len(data))
    width, height = size or settings.get("size") or (guessed[:2] if guessed else (256, 256))
    channels = 1 if len(data) == width * height else 3
    return make_codec("raw").decode(data, path=file.path, size=(width, height), channels=channels)


def _read_label(features: Mapping[str, FeatureValue], key: str) -> int | str:
    value = features.get(key)
    if isinstance(value, BytesList):
        return read_bytes(features, key).decode(errors="surrogateescape")
    return read_int64(features, key)
