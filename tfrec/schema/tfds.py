"""The schema of TensorFlow Datasets' image folders: `image`, `label`, `image/filename`."""

from collections.abc import Mapping
from typing import ClassVar

from tfrec.example import FeatureInput, FeatureValue
from tfrec.schema.base import FeatureKind, Sample, Schema, StoredSample
from tfrec.schema.features import encode_text, find_int64, find_text, read_bytes


class TfdsSchema(Schema):
    """An encoded image, its class by number, and its path below the image directory."""

    name = "tfds"
    encodings = ("jpeg", "png", "webp")
    features: ClassVar[Mapping[str, FeatureKind]] = {
        "image": "image",
        "label": "label",
        "image/filename": "text",
    }

    def encode(self, sample: Sample) -> Mapping[str, FeatureInput]:
        """Return the features that hold a sample."""
        return {
            "image": sample.image,
            "label": sample.label,
            "image/filename": encode_text(sample.path),
            **sample.features,
        }

    def decode(self, features: Mapping[str, FeatureValue]) -> StoredSample:
        """Return what the features hold."""
        return StoredSample(
            read_bytes(features, "image"),
            label=find_int64(features, "label"),
            filename=find_text(features, "image/filename"),
        )
