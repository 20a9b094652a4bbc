"""The schema of Kaggle's notebooks: `image` and `class`."""

from collections.abc import Mapping
from typing import ClassVar

from tfrec.example import FeatureInput, FeatureValue
from tfrec.schema.base import FeatureKind, Sample, Schema, StoredSample
from tfrec.schema.features import find_int64, find_text, read_bytes


class KaggleSchema(Schema):
    """An encoded image and its class by number; records without a class have an `id` instead."""

    name = "kaggle"
    encodings = ("jpeg", "png", "webp")
    features: ClassVar[Mapping[str, FeatureKind]] = {"image": "image", "class": "label"}

    def encode(self, sample: Sample) -> Mapping[str, FeatureInput]:
        """Return the features that hold a sample."""
        return {"image": sample.image, "class": sample.label, **sample.features}

    def decode(self, features: Mapping[str, FeatureValue]) -> StoredSample:
        """Return what the features hold."""
        return StoredSample(
            read_bytes(features, "image"),
            label=find_int64(features, "class"),
            filename=find_text(features, "id"),
        )
