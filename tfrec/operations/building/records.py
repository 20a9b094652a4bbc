"""One image file -> one record: what a worker of a build does."""

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.extra_features import ExtraFeature
from tfrec.errors import ImageError
from tfrec.example import encode_example
from tfrec.images import (
    SNIFF_BYTES,
    DecodedImage,
    decode_image,
    has_image_signature,
    make_codec,
)
from tfrec.schema import Sample
from tfrec.schema.choice import load_schema
from tfrec.source.image_source import LabelledImage
from tfrec.source.labels import LabelMap
from tfrec.storage import Storage, is_shortage

# Formats without a signature (TGA) hold small pictures; 16-bit RGBA has 8 bytes a pixel.
_MAX_UNSIGNED_BYTES = 64 << 20
_MAX_BYTES_PER_PIXEL = 8
_OWN_ENCODINGS = {"JPEG": "jpeg", "PNG": "png", "WEBP": "webp"}


@dataclass(frozen=True, slots=True)
class MadeRecord:
    """The outcome for one image: a record, or the error why there is none.

    `digest` is the SHA-256 of the image file, empty where it couldn't be read.
    """

    image: LabelledImage
    digest: bytes
    record: bytes | None = None
    error: ImageError | None = None


@dataclass(frozen=True, slots=True)
class RecordMaker:
    """Makes records of the images of one directory; holds values only, so it can be pickled."""

    directory: str
    labels: LabelMap
    config: BuildConfig
    storage: Storage
    features: tuple[ExtraFeature, ...] = ()

    def __call__(self, image: LabelledImage) -> MadeRecord:
        """Read, decode and encode one image."""
        try:
            data = self._read(image.path)
        except ImageError as error:
            return MadeRecord(image, b"", error=_about(image.path, error))
        digest = hashlib.sha256(data).digest()
        try:
            return MadeRecord(image, digest, record=self._encode(image, data))
        except ImageError as error:
            return MadeRecord(image, digest, error=_about(image.path, error))

    def digest_files(self, images: Sequence[LabelledImage]) -> list[bytes]:
        """Return the digest that each image's record would be made with."""
        digests = []
        for image in images:
            try:
                digests.append(hashlib.sha256(self._read(image.path)).digest())
            except ImageError:
                digests.append(b"")
        return digests

    def _read(self, path: str) -> bytes:
        try:
            with self.storage.open_read(self.storage.join(self.directory, path)) as stream:
                self._refuse_huge(path, stream)
                return stream.read()
        except OSError as error:
            if is_shortage(error):
                raise
            raise ImageError(path, f"cannot be read: {error.strerror or error}") from error

    def _refuse_huge(self, path: str, stream: BinaryIO) -> None:
        """Raise where a file is larger than any image within the limit of pixels can be."""
        size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        if size <= _MAX_UNSIGNED_BYTES:
            return
        if not has_image_signature(stream.read(SNIFF_BYTES)):
            raise ImageError(path, f"is not an image: {size:,} bytes without the signature of one")
        limit = _MAX_BYTES_PER_PIXEL * self.config.image.max_pixels
        if size > limit:
            raise ImageError(path, f"is too large: {size:,} bytes, and at most {limit:,} are read")
        stream.seek(0)

    def _encode(self, image: LabelledImage, data: bytes) -> bytes:
        decoded = decode_image(data, path=image.path, settings=self.config.image)
        encoding, content = self._store(decoded, data)
        sample = Sample(
            image=content,
            encoding=encoding,
            width=decoded.width,
            height=decoded.height,
            channels=decoded.channels,
            label=image.label,
            class_name=self.labels.name(image.label),
            path=image.path,
            features={feature.key: feature.read(image.values) for feature in self.features},
        )
        return encode_example(load_schema(self.config.schema).encode(sample))

    def _store(self, decoded: DecodedImage, data: bytes) -> tuple[str, bytes]:
        """Return the encoding of the stored image, and its bytes."""
        encoding = self.config.stored_encoding
        if encoding == "original":
            own = _OWN_ENCODINGS.get(decoded.source.format, "")
            if own in load_schema(self.config.schema).encodings and _shows_itself(decoded, data):
                return own, data
            encoding = "jpeg"
        return encoding, make_codec(encoding, quality=self.config.quality).encode(decoded)


def _shows_itself(decoded: DecodedImage, data: bytes) -> bool:
    """Say whether any decoder gets the wanted pixels from the file's own bytes."""
    modes = ("L",) if decoded.channels == 1 else ("L", "RGB")
    # A PNG can say in one chunk that a colour of an opaque mode is transparent (PNG, 11.3.1.1).
    has_transparency = decoded.source.format == "PNG" and b"tRNS" in data.partition(b"IDAT")[0]
    return decoded.is_as_stored and decoded.source.mode in modes and not has_transparency


def _about(path: str, error: ImageError) -> ImageError:
    """Return the same error about `path`, without its frames, which hold the file's bytes."""
    return ImageError(path, error.reason)
