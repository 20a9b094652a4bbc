"""Bytes to upright pixels of the wanted size, in one fixed order.

    size limit -> load whole -> 8 bits, palette, profile, alpha -> EXIF orientation -> resize -> RGB

The order is part of the format: each step but the resizing keeps full detail, so that palettes,
one-bit scans and transparent edges are smooth afterwards. A good RGB, L, P or CMYK file without
alpha gives exactly Pillow's `exif_transpose(image).convert("RGB").resize(size)`.

A file is used whole or not at all: `ImageFile.LOAD_TRUNCATED_IMAGES` stays off. Where the data of
a JPEG stop early and an end marker follows, libjpeg draws grey and only warns, which Pillow does
not pass on. So a JPEG that ends in that very grey is decoded once more, with data added to its end.
What cannot be seen is a progressive one that lacks later scans: it has all its pixels, but blurred.
"""

import contextlib
from typing import NamedTuple

from PIL import ExifTags, Image, ImageChops, ImageFile, JpegImagePlugin

from tfrec.errors import ImageError
from tfrec.images import jpeg, png
from tfrec.images.colour import resolve_colour
from tfrec.images.decoded import DecodedImage, SourceInfo
from tfrec.images.fast import ON_ITS_SIDE, Box, reduce_jpeg, require_extras, turn_area
from tfrec.images.opening import open_image
from tfrec.images.quiet import quiet_pillow, silence_libtiff
from tfrec.images.reasons import Refusal, explain
from tfrec.images.resize import Picture, drawn_size, resize_picture
from tfrec.images.settings import ImageSettings

_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}

_MAX_PASSES = 64
"""How often a progressive JPEG may pass over as many pixels as the limit allows."""

_DEFAULTS = ImageSettings()


def decode_image(data: bytes, *, path: str, settings: ImageSettings = _DEFAULTS) -> DecodedImage:
    """Decode the first frame of the image file `data`; `path` only names it in errors.

    Safe to call from many threads at once.

    Raises:
        ImageError: the bytes are no image, are damaged or cut short, or exceed the limits.
        ConfigError: the setting `fast` needs an extra that is not installed.
    """
    require_extras(settings)
    if not data:
        raise ImageError(path, "is empty (0 bytes)")
    with quiet_pillow():
        try:
            return _finish(_load_despite_metadata(data, settings), settings)
        # Plug-ins raise nearly everything for damaged bytes, and this is the one door around them.
        except Exception as error:
            raise ImageError(path, explain(error, data, settings.max_pixels)) from error


class _Loaded(NamedTuple):
    """`turn` is still to be done; `is_upright` tells whether the file's pixels need none.

    `size` is that of the file's pixels, and `area` the part of `image` that shows them.
    """

    image: ImageFile.ImageFile
    turn: Image.Transpose | None
    is_upright: bool
    size: tuple[int, int]
    area: Box


def _load_despite_metadata(data: bytes, settings: ImageSettings) -> _Loaded:
    """Load the pixels; if that fails, once more without what does not decide them."""
    try:
        return _load(data, settings)
    except Refusal:
        raise
    except Exception:
        for file_format in (jpeg, png):
            if data.startswith(file_format.SIGNATURE):
                with contextlib.suppress(Exception):
                    return _load(file_format.without_metadata(data), settings)
        raise


def _load(data: bytes, settings: ImageSettings) -> _Loaded:
    image = open_image(data, max_pixels=settings.max_pixels)
    size = image.size
    area: Box | None = None
    was_turned = False
    if image.format == "PNG":
        png.match_transparency_to_pixels(image)
    elif image.format == "JPEG":
        _check_jpeg(image, data, settings.max_pixels)
        area = _reduce(image, settings)
    elif image.format == "TIFF":
        silence_libtiff()
        # Its plug-in turns the image while loading it, and drops the tag.
        was_turned = _read_turn(image) is not None
    image.load()
    if image.format == "JPEG" and jpeg.ends_in_mid_gray(image):
        _check_jpeg_data(image, data, settings)
    turn = _read_turn(image)
    if area is None:
        size, area = image.size, (0, 0, *image.size)
    return _Loaded(image, turn, turn is None and not was_turned, size, area)


def _reduce(image: ImageFile.ImageFile, settings: ImageSettings) -> Box | None:
    """Have a JPEG decoded at a smaller scale where the settings allow it."""
    if not (settings.fast and settings.size and isinstance(image, JpegImagePlugin.JpegImageFile)):
        return None
    if _read_turn(image) in ON_ITS_SIDE:
        return reduce_jpeg(image, drawn_size(image.size[::-1], settings)[::-1])
    return reduce_jpeg(image, drawn_size(image.size, settings))


def _check_jpeg(image: ImageFile.ImageFile, data: bytes, max_pixels: int) -> None:
    if not jpeg.has_end_of_image(data):
        raise Refusal("is cut short: a JPEG image without an end marker")
    if image.info.get("progressive"):
        num_scans = jpeg.count_scans(data)
        if num_scans * image.width * image.height > _MAX_PASSES * max_pixels:
            raise Refusal(f"takes too long to decode: {num_scans} scans of a large JPEG image")


def _check_jpeg_data(image: ImageFile.ImageFile, data: bytes, settings: ImageSettings) -> None:
    """Refuse a JPEG that more data would change, for then it lacks some."""
    more = jpeg.with_more_data(data)
    if more is None:
        return
    again = open_image(more, max_pixels=settings.max_pixels)
    _reduce(again, settings)
    if ImageChops.difference(image, again).getbbox():
        raise Refusal("is cut short: a JPEG image whose data end too early")


def _read_turn(image: ImageFile.ImageFile) -> Image.Transpose | None:
    """Return what the EXIF or XMP orientation asks for; None also where it cannot be read."""
    try:
        return _TURNS.get(image.getexif().get(ExifTags.Base.Orientation, 1))
    # Metadata is parsed by the same plug-ins; whatever is wrong with it, the pixels are good.
    except Exception:  # noqa: BLE001
        return None


def _finish(loaded: _Loaded, settings: ImageSettings) -> DecodedImage:
    image, turn = loaded.image, loaded.turn
    upright = resolve_colour(image, settings)
    size, area = loaded.size, loaded.area
    if turn is not None:
        area = turn_area(area, upright.size, turn)
        size = size[::-1] if turn in ON_ITS_SIDE else size
        upright = upright.transpose(turn)
    pixels = resize_picture(Picture(upright, size, area), settings)
    # Grey is resized as one channel and then tripled: the same values for a third of the work.
    if pixels.mode == "L" and not settings.grayscale:
        pixels = pixels.convert("RGB")
    source = SourceInfo(image.format or "", image.mode, *size, loaded.is_upright)
    return DecodedImage(pixels, source)
