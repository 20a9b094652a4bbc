"""Read one value of a decoded Example, or say what stands there instead; and the texts of one."""

from collections.abc import Mapping
from typing import TypeVar

from tfrec.errors import ExampleError
from tfrec.example import BytesList, FeatureValue, Int64List
from tfrec.example.keys import list_keys

_List = TypeVar("_List", BytesList, Int64List)

_KINDS = {"BytesList": "bytes", "FloatList": "float", "Int64List": "int64"}


def read_bytes(features: Mapping[str, FeatureValue], key: str) -> bytes:
    """Return the one bytes value of a feature."""
    return bytes(read_buffer(features, key))


def read_buffer(features: Mapping[str, FeatureValue], key: str) -> bytes | bytearray | memoryview:
    """Return the one bytes value of a feature as it is there: perhaps a view of the record."""
    return _read_list(features, key, BytesList).values[0]


def read_int64(features: Mapping[str, FeatureValue], key: str) -> int:
    """Return the one int64 value of a feature."""
    return _read_list(features, key, Int64List).values[0]


def read_label(features: Mapping[str, FeatureValue], key: str) -> int | str:
    """Return the one label of a feature: a number, or a text where it has bytes."""
    if isinstance(features.get(key), BytesList):
        return read_bytes(features, key).decode("utf-8", "surrogateescape")
    return read_int64(features, key)


def find_int64(features: Mapping[str, FeatureValue], key: str) -> int | None:
    """Return the one int64 value of a feature, or None where there is no such feature."""
    return read_int64(features, key) if key in features else None


def find_text(features: Mapping[str, FeatureValue], key: str) -> str | None:
    """Return the one text of a feature, or None where there is no such feature."""
    if key not in features:
        return None
    return read_bytes(features, key).decode("utf-8", "surrogateescape")


def find_size(
    features: Mapping[str, FeatureValue], width_key: str, height_key: str
) -> tuple[int, int] | None:
    """Return (width, height), or None where one of them is missing."""
    width, height = find_int64(features, width_key), find_int64(features, height_key)
    return None if width is None or height is None else (width, height)


def encode_text(text: str) -> bytes:
    """Return a name as UTF-8; bytes of the file system that are none stay as they are."""
    return text.encode("utf-8", "surrogateescape")


def encode_suffix(encoding: str) -> bytes:
    """Return the name of an encoding as files have it: `jpg` for `jpeg`."""
    return b"jpg" if encoding == "jpeg" else encoding.encode()


def _read_list(features: Mapping[str, FeatureValue], key: str, list_type: type[_List]) -> _List:
    value = features.get(key)
    expected = f"one {_KINDS[list_type.__name__]} value"
    if value is None:
        raise ExampleError(
            f"the record has no such feature; it has {list_keys(features, [key])}", key
        )
    if not isinstance(value, list_type):
        found = f"{len(value.values)} {_KINDS[type(value).__name__]} values"
        raise ExampleError("the feature is of another kind", key, found, expected)
    if len(value.values) != 1:
        raise ExampleError(
            "the feature has another length", key, f"{len(value.values)} values", expected
        )
    return value
