import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import RecordTooLargeError, TruncatedRecordError
from tfrec.wire import OVERHEAD, Place, frame_record, masked_crc32c, read_record

START = Place("x", 0, 0)


@pytest.mark.parametrize(
    ("record", "expected"),
    [  # as TensorFlow writes them
        (b"", "0000000000000000 29039807 d8ea82a2"),
        (b"a", "0100000000000000 0175de41 61 786ee428"),
        (b"hello", "0500000000000000 eab2043e 68656c6c6f bb1f1c19"),
    ],
)
def test_frame_of_known_records(record, expected):
    assert bytes.fromhex(expected) == frame_record(record)


@given(record=st.binary(max_size=1000), following=st.binary(max_size=20))
def test_a_framed_record_is_read_and_what_follows_is_left(record, following):
    stream = io.BytesIO(frame_record(record) + following)

    assert record == read_record(stream, START)
    assert len(record) + 16 == stream.tell()
    assert OVERHEAD == 16


def test_the_end_of_the_stream_is_no_record():
    assert read_record(io.BytesIO(), START) is None


def test_a_length_beyond_the_stream_is_refused_before_the_payload_is_read():
    stream = io.BytesIO(_header(1000) + bytes(100))

    with pytest.raises(TruncatedRecordError, match="needs 1,004 bytes.*100 are left"):
        read_record(stream, START, size=112)

    assert stream.tell() == 12


def test_a_length_beyond_the_limit_is_refused_where_the_size_is_unknown():
    stream = io.BytesIO(_header(101) + bytes(105))

    with pytest.raises(RecordTooLargeError) as caught:
        read_record(stream, Place("x", 3, 40), max_length=100)

    assert (caught.value.index, caught.value.offset) == (3, 40)
    assert (caught.value.length, caught.value.limit) == (101, 100)
    assert stream.tell() == 12


def test_a_length_at_the_limit_is_read():
    record = bytes(100)

    assert record == read_record(io.BytesIO(frame_record(record)), START, max_length=100)


def test_a_long_record_is_read_whole_where_the_size_is_unknown():
    record = bytes(range(256)) * 10_000  # more than one piece

    assert record == read_record(io.BytesIO(frame_record(record)), START)


def test_a_long_record_that_ends_early_is_truncated_where_the_size_is_unknown():
    stream = io.BytesIO(frame_record(bytes(3_000_000))[:-5])

    with pytest.raises(TruncatedRecordError, match="needs 3,000,004 bytes.*2,999,999 are left"):
        read_record(stream, START)


def _header(length):
    packed = struct.pack("<Q", length)
    return packed + struct.pack("<I", masked_crc32c(packed))
