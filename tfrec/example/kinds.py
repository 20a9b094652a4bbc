"""Which message a record is: by its fields, since the bytes of a message don't name its type.

An Example, a SequenceExample and an Event (of TensorBoard's logs) are told apart by the numbers and
wire types of their fields, down to the keys of the features. Nothing is decoded beyond that, and
depth is bounded, so that a hostile message costs no more than its length.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, get_args

from tfrec.errors import ExampleError
from tfrec.example.scanner import is_plain_example

MessageKind = Literal["Example", "SequenceExample", "Event", "proto", "bytes"]
"""`proto` is a message of another type, `bytes` is no message."""

MESSAGE_KINDS: tuple[MessageKind, ...] = get_args(MessageKind)

_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5
_MAX_FIELD = 1 << 14  # a larger number is rather text or noise than a message
_MAX_ENTRIES = 64  # map entries that are looked at

# Event: wall_time, step, then one of several; source_metadata (tensorflow, core/util/event.proto).
_EVENT_FIELDS = {1: _FIXED64, 2: _VARINT, **dict.fromkeys(range(3, 11), _DELIMITED)}
_EVENT_SUMMARY = 5
# Summary.Value (tensorflow, core/framework/summary.proto).
_SUMMARY_VALUES = {2: "simple_value", 4: "image", 5: "histo", 6: "audio", 8: "tensor"}


class _Field(NamedTuple):
    """A field of a message: its number, its wire type, and where its content lies."""

    number: int
    wire_type: int
    start: int
    end: int


def detect_kind(record: bytes) -> MessageKind:
    """Say which message a record is; an empty one is an Example without features."""
    if is_plain_example(record):  # as good as all are, and it takes a third of the time
        return "Example"
    try:
        fields = list(_scan(record, 0, len(record)))
    except _NoMessageError:
        return "bytes"
    numbers = {field.number for field in fields}
    if numbers <= {1} and all(_is_features(record, field) for field in fields):
        return "Example"
    if numbers <= {1, 2} and all(
        _is_features(record, field) if field.number == 1 else _is_lists(record, field)
        for field in fields
    ):
        return "SequenceExample"
    if 1 in numbers and all(_EVENT_FIELDS.get(field.number) == field.wire_type for field in fields):
        return "Event"
    return "proto"


def count_summary_values(event: bytes) -> Counter[str]:
    """Return how many values of each kind, such as `simple_value`, an Event has in its summary.

    Raises:
        ExampleError: the summary is damaged.
    """
    try:
        return Counter(_summary_values(event))
    except _NoMessageError as error:
        raise ExampleError("the summary of the tensorflow.Event is damaged") from error


def _summary_values(event: bytes) -> Iterator[str]:
    for field in _scan(event, 0, len(event)):
        if field.number == _EVENT_SUMMARY and field.wire_type == _DELIMITED:
            for value in _scan(event, field.start, field.end):
                kinds = {_SUMMARY_VALUES.get(part.number) for part in _scan(event, *value[2:])}
                yield from (kind for kind in kinds if kind is not None)


class _NoMessageError(Exception):
    """The bytes are no message."""


_Test = Callable[[bytes, _Field], bool]


def _scan(data: bytes, start: int, end: int) -> Iterator[_Field]:
    """Yield the fields of the message between two positions."""
    while start < end:
        tag, start = _read_varint(data, start, end)
        number, wire_type = tag >> 3, tag & 7
        if not 1 <= number <= _MAX_FIELD:
            raise _NoMessageError
        if wire_type == _VARINT:
            _, stop = _read_varint(data, start, end)
        elif wire_type == _DELIMITED:
            length, start = _read_varint(data, start, end)
            stop = start + length
        elif wire_type in (_FIXED64, _FIXED32):
            stop = start + (8 if wire_type == _FIXED64 else 4)
        else:
            raise _NoMessageError
        if stop > end:
            raise _NoMessageError
        yield _Field(number, wire_type, start, stop)
        start = stop


def _read_varint(data: bytes, start: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while start < end and shift < 70:
        byte = data[start]
        start += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, start
        shift += 7
    raise _NoMessageError


def _is_features(data: bytes, field: _Field) -> bool:
    """Say whether a field is Features: a map from text to Feature."""
    return _is_map(data, field, _is_feature)


def _is_lists(data: bytes, field: _Field) -> bool:
    """Say whether a field is FeatureLists: a map from text to lists of Feature."""
    return _is_map(data, field, _is_feature_list)


def _is_map(data: bytes, field: _Field, is_value: _Test) -> bool:
    if field.wire_type != _DELIMITED:
        return False
    try:
        for position, entry in enumerate(_scan(data, field.start, field.end)):
            if (entry.number, entry.wire_type) != (1, _DELIMITED):
                return False
            if position < _MAX_ENTRIES and not _is_entry(data, entry, is_value):
                return False
    except (_NoMessageError, UnicodeDecodeError):
        return False
    return True


def _is_entry(data: bytes, entry: _Field, is_value: _Test) -> bool:
    for part in _scan(data, entry.start, entry.end):
        if part.wire_type != _DELIMITED or part.number not in (1, 2):
            return False
        if part.number == 1:
            data[part.start : part.end].decode()
        elif not is_value(data, part):
            return False
    return True


def _is_feature(data: bytes, field: _Field) -> bool:
    """Say whether a field is a Feature: a list of one of three kinds."""
    return all(
        part.wire_type == _DELIMITED and part.number in (1, 2, 3)
        for part in _scan(data, field.start, field.end)
    )


def _is_feature_list(data: bytes, field: _Field) -> bool:
    return all(
        (part.number, part.wire_type) == (1, _DELIMITED) and _is_feature(data, part)
        for _, part in zip(range(_MAX_ENTRIES), _scan(data, field.start, field.end), strict=False)
    )
