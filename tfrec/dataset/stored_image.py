"""Is a stored image raw pixels or an encoded file, and how large are raw pixels?

A manifest knows. Without one the bytes are looked at: raw pixels may begin like an encoded image,
and an encoded image may have as many bytes as raw pixels would, but hardly both at once.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfrec.dataset.description import RecordFile
from tfrec.example import FeatureValue
from tfrec.images import SNIFF_BYTES, ImageSettings, decode_image, make_codec, sniff_format
from tfrec.schema.detect import find_planes, find_stored_size, guess_raw_size

_AS_STORED = ImageSettings(size=None)
_USUAL_SIZE = (256, 256)

# Signatures of three bytes and more; pixels that begin so by chance are rare enough.
_SURE_FORMATS = frozenset({"JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "HEIF"})


class RawShape(NamedTuple):
    """Of raw pixels, stored row by row."""

    width: int
    height: int
    channels: int

    @property
    def num_bytes(self) -> int:
        """How many bytes the pixels take."""
        return self.width * self.height * self.channels


def decode_pixels(
    data: bytes, features: Mapping[str, FeatureValue], file: RecordFile
) -> NDArray[np.uint8]:
    """Return the image `data` of a record as uint8 of shape (height, width, channels).

    Args:
        data: the stored image.
        features: of the record; they may say its size.
        file: that holds it.

    Raises:
        ImageError: it doesn't decode.
    """
    planes = find_planes(features)
    if planes is not None and len(data) == math.prod(planes):
        return np.frombuffer(data, np.uint8).reshape(planes).transpose(1, 2, 0)
    guessed = guess_raw_size(len(data))
    default_size = _USUAL_SIZE if guessed is None else (guessed[0], guessed[1])
    stored_size = find_stored_size(features)
    shape = find_raw_shape(data, file, stored_size=stored_size, default_size=default_size)
    if shape is None:
        image = decode_image(data, path=file.path, settings=_AS_STORED)
        return np.frombuffer(image.tobytes(), np.uint8).reshape(image.height, image.width, -1)
    if len(data) != shape.num_bytes:
        # The codec's error says how many bytes are missing, and which size would fit.
        make_codec("raw").decode(data, path=file.path, size=shape[:2], channels=shape.channels)
    return np.frombuffer(data, np.uint8).reshape(shape.height, shape.width, shape.channels)


def find_raw_shape(
    data: bytes,
    file: RecordFile,
    *,
    stored_size: tuple[int, int] | None,
    default_size: tuple[int, int],
) -> RawShape | None:
    """Return the shape that raw pixels should have, or None where `data` is an encoded image.

    Args:
        data: the stored image.
        file: that holds it.
        stored_size: (width, height) as the record says it.
        default_size: (width, height) where neither record nor manifest says it.
    """
    config = {} if file.manifest is None else file.manifest.config
    settings = config.get("image", {})
    size = stored_size or settings.get("size") or default_size
    shape = RawShape(size[0], size[1], 1 if settings.get("grayscale") else 3)
    if file.manifest is None and len(data) == size[0] * size[1]:
        shape = shape._replace(channels=1)
    if "encoding" in config:
        return shape if config["encoding"] == "raw" else None
    found = sniff_format(data[:SNIFF_BYTES])
    is_raw = found is None or (found not in _SURE_FORMATS and len(data) == shape.num_bytes)
    return shape if is_raw else None
