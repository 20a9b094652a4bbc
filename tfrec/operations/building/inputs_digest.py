"""The digest by which a shard is known to be what a build would write again."""

import dataclasses
import hashlib
import json

from tfrec._version import __version__
from tfrec.images.settings import ImageSettings
from tfrec.images.versions import find_versions
from tfrec.operations.building.records import RecordMaker
from tfrec.source.image_source import LabelledImage
from tfrec.source.paths import sort_key

CONTENT_KEY_SIZE = 16  # half of a SHA-256 tells the files of any directory apart
_UNREADABLE = bytes(CONTENT_KEY_SIZE)


def current_versions(settings: ImageSettings) -> dict[str, str]:
    """Return the versions of the programs that decide the bytes of a dataset.

    Raises:
        ConfigError: one of them is not installed.
    """
    return {"tfrec": __version__, **find_versions(settings)}


class InputsDigest:
    """SHA-256 of settings and versions, and of the path, class, values and content of each image.

    The time of a file is no part of it, so that a fresh checkout is not out of date.
    """

    def __init__(self, maker: RecordMaker) -> None:
        self._content_keys = bytearray()
        self._labels = maker.labels
        settings = {
            "settings": maker.config.record_settings(),
            "versions": current_versions(maker.config.image),
            "features": [dataclasses.asdict(feature) for feature in maker.features],
        }
        self._sha256 = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())

    def add(self, image: LabelledImage, digest: bytes) -> None:
        """Add the next image of the shard, with the digest of its file."""
        self._content_keys += digest[:CONTENT_KEY_SIZE] or _UNREADABLE
        texts = (image.path, self._labels.name(image.label), *image.values)
        parts = [b"%d" % image.label, digest, *map(sort_key, texts)]
        # Lengths first, so that no two lists of parts give the same bytes.
        lengths = b" ".join(b"%d" % len(part) for part in parts)
        self._sha256.update(b"".join((lengths, b"\n", *parts)))

    @property
    def content_keys(self) -> bytes:
        """The first `CONTENT_KEY_SIZE` bytes of each digest; zeros for an unreadable file."""
        return bytes(self._content_keys)

    def hexdigest(self) -> str:
        """Return the digest of all images so far."""
        return self._sha256.hexdigest()
