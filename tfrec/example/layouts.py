"""What records of one dataset have in common, learnt from one of them and matched by NumPy.

The records mostly have the same keys and kinds in the same order, and differ in their payloads: the
one string or packed block of each feature read here, the whole Feature of each other. Before each
payload stands a head: literal bytes, and lengths that exceed the payload's by a constant. So a
layout says, for any lengths of the payloads, what every head must be, and a record made of just
these heads and payloads, to its last byte, is an Example that can be read without looking further.

    record = first head, (head, payload)*
    head   = 0A length  0A length key  12 length  [list's tag, length  0A length]

Nothing here decides what is valid: a record that does not fit is read one by one.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tfrec.example.scanner import FIELD_1, FIELD_2, UnexpectedLayoutError, enter_field

Integers: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]


# The widest window on joined records, in bytes: they have so much room behind them.
MAX_WIDTH = 4096


class JoinedRecords:
    """Records in one buffer, which windows of at most `MAX_WIDTH` bytes look at."""

    def __init__(self, records: Sequence[bytes]) -> None:
        self.data = b"".join((*records, bytes(MAX_WIDTH)))
        self.num_bytes = len(self.data) - MAX_WIDTH
        self.lengths = np.fromiter(map(len, records), np.int64, len(records))
        self.starts = np.cumsum(self.lengths) - self.lengths

    def windows(self, starts: Integers, width: int) -> NDArray[np.uint8]:
        """Return the `width` bytes from each start on, an array (starts, width).

        A start past the end is taken for the end.
        """
        shape = (self.num_bytes + 1, width)
        windows = np.ndarray(shape, np.uint8, self.data, strides=(1, 1))
        return windows[np.minimum(starts, self.num_bytes)]


class Segment(NamedTuple):
    """A map entry: a head and a payload.

    `lengths` are the varints of the head: where it stands there, how many bytes it has, and by how
    much it exceeds the payload's length. The last one ends the head and exceeds it by nothing.
    """

    key: str
    head: bytes
    lengths: list[tuple[int, int, int]]


class Payloads(NamedTuple):
    """Where the payloads of the rows that fit are: arrays (segments, rows) in bytes."""

    starts: Integers
    lengths: Integers


class Layout:
    """The heads of a record, and the test whether others have the same."""

    def __init__(self, first_head: bytes, segments: Sequence[Segment]) -> None:
        self.segments = segments
        # The first head is treated as a segment whose payload is the rest of the record
        heads = [first_head, *(segment.head for segment in segments)]
        lengths = [[(1, len(first_head) - 1, 0)], *(segment.lengths for segment in segments)]
        self._head_ends = np.cumsum([len(head) for head in heads]).tolist()
        self._heads = np.frombuffer(b"".join(heads), np.uint8)
        varints = [
            (index, self._head_ends[index] - len(heads[index]) + offset, size, excess)
            for index, of_head in enumerate(lengths)
            for offset, size, excess in of_head
        ]
        self._payload_of = np.array([index for index, *_ in varints])
        self._excess = np.array([excess for *_, excess in varints])
        self._limits = np.array([1 << 7 * size for _, _, size, _ in varints])
        varint_bytes = [
            (varint, column + number, 7 * number, 0x80 if number < size - 1 else 0)
            for varint, (_, column, size, _) in enumerate(varints)
            for number in range(size)
        ]
        self._varint_of, self._columns, self._shifts, self._continues = np.array(varint_bytes).T

    def match(self, records: JoinedRecords, rows: Integers) -> tuple[Mask, Payloads]:
        """Return which of the rows fit, and where the payloads of those are."""
        starts = np.empty((len(self.segments) + 1, len(rows)), np.int64)
        lengths = np.empty_like(starts)
        heads = np.empty((len(rows), len(self._heads)), np.uint8)
        position = records.starts[rows]
        ends = position + records.lengths[rows]
        column = 0
        for index, head_end in enumerate(self._head_ends):
            head = records.windows(position, head_end - column)
            heads[:, column:head_end] = head
            starts[index] = position + head.shape[1]
            if index == 0:
                lengths[0] = ends - starts[0]
                position = starts[0]
            else:
                lengths[index] = _read_varints(head, self.segments[index - 1].lengths[-1])
                position = starts[index] + lengths[index]
            column = head_end
        fits = (position == ends) & self._heads_fit(heads, lengths)
        return fits, Payloads(starts[1:], lengths[1:])

    def _heads_fit(self, heads: NDArray[np.uint8], payload_lengths: Integers) -> Mask:
        """Return which rows' heads are those of the layout for the lengths of their payloads."""
        expected = payload_lengths[self._payload_of] + self._excess[:, np.newaxis]
        in_range = (expected < self._limits[:, np.newaxis]).all(axis=0)
        expected_bytes = expected[self._varint_of] >> self._shifts[:, np.newaxis]
        expected_bytes = expected_bytes & 0x7F | self._continues[:, np.newaxis]
        equal = heads == self._heads
        equal[:, self._columns] = heads[:, self._columns] == expected_bytes.T
        fits: Mask = in_range & equal.all(axis=1)
        return fits


def learn_layout(record: bytes, list_tags: Mapping[str, int]) -> Layout | None:
    """Return the layout of a record, or None where it has none.

    The payload of a key in `list_tags` is the one value or block of a list with that tag, any
    other is the whole Feature. Whether the record's own lengths agree is not asked: a layout
    fits only records whose lengths do.
    """
    segments: list[Segment] = []
    try:
        position, end = enter_field(record, 0, FIELD_1)
        first_head = record[:position]
        while position < end:
            segment, position = _learn_segment(record, position, list_tags)
            segments.append(segment)
    except (UnexpectedLayoutError, IndexError, UnicodeDecodeError):
        return None
    if any(len(segment.head) > MAX_WIDTH for segment in segments):
        return None
    return Layout(first_head, segments)


def _learn_segment(record: bytes, start: int, list_tags: Mapping[str, int]) -> tuple[Segment, int]:
    """Return the segment that starts at a place of a record, and where it ends."""
    entry_start, end = enter_field(record, start, FIELD_1)
    key_start, key_end = enter_field(record, entry_start, FIELD_1)
    payload_start, _ = enter_field(record, key_end, FIELD_2)
    key = record[key_start:key_end].decode()
    fields = [(start, entry_start), (key_end, payload_start)]
    for tag in (list_tags[key], FIELD_1) if key in list_tags else ():
        field = payload_start
        payload_start, _ = enter_field(record, field, tag)
        fields.append((field, payload_start))
    lengths = [
        (field + 1 - start, content - field - 1, payload_start - content)
        for field, content in fields
    ]
    return Segment(key, record[start:payload_start], lengths), end


def _read_varints(heads: NDArray[np.uint8], varint: tuple[int, int, int]) -> Integers:
    """Return the values of one varint of every head."""
    offset, size, _ = varint
    values = heads[:, offset].astype(np.int64)
    for number in range(1, size):
        values &= (1 << 7 * number) - 1
        values |= heads[:, offset + number].astype(np.int64) << 7 * number
    return values
