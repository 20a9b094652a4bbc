"""A decoded image, as the rest of the package sees it: pixels without Pillow."""

from dataclasses import dataclass
from typing import NamedTuple

from PIL import Image

_SUFFIXES = {"JPEG": ".jpg", "TIFF": ".tif", "JPEG2000": ".jp2", "HEIF": ".heic"}


class SourceInfo(NamedTuple):
    """What the file held: `width` and `height` of the upright image, before it was resized.

    `is_upright` is False where an EXIF orientation had to be applied.
    """

    format: str
    mode: str
    width: int
    height: int
    is_upright: bool

    @property
    def suffix(self) -> str:
        """The suffix of a file of this format, with its dot."""
        return _SUFFIXES.get(self.format, f".{self.format.lower()}")


@dataclass(frozen=True, slots=True)
class DecodedImage:
    """Upright 8-bit pixels; `pixels` has mode RGB, or L with the setting `grayscale`.

    Only codecs of this package use `pixels`; others take `tobytes`. The image is taken over and its
    metadata dropped: Pillow would write comments and profiles into whatever is encoded from it.
    """

    pixels: Image.Image
    source: SourceInfo

    def __post_init__(self) -> None:
        self.pixels.info.clear()

    @property
    def width(self) -> int:
        return self.pixels.width

    @property
    def height(self) -> int:
        return self.pixels.height

    @property
    def channels(self) -> int:
        return len(self.pixels.getbands())

    @property
    def is_as_stored(self) -> bool:
        """Whether the file's own bytes show the same picture: neither turned nor resized."""
        source = self.source
        return source.is_upright and (source.width, source.height) == self.pixels.size

    def tobytes(self) -> bytes:
        """Return the pixels row by row: height x width x channels bytes."""
        return self.pixels.tobytes()
