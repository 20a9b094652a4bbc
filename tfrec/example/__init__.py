"""Features to the bytes of a `tf.train.Example` and back, and Examples to arrays.

Names are loaded when first used: a command's help needs neither numpy nor protobuf.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfrec.example.columns import ParsedFeature, RaggedBatch
    from tfrec.example.features import decode_example, encode_example
    from tfrec.example.parsing import (
        ExampleParser,
        ParsedBatch,
        parse_example,
        parse_single_example,
    )
    from tfrec.example.raw import decode_raw
    from tfrec.example.specs import (
        FeatureSpec,
        FixedLenFeature,
        FixedLenSequenceFeature,
        VarLenFeature,
    )
    from tfrec.example.values import BytesList, FeatureInput, FeatureValue, FloatList, Int64List

__all__ = [
    "BytesList",
    "ExampleParser",
    "FeatureInput",
    "FeatureSpec",
    "FeatureValue",
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "FloatList",
    "Int64List",
    "ParsedBatch",
    "ParsedFeature",
    "RaggedBatch",
    "VarLenFeature",
    "decode_example",
    "decode_raw",
    "encode_example",
    "parse_example",
    "parse_single_example",
]

_MODULES = {
    "ParsedFeature": "columns",
    "RaggedBatch": "columns",
    "decode_example": "features",
    "encode_example": "features",
    "ExampleParser": "parsing",
    "ParsedBatch": "parsing",
    "parse_example": "parsing",
    "parse_single_example": "parsing",
    "decode_raw": "raw",
    "FeatureSpec": "specs",
    "FixedLenFeature": "specs",
    "FixedLenSequenceFeature": "specs",
    "VarLenFeature": "specs",
    "BytesList": "values",
    "FeatureInput": "values",
    "FeatureValue": "values",
    "FloatList": "values",
    "Int64List": "values",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
