"""The value of one feature: a list of one of three kinds, and how a plain value gets its kind.

The kind is part of the value: an empty list of int64 is not an empty list of floats. Nothing is
coerced: what is of no kind, or of two, is refused, since a label silently turned into a float
fails only when somebody trains with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class BytesList:
    """A list of bytes; `decode_example` makes it with a tuple."""

    values: Sequence[bytes | bytearray | memoryview]


@dataclass(frozen=True, slots=True)
class FloatList:
    """A list of float32; `decode_example` makes it with a tuple."""

    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Int64List:
    """A list of int64; `decode_example` makes it with a tuple."""

    values: Sequence[int]


FeatureValue: TypeAlias = BytesList | FloatList | Int64List
ListType: TypeAlias = type[BytesList] | type[FloatList] | type[Int64List]
Scalar: TypeAlias = bytes | bytearray | memoryview | int | float | np.generic
FeatureInput: TypeAlias = FeatureValue | Scalar | Sequence[Scalar] | NDArray[np.generic]

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1

KIND_NAMES: dict[ListType, str] = {BytesList: "bytes", FloatList: "float", Int64List: "int64"}

_DTYPE_LISTS: dict[str, ListType] = {
    "i": Int64List,
    "u": Int64List,
    "f": FloatList,
    "S": BytesList,
}


def to_feature_value(value: FeatureInput) -> FeatureValue:
    """Return the value as a list that knows its kind; lists of a known kind are checked.

    Raises:
        TypeError: the value is of no kind, of several, or of another than its list.
    """
    if isinstance(value, (bytes, bytearray, memoryview)):
        return BytesList((value,))
    if isinstance(value, (BytesList, FloatList, Int64List)):
        return _checked(value)
    if isinstance(value, np.generic):
        value = np.asarray(value)
    if isinstance(value, np.ndarray):
        return _from_array(value)
    if isinstance(value, (list, tuple)):
        return _from_sequence(value)
    return _from_sequence((value,))


def _from_array(array: NDArray[np.generic]) -> FeatureValue:
    if array.dtype.kind == "O":
        return _from_sequence(array.ravel().tolist())
    list_type = _DTYPE_LISTS.get(array.dtype.kind)
    if list_type is None:
        raise TypeError(f"an array of {array.dtype} is neither bytes, int64 nor float")
    return list_type(cast("Sequence[Any]", array.ravel()))


def _from_sequence(values: Sequence[object]) -> FeatureValue:
    list_types = {_list_type_of(value_type) for value_type in set(map(type, values))}
    if not list_types:
        raise TypeError(
            "an empty list has no kind; use BytesList(()), Int64List(()) or FloatList(())"
        )
    if len(list_types) > 1:
        kinds = " and ".join(sorted(KIND_NAMES[list_type] for list_type in list_types))
        raise TypeError(f"one list holds {kinds}")
    return list_types.pop()(cast("Sequence[Any]", values))


def _checked(feature: FeatureValue) -> FeatureValue:
    """Refuse values of another kind than their list; integers may stand among floats."""
    values = feature.values
    if isinstance(values, np.ndarray):
        found = {type(_from_array(values))} if values.size else set()
    else:
        found = {_list_type_of(value_type) for value_type in set(map(type, values))}
    allowed = {Int64List, FloatList} if isinstance(feature, FloatList) else {type(feature)}
    if not found <= allowed:
        kinds = " and ".join(sorted(KIND_NAMES[list_type] for list_type in found))
        raise TypeError(f"{type(feature).__name__} holds {kinds}")
    return feature


def _list_type_of(value_type: type) -> ListType:
    """Return the kind of list for values of a type; bool is no integer here."""
    if issubclass(value_type, (bytes, bytearray, memoryview)):
        return BytesList
    if issubclass(value_type, (int, np.integer)) and not issubclass(
        value_type, (bool, np.timedelta64)
    ):
        return Int64List
    if issubclass(value_type, (float, np.floating)):
        return FloatList
    remedy = "; encode text to bytes first" if issubclass(value_type, str) else ""
    raise TypeError(f"{value_type.__name__} is neither bytes, int64 nor float{remedy}")
