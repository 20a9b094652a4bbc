import errno
import io
import os
import sys

import pytest
from PIL import Image

from tfrec.errors import ConfigError, ImageError
from tfrec.images import DecodedImage, SourceInfo, make_codec, sniff_format


@pytest.fixture
def image():
    pixels = Image.effect_mandelbrot((256, 256), (-2, -1.5, 1, 1.5), 50).convert("RGB")
    return DecodedImage(pixels, SourceInfo("PNG", "L", 256, 256, is_upright=True))


def test_raw_bytes_are_rows_of_rgb():
    pixels = Image.new("RGB", (3, 2), (200, 30, 60))
    pixels.putpixel((1, 0), (1, 2, 3))
    image = DecodedImage(pixels, SourceInfo("PNG", "RGB", 3, 2, is_upright=True))

    assert "c81e3c010203c81e3c" + "c81e3c" * 3 == make_codec("raw").encode(image).hex()


@pytest.mark.parametrize(
    ("name", "pillow_format"), [("jpeg", "JPEG"), ("png", "PNG"), ("webp", "WEBP")]
)
def test_encoded_bytes_have_the_format(image, name, pillow_format):
    assert pillow_format == sniff_format(make_codec(name).encode(image))


@pytest.mark.parametrize("name", ["jpeg", "webp"])
def test_higher_quality_takes_more_bytes(image, name):
    low, high = (len(make_codec(name, quality=quality).encode(image)) for quality in (20, 99))

    assert low < high


def test_default_jpeg_keeps_colour_at_full_resolution(image):
    data = make_codec("jpeg").encode(image)
    frame = data.index(b"\xff\xc0")

    assert [0x11, 0x11, 0x11] == [data[frame + 11 + 3 * component] for component in range(3)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has files in memory")
class TestJpegWithoutTheGil:
    @pytest.fixture
    def expected(self, image):
        target = io.BytesIO()
        image.pixels.save(target, "JPEG", quality=95, subsampling=0)
        return target.getvalue()

    @pytest.fixture
    def targets(self, monkeypatch):
        """The types of what Pillow is given to write into."""
        targets = []
        save = Image.Image.save

        def note(pixels, target, *args, **options):
            targets.append(type(target))
            save(pixels, target, *args, **options)

        monkeypatch.setattr(Image.Image, "save", note)
        return targets

    def test_pillow_is_given_a_descriptor_and_makes_the_same_bytes(self, image, expected, targets):
        assert expected == make_codec("jpeg").encode(image)
        assert [io.FileIO] == targets

    def test_without_a_descriptor_it_encodes_as_ever(self, image, expected, targets, monkeypatch):
        def refuse(_name):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

        monkeypatch.setattr(os, "memfd_create", refuse)

        assert expected == make_codec("jpeg").encode(image)
        assert [io.BytesIO] == targets

    @pytest.mark.parametrize("missing", [1, 70_000])
    def test_a_limit_of_file_sizes_cuts_nothing_off(self, image, targets, missing):
        import resource

        pixels = Image.effect_noise((400, 400), 100)
        noise = DecodedImage(pixels, image.source)
        expected = io.BytesIO()
        pixels.save(expected, "JPEG", quality=95, subsampling=0)
        num_bytes = len(expected.getvalue())
        assert num_bytes > 70_000
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes - missing, hard))
        try:
            encoded = make_codec("jpeg").encode(noise)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

        assert expected.getvalue() == encoded
        assert [io.BytesIO, io.FileIO, io.BytesIO] == targets

    def test_no_descriptor_stays_open(self, image):
        before = os.listdir("/proc/self/fd")

        make_codec("jpeg").encode(image)

        assert before == os.listdir("/proc/self/fd")


@pytest.mark.parametrize(
    ("name", "quality", "words"),
    [
        ("jpeg", 0, "takes 1 to 100"),
        ("jpeg", 101, "takes 1 to 100"),
        ("webp", -1, "takes 0 to 100"),
        ("png", 90, "the encoding 'png' has none"),
        ("raw", 90, "the encoding 'raw' has none"),
        ("bmp", None, "must be one of 'raw', 'jpeg', 'png', 'webp'"),
    ],
)
def test_unsuitable_settings_are_refused(name, quality, words):
    with pytest.raises(ConfigError, match=words):
        make_codec(name, quality=quality)


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (49_152, "holds 49152 bytes of raw pixels, and 256x256x3 needs 196608; 128x128x3 fits"),
        (786_432, "needs 196608; 4 times as many, so these may be values of 4 bytes"),
        (10, "holds 10 bytes of raw pixels, and 256x256x3 needs 196608"),
    ],
)
def test_wrong_length_of_raw_pixels_is_explained(length, words):
    with pytest.raises(ImageError, match=words):
        make_codec("raw").decode(bytes(length), path="x", size=(256, 256))


def test_encoded_bytes_read_as_raw_say_what_they_are(image):
    with pytest.raises(ImageError, match="they begin a JPEG image"):
        make_codec("raw").decode(make_codec("jpeg").encode(image), path="x", size=(256, 256))


def test_raw_pixels_need_a_size():
    with pytest.raises(ConfigError, match="size"):
        make_codec("raw").decode(bytes(12), path="x")


@pytest.mark.parametrize(("name", "side"), [("jpeg", 65_501), ("webp", 16_384)])
def test_an_image_larger_than_the_format_allows_is_refused(name, side):
    image = DecodedImage(Image.new("RGB", (side, 1)), SourceInfo("raw", "RGB", side, 1, True))

    with pytest.raises(ImageError, match=f"is too large: {side}x1 pixels") as raised:
        make_codec(name).encode(image)

    assert f"at most {side - 1} on a side" in raised.value.reason


@pytest.mark.parametrize("size", [(0, 0), (-2, -2), (0, 4)])
def test_raw_pixels_of_no_size_are_refused(size):
    data = bytes(max(0, size[0] * size[1] * 3))

    with pytest.raises(ImageError, match=f"has the size {size[0]}x{size[1]}"):
        make_codec("raw").decode(data, path="x", size=size)
