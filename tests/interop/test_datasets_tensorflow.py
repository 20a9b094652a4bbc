"""Datasets as TensorFlow and TensorFlow Datasets read them."""

import glob
import json

import numpy as np
import pytest

from tfrec.schema import SCHEMAS

pytestmark = pytest.mark.interop

tf = pytest.importorskip("tensorflow")

# The keys that each reader asks for, as their own code has them.
KEYS = {
    "raw": ("img_raw", "label"),
    "imagenet": ("image/encoded", "image/class/label"),
    "slim": ("image/encoded", "image/class/label"),
    "tfds": ("image", "label"),
    "kaggle": ("image", "class"),
    "fiftyone": ("image_bytes", "label"),
}


def read(paths, compression=""):
    return [record.numpy() for record in tf.data.TFRecordDataset(paths, compression)]


class TestTensorFlow:
    @pytest.mark.parametrize("compression", ["gzip", "zlib"])
    def test_compressed_files_are_read(self, make_dataset, compression):
        plain = make_dataset("plain", num_shards=2)
        # 12 raw records of 196,669 bytes are three blocks, so gzip has three members in a file.
        out = make_dataset("out", num_shards=2, compression=compression)

        for path in sorted(glob.glob(f"{plain}/*.tfrecord")):
            (compressed,) = glob.glob(path.replace(plain, out) + ".?z")
            assert read(path) == read(compressed, compression.upper())

    def test_gzip_files_have_several_members(self, make_dataset):
        out = make_dataset(num_shards=1, compression="gzip")

        with open(f"{out}/train-00000-of-00001.tfrecord.gz", "rb") as stream:
            content = stream.read()
        # 24 records of 196,669 bytes in blocks of 2^20.
        assert 5 == content.count(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")

    @pytest.mark.parametrize("schema", [name for name in SCHEMAS if name != "raw"])
    def test_encoded_images_are_decoded(self, make_dataset, schema):
        image_key, label_key = KEYS[schema]
        out = make_dataset(schema=schema, encoding="png", num_shards=1)
        kind = tf.string if schema == "fiftyone" else tf.int64
        features = {
            image_key: tf.io.FixedLenFeature([], tf.string),
            label_key: tf.io.FixedLenFeature([], kind),
        }

        found = []
        for record in read(f"{out}/train-00000-of-00001.tfrecord"):
            example = tf.io.parse_single_example(record, features)
            image = tf.io.decode_image(example[image_key], channels=3)
            assert (256, 256, 3) == image.shape
            found.append(example[label_key].numpy())

        first = 1 if schema == "imagenet" else 0
        names = [b"cat", b"dog", b"eel"]
        labels = names if schema == "fiftyone" else range(first, first + 3)
        assert [label for label in labels for _ in range(8)] == found


class TestTfds:
    @pytest.fixture
    def tfds(self):
        return pytest.importorskip("tensorflow_datasets")

    @pytest.mark.parametrize("schema", SCHEMAS)
    def test_images_labels_and_names_are_loaded(self, tfds, make_dataset, expected_pixels, schema):
        image_key, label_key = KEYS[schema]
        encoding = "raw" if schema == "raw" else "png"
        out = make_dataset(schema=schema, encoding=encoding, splits="train=0.75,test=0.25")

        builder = tfds.builder_from_directory(out)

        assert {"train": 18, "test": 6} == {
            name: split.num_examples for name, split in builder.info.splits.items()
        }
        assert (image_key, label_key) == builder.info.supervised_keys
        names = ["cat", "dog", "eel"]
        if schema == "imagenet":
            names = ["background", *names]
        if schema != "fiftyone":
            assert names == builder.info.features[label_key].names
        paths = _paths_in_order(out)
        for path, example in zip(paths, builder.as_dataset(split="train"), strict=True):
            assert np.array_equal(expected_pixels(path), example[image_key].numpy())
            label = example[label_key].numpy()
            name = label.decode() if schema == "fiftyone" else names[label]
            assert path.split("/")[0] == name

    @pytest.mark.parametrize("schema", SCHEMAS)
    def test_parts_of_splits_and_pairs_are_loaded(self, tfds, make_dataset, schema):
        out = make_dataset(schema=schema, shuffle=True, num_shards=3)
        builder = tfds.builder_from_directory(out)

        pairs = list(builder.as_dataset(split="train[50%:]", as_supervised=True))

        assert 12 == len(pairs)
        assert {(256, 256, 3)} == {tuple(image.shape) for image, _ in pairs}

    def test_further_features_are_loaded(self, tfds, make_dataset):
        features = ("site=web", "weight=0.5", "year=2020")
        out = make_dataset(schema="tfds", features=features)

        (example,) = tfds.builder_from_directory(out).as_dataset(split="train[:1]")

        assert (b"web", 0.5, 2020) == tuple(
            example[key].numpy() for key in ("site", "weight", "year")
        )

    def test_grey_images_and_images_of_any_size_are_loaded(self, tfds, make_dataset):
        from tfrec.images import ImageSettings

        out = make_dataset(
            schema="tfds", encoding="png", image=ImageSettings(size=None, grayscale=True)
        )

        (example,) = tfds.builder_from_directory(out).as_dataset(split="train[:1]")

        assert (48, 64, 1) == example["image"].shape

    def test_kept_originals_are_loaded(self, tfds, make_dataset, photos):
        from tfrec.images import ImageSettings

        out = make_dataset(schema="tfds", encoding="original", image=ImageSettings(size=None))

        (example,) = tfds.builder_from_directory(out).as_dataset(
            split="train[:1]", decoders={"image": tfds.decode.SkipDecoding()}
        )

        with open(f"{photos}/cat/0.png", "rb") as stream:
            assert stream.read() == example["image"].numpy()

    def test_there_is_no_random_access_to_tfrecord(self, tfds, make_dataset):
        """It is TFDS's limit; the day it goes, this says so."""
        builder = tfds.builder_from_directory(make_dataset(schema="tfds"))

        with pytest.raises(NotImplementedError, match="TFRECORD is not supported"):
            builder.as_data_source(split="train")


def _paths_in_order(out):
    """The paths of the images of `train`, from the file names or else from the plan."""
    from tfrec.dataset.build_config import BuildConfig
    from tfrec.dataset.plan import plan_build
    from tfrec.source.image_source import ImageSource
    from tfrec.source.labels import LabelMap

    with open(f"{out}/dataset.json", "rb") as stream:
        splits = json.load(stream)["config"]["splits"]
    names = ("cat", "dog", "eel")
    paths = tuple(tuple(f"{name}/{number}.png" for number in range(8)) for name in names)
    source = ImageSource("photos", LabelMap(names), paths)
    plan = plan_build(source, BuildConfig(splits=splits), file_name=None)
    return [image.path for shard in plan.shards if shard.split == "train" for image in shard.images]
