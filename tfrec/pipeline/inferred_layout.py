"""A layout that is learnt from the first element: numbers become arrays, other objects lists."""

import threading
from collections.abc import Mapping, Sequence, Sized
from typing import Any

import numpy as np

from tfrec.errors import ConfigError
from tfrec.pipeline.component import DTypeLike, ShapeLike, Value
from tfrec.pipeline.layout import Layout, Row, TypedLayout

Each = Mapping[str, Any] | Sequence[Any]  # one value per component, by name or by position


class InferredLayout(Layout):
    """Becomes a TypedLayout when the first element comes, and holds all others to it.

    Args:
        dtypes: one per component, or a dict; default those of the first element.
        shapes: one per component, or a dict; default those of the first element.
        pads: let every dimension vary that `shapes` does not fix, and pad batches.
    """

    def __init__(
        self,
        dtypes: DTypeLike | Each | None = None,
        shapes: Each | None = None,
        *,
        pads: bool = False,
    ) -> None:
        shape_list = list(shapes.values() if isinstance(shapes, Mapping) else shapes or ())
        if any(isinstance(shape, int) for shape in shape_list):
            raise ConfigError(f"shapes has one shape, a sequence, per component: {shapes!r}")
        if not pads and any(dim is None for shape in shape_list for dim in shape or ()):
            raise ConfigError(
                f"the shapes {shape_list} are not fully defined: "
                "dimensions that vary need dynamic_pad=True"
            )
        self._given_dtypes = dtypes
        self._given_shapes = shapes
        self._pads = pads
        self._lock = threading.Lock()
        self._learnt: TypedLayout | None = None

    def pack(self, vals: Value) -> Row:
        layout = self._learnt
        return (layout or self._learn(vals, is_batch=False)).pack(vals)

    def pack_many(self, vals: Value) -> Sequence[Row]:
        layout = self._learnt
        if layout is None and _num_rows(vals) == 0:
            return []
        return (layout or self._learn(vals, is_batch=True)).pack_many(vals)

    def unpack(self, row: Row) -> Value:
        return self._require().unpack(row)

    def stack(self, rows: Sequence[Row]) -> Value:
        return self._require().stack(rows) if rows else []

    def _require(self) -> TypedLayout:
        if self._learnt is None:
            raise ConfigError("no element has come yet: its layout is unknown")
        return self._learnt

    def _learn(self, vals: Value, *, is_batch: bool) -> TypedLayout:
        """Learn from the first element, or from the first row of each sequence of `vals`."""
        layout = self._infer(vals, is_batch=is_batch)
        with self._lock:
            if self._learnt is None:
                self._learnt = layout
                self.dtypes, self.shapes, self.names = layout.dtypes, layout.shapes, layout.names
            return self._learnt

    def _infer(self, vals: Value, *, is_batch: bool) -> TypedLayout:
        names = sorted(vals) if isinstance(vals, Mapping) else None
        if names is not None:
            values = [vals[name] for name in names]
        else:
            values = list(vals) if isinstance(vals, list | tuple) else [vals]
        if not values:
            raise ValueError("an element has no components")
        if is_batch:
            values = [value[0] for value in values]
        arrays = [_as_numbers(value) for value in values]
        dtypes = _each("dtypes", self._given_dtypes, names, len(values))
        shapes = _each("shapes", self._given_shapes, names, len(values))
        return TypedLayout(
            [
                (object if array is None else array.dtype) if dtype is None else dtype
                for dtype, array in zip(dtypes, arrays, strict=True)
            ],
            [
                self._shape_of(value, array) if shape is None else shape
                for shape, value, array in zip(shapes, values, arrays, strict=True)
            ],
            names,
            pads=self._pads,
        )

    def _shape_of(self, value: Value, array: np.ndarray[Any, Any] | None) -> ShapeLike:
        found = np.shape(value) if array is None else array.shape
        return (None,) * len(found) if self._pads else found


def _as_numbers(value: Value) -> np.ndarray[Any, Any] | None:
    """Return a number, or an array or nested lists of numbers, as an array; else None."""
    if not isinstance(value, np.ndarray | np.generic | int | float | complex | list | tuple):
        return None
    try:
        array = np.asarray(value)
    except ValueError:  # lists of unequal lengths
        return None
    return array if array.dtype.kind in "biufc" else None


def _num_rows(vals: Value) -> int:
    """Return the least number of rows of the components of `vals`."""
    if not isinstance(vals, Mapping | list | tuple):
        vals = [vals]
    columns = vals.values() if isinstance(vals, Mapping) else vals
    for column in columns:
        if not isinstance(column, Sized) or isinstance(column, str | bytes):
            raise ValueError(
                f"found {type(column).__name__} for a component, expected a sequence of rows"
            )
    return min(map(len, columns), default=0)


def _each(
    what: str,
    given: DTypeLike | Each | None,
    names: list[str] | None,
    num_components: int,
) -> list[Any]:
    """Return what was given for each component, None where nothing was."""
    if given is None:
        return [None] * num_components
    if isinstance(given, Mapping):
        return [given.get(name) for name in names or ()]
    values = list(given) if isinstance(given, list | tuple) else [given]
    if len(values) != num_components:
        raise ValueError(f"{len(values)} {what} for the {num_components} components of an element")
    return values
