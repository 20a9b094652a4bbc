"""Odd files made by others, and what Pillow says of them; skips where they are not."""

import csv
import hashlib
import importlib.util

import pytest
from PIL import Image, __version__

from tfrec.errors import ImageError
from tfrec.images import decode_image, has_image_signature

PILLOW = "13."
"""The table was made with this version; others decode and resize to slightly other values."""

# Modes of which the table says itself that converting them loses what we keep.
BETTER_THAN_CONVERT = {"I", "I;16", "I;16B", "F", "LA", "La", "RGBA"}

# The background shows where the table has the hidden colour of a transparent index or colour.
TRANSPARENT_INDEX = {"image-gif/set_hsts.gif", "libavif/data__draw_points.png"}

# Readable from memory; a file of fewer than 26 bytes makes Pillow seek before its beginning.
READABLE_HERE = {"afl-targa/images__id:001398,src:001394,op:flip2,pos:18.tga"}
if importlib.util.find_spec("pillow_heif"):
    READABLE_HERE |= {"exif-samples/samplefilehub.heif", "small/heif.heif"}


@pytest.fixture(scope="module")
def table(odd_corpus):
    with open(odd_corpus / "EXPECTED.tsv", encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(
            (line for line in lines if not line.startswith("#")),
            delimiter="\t",
            quoting=csv.QUOTE_NONE,
        )
        return list(rows)


def decode_or_reason(corpus, row):
    try:
        return decode_image((corpus / row["path"]).read_bytes(), path=row["path"]).tobytes(), None
    except ImageError as error:
        return None, error.reason


@pytest.mark.skipif(not __version__.startswith(PILLOW), reason=f"the table is of Pillow {PILLOW}x")
def test_ordinary_files_have_the_reference_pixels(odd_corpus, table):
    expected, found = {}, {}
    for row in table:
        if row["mode"] in BETTER_THAN_CONVERT or row["path"] in TRANSPARENT_INDEX | READABLE_HERE:
            continue
        pixels, _ = decode_or_reason(odd_corpus, row)
        expected[row["path"]] = row["reference_sha1"] or None
        found[row["path"]] = pixels and hashlib.sha1(pixels).hexdigest()

    assert len(expected) > 200
    assert expected == found


def test_every_file_gives_pixels_or_a_reason(odd_corpus, table):
    for row in table:
        pixels, reason = decode_or_reason(odd_corpus, row)

        assert (pixels is None) is (reason is not None), row["path"]
        assert pixels is None or len(pixels) == 196_608, row["path"]


def test_every_readable_format_with_a_signature_is_sniffed(odd_corpus, table):
    unknown = {
        row["format"]
        for row in table
        if row["format"] and not has_image_signature((odd_corpus / row["path"]).read_bytes()[:512])
    }

    assert unknown <= {"TGA"}


def test_limit_of_pillow_is_left_as_it_was(odd_corpus, table):
    before = Image.MAX_IMAGE_PIXELS

    for row in table[::10]:
        decode_or_reason(odd_corpus, row)

    assert before == Image.MAX_IMAGE_PIXELS
