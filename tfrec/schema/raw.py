"""The schema of the field's tutorials: `label` and `img_raw`, the raw pixels."""

from collections.abc import Mapping
from typing import ClassVar

from tfrec.example import FeatureInput, FeatureValue
from tfrec.schema.base import FeatureKind, Sample, Schema, StoredSample
from tfrec.schema.features import read_bytes, read_int64


class RawSchema(Schema):
    """`label` int64; `img_raw` bytes: height x width x channels uint8, row by row, RGB."""

    name = "raw"
    encodings = ("raw",)
    features: ClassVar[Mapping[str, FeatureKind]] = {"label": "label", "img_raw": "image"}

    def encode(self, sample: Sample) -> Mapping[str, FeatureInput]:
        """Return the features that hold a sample."""
        return {"label": sample.label, "img_raw": sample.image, **sample.features}

    def decode(self, features: Mapping[str, FeatureValue]) -> StoredSample:
        """Return what the features hold."""
        return StoredSample(read_bytes(features, "img_raw"), read_int64(features, "label"))
