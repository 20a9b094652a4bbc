"""One wanted feature: its values found in a record, checked, and made an array.

One class a spec. `read` gives the values of one record, `one` the result for a single record,
`many` the result for a batch.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tfrec.errors import ExampleError
from tfrec.example.keys import list_keys
from tfrec.example.scanner import Parts, parse_feature
from tfrec.example.specs import (
    FeatureSpec,
    FixedLenFeature,
    ResolvedSpec,
    VarLenFeature,
    make_array,
    resolve_spec,
)
from tfrec.example.values import KIND_NAMES, FloatList, Int64List

# A scalar is a numpy scalar, bytes, or a view of them where one is asked for; byte strings stand in
# arrays of objects.
ParsedFeature: TypeAlias = NDArray[Any] | np.generic | bytes | memoryview


class Group(NamedTuple):
    """Some rows of a batch: their indices, and the values of each in one column.

    The values for a `FixedColumn` may be one array, with as many elements a row as its shape holds.
    """

    indices: NDArray[np.int64]
    values: Sequence[Sequence[Any]] | NDArray[Any]


class RaggedBatch(NamedTuple):
    """`values` of all rows, one after another; `row_lengths` int64, how many each row has."""

    values: NDArray[Any]
    row_lengths: NDArray[np.int64]

    def padded(self, default_value: object = None) -> NDArray[Any]:
        """Return the rows as one array (batch, longest), the short ones padded.

        The default padding is 0, 0.0 or b"".

        Raises:
            TypeError: the default is of another kind than the values.
        """
        dtype = self.values.dtype
        if default_value is None:
            default_value = b"" if dtype.kind == "O" else 0
        is_bytes = isinstance(default_value, bytes)
        if is_bytes != (dtype.kind == "O") or not np.can_cast(
            np.asarray(default_value).dtype, dtype, "same_kind"
        ):
            raise TypeError(f"{default_value!r} cannot pad values of {dtype}")
        longest = self.row_lengths.max(initial=0)
        rows = np.full((len(self.row_lengths), longest), default_value, dtype)
        rows[np.arange(longest) < self.row_lengths[:, np.newaxis]] = self.values
        return rows


class Column:
    """A wanted feature of any number of values."""

    _is_scalar = False

    def __init__(self, key: str, spec: ResolvedSpec) -> None:
        self.key = key
        self.spec = spec

    def read(self, features: Mapping[str, Parts], *, copy: bool = True) -> Sequence[Any]:
        """Return the values of one record, which are the default's where the feature is absent.

        Without `copy` a large scalar string may be a view of the record.

        Raises:
            ExampleError: they are missing, damaged, or of another kind or number.
        """
        parts = features.get(self.key)
        feature = None
        if parts is not None:
            feature = parse_feature(self.key, parts, copy=copy or not self._is_scalar)
        if feature is None:
            return self._absent(features)
        if type(feature) is not self.spec.list_type:
            raise self._error(
                "holds another kind",
                f"{KIND_NAMES[type(feature)]} of shape ({len(feature.values)},)",
            )
        self._check_number(feature.values)
        return feature.values

    def one(self, values: Sequence[Any]) -> ParsedFeature:
        """Return the result for a single record."""
        return make_array(values, self.spec.dtype)

    def many(self, rows: Sequence[Sequence[Any]]) -> NDArray[Any] | RaggedBatch:
        """Return the result for a batch, from the values of each row."""
        return self._ragged(rows)

    def merged(self, num_rows: int, groups: Sequence[Group]) -> NDArray[Any] | RaggedBatch:
        """Return the result for a batch whose rows were read in groups."""
        rows: list[Sequence[Any]] = [()] * num_rows
        for indices, values in groups:
            for index, row in zip(indices, values, strict=True):
                rows[index] = row
        return self.many(rows)

    def _ragged(self, rows: Sequence[Sequence[Any]]) -> RaggedBatch:
        row_lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        return RaggedBatch(_join(rows, self.spec.dtype), row_lengths)

    def _absent(self, features: Mapping[str, Parts]) -> Sequence[Any]:  # noqa: ARG002 - see FixedColumn
        return ()

    def _check_number(self, values: Sequence[Any]) -> None:
        pass

    def _expected(self) -> str:
        return f"{KIND_NAMES[self.spec.list_type]} of any number"

    def _error(self, reason: str, found: str | None = None) -> ExampleError:
        return ExampleError(reason, self.key, found, self._expected())


class FixedColumn(Column):
    """As many values as the shape holds."""

    def __init__(self, key: str, spec: ResolvedSpec) -> None:
        super().__init__(key, spec)
        self._is_scalar = spec.shape == ()

    def one(self, values: Sequence[Any]) -> ParsedFeature:
        if self.spec.shape == () and self.spec.list_type is not FloatList:  # no array is needed
            scalar: np.generic | bytes = values[0]
            return np.int64(scalar) if self.spec.list_type is Int64List else scalar
        # The empty index makes a scalar of an array of no dimension, and leaves others alone
        array: ParsedFeature = make_array(values, self.spec.dtype).reshape(self.spec.shape)[()]
        return array

    def many(self, rows: Sequence[Sequence[Any]]) -> NDArray[Any]:
        return _join(rows, self.spec.dtype).reshape((len(rows), *self.spec.shape))

    def merged(self, num_rows: int, groups: Sequence[Group]) -> NDArray[Any]:
        rows = np.empty((num_rows, *self.spec.shape), self.spec.dtype)
        for indices, values in groups:
            if isinstance(values, np.ndarray):
                block = values.reshape((len(indices), *self.spec.shape))
            else:
                block = self.many(values)
            if len(indices) == num_rows:
                return block
            rows[indices] = block
        return rows

    def _absent(self, features: Mapping[str, Parts]) -> Sequence[Any]:
        if self.spec.default is not None:
            return list(self.spec.default)
        if self.key in features:
            raise self._error("has no value", "no kind")
        present = list_keys(features, [self.key])
        raise self._error(f"required, but missing; the keys present are: {present}")

    def _check_number(self, values: Sequence[Any]) -> None:
        if len(values) != self.spec.size:
            kind = KIND_NAMES[self.spec.list_type]
            raise self._error("holds another number of values", f"{kind} of shape ({len(values)},)")

    def _expected(self) -> str:
        return f"{KIND_NAMES[self.spec.list_type]} of shape {self.spec.shape}"


class _SequenceColumn(Column):
    """Any number of blocks of the shape; rows of a batch are padded with the default."""

    def one(self, values: Sequence[Any]) -> ParsedFeature:
        return make_array(values, self.spec.dtype).reshape((-1, *self.spec.shape))

    def many(self, rows: Sequence[Sequence[Any]]) -> NDArray[Any]:
        padding = None if self.spec.default is None else self.spec.default.item()
        padded = self._ragged(rows).padded(padding)
        # The length is spelled out: numpy cannot infer it where there are no values
        return padded.reshape((len(rows), padded.shape[1] // self.spec.size, *self.spec.shape))

    def _check_number(self, values: Sequence[Any]) -> None:
        if len(values) % self.spec.size:
            kind = KIND_NAMES[self.spec.list_type]
            raise self._error("holds another number of values", f"{kind} of shape ({len(values)},)")

    def _expected(self) -> str:
        dimensions = ", ".join(map(str, ("any", *self.spec.shape)))
        return f"{KIND_NAMES[self.spec.list_type]} of shape ({dimensions})"


def make_column(key: str, spec: FeatureSpec) -> Column:
    """Return the column for the spec of a key, which is checked."""
    resolved = resolve_spec(key, spec)
    if isinstance(spec, FixedLenFeature):
        return FixedColumn(key, resolved)
    if isinstance(spec, VarLenFeature):
        return Column(key, resolved)
    return _SequenceColumn(key, resolved)


def _join(rows: Sequence[Sequence[Any]], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the values of all rows as one fresh array."""
    if rows and dtype.kind == "f":  # which may be arrays already
        return np.concatenate([np.asarray(row, dtype) for row in rows])
    return make_array(list(chain.from_iterable(rows)), dtype)
