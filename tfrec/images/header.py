"""What an encoded image's first bytes say of it, without decoding it."""

from typing import NamedTuple

from tfrec.errors import ImageError
from tfrec.images.opening import open_image
from tfrec.images.quiet import quiet_pillow
from tfrec.images.reasons import explain
from tfrec.images.settings import DEFAULT_MAX_PIXELS


class ImageHeader(NamedTuple):
    """Format as Pillow names it, and the size in pixels before any EXIF orientation."""

    format: str
    width: int
    height: int


def read_image_header(data: bytes, *, path: str) -> ImageHeader:
    """Return what an encoded image says of itself; the pixels stay unread.

    Raises:
        ImageError: no decoder knows the bytes; `path` names them.
    """
    with quiet_pillow():
        try:
            with open_image(data, max_pixels=DEFAULT_MAX_PIXELS) as image:
                return ImageHeader(image.format or "", *image.size)
        # Plug-ins raise nearly everything for damaged bytes.
        except Exception as error:
            raise ImageError(path, explain(error, data, DEFAULT_MAX_PIXELS)) from error
