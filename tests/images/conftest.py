"""Image files made on the spot; nothing here knows how `tfrec` decodes them."""

import io
import random
import struct
import zlib

import pytest
from PIL import Image


@pytest.fixture
def save():
    """Return a function that writes a Pillow image as bytes of a format."""

    def save_image(image, pillow_format="PNG", **options):
        target = io.BytesIO()
        image.save(target, pillow_format, **options)
        return target.getvalue()

    return save_image


@pytest.fixture
def noise():
    """Return a function that makes a picture of random values, the same for the same seed."""

    def make(width=256, height=256, mode="RGB", seed=0):
        size = width * height * len(Image.new(mode, (1, 1)).getbands())
        return Image.frombytes(mode, (width, height), random.Random(seed).randbytes(size))

    return make


COLOURS = {"R": (255, 0, 0), "G": (0, 255, 0), "B": (0, 0, 255), "Y": (255, 255, 0)}


@pytest.fixture
def quadrants():
    """Return a function that makes a 300x200 picture: red, green above blue, yellow."""

    def make():
        image = Image.new("RGB", (300, 200))
        for at, colour in enumerate(COLOURS.values()):
            left, top = at % 2 * 150, at // 2 * 100
            image.paste(colour, (left, top, left + 150, top + 100))
        return image

    return make


@pytest.fixture
def read_quadrants():
    """Return a function that names the colours of a decoded image's quadrants, row by row."""
    letters = {colour: letter for letter, colour in COLOURS.items()}

    def read(image):
        raw, width, height = image.tobytes(), image.width, image.height
        middles = [
            (x, y) for y in (height // 4, height * 3 // 4) for x in (width // 4, width * 3 // 4)
        ]
        found = [raw[(y * width + x) * 3 :][:3] for x, y in middles]
        return "".join(letters[tuple(255 * (value > 127) for value in colour)] for colour in found)

    return read


@pytest.fixture
def oriented():
    """Return a function that makes EXIF data with an orientation."""

    def make(orientation):
        exif = Image.Exif()
        exif[0x0112] = orientation
        return exif

    return make


@pytest.fixture
def with_segment():
    """Return a function that puts a segment before all others of a JPEG."""

    def insert(jpeg, marker, body):
        return jpeg[:2] + bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body + jpeg[2:]

    return insert


@pytest.fixture
def make_png():
    """Return a function that writes a PNG chunk by chunk, for what Pillow cannot write."""

    def chunk(kind, body):
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    def make(width, depth, colour_type, row, *extra_chunks):
        header = struct.pack(">IIBBBBB", width, 1, depth, colour_type, 0, 0, 0)
        chunks = [
            (b"IHDR", header),
            *extra_chunks,
            (b"IDAT", zlib.compress(b"\0" + row)),
            (b"IEND", b""),
        ]
        return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks)

    return make


@pytest.fixture
def make_tiff():
    """Return a function that writes a one-row grey TIFF, for what Pillow cannot write."""

    def make(width, pixels, *, depth=16, photometric=1, sample_format=1, order="<"):
        short, long = 3, 4
        tags = {
            256: (long, width), 257: (long, 1), 258: (short, depth), 259: (short, 1),
            262: (short, photometric), 273: (long, 0), 277: (short, 1), 278: (long, 1),
            279: (long, len(pixels)), 339: (short, sample_format),
        }  # fmt: skip
        tags[273] = (long, 8 + 2 + 12 * len(tags) + 4)
        header = struct.pack(order + "2sHI", b"II" if order == "<" else b"MM", 42, 8)
        entries = b"".join(
            struct.pack(order + "HHI", tag, kind, 1)
            + struct.pack(
                order + ("HH" if kind == short else "I"),
                *((value, 0) if kind == short else (value,)),
            )
            for tag, (kind, value) in tags.items()
        )
        return header + struct.pack(order + "H", len(tags)) + entries + bytes(4) + pixels

    return make


@pytest.fixture(scope="session")
def odd_corpus(shared):
    """Return the directory of odd real files."""
    return shared / "corpus" / "odd"
