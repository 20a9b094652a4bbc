import contextlib
import io
import itertools
import struct
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import (
    ChecksumError,
    DataLossError,
    RecordTooLargeError,
    TruncatedRecordError,
)
from tfrec.wire import Record, RecordReader, RecordWriter, masked_crc32c, open_records

# Records of 5, 0 and 9 bytes: they start at 0, 21 and 37, and the stream ends at 62.
RECORDS = [b"first", b"", b"the third"]
STARTS = [0, 21, 37]
END = 62


def write(records):
    stream = io.BytesIO()
    with RecordWriter(stream) as writer:
        for record in records:
            writer.write(record)
    return stream.getvalue()


WHOLE = write(RECORDS)


def read_until_fault(stream, **options):
    """Return the records before the fault, and the fault or None."""
    reader = RecordReader(stream, path="x", **options)
    records = []
    try:
        for record in reader:
            records.append(record)
    except DataLossError as fault:
        return records, fault
    return records, None


def test_records_come_with_their_offsets(stream_type):
    reader = RecordReader(stream_type(WHOLE), path="x")

    assert list(map(Record, STARTS, RECORDS)) == list(reader)
    assert reader.num_records == 3
    assert END == reader.offset == len(WHOLE)


@given(records=st.lists(st.binary(max_size=200), max_size=6))
def test_written_records_are_read(records):
    stream = io.BytesIO(write(records))

    assert records == [record.data for record in RecordReader(stream, path="x")]


@given(parts=st.lists(st.lists(st.binary(max_size=20), max_size=3), max_size=3))
def test_joined_streams_are_one_stream(parts):
    stream = io.BytesIO(b"".join(map(write, parts)))

    assert list(itertools.chain(*parts)) == [
        record.data for record in RecordReader(stream, path="x")
    ]


def test_an_empty_stream_has_no_record(stream_type):
    assert list(RecordReader(stream_type(), path="x")) == []


def test_reading_starts_where_the_stream_stands():
    stream = io.BytesIO(b"something else" + WHOLE)
    stream.seek(14)

    assert RECORDS == [record.data for record in RecordReader(stream, path="x")]


@pytest.mark.parametrize("options", [{}, {"size": END}])
def test_reading_goes_on_from_a_record_in_the_middle(options):
    stream = io.BytesIO(WHOLE)
    stream.seek(21)
    reader = RecordReader(stream, path="x", start=(1, 21), **options)

    assert [Record(21, b""), Record(37, b"the third")] == list(reader)
    assert (3, END) == (reader.num_records, reader.offset)


def test_a_fault_is_named_by_its_place_in_the_whole():
    stream = io.BytesIO(WHOLE[:-1])
    stream.seek(21)
    reader = RecordReader(stream, path="x", start=(1, 21))

    with pytest.raises(TruncatedRecordError) as caught:
        list(reader)

    assert (2, 37) == (caught.value.index, caught.value.offset)
    assert "needs 13 bytes after its header, 12 are left" in str(caught.value)


def test_what_stands_before_the_start_is_no_room_for_a_record():
    stream = io.BytesIO(b"something else" + hostile(100))
    stream.seek(14)

    _, fault = read_until_fault(stream)

    assert str(fault) == (
        "x: record 0 at offset 0: the record needs 104 bytes after its header, 2 are left"
    )


def test_a_reader_at_its_end_stays_there():
    reader = RecordReader(io.BytesIO(WHOLE), path="x")
    list(reader)

    assert list(reader) == []


@pytest.mark.parametrize("length", [n for n in range(END) if n not in (0, 21, 37)])
def test_a_cut_inside_a_record_is_truncated(stream_type, length):
    index = sum(start < length for start in STARTS) - 1

    records, fault = read_until_fault(stream_type(WHOLE[:length]))

    assert RECORDS[:index] == [record.data for record in records]
    assert type(fault) is TruncatedRecordError
    assert (fault.path, fault.index, fault.offset) == ("x", index, STARTS[index])


@pytest.mark.parametrize("num_records", [0, 1, 2])
def test_a_cut_between_records_is_the_end(num_records):
    """The format can't say how many records there should be."""
    stream = io.BytesIO(WHOLE[: STARTS[num_records]])

    assert RECORDS[:num_records] == [record.data for record in RecordReader(stream, path="x")]


@pytest.mark.parametrize("bit", range(END * 8))
def test_every_flipped_bit_is_reported_where_it_lies(stream_type, bit):
    damaged = flip(WHOLE, bit)
    index = sum(start <= bit // 8 for start in STARTS) - 1
    start = STARTS[index]
    in_header = bit // 8 < start + 12

    records, fault = read_until_fault(stream_type(damaged))

    assert RECORDS[:index] == [record.data for record in records]
    assert type(fault) is ChecksumError
    assert (fault.path, fault.index) == ("x", index)
    assert fault.offset == (start if in_header else start + 12)
    assert fault.stored != fault.computed
    assert ("length" if in_header else "payload") in str(fault)
    assert in_header or f"starts at offset {start}" in str(fault)


@pytest.mark.parametrize("bit", [12 * 8, 17 * 8, 20 * 8 + 7])
def test_a_payload_is_not_checked_where_nobody_asks(bit):
    stream = io.BytesIO(flip(WHOLE, bit))

    assert len(list(RecordReader(stream, path="x", verify=False))) == 3


@pytest.mark.parametrize("bit", [0, 63, 64, 95])
def test_a_length_is_checked_always(bit):
    with pytest.raises(ChecksumError):
        list(RecordReader(io.BytesIO(flip(WHOLE, bit)), path="x", verify=False))


def test_the_checksums_of_a_fault_are_the_stored_and_the_computed_one():
    damaged = bytearray(WHOLE)
    damaged[17:21] = struct.pack("<I", 7)  # the CRC of the first payload

    _, fault = read_until_fault(io.BytesIO(damaged))

    assert (7, masked_crc32c(b"first")) == (fault.stored, fault.computed)


def test_damage_behind_two_frames_of_55_bytes_is_at_offset_122():
    stream = io.BytesIO(flip(write([bytes([n]) * 39 for n in range(5)]), 130 * 8))

    records, fault = read_until_fault(stream)

    assert [0, 55] == [record.offset for record in records]
    assert (2, 122) == (fault.index, fault.offset)
    assert "record 2 at offset 122" in str(fault)


def test_a_fault_is_raised_on_every_later_request():
    reader = RecordReader(io.BytesIO(flip(WHOLE, 12 * 8)), path="x")

    for _ in range(3):
        with pytest.raises(ChecksumError, match="record 0 at offset 12"):
            next(reader)


def test_a_failing_stream_ends_the_reading():
    """The stream's position is unknown then: what follows would be read as a record's header."""

    class Failing(io.BytesIO):
        def read(self, size=-1):
            if self.tell() == 12:
                super().read(2)
                raise OSError(5, "Input/output error", "x")
            return super().read(size)

    reader = RecordReader(Failing(WHOLE), path="x")

    for _ in range(3):
        with pytest.raises(OSError, match="Input/output error: 'x'"):
            next(reader)


def test_a_text_file_is_no_tfrecord_file():
    text = io.BytesIO(b"a line of text\n" * 10)

    _, fault = read_until_fault(text)

    assert (0, 0) == (fault.index, fault.offset)
    assert "this may be no TFRecord file" in str(fault)


def test_damage_of_a_later_header_does_not_doubt_the_file():
    _, fault = read_until_fault(io.BytesIO(flip(WHOLE, 21 * 8)))

    assert "no TFRecord file" not in str(fault)


@pytest.mark.parametrize("junk_length", [1, 11, 12, 100])
def test_junk_after_the_last_record_is_a_fault(junk_length):
    records, fault = read_until_fault(io.BytesIO(WHOLE + b"j" * junk_length))

    assert RECORDS == [record.data for record in records]
    assert type(fault) is (TruncatedRecordError if junk_length < 12 else ChecksumError)
    assert (3, END) == (fault.index, fault.offset)


@pytest.mark.parametrize(
    ("header_format", "footer_format", "masked"),
    [("<QI", ">I", True), ("<QI", "<I", False), (">QI", "<I", True)],
    ids=["big-endian footer", "unmasked footer", "big-endian length"],
)
def test_checksums_of_another_form_are_wrong(header_format, footer_format, masked):
    length = struct.pack(header_format[:2], 3)
    header = length + struct.pack("<I", masked_crc32c(length))
    footer = struct.pack(footer_format, masked_crc32c(b"abc") if masked else 0x364B3FB7)

    _, fault = read_until_fault(io.BytesIO(header + b"abc" + footer))

    assert type(fault) in (ChecksumError, TruncatedRecordError)
    assert fault.index == 0


@pytest.mark.parametrize("difference", [-1, 1])
def test_a_length_that_is_off_by_one_is_seen_at_the_payload(difference):
    length = struct.pack("<Q", 5 + difference)
    damaged = length + struct.pack("<I", masked_crc32c(length)) + WHOLE[12:]

    records, fault = read_until_fault(io.BytesIO(damaged))

    assert (records, fault.index, fault.offset) == ([], 0, 12)


HOSTILE_LENGTHS = [
    2**24, 2**31 - 1, 2**31, 2**32, 2**40, 2**63 - 5, 2**63 - 4, 2**63, 2**64 - 17, 2**64 - 1,
]  # fmt: skip


@pytest.mark.parametrize("length", HOSTILE_LENGTHS)
def test_a_hostile_length_in_a_file_is_truncated(length):
    records, fault = read_until_fault(io.BytesIO(WHOLE + hostile(length)))

    assert len(records) == 3
    assert type(fault) is TruncatedRecordError
    assert (3, END) == (fault.index, fault.offset)
    assert f"needs {length + 4:,} bytes" in str(fault)
    assert "2 are left" in str(fault)


@pytest.mark.parametrize("length", HOSTILE_LENGTHS)
def test_a_hostile_length_in_a_pipe_is_too_large_or_truncated(pipe_type, length):
    records, fault = read_until_fault(pipe_type(WHOLE + hostile(length)))

    assert len(records) == 3
    assert type(fault) is (RecordTooLargeError if length > 2**30 else TruncatedRecordError)
    assert (3, END) == (fault.index, fault.offset)


HOSTILE_PROGRAM = """
import io, resource, sys
from tfrec.errors import DataLossError
from tfrec.wire import RecordReader

class Pipe(io.BytesIO):
    def seekable(self):
        return False

limit = 60 << 20  # bytes more than are in use; a real allocation fails
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))
for line in sys.stdin:
    for stream_type in (io.BytesIO, Pipe):
        try:
            list(RecordReader(stream_type(bytes.fromhex(line)), path="x"))
        except DataLossError as error:
            print(type(error).__name__)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory as Linux does")
def test_a_hostile_length_allocates_nothing():
    lines = "\n".join(hostile(length).hex() for length in [*HOSTILE_LENGTHS, 2**30 - 1])

    done = subprocess.run(
        [sys.executable, "-c", HOSTILE_PROGRAM],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert len(done.stdout.split()) == 2 * (len(HOSTILE_LENGTHS) + 1)


def test_a_limit_bounds_the_records_of_a_pipe(pipe_type):
    _, fault = read_until_fault(pipe_type(WHOLE), max_length=4)

    assert (5, 4) == (fault.length, fault.limit)


def test_the_records_of_a_seekable_stream_have_no_limit_but_its_size():
    assert len(list(RecordReader(io.BytesIO(WHOLE), path="x", max_length=4))) == 3


@given(data=st.binary(max_size=60))
def test_any_bytes_are_records_or_a_fault(stream_type, data):
    with contextlib.suppress(DataLossError):
        list(open_records(stream_type(data), path="x"))


def flip(data, bit):
    damaged = bytearray(data)
    damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)


def hostile(length):
    packed = struct.pack("<Q", length)
    return packed + struct.pack("<I", masked_crc32c(packed)) + b"ab"
