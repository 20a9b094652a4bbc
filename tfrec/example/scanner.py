"""An Example's bytes, split into Features, and a Feature's bytes into its values.

What every writer writes is read here, with no copy before the last: one Features, entries of key
and value, one packed block a list. All other spellings of the same messages, and all damage, are
protobuf's to judge: a function here that meets anything unexpected returns None, and the bytes go
through `messages`. So the fast way never decides what is valid; it only must not accept what
protobuf reads differently.
"""

from collections.abc import Sequence
from typing import TypeAlias, cast

import numpy as np

from tfrec.errors import ExampleError
from tfrec.example import messages
from tfrec.example.values import BytesList, FeatureValue, FloatList, Int64List

# A serialized Feature: one bytes, as good as always.
Parts: TypeAlias = Sequence[bytes | memoryview]

FIELD_1, FIELD_2, FIELD_3 = 0x0A, 0x12, 0x1A  # tags of length-delimited fields
_LISTS = (FIELD_1, FIELD_2, FIELD_3)  # of bytes, floats, integers
_LARGE = 4096  # bytes of a value; names and labels are always bytes


def split_example(data: bytes) -> list[tuple[str, Parts]]:
    """Return the keys and the parts of their serialized Features, which are not examined.

    The last of duplicate keys is the one that counts. The parts may be views of `data`.

    Raises:
        ExampleError: the bytes are not an Example.
    """
    entries = _split_plain(data)
    try:
        if entries is None:
            return [(key.decode(), parts) for key, parts in messages.split_example(data)]
        return [(key.decode(), parts) for key, parts in entries]
    except UnicodeDecodeError as error:
        raise ExampleError(f"not a tf.train.Example: key {error.object!r} is not UTF-8") from error


def parse_feature(key: str, parts: Parts, *, copy: bool = True) -> FeatureValue | None:
    """Return the value of the serialized Feature of a key, or None where it has no kind.

    Floats may come as a read-only array, and without `copy` large bytes as views of the parts.

    Raises:
        ExampleError: the bytes are not a Feature.
    """
    feature = _parse_plain(parts[0], copy=copy) if len(parts) == 1 else None
    if feature is not None:
        return feature
    try:
        return messages.parse_feature(map(bytes, parts))
    except ExampleError as error:
        raise ExampleError(error.reason, key) from error


def is_plain_example(data: bytes) -> bool:
    """Say whether the bytes are an Example as `encode_example` lays it out.

    The lists are not looked into. False says nothing: it may be an Example in another spelling.
    """
    entries = _split_plain(data)
    if entries is None:
        return False
    try:
        for key, (feature,) in entries:
            key.decode()
            if enter_field(feature, 0, feature[0])[1] != len(feature) or feature[0] not in _LISTS:
                return False
    except (UnicodeDecodeError, UnexpectedLayoutError, IndexError):
        return False
    else:
        return True


class UnexpectedLayoutError(Exception):
    """The bytes are laid out otherwise than `encode_example` does."""


def enter_field(data: bytes | memoryview, position: int, tag: int) -> tuple[int, int]:
    """Return where the content of the length-delimited field at `position` starts and ends."""
    if data[position] != tag:
        raise UnexpectedLayoutError
    length = data[position + 1]
    position += 2
    if length > 0x7F:
        length &= 0x7F
        shift = 7
        while True:
            byte = data[position]
            position += 1
            length |= (byte & 0x7F) << shift
            if byte <= 0x7F:
                break
            shift += 7
            if shift > 28:
                raise UnexpectedLayoutError
    return position, position + length


def _split_plain(data: bytes) -> list[tuple[bytes, Parts]] | None:
    """Return the entries of an Example as `encode_example` lays it out, else None."""
    entries: list[tuple[bytes, Parts]] = []
    view = memoryview(data)
    try:
        position, end = enter_field(data, 0, FIELD_1)
        if end != len(data):
            return None
        while position < end:
            key_tag, entry_end = enter_field(data, position, FIELD_1)
            key_start, key_end = enter_field(data, key_tag, FIELD_1)
            value_start, value_end = enter_field(data, key_end, FIELD_2)
            if value_end != entry_end or entry_end > end:
                return None
            entries.append((data[key_start:key_end], (view[value_start:value_end],)))
            position = entry_end
    except (UnexpectedLayoutError, IndexError):
        return None
    return entries


def _parse_plain(feature: bytes | memoryview, *, copy: bool = True) -> FeatureValue | None:
    """Return the value of a Feature as `encode_example` lays it out, else None."""
    try:
        start, end = enter_field(feature, 0, feature[0])
        if end != len(feature):
            return None
        match feature[0]:
            case 0x0A:
                return _parse_bytes_list(feature, start, end, copy=copy)
            case 0x12:
                return _parse_float_list(feature, start, end)
            case 0x1A:
                return _parse_int64_list(feature, start, end)
    except (UnexpectedLayoutError, IndexError):
        pass
    return None


def _parse_bytes_list(
    feature: bytes | memoryview, start: int, end: int, *, copy: bool
) -> BytesList:
    values: list[bytes | memoryview] = []
    while start < end:
        start, value_end = enter_field(feature, start, FIELD_1)
        if value_end > end:
            raise UnexpectedLayoutError
        value = feature[start:value_end]
        values.append(bytes(value) if copy or len(value) < _LARGE else value)
        start = value_end
    return BytesList(tuple(values))


def _parse_float_list(feature: bytes | memoryview, start: int, end: int) -> FloatList:
    if start == end:
        return FloatList(())
    start, block_end = enter_field(feature, start, FIELD_1)
    if block_end != end or (end - start) % 4:
        raise UnexpectedLayoutError
    # An array, for a tuple of the floats of a long vector costs twenty times as much
    return FloatList(cast("Sequence[float]", np.frombuffer(feature[start:end], "<f4")))


def _parse_int64_list(feature: bytes | memoryview, start: int, end: int) -> Int64List:
    if start == end:
        return Int64List(())
    start, block_end = enter_field(feature, start, FIELD_1)
    # Long lists are left to protobuf, which is in C; nine bytes are 63 bits, so nothing is negative
    if block_end != end or end - start > 9 or feature[end - 1] > 0x7F:
        raise UnexpectedLayoutError
    values = []
    value = shift = 0
    for byte in feature[start:end]:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte <= 0x7F:
            values.append(value)
            value = shift = 0
    return Int64List(tuple(values))
