"""What every image codec promises; a new one is tested by standing in `CODECS`."""

import random

import pytest
from PIL import Image

from tfrec.errors import ConfigError, ImageError
from tfrec.images import CODECS, DecodedImage, SourceInfo, make_codec

LOSSLESS = {"raw", "png"}


@pytest.fixture(params=CODECS)
def codec(request):
    return make_codec(request.param)


def image_of(mode="RGB", width=40, height=30, seed=0):
    """A picture with slopes, which lossy codecs keep to a few levels, and edges of odd length."""
    shade = random.Random(seed).randrange(100)
    bands = [
        Image.linear_gradient("L")
        .rotate(90 * band)
        .resize((width, height))
        .point(lambda value: value // 8 + shade)
        for band in range(len(Image.new(mode, (1, 1)).getbands()))
    ]
    return DecodedImage(
        Image.merge(mode, bands), SourceInfo("PNG", mode, width, height, is_upright=True)
    )


def test_key_is_the_name(codec):
    assert CODECS[codec.name] is type(codec)


def test_suffix_begins_with_a_dot(codec):
    assert "." == codec.suffix[0]


@pytest.mark.parametrize(("mode", "channels"), [("RGB", 3), ("L", 1)])
@pytest.mark.parametrize("size", [(40, 30), (1, 1), (255, 3)])
def test_image_comes_back(codec, mode, channels, size):
    image = image_of(mode, *size)

    decoded = codec.decode(codec.encode(image), path="x", size=size, channels=channels)

    assert (*size, channels) == (decoded.width, decoded.height, decoded.channels)
    tolerance = 0 if codec.name in LOSSLESS else 12
    differences = [abs(a - b) for a, b in zip(image.tobytes(), decoded.tobytes(), strict=True)]
    assert max(differences) <= tolerance


def test_same_pixels_give_same_bytes(codec):
    assert codec.encode(image_of()) == codec.encode(image_of())


def test_metadata_of_the_source_is_not_written(codec):
    plain = image_of()
    noted = plain.pixels.copy()
    noted.info.update(
        exif=b"Exif\0\0MM\0*\0\0\0\x08",
        icc_profile=b"profile",
        dpi=(1, 2),
        comment=b"hello",
        xmp=b"<x/>",
    )

    assert codec.encode(plain) == codec.encode(DecodedImage(noted, plain.source))


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xd8\xff\xe0", bytes(3599), b"<html>"])
def test_other_bytes_are_an_image_error(codec, data):
    with pytest.raises(ImageError, match="shard-0"):
        codec.decode(data, path="shard-0", size=(40, 30))


def test_cut_bytes_are_an_image_error(codec):
    data = codec.encode(image_of())

    with pytest.raises(ImageError):
        codec.decode(data[: len(data) // 2], path="x", size=(40, 30))


def test_another_size_is_an_image_error(codec):
    data = codec.encode(image_of())

    with pytest.raises(ImageError, match="41x30"):
        codec.decode(data, path="x", size=(41, 30))


@pytest.mark.parametrize("channels", [0, 2, 4])
def test_other_channels_are_a_config_error(codec, channels):
    with pytest.raises(ConfigError, match="must be 1 or 3"):
        codec.decode(codec.encode(image_of()), path="x", size=(40, 30), channels=channels)


def test_codecs_of_equal_settings_are_equal(codec):
    assert make_codec(codec.name) == codec
