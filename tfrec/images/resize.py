"""Bring pixels to the wanted size: with Pillow or, for the setting `fast`, with a SIMD resizer."""

from typing import NamedTuple

from PIL import Image, ImageOps

from tfrec.images.fast import Box, draw_fast
from tfrec.images.settings import ImageSettings

Size = tuple[int, int]


class Picture(NamedTuple):
    """Pixels of mode L or RGB, which may be a reduced version of the picture.

    `size` is that of the picture, and `area` says which part of `pixels` shows it.
    """

    pixels: Image.Image
    size: Size
    area: Box


def resize_picture(picture: Picture, settings: ImageSettings) -> Image.Image:
    """Return `picture` in the size that `settings` ask for.

    One of that size already is returned as it is, so that no filter touches its pixels.
    """
    size = settings.size
    if size is None or picture.size == size:
        return picture.pixels
    if settings.resize == "crop":
        return _crop(picture, size, settings)
    drawn = _draw(picture, drawn_size(picture.size, settings), settings)
    return _pad(drawn, size, settings) if settings.resize == "pad" else drawn


def drawn_size(full_size: Size, settings: ImageSettings) -> Size:
    """Return the size in which a whole picture is drawn, before anything is cut off or added."""
    size = settings.size
    if size is None or settings.resize == "stretch":
        return size or full_size
    choose = max if settings.resize == "crop" else min
    scale = choose(wanted / full for wanted, full in zip(size, full_size, strict=True))
    # At least 1, which `ImageOps.contain` forgets for an image 1,000 times as wide as high.
    return max(1, round(full_size[0] * scale)), max(1, round(full_size[1] * scale))


def _draw(picture: Picture, size: Size, settings: ImageSettings) -> Image.Image:
    if picture.size == size:
        return picture.pixels
    if settings.fast:
        return draw_fast(picture.pixels, size, settings.resample, picture.area)
    return picture.pixels.resize(size, Image.Resampling[settings.resample.upper()])


def _crop(picture: Picture, size: Size, settings: ImageSettings) -> Image.Image:
    if not settings.fast:
        return ImageOps.fit(picture.pixels, size, Image.Resampling[settings.resample.upper()])
    left, upper, right, lower = picture.area
    scale = max(size[0] / (right - left), size[1] / (lower - upper))
    width, height = min(size[0] / scale, right - left), min(size[1] / scale, lower - upper)
    left += (right - left - width) / 2
    upper += (lower - upper - height) / 2
    area = (left, upper, left + width, upper + height)
    return draw_fast(picture.pixels, size, settings.resample, area)


def _pad(image: Image.Image, size: Size, settings: ImageSettings) -> Image.Image:
    if image.size == size:
        return image
    if settings.grayscale:
        canvas = Image.new("RGB", size, settings.background).convert("L")
    else:
        canvas = Image.new("RGB", size, settings.background)
    left, top = ((outer - inner) // 2 for outer, inner in zip(size, image.size, strict=True))
    canvas.paste(image, (left, top))
    return canvas
