import contextlib

import pytest
from PIL import Image

from tfrec.images import SNIFF_BYTES, describe_content, has_image_signature, sniff_format

FORMATS = [
    "JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "JPEG2000", "PPM", "ICO", "ICNS", "QOI", "DDS", "SGI",
    "PCX", "XBM", "MSP",
]  # fmt: skip


@pytest.mark.parametrize("pillow_format", FORMATS)
def test_what_pillow_writes_is_recognised(save, pillow_format):
    found = set()
    for mode in ("1", "L", "P", "RGB", "RGBA", "I;16", "CMYK"):
        with contextlib.suppress(OSError, ValueError, KeyError):  # Pillow writes no such mode
            found.add(sniff_format(save(Image.new(mode, (32, 32)), pillow_format)[:SNIFF_BYTES]))

    assert {pillow_format} == found


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        (b"\0\0\0\x18ftypheic", "HEIF"),
        (b"\0\0\0\x1cftypmif1", "HEIF"),
        (b"\xff\x0a\xfa\x7f", "JPEG XL"),
        (b"8BPS\0\x01" + bytes(6), "PSD"),
        (b"P2 # a comment", "PPM"),
        (b"P5\n# a comment\n3 1 255\n", "PPM"),
        (b"/* XPM */\nstatic char", "XPM"),
    ],
)
def test_format_is_named(prefix, name):
    assert name == sniff_format(prefix)


@pytest.mark.parametrize(
    ("prefix", "words"),
    [
        (b"BMW is a maker of cars.\n", "a text file"),
        (b"Pictures of 2019\n", "a text file"),
        (b"P2P networks", "a text file"),
        (b"P3 is prose\n", "a text file"),
        (b"GIF is a format\n", "a text file"),
        (b"#define MAX 3\n", "a text file"),
        (b"II. Chapter two\n", "a text file"),
        ("naïve café ".encode() * 99, "a text file"),
        ("\ufeffname,label\n".encode(), "a text file"),
        ("name,label\n".encode("utf-16"), "a text file"),
        (b'{"a": [1, 2]}', "a JSON file"),
        (b'<?xml version="1.0"?><annotation/>', "an XML file"),
        (b'<?xml version="1.0"?>\n<!-- c --><svg width="1">', "an SVG drawing"),
        (b"\n<html>", "an HTML page"),
        (b"\0\0\0\x20ftypisom", "an MP4 or QuickTime video"),
        (b"RIFF\x01\x02\x03\x04AVI LIST", "an AVI video"),
        (bytes(257) + b"ustar\x0000", "a tar archive"),
        (b"\x1f\x8b\x08\0", "a gzip file"),
        (b"\0\x05\x16\x07\0\x02\0\0", "an AppleDouble file"),
        (b"\x93NUMPY\x01\0", "a NumPy array"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a Microsoft Office file"),
        (b"\x80\x81\x82", None),
        (b"", None),
    ],
)
def test_other_things_are_no_images(prefix, words):
    assert not has_image_signature(prefix)
    assert words == describe_content(prefix)


@pytest.mark.parametrize(
    ("prefix", "words"),
    [
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"\0\0\0\0ftypavif", "an AVIF image"),
        (b"\xff\x0a", "a JPEG XL image"),
    ],
)
def test_images_are_described_with_their_article(prefix, words):
    assert words == describe_content(prefix)
