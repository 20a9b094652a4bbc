"""What each schema writes, key by key, as the tools that gave it its name do."""

import dataclasses
import sys

import pytest

from tfrec.errors import ConfigError, ExampleError
from tfrec.example import BytesList, Int64List, decode_example, encode_example
from tfrec.schema import SCHEMAS, Sample, StoredSample
from tfrec.schema.choice import digest_schema, load_schema

JPEG = b"\xff\xd8\xff\xe0 a picture"

SAMPLE = Sample(
    image=JPEG,
    encoding="jpeg",
    width=30,
    height=20,
    channels=3,
    label=2,
    class_name="tabby cat",
    path="tabby cat/2020/a.jpg",
)


def stored(schema, sample=SAMPLE):
    return decode_example(encode_example(SCHEMAS[schema].encode(sample)))


def text(value):
    return BytesList((value,))


def number(value):
    return Int64List((value,))


def test_imagenet_has_the_keys_of_tensorflows_models():
    expected = {
        "image/encoded": text(JPEG),
        "image/format": text(b"JPEG"),
        "image/height": number(20),
        "image/width": number(30),
        "image/channels": number(3),
        "image/colorspace": text(b"RGB"),
        "image/filename": text(b"a.jpg"),
        "image/class/label": number(2),
        "image/class/text": text(b"tabby cat"),
    }
    assert expected == stored("imagenet")


def test_slim_has_the_keys_of_tensorflow_slim():
    expected = {
        "image/encoded": text(JPEG),
        "image/format": text(b"jpg"),
        "image/class/label": number(2),
        "image/height": number(20),
        "image/width": number(30),
    }
    assert expected == stored("slim")


def test_tfds_has_the_keys_of_image_folders():
    expected = {
        "image": text(JPEG),
        "label": number(2),
        "image/filename": text(b"tabby cat/2020/a.jpg"),
    }
    assert expected == stored("tfds")


def test_kaggle_has_the_keys_of_its_notebooks():
    assert {"image": text(JPEG), "class": number(2)} == stored("kaggle")


def test_fiftyone_has_its_own_keys_and_the_class_by_name():
    expected = {
        "image_bytes": text(JPEG),
        "filename": text(b"tabby cat/2020/a.jpg"),
        "format": text(b"jpg"),
        "height": number(20),
        "width": number(30),
        "depth": number(3),
        "label": text(b"tabby cat"),
    }
    assert expected == stored("fiftyone")


def test_raw_has_the_keys_of_the_tutorials():
    sample = dataclasses.replace(SAMPLE, image=b"\0" * 1800, encoding="raw")

    assert {"label": number(2), "img_raw": text(b"\0" * 1800)} == stored("raw", sample)


@pytest.mark.parametrize(
    ("schema", "key", "expected"),
    [
        ("imagenet", "image/format", b"PNG"),
        ("slim", "image/format", b"png"),
        ("fiftyone", "format", b"png"),
    ],
)
def test_the_format_follows_the_encoding(schema, key, expected):
    sample = dataclasses.replace(SAMPLE, encoding="png")

    assert text(expected) == stored(schema, sample)[key]


def test_grey_images_say_so_in_imagenet():
    features = stored("imagenet", dataclasses.replace(SAMPLE, channels=1))

    assert text(b"Grayscale") == features["image/colorspace"]


def test_names_that_are_no_utf8_keep_their_bytes():
    sample = dataclasses.replace(SAMPLE, class_name="\udcff", path="\udcff/\udcfe.jpg")

    features = stored("imagenet", sample)
    assert (text(b"\xff"), text(b"\xfe.jpg")) == (
        features["image/class/text"],
        features["image/filename"],
    )


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("imagenet", StoredSample(JPEG, 2, "tabby cat", "a.jpg", (30, 20))),
        ("slim", StoredSample(JPEG, 2, size=(30, 20))),
        ("tfds", StoredSample(JPEG, 2, filename="tabby cat/2020/a.jpg")),
        ("kaggle", StoredSample(JPEG, 2)),
        ("fiftyone", StoredSample(JPEG, None, "tabby cat", "tabby cat/2020/a.jpg", (30, 20))),
        ("raw", StoredSample(JPEG, 2)),
    ],
)
def test_decoding_gives_what_the_record_says(schema, expected):
    assert expected == SCHEMAS[schema].decode(stored(schema))


def test_records_without_optional_features_are_read():
    features = {"image/encoded": text(JPEG)}

    assert StoredSample(JPEG) == SCHEMAS["imagenet"].decode(features)


def test_only_imagenet_counts_labels_from_one():
    assert {"imagenet": 1} == {
        name: schema.first_label for name, schema in SCHEMAS.items() if schema.first_label
    }


class TestOwnSchemas:
    @pytest.fixture
    def module(self, tmp_path, monkeypatch):
        """Write a module that can be imported; return its name."""
        monkeypatch.syspath_prepend(str(tmp_path))

        def module(source):
            (tmp_path / "own_schema.py").write_text(source)
            return "own_schema"

        yield module
        sys.modules.pop("own_schema", None)

    SOURCE = """
from tfrec.schema import Schema, StoredSample

class Own(Schema):
    name = "own"
    encodings = ("png",)
    features = {"pixels": "image", "y": "label"}

    def encode(self, sample):
        return {"pixels": sample.image, "y": sample.label}

    def decode(self, features):
        return StoredSample(bytes(features["pixels"].values[0]), features["y"].values[0])

OWN = Own()
"""

    @pytest.mark.parametrize("attribute", ["Own", "OWN"])
    def test_a_class_or_an_object_is_found_by_module_and_attribute(self, module, attribute):
        schema = load_schema(f"{module(self.SOURCE)}:{attribute}")

        assert ("own", 0, False) == (schema.name, schema.first_label, schema.has_label_map)
        assert {"pixels": JPEG, "y": 2} == schema.encode(SAMPLE)

    def test_the_digest_is_that_of_the_source(self, module):
        name = module(self.SOURCE)

        assert 64 == len(digest_schema(f"{name}:OWN"))
        assert digest_schema("raw") is None

    def test_an_object_that_is_no_schema_is_refused(self, module):
        name = module("SCHEMA = 3\n")

        with pytest.raises(ConfigError, match="own_schema:SCHEMA.*has no `name`"):
            load_schema(f"{name}:SCHEMA")

    @pytest.mark.parametrize("name", ["no_such_module:X", "json:no_such_name", ":x"])
    def test_what_cannot_be_imported_is_refused(self, name):
        with pytest.raises(ConfigError, match=f"schema '{name}'"):
            load_schema(name)

    def test_an_unknown_name_is_refused_with_those_there_are(self):
        with pytest.raises(ConfigError, match="'raw', 'imagenet', 'slim'.*module:attribute"):
            load_schema("pascal")


def test_a_schema_needs_its_image():
    with pytest.raises(ExampleError, match="image/encoded"):
        SCHEMAS["imagenet"].decode({"label": number(1)})
