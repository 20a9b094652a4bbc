"""The schema of TensorFlow's models and TPU examples: `image/encoded`, `image/class/label`, …

Labels are counted from 1, so that 0 can be the background; label maps have that rule too.
"""

import posixpath
from collections.abc import Mapping
from typing import ClassVar

from tfrec.example import FeatureInput, FeatureValue
from tfrec.schema.base import FeatureKind, Sample, Schema, StoredSample
from tfrec.schema.features import encode_text, find_int64, find_size, find_text, read_bytes

_COLORSPACES = {1: b"Grayscale", 3: b"RGB"}


class ImagenetSchema(Schema):
    """An encoded image, its size, file name and format, and its class by number and name."""

    name = "imagenet"
    encodings = ("jpeg", "png", "webp")
    first_label = 1
    has_label_map = True
    features: ClassVar[Mapping[str, FeatureKind]] = {
        "image/encoded": "image",
        "image/format": "text",
        "image/height": "int64",
        "image/width": "int64",
        "image/channels": "int64",
        "image/colorspace": "text",
        "image/filename": "text",
        "image/class/label": "label",
        "image/class/text": "text",
    }

    def encode(self, sample: Sample) -> Mapping[str, FeatureInput]:
        """Return the features that hold a sample."""
        return {
            "image/encoded": sample.image,
            "image/format": sample.encoding.upper().encode(),
            "image/height": sample.height,
            "image/width": sample.width,
            "image/channels": sample.channels,
            "image/colorspace": _COLORSPACES[sample.channels],
            "image/filename": encode_text(posixpath.basename(sample.path)),
            "image/class/label": sample.label,
            "image/class/text": encode_text(sample.class_name),
            **sample.features,
        }

    def decode(self, features: Mapping[str, FeatureValue]) -> StoredSample:
        """Return what the features hold."""
        return StoredSample(
            read_bytes(features, "image/encoded"),
            label=find_int64(features, "image/class/label"),
            class_name=find_text(features, "image/class/text"),
            filename=find_text(features, "image/filename"),
            size=find_size(features, "image/width", "image/height"),
        )
