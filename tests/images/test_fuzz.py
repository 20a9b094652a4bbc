"""Any bytes give an image or an ImageError, and soon.

`TFREC_FUZZ_EXAMPLES` says how many files of each format to damage (200 if unset).
"""

import io
import os
import time
from itertools import chain

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from tfrec.errors import ImageError
from tfrec.images import ImageSettings, decode_image, describe_content

NUM_EXAMPLES = int(os.environ.get("TFREC_FUZZ_EXAMPLES", "200"))
MAX_SECONDS = 5

ANIMATED = {"save_all": True, "append_images": [Image.new("RGB", (48, 32), "red")]}

FORMATS = {
    "JPEG": [{}, {"progressive": True}, {"mode": "CMYK"}, {"mode": "L", "restart_marker_blocks": 1}],
    "PNG": [{}, {"mode": "P", "transparency": bytes(range(256))}, {"mode": "LA"}, {"mode": "I;16"},
            {"mode": "1"}, ANIMATED],
    "GIF": [{}, {"mode": "P", "transparency": 7}, ANIMATED],
    "WEBP": [{}, {"lossless": True}, {"mode": "RGBA"}, ANIMATED],
    "BMP": [{}, {"mode": "P"}, {"mode": "1"}, {"mode": "RGBA"}],
    "TIFF": [{}, {"compression": "tiff_lzw"}, {"compression": "jpeg"}, {"mode": "I;16"},
             {"mode": "CMYK", "compression": "tiff_adobe_deflate"}, {"mode": "LA"}, ANIMATED],
    "AVIF": [{}], "JPEG2000": [{}], "PPM": [{}], "ICO": [{}], "TGA": [{}], "QOI": [{}], "DDS": [{}], "PCX": [{}],
    "SGI": [{}], "ICNS": [{}],
}  # fmt: skip


def good_files(pillow_format):
    image = Image.radial_gradient("L").resize((48, 32))
    exif = Image.Exif()
    exif[0x0112] = 6
    extra = {"exif": exif} if pillow_format in ("JPEG", "PNG", "WEBP", "TIFF", "AVIF") else {}
    for variant in FORMATS[pillow_format]:
        options = {"mode": "RGB"} | variant
        target = io.BytesIO()
        image.convert(options.pop("mode")).save(target, pillow_format, **options, **extra)
        yield target.getvalue()


GOOD_FILES = {pillow_format: list(good_files(pillow_format)) for pillow_format in FORMATS}


@st.composite
def damaged_files(draw, files):
    data = bytearray(draw(st.sampled_from(files)))
    for _ in range(draw(st.integers(1, 6))):
        # Headers decide most, so half of all damage is near the start.
        at = draw(st.integers(0, min(200, len(data)) if draw(st.booleans()) else len(data)))
        match draw(st.sampled_from(["overwrite", "cut", "remove", "insert", "repeat"])):
            case "overwrite":
                new = draw(st.binary(min_size=1, max_size=4))
                data[at : at + len(new)] = new
            case "cut":
                del data[max(at, 1) :]
            case "remove":
                del data[at : at + draw(st.integers(1, 64))]
            case "insert":
                data[at:at] = draw(st.binary(min_size=1, max_size=16))
            case "repeat":
                data[at:at] = data[at : at + draw(st.integers(1, 64))]
    return bytes(data)


def assert_image_or_error(data):
    started = time.monotonic()
    try:
        image = decode_image(
            data, path="x", settings=ImageSettings(size=(16, 16), max_pixels=1 << 22)
        )
    except ImageError as error:
        assert error.reason
        assert "\n" not in error.reason
    else:
        assert len(image.tobytes()) == 16 * 16 * 3
    assert time.monotonic() - started < MAX_SECONDS


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("pillow_format", FORMATS)
@settings(max_examples=NUM_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_damaged_file_is_an_image_or_an_error(pillow_format, data):
    assert_image_or_error(data.draw(damaged_files(GOOD_FILES[pillow_format])))


@settings(max_examples=50, deadline=None)
@given(damaged_files([*chain.from_iterable(GOOD_FILES.values())]))
def test_a_few_damaged_files_are_images_or_errors(data):
    assert_image_or_error(data)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=600))
def test_any_bytes_are_an_image_or_an_error(data):
    describe_content(data)
    assert_image_or_error(data)
