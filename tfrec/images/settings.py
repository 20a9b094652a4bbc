"""What decides an image's pixels; everything here is kept in the manifest.

A size is (width, height), as Pillow has it.
"""

import operator
from dataclasses import dataclass
from typing import Literal, get_args

from tfrec.errors import ConfigError, check_choice

ResizeMode = Literal["stretch", "crop", "pad", "fit"]
Resample = Literal["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
IccRule = Literal["ignore", "srgb"]
Rgb = tuple[int, int, int]

DEFAULT_MAX_PIXELS = 178_956_970
"""A quarter of a GiB of RGB: Pillow's own limit, `PIL.Image.MAX_IMAGE_PIXELS`."""

MAX_SIDE = 65_535
"""The longest side that JPEG can store."""

_WHITE = (255, 255, 255)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageSettings:
    """How a file becomes pixels.

    Attributes:
        size: (width, height) of the result; None keeps each image's own.
        resize: `stretch` ignores the aspect ratio; `crop` fills the size and cuts what sticks
            out, equally on both sides; `pad` shows the whole image between bars; `fit` is `pad`
            without the bars, so one side may come out shorter.
        resample: the filter, by Pillow's names.
        background: what shows through transparent pixels, and the bars of `pad`.
        grayscale: one channel (ITU-R 601-2 luma) instead of three.
        icc: `srgb` converts from an embedded colour profile; `ignore` leaves the values alone.
        max_pixels: an image of more is refused before it is loaded.
        fast: decode JPEG at the smallest scale that gives at least twice the size, and resize with
            the SIMD resizer of the extra `fast`: other pixels, hardly to be told apart.
    """

    size: tuple[int, int] | None = (256, 256)
    resize: ResizeMode = "stretch"
    resample: Resample = "bicubic"
    background: Rgb = _WHITE
    grayscale: bool = False
    icc: IccRule = "ignore"
    max_pixels: int = DEFAULT_MAX_PIXELS
    fast: bool = False

    def __post_init__(self) -> None:
        if self.size is not None:
            _check_size(self.size)
        check_choice("resize", self.resize, get_args(ResizeMode))
        check_choice("resample", self.resample, get_args(Resample))
        check_choice("icc", self.icc, get_args(IccRule))
        _check_colour("background", self.background)
        if self.max_pixels < 1:
            raise ConfigError(f"max_pixels {self.max_pixels}: must be at least 1")
        if self.fast and self.resample == "hamming":
            raise ConfigError("resample 'hamming': the setting `fast` has no such filter")


def _check_size(size: tuple[int, int]) -> None:
    try:
        width, height = map(operator.index, size)
    except (TypeError, ValueError):
        raise ConfigError(f"size {size!r}: must be (width, height), or None") from None
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise ConfigError(f"size {width}x{height}: each side must be from 1 to {MAX_SIDE}")


def _check_colour(name: str, colour: Rgb) -> None:
    if len(colour) != 3 or not all(0 <= value <= 255 for value in colour):
        raise ConfigError(f"{name} {colour!r}: must be three values from 0 to 255")
