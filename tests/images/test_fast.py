"""The setting `fast`. What is expected follows from arithmetic: a slope's average is its middle."""

import io
import sys

import numpy as np
import pytest
from PIL import Image

from tfrec.errors import ConfigError, ImageError
from tfrec.images import ImageSettings, decode_image
from tfrec.images.fast import reduce_jpeg

TRANSPOSE = Image.Transpose
UNDOING = {
    1: [],
    2: [TRANSPOSE.FLIP_LEFT_RIGHT],
    3: [TRANSPOSE.ROTATE_180],
    4: [TRANSPOSE.FLIP_TOP_BOTTOM],
    5: [TRANSPOSE.TRANSPOSE],
    6: [TRANSPOSE.ROTATE_90],
    7: [TRANSPOSE.TRANSVERSE],
    8: [TRANSPOSE.ROTATE_270],
}
"""How an upright image is turned so that the EXIF orientation turns it back (EXIF 2.3, 4.6.4)."""


TWO_LEVELS = 2
"""An error of so much everywhere is 42 dB: 10 log(255^2 / 2^2)."""


@pytest.fixture
def resizer():
    return pytest.importorskip("cykooz_resizer")


def slopes(width, height):
    """Red grows from left to right and green from top to bottom, each over the whole range."""
    red = np.broadcast_to((np.arange(width) + 0.5) * 255 / width, (height, width))
    green = np.broadcast_to(((np.arange(height) + 0.5) * 255 / height)[:, None], (height, width))
    pixels = np.stack([red, green, np.full((height, width), 128.0)], axis=-1)
    return Image.fromarray(pixels.round().astype(np.uint8))


def as_jpeg(save, image, orientation=1):
    exif = Image.Exif()
    exif[0x0112] = orientation
    for turn in UNDOING[orientation]:
        image = image.transpose(turn)
    return save(image, "JPEG", quality=100, subsampling=0, exif=exif)


def pixels_of(image):
    array = np.frombuffer(image.tobytes(), np.uint8).astype(float)
    return array.reshape(image.height, image.width, image.channels)


def inside(array):
    """Leave out the outermost pixels, for which the filter has no neighbours on one side."""
    return array[1:-1, 1:-1]


def decode_fast(data, **settings):
    return decode_image(data, path="x", settings=ImageSettings(fast=True, **settings))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_slope_stays_the_same_slope_whatever_is_left_of_its_last_block(
    save, resizer, orientation
):
    # At an eighth they are 33x51 pixels, of which 32.125 x 50.125 show the picture: to take all
    # for it would be wrong by 2.7 percent of 255 levels.
    data = as_jpeg(save, slopes(257, 401), orientation)

    image = decode_fast(data, size=(16, 24), resample="bilinear")

    assert np.abs(inside(pixels_of(image) - np.asarray(slopes(16, 24), float))).max() <= TWO_LEVELS


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_crop_cuts_the_same_from_both_sides_of_a_reduced_image(save, resizer, orientation):
    data = as_jpeg(save, slopes(257, 401), orientation)

    image = decode_fast(data, size=(16, 16), resample="bilinear", resize="crop")

    # Of 401 rows the 257 in the middle are shown.
    green = (72 + (np.arange(16) + 0.5) * 257 / 16) * 255 / 401
    assert np.abs(inside(pixels_of(image)[..., 1] - green[:, None])).max() <= TWO_LEVELS


@pytest.mark.parametrize(
    ("size", "wanted", "reduced"),
    [
        ((4096, 4096), (256, 256), (512, 512)),
        ((4095, 4096), (256, 256), (1024, 1024)),  # an eighth has less than twice the width
        ((1025, 1024), (256, 256), (513, 512)),
        ((1023, 1024), (256, 256), (1023, 1024)),
        ((100, 100), (256, 256), (100, 100)),
    ],
)
def test_the_smallest_scale_has_at_least_twice_the_size(save, size, wanted, reduced):
    image = Image.open(io.BytesIO(save(Image.new("L", size), "JPEG")))

    reduce_jpeg(image, wanted)

    assert reduced == image.size


@pytest.mark.parametrize("resample", ["bilinear", "bicubic", "lanczos"])
def test_without_a_smaller_scale_no_value_is_far_from_pillows(save, noise, resizer, resample):
    data = save(noise(500, 375).resize((250, 188)).resize((500, 375)))

    fast = decode_fast(data, resample=resample)
    exact = decode_image(data, path="x", settings=ImageSettings(resample=resample))

    # Both round after each of two passes, in different order; a filter's weights add up to at
    # most 1.5 by their sizes. So it is one level and a half of a rounding, and one of the other.
    assert np.abs(pixels_of(fast) - pixels_of(exact)).max() <= 3


def test_every_processor_gives_the_same_pixels(noise, resizer):
    def draw(extensions):
        target = Image.new("RGB", (60, 70))
        own = resizer.Resizer()
        own.cpu_extensions = extensions
        own.resize_pil(source, target, options)
        return target.tobytes()

    source = noise(301, 203)
    filter_type = resizer.FilterType.catmull_rom
    options = resizer.ResizeOptions(resizer.ResizeAlg.convolution(filter_type))

    assert draw(resizer.CpuExtensions.none) == draw(resizer.Resizer().cpu_extensions)


def test_source_is_told_at_full_size(save, resizer):
    image = decode_fast(as_jpeg(save, slopes(1001, 2003), 6), size=(32, 32))

    assert (1001, 2003) == (image.source.width, image.source.height)
    assert not image.is_as_stored


@pytest.mark.parametrize("share", [0.3, 0.7, 0.99])
def test_what_is_cut_short_is_refused_as_ever(save, noise, resizer, share):
    data = save(noise(1024, 1024), "JPEG")
    cut = data[: int(len(data) * share)]

    reasons = set()
    for fast in (False, True):
        with pytest.raises(ImageError) as caught:
            decode_image(cut, path="x", settings=ImageSettings(size=(32, 32), fast=fast))
        reasons.add(caught.value.reason)

    assert {"is cut short: a JPEG image without an end marker"} == reasons


def test_limit_is_that_of_the_full_size(save, resizer):
    data = save(Image.new("RGB", (1024, 1024)), "JPEG")

    with pytest.raises(ImageError, match="1024x1024"):
        decode_fast(data, size=(32, 32), max_pixels=1024 * 1024 - 1)


def test_missing_extra_is_an_error_of_the_settings(save, monkeypatch):
    monkeypatch.setitem(sys.modules, "cykooz_resizer", None)

    with pytest.raises(ConfigError, match=r"run `pip install tfrec-builder\[fast\]`"):
        decode_fast(save(Image.new("RGB", (10, 10))))
