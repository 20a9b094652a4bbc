"""What an element of a queue is: its components, their types, shapes and names.

A queue holds *rows*. `pack` checks a value and makes it a row before anything is enqueued, `unpack`
makes a row the value that `dequeue` returns, `stack` makes many rows one batch. A row holds what it
was given, without a copy: arrays must not be changed after they were enqueued.

    Layout        any one Python object, unchecked; a batch is a list
    TypedLayout   components of fixed dtype and, with `shapes`, fixed shape
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tfrec.errors import ConfigError
from tfrec.pipeline.component import Component, DTypeLike, ShapeLike

Value: TypeAlias = Any  # what users enqueue and dequeue: a component, a list or a dict of them
Row: TypeAlias = Any  # what a store holds; for `TypedLayout` a tuple of components


class Layout:
    """Any one Python object."""

    dtypes: list[np.dtype[Any] | str] | None = None
    shapes: list[tuple[int | None, ...] | None] | None = None
    names: list[str] | None = None

    def pack(self, vals: Value) -> Row:
        """Return `vals` as a row.

        Raises:
            ValueError: number of components, names or a shape do not fit.
            TypeError: a component's type does not fit.
        """
        return vals

    def pack_many(self, vals: Value) -> Sequence[Row]:
        """Return the rows of `vals`, which has one sequence per component."""
        return vals if isinstance(vals, tuple | range) else list(vals)

    def unpack(self, row: Row) -> Value:
        return row

    def check_stackable(self) -> None:
        """Raise ValueError where rows cannot be stacked."""

    def stack(self, rows: Sequence[Row]) -> Value:
        """Return one batch of `rows`; arrays are copied once, straight into the batch."""
        return list(rows)


class TypedLayout(Layout):
    """Components of declared types. `pads` allows dimensions that vary, padded in a batch."""

    def __init__(
        self,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: Sequence[ShapeLike] | None = None,
        names: Sequence[str] | str | None = None,
        *,
        pads: bool = False,
    ) -> None:
        dtype_list = list(dtypes) if isinstance(dtypes, list | tuple) else [dtypes]
        if not dtype_list:
            raise ConfigError("dtypes is empty: an element has at least one component")
        name_list = [names] if isinstance(names, str) else names
        shape_list = _one_each("shapes", shapes, len(dtype_list))
        name_list = _one_each("names", name_list, len(dtype_list))
        self._components = [
            Component.of(position if name is None else name, dtype, shape, pads=pads)
            for position, (dtype, shape, name) in enumerate(
                zip(dtype_list, shape_list, name_list, strict=True)
            )
        ]
        self.dtypes = [component.dtype or "string" for component in self._components]
        self.shapes = None if shapes is None else [c.shape for c in self._components]
        self.names = None if names is None else [str(c.label) for c in self._components]

    def pack(self, vals: Value) -> Row:
        values = self._split(vals)
        return tuple(
            component.check(value)
            for component, value in zip(self._components, values, strict=True)
        )

    def pack_many(self, vals: Value) -> Sequence[Row]:
        columns = [
            component.check_column(value)
            for component, value in zip(self._components, self._split(vals), strict=True)
        ]
        lengths = [len(column) for column in columns]
        if len(set(lengths)) > 1:
            raise ValueError(f"components have different numbers of rows: {lengths}")
        return list(zip(*columns, strict=True))

    def unpack(self, row: Row) -> Value:
        return self._join(row)

    def check_stackable(self) -> None:
        if self.shapes is None and any(c.needs_shape for c in self._components):
            raise ValueError("elements are stacked only in a queue that was given shapes")

    def stack(self, rows: Sequence[Row]) -> Value:
        return self._join(
            [
                component.stack([row[position] for row in rows])
                for position, component in enumerate(self._components)
            ]
        )

    def _split(self, vals: Value) -> list[Value]:
        """Return the components of `vals` in order."""
        if self.names is not None:
            return self._split_dict(self.names, vals)
        if isinstance(vals, Mapping):
            raise ValueError(f"a dict with the keys {list(vals)} for components without names")
        values = list(vals) if isinstance(vals, list | tuple) else [vals]
        if len(values) != len(self._components):
            raise ValueError(
                f"found {len(values)} components, expected {len(self._components)}: "
                "a list or tuple holds one value for each component"
            )
        return values

    @staticmethod
    def _split_dict(names: list[str], vals: Value) -> list[Value]:
        if not isinstance(vals, Mapping):
            raise ValueError(f"found {type(vals).__name__}, expected a dict with the keys {names}")
        if vals.keys() != set(names):
            raise ValueError(f"found the keys {list(vals)}, expected the same keys as {names}")
        return [vals[name] for name in names]

    def _join(self, values: Sequence[Value]) -> Value:
        if self.names is not None:
            return dict(zip(self.names, values, strict=True))
        return values[0] if len(values) == 1 else list(values)


def make_layout(
    dtypes: DTypeLike | Sequence[DTypeLike] | None,
    shapes: Sequence[ShapeLike] | None = None,
    names: Sequence[str] | None = None,
) -> Layout:
    """Return the layout that a queue's arguments describe; without dtypes, any object."""
    if dtypes is not None:
        return TypedLayout(dtypes, shapes, names)
    if shapes is not None or names is not None:
        raise ConfigError("shapes and names need dtypes")
    return Layout()


def _one_each(what: str, given: Iterable[Any] | None, num_components: int) -> list[Any]:
    if given is None:
        return [None] * num_components
    values = list(given)
    if len(values) != num_components:
        raise ConfigError(f"{len(values)} {what} for {num_components} dtypes: give one for each")
    return values
