"""What is asked of one feature when Examples are parsed, and what makes such a request sound.

The three specs and their arguments are TensorFlow's. They only store; `resolve_spec` checks one
up front, whether or not a record will need its default, so that a wrong spec fails on the first
record and not on the millionth.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tfrec.errors import ConfigError
from tfrec.example.values import (
    INT64_MAX,
    INT64_MIN,
    BytesList,
    FloatList,
    Int64List,
    ListType,
    to_feature_value,
)

# int64 and float32 as numpy spells them; "string" or bytes for byte strings.
DType: TypeAlias = str | type | np.dtype[Any]


@dataclass(frozen=True)
class FixedLenFeature:
    """Exactly as many values as `shape` holds; `()` is a scalar.

    `dtype` is int64, float32 or "string". Where the feature is absent the default stands in, which
    has as many elements as the shape; without one, absence is an error.
    """

    shape: Sequence[int]
    dtype: DType
    default_value: object = None


@dataclass(frozen=True)
class VarLenFeature:
    """Any number of values; none where the feature is absent."""

    dtype: DType


@dataclass(frozen=True)
class FixedLenSequenceFeature:
    """Any number of blocks of `shape`; none where the feature is absent.

    `allow_missing` must be True. `default_value`, one element (default: 0, 0.0 or b""), pads the
    shorter rows of a batch.
    """

    shape: Sequence[int]
    dtype: DType
    allow_missing: bool = False
    default_value: object = None


FeatureSpec: TypeAlias = FixedLenFeature | VarLenFeature | FixedLenSequenceFeature


class ResolvedSpec(NamedTuple):
    """A checked spec: `dtype` is object for byte strings, `default` flat, `size` prod(shape)."""

    list_type: ListType
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    size: int
    default: NDArray[Any] | None


_DTYPES: dict[ListType, np.dtype[Any]] = {
    BytesList: np.dtype(object),
    FloatList: np.dtype(np.float32),
    Int64List: np.dtype(np.int64),
}


def resolve_spec(key: str, spec: FeatureSpec) -> ResolvedSpec:
    """Check the spec of a key, and return it with its parts made exact.

    Raises:
        ConfigError: it is no spec, or its dtype, shape or default's size is wrong.
        TypeError: the default is of another type.
    """
    if not isinstance(key, str):
        raise ConfigError(f"a feature's key is text, not {type(key).__name__}: {key!r}")
    if not isinstance(spec, (FixedLenFeature, VarLenFeature, FixedLenSequenceFeature)):
        raise ConfigError(
            f"feature {key!r}: {spec!r} is no spec; "
            "use FixedLenFeature, VarLenFeature or FixedLenSequenceFeature"
        )
    list_type = _resolve_dtype(key, spec.dtype)
    shape = () if isinstance(spec, VarLenFeature) else _resolve_shape(key, spec.shape)
    size = math.prod(shape)
    default = None
    if isinstance(spec, FixedLenFeature) and spec.default_value is not None:
        default = _resolve_default(key, spec.default_value, list_type, size)
    if isinstance(spec, FixedLenSequenceFeature):
        _check_sequence(key, spec, size)
        padding = {BytesList: b"", FloatList: 0.0, Int64List: 0}[list_type]
        if spec.default_value is not None:
            padding = spec.default_value
        default = _resolve_default(key, padding, list_type, 1)
    return ResolvedSpec(list_type, _DTYPES[list_type], shape, size, default)


def _check_sequence(key: str, spec: FixedLenSequenceFeature, size: int) -> None:
    if not spec.allow_missing:
        raise ConfigError(
            f"feature {key!r}: a FixedLenSequenceFeature of an Example needs allow_missing=True"
        )
    if size == 0:
        raise ConfigError(f"feature {key!r}: a sequence of shape {spec.shape} holds no values")


def _resolve_dtype(key: str, dtype: DType) -> ListType:
    if isinstance(dtype, str) and dtype == "string":
        return BytesList
    try:
        resolved = None if dtype is None else np.dtype(dtype)
    except TypeError:
        resolved = None
    if resolved == np.dtype(np.bytes_):
        return BytesList
    for list_type in (FloatList, Int64List):
        if resolved == _DTYPES[list_type]:
            return list_type
    raise ConfigError(f'feature {key!r}: dtype {dtype!r} is not int64, float32 or "string"')


def _resolve_shape(key: str, shape: Sequence[int]) -> tuple[int, ...]:
    try:
        dimensions = tuple(operator.index(dimension) for dimension in shape)
    except TypeError:
        dimensions = (-1,)
    if any(dimension < 0 for dimension in dimensions):
        raise ConfigError(f"feature {key!r}: shape {shape!r} is not a sequence of known sizes")
    return dimensions


def _resolve_default(key: str, default: object, list_type: ListType, size: int) -> NDArray[Any]:
    """Return the default as a flat array of `size` elements."""
    elements = np.asarray(default, dtype=object).ravel().tolist()
    if list_type is BytesList:
        elements = [item.encode() if isinstance(item, str) else item for item in elements]
    try:
        to_feature_value(list_type(elements))
    except TypeError as error:
        raise TypeError(f"feature {key!r}: default {default!r}: {error}") from error
    if len(elements) != size:
        raise ConfigError(
            f"feature {key!r}: default {default!r} has {len(elements)} elements, not {size}"
        )
    if list_type is Int64List and not all(INT64_MIN <= item <= INT64_MAX for item in elements):
        raise ConfigError(f"feature {key!r}: default {default!r} is outside int64")
    return make_array(elements, _DTYPES[list_type])


def make_array(values: Sequence[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return values as a fresh array of one dimension; floats become infinite beyond float32."""
    with np.errstate(over="ignore"):
        return np.array(values, dtype)
