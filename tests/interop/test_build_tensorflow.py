"""What TensorFlow makes of the files that a build writes, and whether it writes the same."""

from pathlib import Path

import pytest
from PIL import Image, ImageOps

import tfrec as package

tf = pytest.importorskip("tensorflow")

pytestmark = pytest.mark.interop

FEATURES = {
    "label": tf.io.FixedLenFeature([], tf.int64),
    "img_raw": tf.io.FixedLenFeature([], tf.string),
}


@pytest.fixture
def photos(tmp_path):
    """Photographs' kinds: sizes above and below the target, JPEG and PNG, one turned by EXIF."""
    sizes = [(500, 375), (120, 300), (256, 256), (1280, 853)]
    for number, size in enumerate(sizes * 2):
        image = Image.merge("RGB", [Image.effect_noise(size, 20 * band + 30) for band in range(3)])
        folder = tmp_path / "photos" / ("cat", "dog")[number % 2]
        folder.mkdir(parents=True, exist_ok=True)
        exif = Image.Exif()
        exif[0x0112] = 1 + number
        image.save(folder / f"{number}.jpg", quality=90, exif=exif)
        image.save(folder / f"{number}.png")
    return tmp_path / "photos"


@pytest.fixture
def built(photos, tmp_path):
    package.build(package.scan_images(str(photos)), str(tmp_path / "out.tfrecords"))
    return tmp_path / "out.tfrecords"


def expected_samples(photos):
    """Return what Pillow makes of the photos, in the order of their classes and names."""
    samples = []
    for label, name in enumerate(sorted(folder.name for folder in photos.iterdir())):
        for path in sorted((photos / name).iterdir(), key=lambda path: bytes(path)):
            with Image.open(path) as image:
                pixels = ImageOps.exif_transpose(image).convert("RGB").resize((256, 256))
            samples.append((label, pixels.tobytes()))
    return samples


def test_tensorflow_reads_every_label_and_pixel(photos, built):
    dataset = tf.data.TFRecordDataset(str(built))

    parsed = [tf.io.parse_single_example(record, FEATURES) for record in dataset]

    found = [(int(one["label"]), one["img_raw"].numpy()) for one in parsed]
    assert expected_samples(photos) == found


def test_tensorflow_writes_the_same_bytes(photos, built, tmp_path):
    with tf.io.TFRecordWriter(str(tmp_path / "theirs.tfrecords")) as writer:
        for label, pixels in expected_samples(photos):
            features = {
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
                "img_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString(deterministic=True))

    assert (tmp_path / "theirs.tfrecords").read_bytes() == built.read_bytes()


def test_the_photos_of_the_corpus_are_what_pillow_and_tensorflow_say(tmp_path, shared):
    photos = Path(shared) / "corpus" / "photos"
    out = tmp_path / "out.tfrecords"
    package.build(package.scan_images(str(photos)), str(out))

    parsed = [tf.io.parse_single_example(r, FEATURES) for r in tf.data.TFRecordDataset(str(out))]

    found = [(int(one["label"]), one["img_raw"].numpy()) for one in parsed]
    assert expected_samples(photos) == found
