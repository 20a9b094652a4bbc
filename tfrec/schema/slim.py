"""The schema of TensorFlow-Slim: as `imagenet`, with fewer features and labels from 0."""

from collections.abc import Mapping
from typing import ClassVar

from tfrec.example import FeatureInput, FeatureValue
from tfrec.schema.base import FeatureKind, Sample, Schema, StoredSample
from tfrec.schema.features import encode_suffix, find_int64, find_size, read_bytes


class SlimSchema(Schema):
    """An encoded image, its format (`jpg`, `png`) and size, and its class by number."""

    name = "slim"
    encodings = ("jpeg", "png", "webp")
    has_numbered_labels = True
    features: ClassVar[Mapping[str, FeatureKind]] = {
        "image/encoded": "image",
        "image/format": "text",
        "image/class/label": "label",
        "image/height": "int64",
        "image/width": "int64",
    }

    def encode(self, sample: Sample) -> Mapping[str, FeatureInput]:
        """Return the features that hold a sample."""
        return {
            "image/encoded": sample.image,
            "image/format": encode_suffix(sample.encoding),
            "image/class/label": sample.label,
            "image/height": sample.height,
            "image/width": sample.width,
            **sample.features,
        }

    def decode(self, features: Mapping[str, FeatureValue]) -> StoredSample:
        """Return what the features hold."""
        return StoredSample(
            read_bytes(features, "image/encoded"),
            label=find_int64(features, "image/class/label"),
            size=find_size(features, "image/width", "image/height"),
        )
