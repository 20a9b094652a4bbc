"""Features to the bytes of a `tf.train.Example`, and back.

Names are loaded when first used: a command's help needs neither numpy nor protobuf.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfrec.example.features import decode_example, encode_example
    from tfrec.example.values import BytesList, FeatureInput, FeatureValue, FloatList, Int64List

__all__ = [
    "BytesList",
    "FeatureInput",
    "FeatureValue",
    "FloatList",
    "Int64List",
    "decode_example",
    "encode_example",
]

_MODULES = {
    "BytesList": "values",
    "FeatureInput": "values",
    "FeatureValue": "values",
    "FloatList": "values",
    "Int64List": "values",
    "decode_example": "features",
    "encode_example": "features",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
