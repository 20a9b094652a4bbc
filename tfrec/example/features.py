"""Features to the bytes of a `tf.train.Example`, and back.

Encoding writes the nested headers itself and joins once, so that an image is copied once: protobuf
copies it several times, and its runtimes do not agree on the order of keys that are prefixes of
one another. The bytes are those of TensorFlow's deterministic serialization:

    Example   0A length Features
    Features  (0A length Entry)*             sorted by the UTF-8 bytes of the key
    Entry     0A length key  12 length Feature
    Feature   (0A bytes list | 12 float list | 1A int64 list) length List
    List      (0A length bytes)*  |  nothing if empty, else 0A length (float32* | varint*)
"""

import sys
from array import array
from collections.abc import Mapping, Sequence

import numpy as np

from tfrec.example import messages
from tfrec.example.scanner import parse_feature, split_example
from tfrec.example.values import (
    INT64_MAX,
    INT64_MIN,
    BytesList,
    FeatureInput,
    FeatureValue,
    FloatList,
    Int64List,
    to_feature_value,
)

# Bytes-like objects in the order they are written, and how many bytes they are together.
_Parts = tuple[list[bytes | bytearray | memoryview], int]


def encode_example(features: Mapping[str, FeatureInput]) -> bytes:
    """Serialize features to the bytes of TensorFlow's deterministic serialization.

    A value is one bytes, int or float; a list, tuple or array of one of them (arrays are flattened
    in row order); or a `BytesList`, `Int64List` or `FloatList`, which an empty list needs. Floats
    are rounded to float32, to infinity beyond its range.

    Raises:
        TypeError: a value is of no kind, of several, or of another than its list.
        ValueError: an integer is outside int64.
    """
    parts: list[bytes | bytearray | memoryview] = [b""]
    size = 0
    encoded_keys = {_encode_key(key): key for key in features}
    for encoded_key, key in sorted(encoded_keys.items()):
        try:
            feature_parts, feature_size = _feature_parts(to_feature_value(features[key]))
        except (TypeError, ValueError) as error:
            raise type(error)(f"feature {key!r}: {error}") from error
        entry_head = _delimited(b"\x0a", len(encoded_key)) + encoded_key
        entry_head += _delimited(b"\x12", feature_size)
        entry_size = len(entry_head) + feature_size
        head = _delimited(b"\x0a", entry_size) + entry_head
        parts += (head, *feature_parts)
        size += len(head) + feature_size
    parts[0] = _delimited(b"\x0a", size)
    return b"".join(parts)


def decode_example(
    data: bytes | bytearray | memoryview, *, copy: bool = True
) -> dict[str, FeatureValue]:
    """Return the features of a serialized Example, as protobuf reads it.

    A feature without a kind is absent. The last of duplicate keys wins whole. Without `copy`, large
    bytes values may be read-only views of `data`.

    Raises:
        ExampleError: the bytes are not an Example.
    """
    features: dict[str, FeatureValue] = {}
    for key, parts in split_example(bytes(data)):
        feature = parse_feature(key, parts, copy=copy)
        if feature is None:
            features.pop(key, None)
        elif isinstance(feature.values, np.ndarray):
            features[key] = FloatList(tuple(feature.values.tolist()))
        else:
            features[key] = feature
    return features


def _encode_key(key: str) -> bytes:
    if not isinstance(key, str):
        raise TypeError(f"a feature's key is text, not {type(key).__name__}: {key!r}")
    return key.encode()


def _feature_parts(feature: FeatureValue) -> _Parts:
    match feature:
        case BytesList(values):
            tag, (parts, size) = b"\x0a", _bytes_list_parts(values)
        case FloatList(values):
            tag, (parts, size) = b"\x12", _float_list_parts(values)
        case Int64List(values):
            tag, (parts, size) = b"\x1a", _int64_list_parts(values)
    head = _delimited(tag, size)
    return [head, *parts], len(head) + size


def _bytes_list_parts(values: Sequence[bytes | bytearray | memoryview]) -> _Parts:
    parts: list[bytes | bytearray | memoryview] = []
    size = 0
    for value in values:
        num_bytes = value.nbytes if isinstance(value, memoryview) else len(value)
        head = _delimited(b"\x0a", num_bytes)
        parts += (head, value)
        size += len(head) + num_bytes
    return parts, size


def _float_list_parts(values: Sequence[float]) -> _Parts:
    if isinstance(values, np.ndarray):
        with np.errstate(over="ignore"):
            packed = values.astype("<f4").tobytes()
    else:
        floats = array("f", values)
        if sys.byteorder == "big":
            floats.byteswap()
        packed = floats.tobytes()
    return _packed_parts(packed)


def _int64_list_parts(values: Sequence[int]) -> _Parts:
    integers = values.tolist() if isinstance(values, np.ndarray) else values
    for integer in integers and (min(integers), max(integers)):
        if not INT64_MIN <= integer <= INT64_MAX:
            raise ValueError(f"{integer} is outside int64")
    serialized = messages.serialize_int64_list(integers)
    return [serialized], len(serialized)


def _packed_parts(packed: bytes) -> _Parts:
    if not packed:
        return [], 0
    head = _delimited(b"\x0a", len(packed))
    return [head, packed], len(head) + len(packed)


def _delimited(tag: bytes, length: int) -> bytes:
    """Return the tag and the varint length that stand before `length` bytes."""
    head = bytearray(tag)
    while length > 0x7F:
        head.append(length & 0x7F | 0x80)
        length >>= 7
    head.append(length)
    return bytes(head)
