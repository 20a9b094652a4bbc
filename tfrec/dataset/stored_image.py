"""Is a stored image raw pixels or an encoded file, and how large are raw pixels?

A manifest knows. Without one the bytes are looked at: raw pixels may begin like an encoded image,
and an encoded image may have as many bytes as raw pixels would, but hardly both at once.
"""

from typing import NamedTuple

from tfrec.dataset.description import RecordFile
from tfrec.images import SNIFF_BYTES, sniff_format

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
