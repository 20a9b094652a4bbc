"""Find the decoder for bytes and read the header, without touching what belongs to the process.

`PIL.Image.open` would check the size against `Image.MAX_IMAGE_PIXELS`, which is global, and warn.
So the same search over Pillow's plug-ins is made here, and the caller's own limit is checked before
any pixel is loaded. Plug-ins that start other programs or only stand in for one are left out.
"""

import io
import struct
from collections.abc import Callable, Iterator
from typing import IO, cast

from PIL import Image, ImageFile, JpegImagePlugin

from tfrec.images.reasons import Refusal, explain_pixels, explain_unidentified
from tfrec.images.sniff import SNIFF_BYTES, sniff_format

_Plugin = Callable[[IO[bytes], str], ImageFile.ImageFile]

_LEFT_OUT = frozenset(
    {
        "EPS",  # runs Ghostscript
        "WMF", "HDF5", "GRIB", "BUFR",  # stubs: they know the header, and cannot load
        "MPEG",  # likewise
        "IPTC",  # metadata, no image
    }
)  # fmt: skip

# What Pillow takes for "not mine after all": the next plug-in is asked.
_NOT_MINE = (SyntaxError, IndexError, TypeError, struct.error)


def open_image(data: bytes, *, max_pixels: int) -> ImageFile.ImageFile:
    """Read the header of `data`; the pixels stay unread.

    Raises:
        Refusal: no decoder knows the bytes, or there are more than `max_pixels` pixels.
        Exception: whatever the decoder in question raises for damaged bytes.
    """
    _raise_pillow_limit(max_pixels)
    failure: Exception | None = None
    for plugin, is_sniffed in _plugins(data[:SNIFF_BYTES]):
        try:
            image = plugin(io.BytesIO(data), "")
        except _NOT_MINE as error:
            if is_sniffed:
                failure = error
        else:
            if image.width * image.height > max_pixels:
                raise Refusal(explain_pixels(image.size, max_pixels))
            return image
    if failure is not None:
        raise failure
    raise Refusal(explain_unidentified(data))


def _plugins(prefix: bytes) -> Iterator[tuple[_Plugin, bool]]:
    """Yield the decoders to try, likeliest first, and whether the format was sniffed.

    With the format known from the start, a WebP file takes 0.3 ms less than by asking them all.
    """
    name = sniff_format(prefix)
    Image.preinit()  # the commonest five
    if name not in Image.OPEN:
        Image.init()
    if name == "JPEG":
        # The registered entry parses MPO's index too, only to find the same first image.
        yield JpegImagePlugin.JpegImageFile, True
    elif name in Image.OPEN:
        yield Image.OPEN[name][0], True
    Image.init()
    for other in tuple(Image.ID):
        plugin, accept = Image.OPEN[other]
        if (
            other not in _LEFT_OUT
            and other != name
            and (accept is None or _accepts(accept, prefix))
        ):
            yield plugin, False
    if name == "HEIF":
        yield _heif_plugin(), True


def _accepts(accept: Callable[[bytes], bool | str], prefix: bytes) -> bool:
    """Tell whether a plug-in knows these bytes, and was built with the library for them."""
    try:
        answer = accept(prefix[:16])
    except _NOT_MINE:  # fewer bytes than it looks at
        return False
    return bool(answer) and not isinstance(answer, str)


def _heif_plugin() -> _Plugin:
    try:
        from pillow_heif import HeifImageFile  # an extra
    except ImportError:
        raise Refusal(
            "is a HEIC photo, which needs an extra: run `pip install 'tfrec-builder[heif]'`"
        ) from None
    return cast("_Plugin", HeifImageFile)


def _raise_pillow_limit(max_pixels: int) -> None:
    # TIFF, GIF and icon plug-ins check the global limit once more while they load. Only somebody
    # who asks for more than they ever allow changes it; never lowered, it suits every thread.
    limit = Image.MAX_IMAGE_PIXELS
    if limit is not None and max_pixels > 2 * limit:
        Image.MAX_IMAGE_PIXELS = max_pixels
