"""Raw bytes to arrays: what TensorFlow's `decode_raw` does, and for uint32 and uint64 too."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tfrec.errors import ConfigError

_DTYPE_NAMES = (
    "uint8 int8 bool uint16 int16 float16 uint32 int32 float32 "
    "uint64 int64 float64 complex64 complex128"
)
_DTYPES = frozenset(map(np.dtype, _DTYPE_NAMES.split()))


def decode_raw(
    data: bytes | bytearray | memoryview | Sequence[bytes] | NDArray[Any],
    dtype: DTypeLike,
    little_endian: bool = True,  # noqa: FBT001, FBT002 - the place TensorFlow gives it
    *,
    fixed_length: int | None = None,
    copy: bool = True,
) -> NDArray[Any]:
    """Return the values that bytes hold, as a fresh, writable array in native order.

    One string gives a flat array; a list or array of strings, all of one length, puts its
    dimensions in front. With `fixed_length`, in bytes, each string is first cut or padded with
    zeros to that length. `little_endian` says in which order the bytes stand. Without `copy` the
    array is read-only, and a view of the string where there is one, in native order.

    Raises:
        ConfigError: the dtype has no raw form, or `fixed_length` is no multiple of its item size.
        ValueError: a length is no multiple of the item size, or lengths differ.
    """
    item_type = _resolve_dtype(dtype)
    strings, shape = _flatten(data)
    if fixed_length is not None:
        if fixed_length <= 0 or fixed_length % item_type.itemsize:
            raise ConfigError(
                f"fixed_length {fixed_length} is not a positive multiple of the "
                f"{item_type.itemsize} bytes of {item_type}"
            )
        strings = [bytes(string[:fixed_length]).ljust(fixed_length, b"\0") for string in strings]
    num_bytes = _common_length(strings)
    if num_bytes % item_type.itemsize:
        raise ValueError(
            f"{num_bytes} bytes are not a multiple of the {item_type.itemsize} bytes of {item_type}"
        )
    stored = np.dtype(np.uint8) if item_type == np.bool_ else item_type
    stored = stored.newbyteorder("<" if little_endian else ">")
    joined = strings[0] if len(strings) == 1 else b"".join(strings)
    values = np.frombuffer(joined, stored).astype(item_type, copy=copy)
    values.flags.writeable = copy
    return values.reshape((*shape, num_bytes // item_type.itemsize))


def _resolve_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        item_type = None if dtype is None else np.dtype(dtype)
    except TypeError:
        item_type = None
    if item_type not in _DTYPES:
        raise ConfigError(f"dtype {dtype!r} is none of: {_DTYPE_NAMES.replace(' ', ', ')}")
    return item_type


def _flatten(data: object) -> tuple[list[bytes | memoryview], tuple[int, ...]]:
    """Return strings in row order, and the dimensions they stood in."""
    if isinstance(data, (bytes, bytearray)):
        return [bytes(data)], ()
    if isinstance(data, memoryview):
        return [data.cast("B") if data.readonly and data.c_contiguous else bytes(data)], ()
    array = np.asarray(data, dtype=object)
    strings = array.ravel().tolist()
    for string in strings:
        if not isinstance(string, bytes):
            raise TypeError(f"raw data is bytes, not {type(string).__name__}")
    return strings, array.shape


def _common_length(strings: list[bytes | memoryview]) -> int:
    lengths = sorted(set(map(len, strings)))
    if len(lengths) > 1:
        raise ValueError(f"strings of {lengths[0]} and of {lengths[-1]} bytes make no one array")
    return lengths[0] if lengths else 0
