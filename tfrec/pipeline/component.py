"""One component of an element: its dtype and shape, how values are checked and how they stack.

Conversions are those that lose nothing: an integer may become any number that holds it, a float
another float, text becomes UTF-8 bytes; everything else is refused.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tfrec.errors import ConfigError

DTypeLike: TypeAlias = Any  # what `numpy.dtype` takes, or "string", str or bytes
ShapeLike: TypeAlias = Sequence[int | None] | None
Value: TypeAlias = Any
Shape: TypeAlias = tuple[int | None, ...]

_STRING_TYPES = ("string", str, bytes)
_CASTS = {"b": "b", "i": "iufc", "u": "iufc", "f": "fc", "c": "c"}  # kind -> kinds it may become


class Component(NamedTuple):
    """One part of every row of a queue.

    Attributes:
        label: its name, or its position.
        dtype: None for strings, which are bytes; `object` for anything, unchecked.
        shape: of one element, None for a dimension that varies; None where any shape will do.
    """

    label: str | int
    dtype: np.dtype[Any] | None
    shape: Shape | None

    @classmethod
    def of(
        cls, label: str | int, dtype: DTypeLike, shape: ShapeLike, *, pads: bool = False
    ) -> "Component":
        """Check a declared dtype and shape; only with `pads` dimensions may be None."""
        if dtype in _STRING_TYPES:
            checked = None
        else:
            try:
                checked = np.dtype(dtype)
            except TypeError as error:
                raise ConfigError(f"component {label}: no dtype: {dtype!r}") from error
            if checked.kind in "SU":
                checked = None
        if shape is None:
            if pads:
                raise ConfigError(f"component {label}: padding needs a shape of known rank")
            return cls(label, checked, None)
        if isinstance(shape, int | str):
            raise ConfigError(f"component {label}: a shape is a sequence of lengths: {shape!r}")
        dims = tuple(None if dim is None else int(dim) for dim in shape)
        if any(dim is not None and dim < 0 for dim in dims):
            raise ConfigError(f"component {label}: negative dimension in the shape {dims}")
        if None in dims and not pads:
            raise ConfigError(
                f"component {label}: the shape {dims} is not fully defined: "
                "only a padding queue takes dimensions that vary"
            )
        return cls(label, checked, dims)

    @property
    def needs_shape(self) -> bool:
        """Whether rows can be stacked only if their shape is known."""
        return self.dtype != np.dtype(object)

    def check(self, value: Value) -> Value:
        """Return one element's value in the component's type, or raise TypeError, ValueError."""
        if self.dtype is None:
            checked, shape = self._strings(value)
        elif self.dtype.hasobject:
            return value
        else:
            checked = self._numbers(value)
            shape = checked.shape
        self._check_shape(shape)
        return checked[()] if shape == () and self.dtype is not None else checked

    def check_column(self, values: Value) -> Sequence[Value]:
        """Return the rows of a sequence of elements' values, each in the component's type."""
        if self.dtype is not None and self.dtype.hasobject:
            return list(values)
        if self.dtype is None:
            strings, shape = self._strings(values)
            rows, rank = (strings, len(shape)) if shape else ([], 0)
        else:
            rows = self._numbers(values)
            shape, rank = rows.shape, rows.ndim
        if rank == 0:
            raise ValueError(f"component {self.label}: found one value, expected a sequence")
        if shape[0]:
            self._check_shape(shape[1:])
        return rows

    def stack(self, values: Sequence[Value]) -> Value:
        """Return the values of one batch: an array with a leading dimension, or a list."""
        if self.dtype is not None and self.dtype.hasobject:
            return list(values)
        shape = self.shape if self.shape is not None else ()
        is_padded = None in shape
        if self.dtype is None:
            return self._stack_strings(values, shape) if is_padded else list(values)
        if is_padded:
            return self._stack_padded(values, self.dtype, shape)
        batch: np.ndarray[Any, Any] = np.empty(
            (len(values), *(dim or 0 for dim in shape)), self.dtype
        )
        for position, value in enumerate(values):
            batch[position] = value
        return batch

    def _numbers(self, value: Value) -> np.ndarray[Any, Any]:
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise ValueError(f"component {self.label}: rows of unequal lengths") from error
        if array.dtype == self.dtype:
            return array
        return self._cast(array, is_literal=not isinstance(value, np.ndarray))

    def _cast(self, array: np.ndarray[Any, Any], *, is_literal: bool) -> np.ndarray[Any, Any]:
        """Convert without loss of value; an empty list has no type yet."""
        dtype = self.dtype
        if dtype is None:
            raise TypeError(f"component {self.label} is no number")
        if array.size == 0 and is_literal:
            return array.astype(dtype)
        if dtype.kind not in _CASTS.get(array.dtype.kind, ""):
            raise TypeError(f"component {self.label}: found {array.dtype}, expected {dtype}")
        if dtype.kind in "iu" and array.size:
            limits = np.iinfo(dtype)
            low, high = int(array.min()), int(array.max())
            if low < limits.min or high > limits.max:
                raise ValueError(
                    f"component {self.label}: {low}..{high} is outside the range of {dtype}"
                )
        return array.astype(dtype)

    def _strings(self, value: Value) -> tuple[Value, tuple[int, ...]]:
        """Return `value`, a string or nested lists of strings, as bytes, and its shape."""
        if isinstance(value, bytes):
            return value, ()
        if isinstance(value, str):
            return value.encode(), ()
        if isinstance(value, np.ndarray):
            value = value.tolist()
            return self._strings(value)
        if not isinstance(value, list | tuple):
            raise TypeError(f"component {self.label}: found {type(value).__name__}, expected bytes")
        parts = [self._strings(part) for part in value]
        shapes = {shape for _, shape in parts}
        if len(shapes) > 1:
            raise ValueError(f"component {self.label}: rows of unequal lengths")
        return [part for part, _ in parts], (len(parts), *(shapes.pop() if shapes else ()))

    def _check_shape(self, found: tuple[int, ...]) -> None:
        expected = self.shape
        if expected is None:
            return
        if len(found) != len(expected) or any(
            length is not None and length != other
            for length, other in zip(expected, found, strict=True)
        ):
            raise ValueError(
                f"component {self.label}: found the shape {found}, expected {expected}"
            )

    def _stack_padded(
        self, values: Sequence[Value], dtype: np.dtype[Any], shape: Shape
    ) -> np.ndarray[Any, Any]:
        arrays = [np.asarray(value) for value in values]
        batch = np.zeros((len(arrays), *_largest([a.shape for a in arrays], shape)), dtype)
        for position, array in enumerate(arrays):
            batch[position][tuple(slice(length) for length in array.shape)] = array
        return batch

    def _stack_strings(self, values: Sequence[Value], shape: Shape) -> list[Value]:
        largest = _largest([self._strings(value)[1] for value in values], shape)
        return [_pad_strings(value, largest) for value in values]


def _largest(found: Sequence[tuple[int, ...]], shape: Shape) -> list[int]:
    """Return the smallest shape that holds all those found; without any, None becomes 0."""
    if not found:
        return [dim or 0 for dim in shape]
    return [max(lengths) for lengths in zip(*found, strict=True)]


def _pad_strings(value: Value, shape: Sequence[int]) -> Value:
    if not shape:
        return value
    missing = shape[0] - len(value)
    rows = [_pad_strings(row, shape[1:]) for row in value]
    return rows + [_empty_strings(shape[1:]) for _ in range(missing)]


def _empty_strings(shape: Sequence[int]) -> Value:
    return [_empty_strings(shape[1:]) for _ in range(shape[0])] if shape else b""
