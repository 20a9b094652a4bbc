"""One image file -> one record: what a worker of a build does."""

import hashlib
from dataclasses import dataclass

from tfrec.dataset.plan import BuildConfig
from tfrec.errors import ImageError
from tfrec.example import encode_example
from tfrec.images import decode_image, make_codec
from tfrec.schema import SCHEMAS, Sample
from tfrec.source.image_source import LabelledImage
from tfrec.source.labels import LabelMap
from tfrec.storage import Storage


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

    def __call__(self, image: LabelledImage) -> MadeRecord:
        """Read, decode and encode one image."""
        try:
            data = self._read(image.path)
        except ImageError as error:
            return MadeRecord(image, b"", error=error)
        digest = hashlib.sha256(data).digest()
        try:
            return MadeRecord(image, digest, record=self._encode(image, data))
        except ImageError as error:
            return MadeRecord(image, digest, error=error)

    def _read(self, path: str) -> bytes:
        try:
            with self.storage.open_read(self.storage.join(self.directory, path)) as stream:
                return stream.read()
        except OSError as error:
            raise ImageError(path, f"cannot be read: {error.strerror or error}") from error

    def _encode(self, image: LabelledImage, data: bytes) -> bytes:
        decoded = decode_image(data, path=image.path, settings=self.config.image)
        codec = make_codec("raw")
        sample = Sample(
            image=codec.encode(decoded),
            encoding=codec.name,
            width=decoded.width,
            height=decoded.height,
            channels=decoded.channels,
            label=image.label,
            class_name=self.labels.name(image.label),
            path=image.path,
        )
        return encode_example(SCHEMAS[self.config.schema].encode(sample))
