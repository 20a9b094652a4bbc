import random

import pytest
from PIL import Image

from tfrec.images import ImageSettings, decode_image

RED, BLUE = (255, 0, 0), (0, 0, 255)


@pytest.fixture(params=[False, True], ids=["exact", "fast"])
def fast(request):
    if request.param:
        pytest.importorskip("cykooz_resizer")
    return request.param


@pytest.fixture
def wide(save):
    """1000x250: red on the left, blue on the right."""
    image = Image.new("RGB", (1000, 250), RED)
    image.paste(BLUE, (500, 0, 1000, 250))
    return save(image)


@pytest.fixture
def decoded(wide, fast):
    def decode(**settings):
        return decode_image(wide, path="x", settings=ImageSettings(fast=fast, **settings))

    return decode


def rows_of(image):
    raw, stride = image.tobytes(), image.width * image.channels
    return [raw[at : at + stride] for at in range(0, len(raw), stride)]


def colours(row):
    return [tuple(row[at : at + 3]) for at in range(0, len(row), 3)]


def test_stretch_is_the_default(decoded):
    for row in rows_of(decoded()):
        assert [RED] * 121 == colours(row)[:121]
        assert [BLUE] * 120 == colours(row)[136:]


def test_crop_takes_the_middle(decoded):
    image = decoded(resize="crop")

    assert (256, 256) == (image.width, image.height)
    for row in rows_of(image):
        assert [RED] * 121 == colours(row)[:121]
        assert [BLUE] * 120 == colours(row)[136:]


def test_crop_cuts_both_sides_alike(save, fast):
    image = Image.new("RGB", (400, 100), RED)
    image.paste(BLUE, (150, 0, 250, 100))

    cropped = decode_image(
        save(image), path="x", settings=ImageSettings(size=(100, 100), resize="crop", fast=fast)
    )

    assert BLUE * 10_000 == tuple(cropped.tobytes())


def test_pad_adds_bars_above_and_below(decoded):
    image = decoded(resize="pad", background=(1, 2, 3))

    rows = rows_of(image)
    assert 256 == len(rows)
    assert bytes([1, 2, 3]) * 256 * 96 == b"".join(rows[:96])
    assert [RED] * 121 == colours(rows[96])[:121]
    assert [BLUE] * 120 == colours(rows[159])[136:]
    assert bytes([1, 2, 3]) * 256 * 96 == b"".join(rows[160:])


def test_pad_of_gray_has_gray_bars(decoded):
    image = decoded(resize="pad", background=(200, 30, 60), grayscale=True)

    # ITU-R 601-2 luma of the colour is 84.25.
    assert bytes([84]) * 256 == rows_of(image)[0]


def test_fit_has_no_bars(decoded):
    image = decoded(resize="fit")

    assert (256, 64) == (image.width, image.height)


@pytest.mark.parametrize("resize", ["stretch", "crop", "pad", "fit"])
@pytest.mark.parametrize("shape", [(5000, 1), (1, 5000)])
def test_thin_images_stay_visible(save, resize, shape, fast):
    data = save(Image.new("RGB", shape, RED))

    image = decode_image(data, path="x", settings=ImageSettings(resize=resize, fast=fast))

    assert bytes(RED) in image.tobytes()


def test_small_images_grow_to_fit(save):
    image = decode_image(
        save(Image.new("RGB", (10, 5))), path="x", settings=ImageSettings(resize="fit")
    )

    assert (256, 128) == (image.width, image.height)


def test_no_size_keeps_the_images_own(decoded):
    image = decoded(size=None)

    assert (1000, 250) == (image.width, image.height)
    assert image.is_as_stored


@pytest.mark.parametrize("resize", ["stretch", "crop", "pad", "fit"])
def test_right_size_is_never_filtered(save, resize, fast):
    pixels = random.Random(1).randbytes(50 * 20 * 3)
    data = save(Image.frombytes("RGB", (50, 20), pixels))

    image = decode_image(
        data, path="x", settings=ImageSettings(size=(50, 20), resize=resize, fast=fast)
    )

    assert pixels == image.tobytes()


@pytest.mark.parametrize(
    "resample", ["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
)
def test_filter_is_pillows_of_that_name(save, resample):
    image = Image.frombytes("RGB", (50, 20), random.Random(1).randbytes(50 * 20 * 3))

    found = decode_image(
        save(image), path="x", settings=ImageSettings(size=(32, 32), resample=resample)
    )

    assert image.resize((32, 32), Image.Resampling[resample.upper()]).tobytes() == found.tobytes()
