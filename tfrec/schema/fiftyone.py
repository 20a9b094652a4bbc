"""The schema of FiftyOne's TFRecord classification datasets: the label is the class's name."""

from collections.abc import Mapping
from typing import ClassVar

from tfrec.example import FeatureInput, FeatureValue
from tfrec.schema.base import FeatureKind, Sample, Schema, StoredSample
from tfrec.schema.features import encode_suffix, encode_text, find_size, find_text, read_bytes


class FiftyoneSchema(Schema):
    """An encoded image, its path, format (`jpg`, `png`) and size, and its class by name."""

    name = "fiftyone"
    encodings = ("jpeg", "png", "webp")
    features: ClassVar[Mapping[str, FeatureKind]] = {
        "image_bytes": "image",
        "filename": "text",
        "format": "text",
        "height": "int64",
        "width": "int64",
        "depth": "int64",
        "label": "text",
    }

    def encode(self, sample: Sample) -> Mapping[str, FeatureInput]:
        """Return the features that hold a sample."""
        return {
            "image_bytes": sample.image,
            "filename": encode_text(sample.path),
            "format": encode_suffix(sample.encoding),
            "height": sample.height,
            "width": sample.width,
            "depth": sample.channels,
            "label": encode_text(sample.class_name),
            **sample.features,
        }

    def decode(self, features: Mapping[str, FeatureValue]) -> StoredSample:
        """Return what the features hold."""
        return StoredSample(
            read_bytes(features, "image_bytes"),
            class_name=find_text(features, "label"),
            filename=find_text(features, "filename"),
            size=find_size(features, "width", "height"),
        )
