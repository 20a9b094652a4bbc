"""The small files of a dataset: labels, and what TFDS reads."""

import json

import pytest

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.extra_features import ExtraFeature
from tfrec.dataset.label_files import describe_labels
from tfrec.dataset.manifest import Manifest, Shard, Split
from tfrec.dataset.metadata import list_own_names
from tfrec.dataset.tfds import describe_for_tfds
from tfrec.images import ImageSettings
from tfrec.schema import SCHEMAS
from tfrec.source.labels import LabelMap

CORE = "tensorflow_datasets.core.features."


def make_manifest(names=("cat", "dog"), offset=0):
    shards = (
        Shard("train-00000-of-00002.tfrecord", 5, 100, "", ""),
        Shard("train-00001-of-00002.tfrecord", 6, 120, "", ""),
    )
    return Manifest({}, names, offset, {}, {"train": Split(shards, {})})


def describe(manifest=None, extra=(), **settings):
    files = describe_for_tfds(manifest or make_manifest(), BuildConfig(**settings), extra)
    return {
        name: json.loads(content) if name.endswith(".json") else content.decode()
        for name, content in files.items()
    }


def features(**settings):
    return describe(**settings)["features.json"]["featuresDict"]["features"]


def test_the_dataset_is_described_as_tfds_has_it():
    assert {
        "fileFormat": "tfrecord",
        "name": "dataset",
        "version": "1.0.0",
        "splits": [
            {
                "name": "train",
                "filepathTemplate": "{SPLIT}-{SHARD_X_OF_Y}.{FILEFORMAT}",
                "numBytes": "220",
                "shardLengths": ["5", "6"],
            }
        ],
        "supervisedKeys": {
            "tuple": {"items": [{"featureKey": "img_raw"}, {"featureKey": "label"}]}
        },
    } == describe()["dataset_info.json"]


def test_raw_pixels_are_a_tensor():
    assert {
        "pythonClassName": f"{CORE}tensor_feature.Tensor",
        "tensor": {
            "dtype": "uint8",
            "encoding": "bytes",
            "shape": {"dimensions": ["20", "30", "3"]},
        },
    } == features(image=ImageSettings(size=(30, 20)))["img_raw"]


@pytest.mark.parametrize(
    ("encoding", "expected"), [("jpeg", "jpeg"), ("png", "png"), ("original", "jpeg")]
)
def test_encoded_images_are_images(encoding, expected):
    image = ImageSettings(size=None)

    assert {
        "pythonClassName": f"{CORE}image_feature.Image",
        "image": {
            "dtype": "uint8",
            "encodingFormat": expected,
            "shape": {"dimensions": ["-1", "-1", "3"]},
        },
    } == features(schema="tfds", encoding=encoding, image=image)["image"]


def test_webp_is_handed_on_as_bytes():
    assert {"pythonClassName": f"{CORE}text_feature.Text", "text": {}} == features(
        schema="tfds", encoding="webp"
    )["image"]


def test_further_features_have_their_kinds():
    extra = (ExtraFeature("n", "int64"), ExtraFeature("w", "float"), ExtraFeature("s", "bytes"))
    found = describe(extra=extra)["features.json"]["featuresDict"]["features"]

    scalar = {"pythonClassName": f"{CORE}scalar.Scalar"}
    assert {
        "n": scalar | {"tensor": {"dtype": "int64", "shape": {}, "encoding": "none"}},
        "w": scalar | {"tensor": {"dtype": "float32", "shape": {}, "encoding": "none"}},
        "s": {"pythonClassName": f"{CORE}text_feature.Text", "text": {}},
    } == {key: found[key] for key in "nws"}


@pytest.mark.parametrize(
    ("names", "offset", "lines"),
    [
        (("cat", "dog"), 0, "cat\ndog\n"),
        (("cat",), 1, "background\ncat\n"),
        (("background",), 1, "background_\nbackground\n"),
        (("cat",), 3, "background\nunused 1\nunused 2\ncat\n"),
        (("a\nb", "\udcff"), 0, "a\\x0ab\n\\xff\n"),
    ],
)
def test_class_names_are_lines_from_number_zero(names, offset, lines):
    manifest = make_manifest(names, offset)

    assert lines == describe(manifest, schema="imagenet")["image.class.label.labels.txt"]
    label = describe(manifest)["features.json"]["featuresDict"]["features"]["label"]
    assert str(offset + len(names)) == label["classLabel"]["numClasses"]


@pytest.mark.parametrize("compression", ["gzip", "zlib"])
def test_compressed_datasets_have_none(compression):
    assert {} == describe(compression=compression)


class TestLabelFiles:
    LABELS = LabelMap(("tabby cat", "d'og\\", "\udcff"), 1)

    def test_names_are_lines(self):
        assert {"labels.txt": b"tabby cat\nd'og\\\\\n\\xff\n"} == describe_labels(
            self.LABELS, SCHEMAS["raw"]
        )

    def test_slim_has_numbers(self):
        assert {"labels.txt": b"0:cat\n1:dog\n"} == describe_labels(
            LabelMap(("cat", "dog")), SCHEMAS["slim"]
        )

    def test_a_label_map_quotes_its_names(self):
        expected = (
            b"item {\n  id: 1\n  name: 'tabby cat'\n}\n"
            b"item {\n  id: 2\n  name: 'd\\'og\\\\'\n}\n"
            b"item {\n  id: 3\n  name: '\\xff'\n}\n"
        )

        assert expected == describe_labels(self.LABELS, SCHEMAS["imagenet"])["label_map.pbtxt"]


class TestOwnNames:
    def test_they_are_those_that_a_build_writes(self):
        assert {
            "dataset.json",
            "labels.txt",
            "label_map.pbtxt",
            "dataset_info.json",
            "features.json",
            "image.class.label.labels.txt",
            "a.tfrecord",
            "a.tfrecord.idx",
        } == list_own_names(["a.tfrecord"], {"schema": "imagenet", "index": True})

    def test_a_schema_that_is_gone_is_no_failure(self):
        assert {"dataset.json", "labels.txt", "a.tfrecord.gz"} == list_own_names(
            ["a.tfrecord.gz"], {"schema": "gone:GONE", "compression": "gzip"}
        )
