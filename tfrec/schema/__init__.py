"""Which features a dataset stores: sample <-> Example."""

from tfrec.schema.base import Sample, Schema, StoredSample
from tfrec.schema.raw import RawSchema

SCHEMAS: dict[str, Schema] = {schema.name: schema for schema in (RawSchema(),)}

__all__ = ["SCHEMAS", "Sample", "Schema", "StoredSample"]
