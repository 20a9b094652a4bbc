"""From any mode that Pillow delivers to 8-bit L or RGB, before anything is resized.

| mode | becomes |
|---|---|
| 1, L, RGB | itself (1 as L); with a transparent colour, over the background |
| P | its palette's colours; with transparency, over the background |
| LA, PA, RGBA and the premultiplied La, RGBa | over the background |
| I;16 in any byte order | L: scaled to 0..255 and rounded; from 4095 where a TIFF says 12 bits |
| I (32 bits) | as I;16 where every value fits into 16 bits, else refused |
| F | refused: nobody knows its range |
| CMYK, YCbCr, HSV, LAB, RGBX | RGB, as Pillow converts |

Over the background means, for each channel, value * alpha + background * (255 - alpha), divided by
255 and rounded to the nearest.
"""

import io
from typing import cast

from PIL import Image, ImageFile, TiffImagePlugin

from tfrec.images.reasons import Refusal
from tfrec.images.settings import ImageSettings

_BITS_PER_SAMPLE = 258
_PHOTOMETRIC = 262


def resolve_colour(image: ImageFile.ImageFile, settings: ImageSettings) -> Image.Image:
    """Return the pixels of a loaded `image` as mode L or RGB, L only if all are grey."""
    opaque, alpha = _split_alpha(_simplify(image))
    if settings.icc == "srgb":
        opaque = _to_srgb(opaque, image.info.get("icc_profile"))
    if opaque.mode not in ("L", "RGB"):
        opaque = opaque.convert("RGB")
    if alpha is not None:
        canvas = Image.new("RGB", opaque.size, settings.background)
        canvas.paste(opaque, (0, 0), alpha)
        opaque = canvas
    if settings.grayscale and opaque.mode != "L":
        opaque = opaque.convert("L")
    return opaque


def _simplify(image: ImageFile.ImageFile) -> Image.Image:
    """Return `image` in L, LA, RGB, RGBA or a colour space without alpha."""
    mode = image.mode
    if mode == "F":
        raise Refusal("holds floating point values (mode F), whose range is unknown")
    if mode.startswith("I"):
        return _scale_to_8_bits(image)
    if mode == "La":
        return image.convert("LA")
    if mode == "LA":
        return image
    if image.has_transparency_data:
        return image if mode == "RGBA" else image.convert("RGBA")
    if mode == "1":
        return image.convert("L")
    return image


def _scale_to_8_bits(image: ImageFile.ImageFile) -> Image.Image:
    wide = image if image.mode == "I" else image.convert("I")
    low, high = cast("tuple[int, int]", wide.getextrema())  # of one band
    if low < 0 or high > 0xFFFF:
        raise Refusal(
            f"holds 32-bit values from {low} to {high} (mode {image.mode}); "
            "only 0 to 65535 can be scaled to 8 bits"
        )
    black, white = _range_of_gray(image)
    # A line, not a table: Pillow takes 5 ms to read one of 65,536 entries. Half a level is added
    # since it cuts off what is behind the point.
    factor = 255 / (white - black)
    scaled = wide.point(lambda value: value * factor + (0.5 - black * factor)).convert("L")
    transparent = image.info.get("transparency")
    if isinstance(transparent, int):
        opacity = [255] * (1 << 16)
        opacity[transparent & 0xFFFF] = 0
        scaled.putalpha(wide.point(opacity, "L"))
    return scaled


def _range_of_gray(image: ImageFile.ImageFile) -> tuple[int, int]:
    """Return the values of black and white."""
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return 0, 0xFFFF
    white = 0xFFF if image.tag_v2.get(_BITS_PER_SAMPLE) == (12,) else 0xFFFF
    # Pillow inverts "white is zero" for up to 8 bits only.
    return (white, 0) if image.tag_v2.get(_PHOTOMETRIC) == 0 else (0, white)


def _split_alpha(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    if image.mode not in ("LA", "RGBA"):
        return image, None
    return image.convert(image.mode[:-1]), image.getchannel("A")


def _to_srgb(image: Image.Image, profile: object) -> Image.Image:
    """Convert from `profile`; one that is broken or of another colour space is ignored."""
    if not isinstance(profile, bytes) or image.mode not in ("L", "P", "RGB", "CMYK"):
        return image
    from PIL import ImageCms  # rarely wanted

    try:
        converted = ImageCms.profileToProfile(
            image.convert("RGB") if image.mode == "P" else image,
            ImageCms.ImageCmsProfile(io.BytesIO(profile)),
            ImageCms.createProfile("sRGB"),
            outputMode="RGB",
        )
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return image
    return image if converted is None else converted
