"""The image of a record: an encoded file, or raw pixels whose size is said elsewhere.

A manifest knows which. Without one the bytes are looked at: raw pixels may begin like an encoded
image, and an encoded image may have as many bytes as raw pixels would, but hardly both at once.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfrec.dataset.description import RecordFile
from tfrec.errors import ImageError
from tfrec.example import FeatureValue
from tfrec.images import SNIFF_BYTES, Buffer, ImageSettings, describe_content, sniff_format
from tfrec.schema.detect import find_planes, find_stored_size, guess_raw_size

_AS_STORED = ImageSettings(size=None)
# Signatures of three bytes and more; pixels that begin so by chance are rare enough.
_SURE_FORMATS = frozenset({"JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "HEIF"})


class RawShape(NamedTuple):
    """Of raw pixels, stored row by row."""

    width: int
    height: int
    channels: int


def decode_stored_image(
    data: Buffer, features: Mapping[str, FeatureValue], file: RecordFile
) -> NDArray[np.uint8]:
    """Return `data`, the image among the features of a record of `file`, as an array.

    It is uint8 of shape (height, width, channels), and read-only. Raw pixels are those of `data`,
    which is not copied.

    Raises:
        ImageError: it doesn't decode.
    """
    pixels = find_raw_pixels(data, features, file)
    if pixels is not None:
        return pixels
    from tfrec.images import decode_image  # Pillow is loaded where a pixel is met

    image = decode_image(bytes(data), path=file.path, settings=_AS_STORED)
    return np.frombuffer(image.tobytes(), np.uint8).reshape(image.height, image.width, -1)


def find_raw_pixels(
    data: Buffer,
    features: Mapping[str, FeatureValue],
    file: RecordFile,
    *,
    size: tuple[int, int] | None = None,
) -> NDArray[np.uint8] | None:
    """Return the raw pixels that `data` is, (height, width, channels); None for an encoded image.

    The features say their size, or the manifest of the file, or else `size` (width, height). Where
    nobody does, a square is taken for one.

    Raises:
        ImageError: the bytes are neither an encoded image nor as many as the size asks for.
    """
    planes = find_planes(features)
    if planes is not None and len(data) == math.prod(planes):
        return np.frombuffer(data, np.uint8).reshape(planes).transpose(1, 2, 0)
    stored_size = find_stored_size(features)
    shape = find_raw_shape(data, file, stored_size=stored_size, default_size=size)
    if shape is None:
        return None
    if len(data) != math.prod(shape) or min(shape) < 1:
        # The codec's error says what is wrong, and which size would fit.
        from tfrec.images import make_codec

        make_codec("raw").decode(data, path=file.path, size=shape[:2], channels=shape.channels)
    return np.frombuffer(data, np.uint8).reshape(shape.height, shape.width, shape.channels)


def find_raw_shape(
    data: Buffer,
    file: RecordFile,
    *,
    stored_size: tuple[int, int] | None = None,
    default_size: tuple[int, int] | None = None,
) -> RawShape | None:
    """Return the shape that raw pixels should have; None for an encoded image.

    Args:
        data: the stored image.
        file: that holds it.
        stored_size: (width, height) as the record says it.
        default_size: (width, height) where neither record nor manifest says it; None for that of a
            square of as many bytes.

    Raises:
        ImageError: nobody says a size, and the bytes are no square.
    """
    config = {} if file.manifest is None else file.manifest.config
    size = stored_size or config.get("image", {}).get("size") or default_size
    prefix = bytes(data[:SNIFF_BYTES])
    found = sniff_format(prefix)
    if config.get("encoding", "raw") != "raw":
        return None
    if size is None:
        if found is not None and "encoding" not in config:
            return None
        guessed = guess_raw_size(len(data))
        if guessed is None:
            words = describe_content(prefix) or "not of any format known"
            raise ImageError(file.path, f"holds {len(data):,} bytes, and is {words}")
        return RawShape(*guessed)
    is_gray = config.get("image", {}).get("grayscale", len(data) == math.prod(size))
    shape = RawShape(size[0], size[1], 1 if is_gray else 3)
    fits = len(data) == math.prod(shape) and found not in _SURE_FORMATS
    return shape if found is None or fits or "encoding" in config else None
