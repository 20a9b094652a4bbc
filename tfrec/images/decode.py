"""Bytes to upright pixels of the wanted size, in one fixed order.

    size limit -> load whole -> 8 bits, palette, profile, alpha -> EXIF orientation -> resize -> RGB

The order is part of the format: each step but the resizing keeps full detail, so that palettes,
one-bit scans and transparent edges are smooth afterwards. A good RGB, L, P or CMYK file without
alpha gives exactly Pillow's `exif_transpose(image).convert("RGB").resize(size)`.

A file is used whole or not at all: `ImageFile.LOAD_TRUNCATED_IMAGES` stays off. What cannot be seen
is a JPEG whose data stop early yet are followed by an end marker: libjpeg only warns, and Pillow
does not pass that on.
"""

import contextlib
from typing import NamedTuple

from PIL import ExifTags, Image, ImageFile

from tfrec.errors import ImageError
from tfrec.images import jpeg, png
from tfrec.images.colour import resolve_colour
from tfrec.images.decoded import DecodedImage, SourceInfo
from tfrec.images.opening import open_image
from tfrec.images.quiet import quiet_pillow, silence_libtiff
from tfrec.images.reasons import Refusal, explain
from tfrec.images.resize import resize_image
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
    """
    if not data:
        raise ImageError(path, "is empty (0 bytes)")
    with quiet_pillow():
        try:
            return _finish(_load_despite_metadata(data, settings.max_pixels), settings)
        # Plug-ins raise nearly everything for damaged bytes, and this is the one door around them.
        except Exception as error:
            raise ImageError(path, explain(error, data, settings.max_pixels)) from error


class _Loaded(NamedTuple):
    """`turn` is still to be done; `is_upright` tells whether the file's pixels need none."""

    image: ImageFile.ImageFile
    turn: Image.Transpose | None
    is_upright: bool


def _load_despite_metadata(data: bytes, max_pixels: int) -> _Loaded:
    """Load the pixels; if that fails, once more without what does not decide them."""
    try:
        return _load(data, max_pixels)
    except Refusal:
        raise
    except Exception:
        for file_format in (jpeg, png):
            if data.startswith(file_format.SIGNATURE):
                with contextlib.suppress(Exception):
                    return _load(file_format.without_metadata(data), max_pixels)
        raise


def _load(data: bytes, max_pixels: int) -> _Loaded:
    image = open_image(data, max_pixels=max_pixels)
    was_turned = False
    if image.format == "PNG":
        png.match_transparency_to_pixels(image)
    elif image.format == "JPEG":
        _check_jpeg(image, data, max_pixels)
    elif image.format == "TIFF":
        silence_libtiff()
        # Its plug-in turns the image while loading it, and drops the tag.
        was_turned = _read_turn(image) is not None
    image.load()
    turn = _read_turn(image)
    return _Loaded(image, turn, is_upright=turn is None and not was_turned)


def _check_jpeg(image: ImageFile.ImageFile, data: bytes, max_pixels: int) -> None:
    if not jpeg.has_end_of_image(data):
        raise Refusal("is cut short: a JPEG image without an end marker")
    if image.info.get("progressive"):
        num_scans = jpeg.count_scans(data)
        if num_scans * image.width * image.height > _MAX_PASSES * max_pixels:
            raise Refusal(f"takes too long to decode: {num_scans} scans of a large JPEG image")


def _read_turn(image: ImageFile.ImageFile) -> Image.Transpose | None:
    """Return what the EXIF or XMP orientation asks for; None also where it cannot be read."""
    try:
        return _TURNS.get(image.getexif().get(ExifTags.Base.Orientation, 1))
    # Metadata is parsed by the same plug-ins; whatever is wrong with it, the pixels are good.
    except Exception:  # noqa: BLE001
        return None


def _finish(loaded: _Loaded, settings: ImageSettings) -> DecodedImage:
    image = loaded.image
    upright = resolve_colour(image, settings)
    if loaded.turn is not None:
        upright = upright.transpose(loaded.turn)
    pixels = resize_image(upright, settings)
    # Grey is resized as one channel and then tripled: the same values for a third of the work.
    if pixels.mode == "L" and not settings.grayscale:
        pixels = pixels.convert("RGB")
    width, height = upright.size
    source = SourceInfo(image.format or "", image.mode, width, height, loaded.is_upright)
    return DecodedImage(pixels, source)
