"""From any mode that Pillow delivers to 8-bit L or RGB, before anything is resized.

| mode | becomes |
|---|---|
| 1, L, RGB | itself (1 as L); with a transparent colour, over the background |
| P | its palette's colours; with transparency, over the background |
| LA, PA, RGBA and the premultiplied La, RGBa | over the background |
| I;16 in any byte order | L: scaled, value / 257 rounded, half up |
| I (32 bits) | as I;16 where every value fits into 16 bits, else refused |
| F | refused: nobody knows its range |
| CMYK, YCbCr, HSV, LAB, RGBX | RGB, as Pillow converts |

Over the background means, for each channel, value * alpha + background * (255 - alpha), divided by
255 and rounded to the nearest.
"""

import io
from typing import cast

from PIL import Image, ImageCms

from tfrec.images.reasons import Refusal
from tfrec.images.settings import ImageSettings

_SCALE_16_TO_8 = [(value + 128) // 257 for value in range(1 << 16)]
_ICC_MODES = {"L", "RGB", "CMYK", "LAB"}


def resolve_colour(image: Image.Image, settings: ImageSettings) -> Image.Image:
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


def _simplify(image: Image.Image) -> Image.Image:
    """Return `image` in L, LA, RGB, RGBA or a colour space without alpha."""
    mode = image.mode
    has_transparency = image.info.get("transparency") is not None
    if mode == "F":
        raise Refusal("holds floating point values (mode F), whose range is unknown")
    if mode.startswith("I"):
        return _scale_to_8_bits(image)
    if mode in ("1", "L", "RGB"):
        if has_transparency:
            return image.convert("RGBA")
        return image.convert("L") if mode == "1" else image
    if mode == "P":
        return image.convert("RGBA" if has_transparency else "RGB")
    if mode in ("PA", "RGBa"):
        return image.convert("RGBA")
    if mode == "La":
        return image.convert("LA")
    return image


def _scale_to_8_bits(image: Image.Image) -> Image.Image:
    wide = image if image.mode == "I" else image.convert("I")
    low, high = cast("tuple[int, int]", wide.getextrema())  # of one band
    if low < 0 or high > 0xFFFF:
        raise Refusal(
            f"holds 32-bit values from {low} to {high} (mode {image.mode}); 16 bits are the most"
        )
    scaled = wide.point(_SCALE_16_TO_8, "L")
    transparent = image.info.get("transparency")
    if not isinstance(transparent, int):
        return scaled
    visible = [255] * (1 << 16)
    visible[transparent & 0xFFFF] = 0
    scaled.putalpha(wide.point(visible, "L"))
    return scaled


def _split_alpha(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    if image.mode not in ("LA", "RGBA"):
        return image, None
    return image.convert(image.mode[:-1]), image.getchannel("A")


def _to_srgb(image: Image.Image, profile: object) -> Image.Image:
    """Convert from `profile`; one that is broken or of another colour space is ignored."""
    if not isinstance(profile, bytes) or image.mode not in _ICC_MODES:
        return image
    try:
        converted = ImageCms.profileToProfile(
            image,
            ImageCms.ImageCmsProfile(io.BytesIO(profile)),
            ImageCms.createProfile("sRGB"),
            outputMode="RGB",
        )
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return image
    return image if converted is None else converted
