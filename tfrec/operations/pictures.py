"""One record -> one picture: what a decode thread of a dump does."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tfrec.dataset.folders import folder_name
from tfrec.dataset.inputs import RecordFile
from tfrec.dataset.stored_image import find_raw_shape
from tfrec.errors import ExampleError, ImageError
from tfrec.example import BytesList, FeatureValue, decode_example
from tfrec.images import SNIFF_BYTES, ImageCodec, make_codec, sniff_format
from tfrec.schema.detect import find_image_keys, find_stored_size
from tfrec.schema.features import read_bytes, read_int64

UNLABELLED = "no-label"
_SUFFIXES = {"JPEG": ".jpg", "TIFF": ".tif", "JPEG2000": ".jp2"}


class ReadRecord(NamedTuple):
    """A record on its way: its file, its index there, its offset in bytes, its payload."""

    file: RecordFile
    record_index: int
    offset: int
    data: bytes


class Picture(NamedTuple):
    """A file to write: the record it came from, its folder, its suffix and its content."""

    file: RecordFile
    record_index: int
    folder: str
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

    def __call__(self, record: ReadRecord) -> Picture:
        """Decode one record.

        Raises:
            ExampleError: it is no Example, or holds no image; file and record are named.
        """
        try:
            features = decode_example(record.data)
            suffix, content = self._make_image(features, record.file)
            folder = self._find_folder(features, record.file)
        except ExampleError as error:
            raise error.at(record.file.path, record.record_index) from error
        return Picture(record.file, record.record_index, folder, suffix, content)

    def _make_image(
        self, features: Mapping[str, FeatureValue], file: RecordFile
    ) -> tuple[str, bytes]:
        key = self.image_key or find_image_keys(features).image
        data = read_bytes(features, key) if key is not None else None
        if key is None or data is None:
            present = ", ".join(map(repr, features)) or "none"
            raise ExampleError(
                f"no feature looks like an image; name it with `--image-key` (it has {present})"
            )
        shape = find_raw_shape(
            data, file, stored_size=find_stored_size(features), default_size=self.size
        )
        if shape is None:
            return _suffix_of(data), data
        try:
            pixels = make_codec("raw").decode(
                data, path=file.path, size=shape[:2], channels=shape.channels
            )
            return self.codec.suffix, self.codec.encode(pixels)
        except ImageError as error:
            raise ExampleError(f"the image {error.reason}", key) from error

    def _find_folder(self, features: Mapping[str, FeatureValue], file: RecordFile) -> str:
        key = self.label_key or find_image_keys(features).label
        if key is None:
            return UNLABELLED
        if isinstance(features.get(key), BytesList):
            return folder_name(read_bytes(features, key).decode(errors="surrogateescape"))
        label = read_int64(features, key)
        name = file.class_name(label)
        return folder_name(str(label) if name is None else name)


def _suffix_of(data: bytes) -> str:
    """Return the suffix of an encoded image; that of unknown bytes is `.bin`."""
    name = sniff_format(data[:SNIFF_BYTES])
    if name is None:
        return ".bin"
    return _SUFFIXES.get(name, f".{name.lower().replace(' ', '')}")
