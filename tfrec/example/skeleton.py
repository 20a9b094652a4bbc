"""What an Example is beside its values: its keys, kinds and lengths, as bytes that stand still.

The records of raw images of one size are equal but for pixels, names and labels. Where all else is
equal to a record that was read, a record has the same features of the same kinds, which is told by
comparing a few dozen bytes instead of reading them again.

    |0A length 0A length 0A length key 12 length 0A length 0A length|  value  |0A length 0A ...
     fixed                                                                     fixed
"""

from collections.abc import Mapping
from typing import NamedTuple

from tfrec.example.scanner import (
    FIELD_1,
    FIELD_2,
    FIELD_3,
    UnexpectedLayoutError,
    enter_field,
)

_MAX_INTEGERS = 9  # bytes, 63 bits: a block that ends as a varint does is made of varints


class Skeleton(NamedTuple):
    """What an Example has in common with those of the same length that differ in values alone.

    Attributes:
        size: in bytes, of the whole Example.
        fixed: where bytes are that must be the same, and these bytes.
        last_bytes: of blocks of integers, where the last varint has to end.
        features: where the serialized Feature of each key starts and ends.
    """

    size: int
    fixed: tuple[tuple[int, bytes], ...]
    last_bytes: tuple[int, ...]
    features: Mapping[str, tuple[int, int]]

    def fits(self, data: bytes) -> bool:
        """Say whether `data` is an Example with the same features of the same kinds."""
        if len(data) != self.size:
            return False
        for start, fixed in self.fixed:
            if not data.startswith(fixed, start):
                return False
        return all(data[position] <= 0x7F for position in self.last_bytes)


class _Value(NamedTuple):
    """A value between fixed bytes; `is_integers` if it is a block of them."""

    start: int
    end: int
    is_integers: bool = False


def find_skeleton(data: bytes) -> Skeleton | None:
    """Return the skeleton of an Example that is known to be one.

    It has none where it isn't laid out as `encode_example` does it, or has long lists of integers.
    """
    values: list[_Value] = []
    features: dict[str, tuple[int, int]] = {}
    try:
        position, end = enter_field(data, 0, FIELD_1)
        while position < end:
            entry_start, position = enter_field(data, position, FIELD_1)
            key_start, key_end = enter_field(data, entry_start, FIELD_1)
            feature = enter_field(data, key_end, FIELD_2)
            if feature[1] != position:
                return None
            features[data[key_start:key_end].decode()] = feature
            values += _find_values(data, *feature)
    except (UnexpectedLayoutError, IndexError):
        return None
    fixed = []
    position = 0
    for value in values:
        fixed.append((position, data[position : value.start]))
        position = value.end
    fixed.append((position, data[position:]))
    last_bytes = tuple(value.end - 1 for value in values if value.is_integers)
    return Skeleton(len(data), tuple(fixed), last_bytes, features)


def _find_values(data: bytes, start: int, end: int) -> list[_Value]:
    """Return where the values of the Feature between two places are."""
    kind = data[start]
    position, list_end = enter_field(data, start, kind)
    if list_end != end or kind not in (FIELD_1, FIELD_2, FIELD_3):
        raise UnexpectedLayoutError
    values = []
    while position < end:
        value_start, position = enter_field(data, position, FIELD_1)
        values.append(_Value(value_start, position, is_integers=kind == FIELD_3))
    if kind == FIELD_3 and any(not 0 < of.end - of.start <= _MAX_INTEGERS for of in values):
        raise UnexpectedLayoutError
    return values
