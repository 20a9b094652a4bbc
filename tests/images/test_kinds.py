"""A file of each format and mode, made on the spot, and what Pillow makes of it.

What Pillow cannot write is written here by hand.
"""

import csv
import io
import random
import struct

import pytest
from PIL import Image, ImageOps, __version__, features

from tfrec.images import ImageSettings, decode_image

IS_OLD = int(__version__.split(".")[0]) < 13
"""Older versions of Pillow read a grey AVIF as RGB, and fill up a DDS that is cut short."""

SIZE = (60, 40)
NOISE = Image.frombytes("RGBA", SIZE, random.Random(5).randbytes(SIZE[0] * SIZE[1] * 4))
GRAYS = Image.frombytes("L", SIZE, (bytes(range(256)) * 10)[: SIZE[0] * SIZE[1]])
SIDEWAYS = Image.Exif()
SIDEWAYS[0x0112] = 6


def noise(mode):
    image = NOISE if mode in ("LA", "RGBA") else NOISE.convert("RGB")
    return image.convert(mode)


def saved(pillow_format, mode, **options):
    target = io.BytesIO()
    image = GRAYS if pillow_format == "GIF" and mode == "L" else noise(mode)
    image.save(target, pillow_format, **options)
    return target.getvalue()


def psd(mode):
    image = noise(mode)
    bands = [band.tobytes() for band in image.split()]
    head = struct.pack(">4sH6xHIIHH", b"8BPS", 1, len(bands), *SIZE[::-1], 8, len(bands))
    return (
        head + bytes(4 + 4 + 4 + 2) + b"".join(bands)
    )  # no palette, resources, layers; not packed


def sun():
    rows = noise("1").tobytes()  # of 60 pixels: 8 bytes, which is the even number it needs
    return struct.pack(">8I", 0x59A66A95, *SIZE, 1, len(rows), 1, 0, 0) + rows


def dcx():
    return struct.pack("<3I", 0x3ADE68B1, 12, 0) + saved("PCX", "RGB")


def fli():
    image = noise("P")
    palette = struct.pack("<HBB", 1, 0, 0) + bytes(image.getpalette())
    chunks = [(4, palette), (16, image.tobytes())]  # 256 colours, pixels as they are
    body = b"".join(struct.pack("<IH", 6 + len(data), kind) + data for kind, data in chunks)
    frame = struct.pack("<IHH8x", 16 + len(body), 0xF1FA, len(chunks)) + body
    head = struct.pack("<IHHHHHHI", 128 + len(frame), 0xAF12, 1, *SIZE, 8, 0, 0)
    return head.ljust(128, b"\0") + frame


def gbr():
    head = struct.pack(">5I4sI", 29, 2, *SIZE, 4, b"GIMP", 10)
    return head + b"\0" + NOISE.tobytes()


def rgba_bmp():
    """A header of version 4, whose masks say where red, green, blue and alpha are."""
    masks = (0xFF, 0xFF00, 0xFF0000, 0xFF000000)
    head = struct.pack("<IiiHHIIIIII", 108, SIZE[0], -SIZE[1], 1, 32, 3, 0, 0, 0, 0, 0)
    head = (head + struct.pack("<4I", *masks)).ljust(108, b"\0")
    return struct.pack("<2sIII", b"BM", 14 + 108 + 9600, 0, 14 + 108) + head + NOISE.tobytes()


def palette_jp2():
    """Put a palette between the header boxes of a grey JP2."""
    data = saved("JPEG2000", "L")
    data = data.replace(b"colr\1\0\0\0\0\0\x11", b"colr\1\0\0\0\0\0\x10")  # grey, sRGB
    box = lambda kind, body: struct.pack(">I4s", 8 + len(body), kind) + body  # noqa: E731
    colours = random.Random(6).randbytes(3 * 256)
    new = box(b"pclr", struct.pack(">HB3B", 256, 3, 7, 7, 7) + colours)
    new += box(b"cmap", struct.pack(">HBBHBBHBB", 0, 1, 0, 0, 1, 1, 0, 1, 2))
    at = data.index(b"jp2h") - 4
    end = at + int.from_bytes(data[at : at + 4], "big")
    return (
        data[:at] + struct.pack(">I", end - at + len(new)) + data[at + 4 : end] + new + data[end:]
    )


def make_files():
    for pillow_format, modes in {
        "JPEG": ("RGB", "L", "CMYK"),
        "PNG": ("RGB", "L", "P", "1", "LA", "RGBA"),
        "WEBP": ("RGB", "RGBA"),
        "BMP": ("RGB", "L", "P", "1"),
        "TIFF": ("RGB", "L", "P", "1", "CMYK", "LA", "RGBA"),
        "GIF": ("P", "L"),
        "JPEG2000": ("RGB", "L", "RGBA"),
        "PPM": ("RGB", "L", "1"),
        "TGA": ("RGB", "L", "P", "RGBA"),
        "PCX": ("RGB", "L", "P", "1"),
        "ICO": ("RGB", "L", "RGBA"),
        "SGI": ("RGB", "L"),
        "AVIF": ("RGB", "RGBA") if features.check("avif") else (),
        "QOI": ("RGB", "RGBA"),
        "DDS": ("RGB", "RGBA"),
        "MSP": ("1",),
        "XBM": ("1",),
    }.items():
        for mode in modes:
            options = {"sizes": [SIZE]} if pillow_format == "ICO" else {}
            yield pillow_format, mode, saved(pillow_format, mode, **options)
    for pillow_format in ("JPEG", "PNG", "WEBP", "TIFF"):
        yield pillow_format, "RGB", saved(pillow_format, "RGB", exif=SIDEWAYS)
    yield "JPEG", "L", saved("JPEG", "L", exif=SIDEWAYS)
    yield "JPEG", "RGB", saved("JPEG", "RGB", progressive=True)
    for compression in ("tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg"):
        yield "TIFF", "RGB", saved("TIFF", "RGB", compression=compression)
    yield "TIFF", "1", saved("TIFF", "1", compression="group4")
    yield "PSD", "RGB", psd("RGB")
    yield "PSD", "L", psd("L")
    yield "SUN", "1", sun()
    yield "DCX", "RGB", dcx()
    yield "FLI", "P", fli()
    if features.check("avif") and not IS_OLD:
        yield "AVIF", "L", saved("AVIF", "L")
    yield "GBR", "RGBA", gbr()
    yield "BMP", "RGBA", rgba_bmp()
    yield "JPEG2000", "P", palette_jp2()


FILES = list(make_files())
IDS = [f"{pillow_format} {mode}" for pillow_format, mode, _ in FILES]


@pytest.mark.parametrize(("pillow_format", "mode", "data"), FILES, ids=IDS)
def test_the_file_is_of_that_kind(pillow_format, mode, data):
    with Image.open(io.BytesIO(data)) as image:
        assert (pillow_format, mode) == (image.format, image.mode)


def over_white(image):
    pixels = image.tobytes()
    alphas = [alpha for alpha in pixels[3::4] for _ in range(4)]
    values = (
        (2 * (value * alpha + 255 * (255 - alpha)) + 255) // 510
        for value, alpha in zip(pixels, alphas, strict=True)
    )
    return Image.frombytes("RGBA", image.size, bytes(values))


@pytest.mark.parametrize(("pillow_format", "mode", "data"), FILES, ids=IDS)
def test_its_pixels_are_those_of_pillow(pillow_format, mode, data):
    with Image.open(io.BytesIO(data)) as image:
        upright = ImageOps.exif_transpose(image)
        if mode in ("LA", "RGBA"):
            upright = over_white(upright.convert("RGBA"))
        expected = upright.convert("RGB").resize((256, 256))

    assert expected.tobytes() == decode_image(data, path="x").tobytes()


@pytest.mark.parametrize(("pillow_format", "mode", "data"), FILES, ids=IDS)
def test_half_of_it_is_a_short_reason_or_an_image(pillow_format, mode, data):
    """Some formats have all that decides their pixels in their first half."""
    if IS_OLD and pillow_format == "DDS":
        pytest.skip("older versions of Pillow fill it up")
    whole = decode_image(data, path="x", settings=ImageSettings(size=None)).tobytes()
    try:
        half = decode_image(data[: len(data) // 2], path="x", settings=ImageSettings(size=None))
    except Exception as error:
        assert type(error).__name__ == "ImageError"
        assert len(str(error)) < 200
    else:
        assert whole == half.tobytes()


@pytest.mark.skipif(IS_OLD, reason="the table is of Pillow 13")
def test_each_kind_of_the_corpus_is_made_here(odd_corpus):
    """Those of 16 bits and more are in `test_colour`."""
    with open(odd_corpus / "EXPECTED.tsv", encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(
            (line for line in lines if not line.startswith("#")),
            delimiter="\t",
            quoting=csv.QUOTE_NONE,
        )
        kinds = {(row["format"], row["mode"]) for row in rows if row["mode"]}

    deep = {kind for kind in kinds if kind[1].startswith(("I", "F"))} | {("TIFF", "La")}
    assert kinds - deep <= {(pillow_format, mode) for pillow_format, mode, _ in FILES}
