"""Which features a dataset stores: sample <-> Example."""

from tfrec.schema.base import FeatureKind, Sample, Schema, StoredSample, key_of
from tfrec.schema.fiftyone import FiftyoneSchema
from tfrec.schema.imagenet import ImagenetSchema
from tfrec.schema.kaggle import KaggleSchema
from tfrec.schema.raw import RawSchema
from tfrec.schema.slim import SlimSchema
from tfrec.schema.tfds import TfdsSchema

SCHEMAS: dict[str, Schema] = {
    "raw": RawSchema(),
    "imagenet": ImagenetSchema(),
    "slim": SlimSchema(),
    "tfds": TfdsSchema(),
    "kaggle": KaggleSchema(),
    "fiftyone": FiftyoneSchema(),
}

__all__ = ["SCHEMAS", "FeatureKind", "Sample", "Schema", "StoredSample", "key_of"]
