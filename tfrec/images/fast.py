"""The setting `fast`: JPEG decoded at a reduced scale, and a resizer in SIMD instructions.

The resizer is fast_image_resize, from the package cykooz-resizer. It has Pillow's filters, and the
same result with any instructions of a processor (AVX2, SSE4.1, Neon, none), so the pixels depend on
its version alone. It reads Pillow's pixels where they are, and without the GIL.
"""

from types import ModuleType
from typing import TypeAlias

from PIL import Image, JpegImagePlugin

from tfrec.errors import ConfigError
from tfrec.images.settings import ImageSettings, Resample

Box: TypeAlias = tuple[float, float, float, float]
"""Left, upper, right and lower edge, in pixels."""

_PACKAGE = "cykooz-resizer"

_FILTERS: dict[Resample, str] = {
    "box": "box",
    "bilinear": "bilinear",
    "bicubic": "catmull_rom",  # Pillow's bicubic has the same coefficient, -0.5
    "lanczos": "lanczos3",
}


def load_resizer() -> ModuleType:
    """Return the resizer's module.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        import cykooz_resizer  # an extra
    except ImportError:
        raise ConfigError(
            "the setting `fast` needs an extra: run `pip install tfrec-builder[fast]`"
        ) from None
    module: ModuleType = cykooz_resizer
    return module


def require_extras(settings: ImageSettings) -> None:
    """Raise where settings need what is not installed.

    Raises:
        ConfigError: it names the extra.
    """
    if settings.fast:
        load_resizer()


def find_resizer_version() -> dict[str, str]:
    """Return the version that decides pixels of the setting `fast`.

    Raises:
        ConfigError: the resizer is not installed.
    """
    from importlib import metadata  # which costs 20 ms

    load_resizer()
    return {_PACKAGE: metadata.version(_PACKAGE)}


def reduce_jpeg(image: JpegImagePlugin.JpegImageFile, size: tuple[int, int]) -> Box:
    """Have `image` decoded at the smallest scale that gives at least twice `size`.

    libjpeg leaves out the finer waves of each block, which a filter would average away.

    Returns:
        The part of the decoded image that shows the picture: its right and lower edge may lie
        inside a pixel.
    """
    drafted = image.draft(None, (2 * size[0], 2 * size[1]))
    return (0, 0, *image.size) if drafted is None else drafted[1]


def turn_area(area: Box, size: tuple[int, int], turn: Image.Transpose | None) -> Box:
    """Return where `area` of an image of `size` is once the image is turned."""
    left, upper, right, lower = area
    width, height = size
    if turn in _MIRRORED:
        left, right = width - right, width - left
    if turn in _UPSIDE_DOWN:
        upper, lower = height - lower, height - upper
    return (upper, left, lower, right) if turn in ON_ITS_SIDE else (left, upper, right, lower)


# What each turn does first, before those of ON_ITS_SIDE exchange the axes.
_MIRRORED = {
    Image.Transpose.FLIP_LEFT_RIGHT,
    Image.Transpose.ROTATE_180,
    Image.Transpose.ROTATE_90,
    Image.Transpose.TRANSVERSE,
}
_UPSIDE_DOWN = {
    Image.Transpose.FLIP_TOP_BOTTOM,
    Image.Transpose.ROTATE_180,
    Image.Transpose.ROTATE_270,
    Image.Transpose.TRANSVERSE,
}
ON_ITS_SIDE = {
    Image.Transpose.TRANSPOSE,
    Image.Transpose.TRANSVERSE,
    Image.Transpose.ROTATE_90,
    Image.Transpose.ROTATE_270,
}


def draw_fast(
    image: Image.Image, size: tuple[int, int], resample: Resample, area: Box
) -> Image.Image:
    """Return `area` of an image of mode L or RGB, in another size."""
    left, upper, right, lower = area
    drawn = Image.new(image.mode, size, None)
    # A resizer belongs to one thread at a time, and a new one costs less than a look for an old.
    load_resizer().Resizer().resize_pil(
        image, drawn, _options(resample, (left, upper, right - left, lower - upper))
    )
    return drawn


def _options(resample: Resample, box: Box) -> object:
    resizer = load_resizer()
    if resample == "nearest":
        algorithm = resizer.ResizeAlg.nearest()
    else:
        algorithm = resizer.ResizeAlg.convolution(resizer.FilterType[_FILTERS[resample]])
    return resizer.ResizeOptions(algorithm, crop_box=resizer.CropBox(*box))
