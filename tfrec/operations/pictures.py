"""One record -> one picture: what a decode thread of a dump does."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tfrec.dataset.description import RecordFile
from tfrec.dataset.folders import folder_name
from tfrec.dataset.stored_images import find_raw_pixels
from tfrec.errors import ExampleError, ImageError
from tfrec.example import FeatureValue, decode_example
from tfrec.example.keys import list_keys
from tfrec.images import SNIFF_BYTES, Buffer, ImageCodec, make_codec, sniff_format
from tfrec.operations.selection import SelectedRecord
from tfrec.schema.detect import find_filename, find_image_keys
from tfrec.schema.features import read_buffer, read_label

UNLABELLED = "no-label"
_SUFFIXES = {"JPEG": ".jpg", "TIFF": ".tif", "JPEG2000": ".jp2"}


class Picture(NamedTuple):
    """A file to write: the record it came from, its folder, its suffix and its content.

    `stem` is the name of the image file that the record was made of; empty where it isn't said.
    """

    file: RecordFile
    record_index: int
    folder: str
    stem: str
    suffix: str
    content: bytes


@dataclass(frozen=True, slots=True)
class PictureMaker:
    """Makes pictures of records.

    Raw pixels are encoded by `codec`; encoded images are kept byte for byte.

    Attributes:
        image_key, label_key: of the features; None looks for the keys that the field uses.
        size: (width, height) of raw pixels whose size neither record nor manifest says.
    """

    codec: ImageCodec
    image_key: str | None = None
    label_key: str | None = None
    size: tuple[int, int] = (256, 256)

    def __call__(self, record: SelectedRecord) -> Picture:
        """Decode one record.

        Raises:
            ExampleError: it is no Example, or holds no image; file and record are named.
        """
        try:
            features = decode_example(record.data, copy=False)
            suffix, content = self._make_image(features, record.file)
            folder = self._find_folder(features, record.file)
        except ExampleError as error:
            raise error.at(record.file.path, record.index) from error
        stem = _stem_of(find_filename(features))
        return Picture(record.file, record.index, folder, stem, suffix, content)

    def _make_image(
        self, features: Mapping[str, FeatureValue], file: RecordFile
    ) -> tuple[str, bytes]:
        key = self.image_key or find_image_keys(features).image
        if key is None:
            raise ExampleError(
                "no feature looks like an image; name it with `--image-key` (it has "
                f"{list_keys(features)})"
            )
        data = read_buffer(features, key)
        try:
            pixels = find_raw_pixels(data, features, file, size=self.size)
            if pixels is None:
                return _suffix_of(data), bytes(data)
            height, width, channels = pixels.shape
            rows = data if pixels.flags.c_contiguous else pixels.tobytes()
            image = make_codec("raw").decode(
                rows, path=file.path, size=(width, height), channels=channels
            )
            return self.codec.suffix, self.codec.encode(image)
        except ImageError as error:
            raise ExampleError(f"the image {error.reason}", key) from error

    def _find_folder(self, features: Mapping[str, FeatureValue], file: RecordFile) -> str:
        key = self.label_key or find_image_keys(features).label
        if key is None:
            return UNLABELLED
        label = read_label(features, key)
        name = file.class_name(label)
        return folder_name(str(label) if name is None else name)


def _stem_of(filename: str | None) -> str:
    """Return the last part of an image's path, without its suffix, as a part of a file name."""
    if filename is None:
        return ""
    name = re.split(r"[/\\]", filename)[-1]
    stem = name.rpartition(".")[0] if "." in name else name
    return folder_name(stem) if stem else ""


def _suffix_of(data: Buffer) -> str:
    """Return the suffix of an encoded image; that of unknown bytes is `.bin`."""
    name = sniff_format(bytes(data[:SNIFF_BYTES]))
    if name is None:
        return ".bin"
    return _SUFFIXES.get(name, f".{name.lower().replace(' ', '')}")
