"""Raw pixels are told from encoded images, with a manifest and without."""

import pytest

from tfrec.dataset.description import RecordFile
from tfrec.dataset.manifest import Manifest
from tfrec.dataset.stored_images import find_raw_shape

JPEG, JPEG_XL = b"\xff\xd8\xff\xe0", b"\xff\x0a"


def shape_of(data, config=None, stored_size=None):
    manifest = None if config is None else Manifest({}, (), 0, config, {})
    file = RecordFile("x", manifest)
    return find_raw_shape(data, file, stored_size=stored_size, default_size=(8, 6))


def config(encoding, **image):
    return {"encoding": encoding, "image": {"size": [5, 4], **image}}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\0" * 144, (8, 6, 3)),
        (b"\0" * 48, (8, 6, 1)),
        (b"\0" * 100, (8, 6, 3)),
        (JPEG + b"\0" * 96, None),
        (JPEG + b"\0" * 140, None),
        (JPEG + b"\0" * 44, None),
        (JPEG_XL + b"\0" * 142, (8, 6, 3)),
        (JPEG_XL + b"\0" * 143, None),
    ],
)
def test_without_a_manifest_the_bytes_and_their_number_decide(data, expected):
    assert expected == shape_of(data)


def test_a_size_that_the_record_says_comes_first():
    assert (3, 2, 3) == shape_of(b"\0" * 18, config("raw"), stored_size=(3, 2))


@pytest.mark.parametrize("data", [b"\0" * 60, JPEG + b"\0" * 56, b"\0"])
def test_a_manifest_of_raw_pixels_is_believed(data):
    assert (5, 4, 3) == shape_of(data, config("raw", grayscale=False))
    assert (5, 4, 1) == shape_of(data, config("raw", grayscale=True))


@pytest.mark.parametrize("data", [b"\0" * 60, JPEG + b"\0" * 56])
@pytest.mark.parametrize("encoding", ["jpeg", "png", "original"])
def test_a_manifest_of_encoded_images_is_believed(data, encoding):
    assert None is shape_of(data, config(encoding))
