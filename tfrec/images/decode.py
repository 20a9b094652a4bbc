"""Bytes to upright pixels of the wanted size, in one fixed order.

    size limit -> load whole -> EXIF orientation -> 8 bits, palette, alpha, profile -> RGB -> resize

The order is part of the format: each step but the last keeps full detail, so that palettes, one-bit
scans and transparent edges are smooth after resizing. A good RGB, L, P or CMYK file without alpha
gives exactly Pillow's `exif_transpose(image).convert("RGB").resize(size)`.

A file is used whole or not at all: `ImageFile.LOAD_TRUNCATED_IMAGES` stays off.
"""

from PIL import ExifTags, Image

from tfrec.errors import ImageError
from tfrec.images.colour import resolve_colour
from tfrec.images.decoded import DecodedImage, SourceInfo
from tfrec.images.opening import check_pixels, open_image
from tfrec.images.quiet import quiet_pillow
from tfrec.images.reasons import explain
from tfrec.images.resize import resize_image
from tfrec.images.settings import ImageSettings

_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def decode_image(data: bytes, *, path: str, settings: ImageSettings | None = None) -> DecodedImage:
    """Decode the first frame of the image file `data`; `path` only names it in errors.

    Safe to call from many threads at once. Without `settings`, the defaults hold.

    Raises:
        ImageError: the bytes are no image, are damaged or cut short, or exceed the limits.
    """
    if not data:
        raise ImageError(path, "is empty (0 bytes)")
    with quiet_pillow():
        try:
            return _decode(data, settings or ImageSettings())
        # Plug-ins raise nearly everything for damaged bytes, and this is the one door around them.
        except Exception as error:
            raise ImageError(path, explain(error, data)) from error


def _decode(data: bytes, settings: ImageSettings) -> DecodedImage:
    with open_image(data, max_pixels=settings.max_pixels) as image:
        stored_size = image.size
        image.load()
        check_pixels(image.size, settings.max_pixels)
        orientation = _read_orientation(image)
        source = SourceInfo(
            format=image.format or "",
            mode=image.mode,
            width=stored_size[0],
            height=stored_size[1],
            is_upright=orientation not in _UPRIGHT,
        )
        pixels: Image.Image = image
        if orientation in _UPRIGHT:
            pixels = pixels.transpose(_UPRIGHT[orientation])
        pixels = resize_image(resolve_colour(pixels, settings), settings)
    if pixels.mode == "L" and not settings.grayscale:
        pixels = pixels.convert("RGB")
    return DecodedImage(pixels, source)


def _read_orientation(image: Image.Image) -> int:
    """Return the EXIF or XMP orientation; 1 where there is none or it cannot be read."""
    try:
        value = image.getexif().get(ExifTags.Base.Orientation, 1)
    # Metadata is parsed by the same plug-ins; whatever is wrong with it, the pixels are good.
    except Exception:  # noqa: BLE001
        return 1
    return value if isinstance(value, int) else 1
