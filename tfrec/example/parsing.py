"""Examples to arrays: the specs of the features wanted, applied to one record or to a batch.

Features not asked for are not examined, so damage inside them is no error. A value is never
repaired: a default stands in for an absent feature, not for a short one or one of another kind.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tfrec.errors import ConfigError, ExampleError
from tfrec.example.columnar import ColumnarReader
from tfrec.example.columns import Group, ParsedFeature, RaggedBatch, make_column
from tfrec.example.scanner import split_example
from tfrec.example.specs import FeatureSpec

Serialized: TypeAlias = bytes | bytearray | memoryview
ParsedBatch: TypeAlias = NDArray[Any] | RaggedBatch


class ExampleParser:
    """Specs checked once, to parse many records or batches.

    Args:
        features: specs by key.
        copy: False lets `parse` give a large string that is a scalar, such as an image, as a
            read-only view of its record, which lives as long; `decode_raw` takes it.

    Raises:
        ConfigError: `features` is empty or holds a faulty spec.
        TypeError: a default is of another type than its dtype.
    """

    def __init__(self, features: Mapping[str, FeatureSpec], *, copy: bool = True) -> None:
        if not isinstance(features, Mapping) or not features:
            raise ConfigError(f"features must map keys to specs, not {features!r}")
        self._columns = [make_column(key, spec) for key, spec in features.items()]
        self._columnar = ColumnarReader(self._columns)
        self._copy = copy

    def parse(self, serialized: Serialized) -> dict[str, ParsedFeature]:
        """Return the features of one Example; see `parse_single_example`."""
        unparsed = dict(split_example(_to_bytes(serialized)))
        return {
            column.key: column.one(column.read(unparsed, copy=self._copy))
            for column in self._columns
        }

    def parse_batch(
        self, serialized: Sequence[Serialized], example_names: Sequence[str] | None = None
    ) -> dict[str, ParsedBatch]:
        """Return the features of a batch of Examples; see `parse_example`."""
        if isinstance(serialized, (bytes, bytearray, memoryview, str)):
            raise TypeError("parse_example takes a list of records; use parse_single_example")
        records = [record if type(record) is bytes else _to_bytes(record) for record in serialized]
        if example_names is not None and len(example_names) != len(records):
            raise ConfigError(
                f"{len(example_names)} example names were given for {len(records)} records"
            )
        try:
            groups, left = self._columnar.read(records)
        except ExampleError:  # raised anew below, with the index of the first bad row
            groups, left = {column.key: [] for column in self._columns}, np.arange(len(records))
        rows = [self._read_row(records[index], index, example_names) for index in left.tolist()]
        result: dict[str, ParsedBatch] = {}
        for number, column in enumerate(self._columns):
            one_by_one = Group(left, [row[number] for row in rows])
            result[column.key] = column.merged(len(records), [*groups[column.key], one_by_one])
        return result

    def _read_row(
        self, record: bytes, index: int, example_names: Sequence[str] | None
    ) -> list[Sequence[Any]]:
        """Return the values of each column in one record of a batch."""
        try:
            unparsed = dict(split_example(record))
            return [column.read(unparsed) for column in self._columns]
        except ExampleError as error:
            raise error.at(example_names[index] if example_names else None, index) from error


def parse_single_example(
    serialized: Serialized, features: Mapping[str, FeatureSpec]
) -> dict[str, ParsedFeature]:
    """Parse one Example into a dict of the keys of `features`.

    A scalar (`FixedLenFeature((), ...)`) comes as a numpy scalar or as bytes, all else as a fresh
    array; byte strings stand in arrays of objects. To parse many records, make an `ExampleParser`.

    Raises:
        ConfigError: `features` is empty or holds a faulty spec.
        ExampleError: a feature is missing, damaged, or of another kind or shape.
    """
    return ExampleParser(features).parse(serialized)


def parse_example(
    serialized: Sequence[Serialized],
    features: Mapping[str, FeatureSpec],
    example_names: Sequence[str] | None = None,
) -> dict[str, ParsedBatch]:
    """Parse a batch of Examples into a dict of the keys of `features`.

    `FixedLenFeature` gives an array (batch, *shape), `VarLenFeature` a `RaggedBatch`, and
    `FixedLenSequenceFeature` an array (batch, longest, *shape), padded with its default.

    Raises:
        ConfigError: `features` is empty or holds a faulty spec.
        ExampleError: a row fails; it has the row's index, and its name if names were given.
    """
    return ExampleParser(features).parse_batch(serialized, example_names)


def _to_bytes(record: Serialized) -> bytes:
    if isinstance(record, bytes):
        return record
    if isinstance(record, (bytearray, memoryview)):
        return bytes(record)
    raise TypeError(f"a serialized Example is bytes, not {type(record).__name__}")
