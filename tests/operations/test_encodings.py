"""How images are stored: raw, encoded anew, or as the files' own bytes."""

import io

import pytest
from PIL import Image

from tfrec.example import decode_example
from tfrec.images import ImageSettings
from tfrec.wire import open_records

AS_IT_IS = ImageSettings(size=None)


def encode(image, suffix, **options):
    content = io.BytesIO()
    image.save(content, suffix, **options)
    return content.getvalue()


def exif(orientation):
    found = Image.Exif()
    found[0x0112] = orientation
    return found.tobytes()


NOISE = Image.frombytes("RGB", (4, 3), bytes(range(0, 252, 7)))
FILES = {
    "rgb.png": encode(NOISE, "PNG"),
    "grey.png": encode(NOISE.convert("L"), "PNG"),
    "rgb.jpg": encode(NOISE, "JPEG"),
    "cmyk.jpg": encode(NOISE.convert("CMYK"), "JPEG"),
    "turned.jpg": encode(NOISE, "JPEG", exif=exif(6)),
    "upright.jpg": encode(NOISE, "JPEG", exif=exif(1)),
    "palette.png": encode(NOISE.convert("P"), "PNG"),
    "alpha.png": encode(NOISE.convert("RGBA"), "PNG"),
    "key.png": encode(NOISE, "PNG", transparency=(0, 7, 14)),
    "x.webp": encode(NOISE, "WEBP"),
    "x.bmp": encode(NOISE, "BMP"),
}


@pytest.fixture
def store(bench):
    """Build a dataset of one file; return the stored features."""

    def store(content, **settings):
        bench.files.clear()
        bench.files["in/a/x"] = content
        bench.build("x.tfrecord", **{"schema": "imagenet", "image": AS_IT_IS} | settings)
        stream = io.BytesIO(bench.files["x.tfrecord"])
        (record,) = open_records(stream, path="x.tfrecord")
        features = decode_example(record.data)
        return {key: value.values[0] for key, value in features.items()}

    return store


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("rgb.png", b"PNG"),
        ("grey.png", b"PNG"),
        ("rgb.jpg", b"JPEG"),
        ("upright.jpg", b"JPEG"),
        ("x.webp", b"WEBP"),
    ],
)
def test_original_keeps_files_that_show_the_wanted_pixels(store, name, form):
    found = store(FILES[name], encoding="original")

    assert (FILES[name], form) == (found["image/encoded"], found["image/format"])


@pytest.mark.parametrize(
    "name", ["cmyk.jpg", "turned.jpg", "palette.png", "alpha.png", "key.png", "x.bmp"]
)
def test_original_makes_jpegs_of_others(store, name):
    found = store(FILES[name], encoding="original")

    with Image.open(io.BytesIO(found["image/encoded"])) as image:
        assert ("JPEG", "RGB") == (image.format, image.mode)
        size = (3, 4) if name == "turned.jpg" else (4, 3)
        assert size == image.size == (found["image/width"], found["image/height"])
    assert b"JPEG" == found["image/format"]


def test_original_makes_a_jpeg_of_what_is_resized(store):
    found = store(FILES["rgb.png"], encoding="original", image=ImageSettings(size=(2, 2)))

    assert (b"JPEG", 2) == (found["image/format"], found["image/width"])


def test_original_makes_a_grey_jpeg_of_a_colour_file(store):
    image = ImageSettings(size=None, grayscale=True)
    found = store(FILES["rgb.png"], encoding="original", image=image)

    with Image.open(io.BytesIO(found["image/encoded"])) as stored:
        assert ("JPEG", "L") == (stored.format, stored.mode)
    assert (1, b"Grayscale") == (found["image/channels"], found["image/colorspace"])


@pytest.mark.parametrize(
    ("encoding", "form"), [(None, "JPEG"), ("jpeg", "JPEG"), ("png", "PNG"), ("webp", "WEBP")]
)
def test_an_encoding_holds_for_every_file(store, encoding, form):
    found = store(FILES["x.bmp"], encoding=encoding)

    with Image.open(io.BytesIO(found["image/encoded"])) as image:
        assert form == image.format
        if form == "PNG":
            assert NOISE.tobytes() == image.tobytes()


def test_a_lower_quality_takes_less_room(store):
    noise = encode(Image.effect_noise((64, 64), 90), "PNG")
    sizes = [
        len(store(noise, encoding="jpeg", quality=quality)["image/encoded"]) for quality in (95, 20)
    ]

    assert sizes[1] < sizes[0] / 2


def test_raw_pixels_stand_in_their_rows(store):
    found = store(FILES["rgb.png"], schema="raw", image=ImageSettings(size=(4, 3)))

    assert {"label": 0, "img_raw": NOISE.tobytes()} == found
