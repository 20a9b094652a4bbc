"""Metadata with which `tfds.builder_from_directory` loads a directory dataset.

`dataset_info.json` and `features.json` are JSON forms of TFDS's protocol buffers: a 64-bit integer
is a string, and -1 an unknown dimension. The class names of a label are in `<feature>.labels.txt`.
Features that the records have and `features.json` has not are ignored by TFDS.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.extra_features import ExtraFeature
from tfrec.dataset.manifest import Manifest, encode_json
from tfrec.dataset.naming import TFDS_INFO_NAME
from tfrec.schema import FeatureKind, Schema, key_of
from tfrec.schema.choice import load_schema
from tfrec.source.paths import escape_name

FEATURES_NAME = "features.json"

_FEATURES = "tensorflow_datasets.core.features."
_TEMPLATE = "{SPLIT}-{SHARD_X_OF_Y}.{FILEFORMAT}"
# TFDS reads these as JPEG, PNG, GIF or BMP; the format matters only where it writes.
_IMAGE_FORMATS = {"jpeg": "jpeg", "original": "jpeg", "png": "png"}


def describe_for_tfds(
    manifest: Manifest, config: BuildConfig, extra: Iterable[ExtraFeature]
) -> dict[str, bytes]:
    """Return the metadata's files by name; none for compressed datasets, which TFDS can't read."""
    if config.compression != "none":
        return {}
    schema = load_schema(config.schema)
    features = {
        key: _describe_feature(kind, manifest, config) for key, kind in schema.features.items()
    }
    features |= {
        feature.key: _TEXT if feature.kind == "bytes" else _scalar(feature.kind)
        for feature in extra
    }
    files = {
        TFDS_INFO_NAME: encode_json(_describe_dataset(manifest, config)),
        FEATURES_NAME: encode_json(
            {
                "pythonClassName": f"{_FEATURES}features_dict.FeaturesDict",
                "featuresDict": {"features": features},
            }
        ),
    }
    label_file = label_file_name(schema)
    if label_file is not None:
        names = "".join(f"{name}\n" for name in _names_from_zero(manifest))
        files[label_file] = names.encode()
    return files


def label_file_name(schema: Schema) -> str | None:
    """Return where TFDS looks for the class names; None where the schema numbers no classes."""
    key = key_of(schema, "label")
    return None if key is None else f"{key.replace('/', '.')}.labels.txt"


def _describe_dataset(manifest: Manifest, config: BuildConfig) -> dict[str, Any]:
    schema = load_schema(config.schema)
    keys = (key_of(schema, "image"), key_of(schema, "label") or _class_name_key(schema.features))
    items = [{"featureKey": key} for key in keys if key is not None]
    return {
        "fileFormat": "tfrecord",
        "name": "dataset",
        "version": "1.0.0",
        "splits": [
            {
                "name": name,
                "filepathTemplate": _TEMPLATE,
                "numBytes": str(split.num_bytes),
                "shardLengths": [str(shard.num_records) for shard in split.shards],
            }
            for name, split in manifest.splits.items()
        ],
        **({"supervisedKeys": {"tuple": {"items": items}}} if len(items) == 2 else {}),
    }


def _class_name_key(features: Mapping[str, FeatureKind]) -> str | None:
    """Return the key of a text that says the class, where no number does."""
    return "label" if features.get("label") == "text" else None


def _describe_feature(kind: FeatureKind, manifest: Manifest, config: BuildConfig) -> dict[str, Any]:
    if kind == "image":
        return _describe_image(config)
    if kind == "label":
        num_classes = manifest.label_offset + len(manifest.class_names)
        return {
            "pythonClassName": f"{_FEATURES}class_label_feature.ClassLabel",
            "classLabel": {"numClasses": str(num_classes)},
        }
    return _TEXT if kind == "text" else _scalar(kind)


def _describe_image(config: BuildConfig) -> dict[str, Any]:
    encoding = config.stored_encoding
    if encoding == "webp":
        return _TEXT  # TensorFlow decodes no WebP, so the bytes are handed on
    image = config.image
    if image.size is None or image.resize == "fit":
        width, height = -1, -1
    else:
        width, height = image.size
    channels = 1 if image.grayscale else 3
    shape = {"dimensions": [str(height), str(width), str(channels)]}
    if encoding == "raw":
        return {
            "pythonClassName": f"{_FEATURES}tensor_feature.Tensor",
            "tensor": {"dtype": "uint8", "encoding": "bytes", "shape": shape},
        }
    return {
        "pythonClassName": f"{_FEATURES}image_feature.Image",
        "image": {
            "dtype": "uint8",
            "encodingFormat": _IMAGE_FORMATS[encoding],
            "shape": shape,
        },
    }


_TEXT: dict[str, Any] = {"pythonClassName": f"{_FEATURES}text_feature.Text", "text": {}}


def _scalar(kind: str) -> dict[str, Any]:
    dtype = "float32" if kind == "float" else kind
    return {
        "pythonClassName": f"{_FEATURES}scalar.Scalar",
        "tensor": {"dtype": dtype, "shape": {}, "encoding": "none"},
    }


def _names_from_zero(manifest: Manifest) -> list[str]:
    """Return the class names with one for each number below the first label.

    TFDS numbers the lines from 0 and refuses a name that is there twice.
    """
    names = [escape_name(name) for name in manifest.class_names]
    for number in reversed(range(manifest.label_offset)):
        unused = "background" if number == 0 else f"unused {number}"
        while unused in names:
            unused += "_"
        names.insert(0, unused)
    return names
