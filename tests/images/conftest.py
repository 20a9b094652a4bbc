"""Image files made on the spot; nothing here knows how `tfrec` decodes them."""

import io
import os
import struct
import zlib
from pathlib import Path

import pytest


@pytest.fixture
def save():
    """Return a function that writes a Pillow image as bytes of a format."""

    def save_image(image, pillow_format="PNG", **options):
        target = io.BytesIO()
        image.save(target, pillow_format, **options)
        return target.getvalue()

    return save_image


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
def odd_corpus():
    """Return the directory of odd real files, which lies beside a checkout or nowhere."""
    shared = Path(os.environ.get("TFREC_SHARED", Path(__file__).parents[3] / "shared"))
    corpus = shared / "corpus" / "odd"
    if not (corpus / "EXPECTED.tsv").exists():
        pytest.skip("the corpus of odd files is not here")
    return corpus
