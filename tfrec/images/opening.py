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
from tfrec.images.sniff import sniff_format

_LEFT_OUT = frozenset(
    {
        "EPS",  # runs Ghostscript
        "WMF", "HDF5", "GRIB", "BUFR",  # stubs: they know the header, and cannot load
        "MPEG",  # likewise
        "IPTC",  # metadata, no image
    }
)  # fmt: skip

_Plugin = Callable[[IO[bytes], str], ImageFile.ImageFile]

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
    for plugin, has_signature in _plugins(data[:16]):
        try:
            image = plugin(io.BytesIO(data), "")
        except _NOT_MINE as error:
            failure = failure or (error if has_signature else None)
        else:
            check_pixels(image.size, max_pixels)
            return image
    raise Refusal(explain_unidentified(data, failure))


def check_pixels(size: tuple[int, int], max_pixels: int) -> None:
    """Raise Refusal if an image of `size` has more than `max_pixels` pixels."""
    if size[0] * size[1] > max_pixels:
        raise Refusal(explain_pixels(size, max_pixels))


def _plugins(prefix: bytes) -> Iterator[tuple[_Plugin, bool]]:
    """Yield the decoders for `prefix`, likeliest first, and whether it has their signature."""
    if prefix.startswith(b"\xff\xd8\xff"):
        # Past the plug-in's own entry, which parses MPO's index only to find the same first image.
        yield JpegImagePlugin.JpegImageFile, True
        return
    asked: set[str] = set()
    for load_plugins in (Image.preinit, Image.init):
        load_plugins()
        for name in tuple(Image.ID):
            if name in asked or name in _LEFT_OUT:
                continue
            asked.add(name)
            plugin, accept = Image.OPEN[name]
            if accept is None or accept(prefix) is True:
                yield plugin, accept is not None
    if sniff_format(prefix) == "HEIF":
        yield _heif_plugin(), True


def _heif_plugin() -> _Plugin:
    try:
        from pillow_heif import HeifImageFile  # an extra
    except ImportError:
        raise Refusal(
            "is a HEIC photo, which needs an extra: run `pip install tfrec-builder[heif]`"
        ) from None
    return cast("_Plugin", HeifImageFile)


def _raise_pillow_limit(max_pixels: int) -> None:
    # TIFF, GIF and icon plug-ins check the global limit once more while they load. Only somebody
    # who asks for more than they ever allow changes it; never lowered, it suits every thread.
    limit = Image.MAX_IMAGE_PIXELS
    if limit is not None and max_pixels > 2 * limit:
        Image.MAX_IMAGE_PIXELS = max_pixels
