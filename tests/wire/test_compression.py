import gzip
import io
import struct
import subprocess
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import ChecksumError, DataLossError, RecordTooLargeError, TruncatedRecordError
from tfrec.wire import frame_record, masked_crc32c, open_records
from tfrec.wire.compression import detect_compression

RECORDS = [b"first", b"", b"the third"]
WHOLE = b"".join(map(frame_record, RECORDS))


def gzip_bytes(data, level=6):
    return gzip.compress(data, level, mtime=0)


def zlib_bytes(data, level=6):
    return zlib.compress(data, level)


def deflate_bytes(data):
    deflater = zlib.compressobj(6, wbits=-15)
    return deflater.compress(data) + deflater.flush()


COMPRESSORS = {"gzip": gzip_bytes, "zlib": zlib_bytes}
each_compression = pytest.mark.parametrize("compression", ["gzip", "zlib"])


def read(data, stream_type=io.BytesIO, **options):
    """Return the payloads before the fault, and the fault or None."""
    payloads = []
    try:
        for record in open_records(stream_type(data), path="x", **options):
            payloads.append(record.data)
    except DataLossError as fault:
        return payloads, fault
    return payloads, None


@pytest.mark.parametrize("level", range(10))
@each_compression
def test_compressed_records_are_detected_and_read(compression, level, stream_type):
    data = COMPRESSORS[compression](WHOLE, level)

    assert (RECORDS, None) == read(data, stream_type)
    assert (RECORDS, None) == read(data, stream_type, compression=compression)


def test_plain_records_are_detected_and_read(stream_type):
    assert (RECORDS, None) == read(WHOLE, stream_type)


@given(
    records=st.lists(st.binary(max_size=500), max_size=8),
    compression=st.sampled_from(["gzip", "zlib"]),
)
def test_records_survive_compression(records, compression):
    data = COMPRESSORS[compression](b"".join(map(frame_record, records)))

    assert (records, None) == read(data)


@pytest.mark.parametrize(
    ("stored", "named"),
    [
        ("none", "gzip"),
        ("none", "zlib"),
        ("gzip", "none"),
        ("gzip", "zlib"),
        ("zlib", "none"),
        ("zlib", "gzip"),
        ("deflate", "gzip"),
        ("deflate", "zlib"),
        ("deflate", "auto"),
    ],
)
def test_a_wrongly_named_compression_is_a_fault_before_any_record(stored, named):
    compress = {"none": bytes, "deflate": deflate_bytes, **COMPRESSORS}[stored]

    payloads, fault = read(compress(WHOLE), compression=named)

    assert payloads == []
    assert (fault.path, fault.index, fault.offset) == ("x", 0, 0)


def test_a_plain_file_read_as_gzip_is_said_to_be_no_gzip():
    _, fault = read(WHOLE, compression="gzip")

    assert str(fault) == "x: record 0 at offset 0: this is no gzip stream"


def test_a_plain_file_read_as_zlib_is_said_to_have_no_such_header():
    _, fault = read(WHOLE, compression="zlib")

    assert "the zlib stream is damaged" in str(fault)
    assert "incorrect header check" in str(fault)


def test_a_plain_length_that_looks_like_gzip_is_plain():
    """A record of 0x8b1f bytes starts with the two bytes that gzip files start with."""
    record = bytes(0x8B1F)
    data = frame_record(record)

    assert data[:2] == b"\x1f\x8b"
    assert ([record], None) == read(data)


def test_a_plain_length_that_looks_like_zlib_is_plain():
    record = bytes(0x9C78)

    assert ([record], None) == read(frame_record(record))


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        (b"", "none"),
        (b"\x1f", "none"),
        (b"\x1f\x8b", "gzip"),
        (b"\x78\x01", "zlib"),
        (b"\x78\x5e", "zlib"),
        (b"\x78\x9c", "zlib"),
        (b"\x78\xda", "zlib"),
        (b"\x78\x9d", "none"),  # no multiple of 31
        (b"bs and more text", "none"),  # a multiple of 31, of another method
    ],
)
def test_compression_is_detected_by_content(prefix, expected):
    assert expected == detect_compression(prefix)


def test_a_name_in_the_gzip_header_is_skipped():
    file = io.BytesIO()
    with gzip.GzipFile("a name.tfrecords", "wb", fileobj=file, mtime=5) as stream:
        stream.write(WHOLE)

    assert b"a name" in file.getvalue()
    assert (RECORDS, None) == read(file.getvalue())


def test_hundreds_of_flushed_blocks_are_read():
    records = [b"%d" % n for n in range(500)]
    deflater = zlib.compressobj(wbits=31)
    pieces = [
        deflater.compress(frame_record(record)) + deflater.flush(zlib.Z_SYNC_FLUSH)
        for record in records
    ]

    assert (records, None) == read(b"".join(pieces) + deflater.flush())


@pytest.mark.parametrize("boundary", range(len(WHOLE) + 1))
def test_gzip_members_are_one_stream_wherever_one_ends(boundary):
    data = gzip_bytes(WHOLE[:boundary]) + gzip_bytes(WHOLE[boundary:])

    assert (RECORDS, None) == read(data)


@pytest.mark.parametrize("num_before", [0, 1, 3])
@pytest.mark.parametrize("num_after", [0, 1, 3])
def test_empty_gzip_members_are_skipped(num_before, num_after):
    empty = gzip_bytes(b"")
    half = frame_record(b"half")

    data = empty * num_before + gzip_bytes(half) + empty + gzip_bytes(half) + empty * num_after

    assert ([b"half", b"half"], None) == read(data)


@pytest.mark.parametrize("compression", ["none", "gzip", "zlib", "auto"])
def test_a_file_of_no_bytes_has_no_record(compression):
    assert ([], None) == read(b"", compression=compression)


@each_compression
def test_an_empty_stream_has_no_record(compression):
    assert ([], None) == read(COMPRESSORS[compression](b""))


@each_compression
def test_every_cut_is_truncated_after_the_whole_records(compression):
    data = COMPRESSORS[compression](WHOLE)

    for length in range(1, len(data)):
        payloads, fault = read(data[:length], compression=compression)

        assert payloads == RECORDS[: len(payloads)]
        assert type(fault) is TruncatedRecordError
        assert fault.index == len(payloads)


@each_compression
def test_a_cut_costs_no_record_that_was_compressed_before_it(compression):
    """Few compressed bytes hold much: the last of them are read long before their records are."""
    record = b"again"
    # The last repetitions straddle 256 KiB, which are inflated at a time.
    data = COMPRESSORS[compression](frame_record(record) * 12_498)

    for length in range(len(data) - 12, len(data)):
        inflater = zlib.decompressobj(31 if compression == "gzip" else 15)
        num_whole = len(inflater.decompress(data[:length])) // 21
        payloads, fault = read(data[:length])

        assert num_whole == len(payloads)
        assert type(fault) is TruncatedRecordError


@pytest.mark.parametrize(("compression", "trailer_size"), [("gzip", 8), ("zlib", 4)])
def test_a_cut_inside_the_trailer_comes_after_all_records(compression, trailer_size):
    data = COMPRESSORS[compression](WHOLE)

    for missing in range(1, trailer_size + 1):
        payloads, fault = read(data[:-missing])

        assert payloads == RECORDS
        assert type(fault) is TruncatedRecordError
        assert str(fault) == f"x: record 3 at offset 62: the {compression} stream ends early"


def test_the_first_byte_of_another_gzip_member_is_truncated():
    payloads, fault = read(gzip_bytes(WHOLE) + b"\x1f")

    assert payloads == RECORDS
    assert type(fault) is TruncatedRecordError


@each_compression
def test_every_flipped_bit_gives_all_records_or_a_fault(compression):
    """Some bits mean nothing: gzip's time and system, the padding of the last block."""
    data = COMPRESSORS[compression](WHOLE)
    trailer = len(data) - (8 if compression == "gzip" else 4)

    for bit in range(len(data) * 8):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        payloads, fault = read(bytes(damaged), compression=compression)

        assert payloads == RECORDS[: len(payloads)]
        assert fault or payloads == RECORDS
        assert fault or bit // 8 < trailer


@pytest.mark.parametrize("junk", [b"\0", b"\0" * 512, b"junk", WHOLE, deflate_bytes(WHOLE)])
def test_what_follows_a_gzip_stream_is_a_fault_after_all_records(junk):
    payloads, fault = read(gzip_bytes(WHOLE) + junk)

    assert payloads == RECORDS
    assert (fault.index, fault.offset) == (3, 62)
    assert "no gzip member" in str(fault)


@pytest.mark.parametrize("junk", [b"\0", b"junk", zlib_bytes(WHOLE), gzip_bytes(WHOLE)])
def test_what_follows_a_zlib_stream_is_a_fault_after_all_records(junk):
    payloads, fault = read(zlib_bytes(WHOLE) + junk)

    assert payloads == RECORDS
    assert (fault.index, fault.offset) == (3, 62)
    assert "bytes follow the end" in str(fault)


@each_compression
def test_faults_of_frames_are_placed_in_the_uncompressed_stream(compression):
    damaged = bytearray(WHOLE)
    damaged[49] ^= 1  # in the third payload, which starts at 37 + 12

    payloads, fault = read(COMPRESSORS[compression](bytes(damaged)))

    assert payloads == RECORDS[:2]
    assert type(fault) is ChecksumError
    assert (fault.index, fault.offset) == (2, 49)


@each_compression
def test_a_record_longer_than_the_limit_is_too_large(compression):
    data = COMPRESSORS[compression](frame_record(bytes(1000)))

    _, fault = read(data, max_length=999)

    assert type(fault) is RecordTooLargeError
    assert ([bytes(1000)], None) == read(data, max_length=1000)


def test_200_records_of_a_gzip_file_far_smaller_than_they_are():
    records = [bytes([n]) * 5000 for n in range(200)]
    data = gzip_bytes(b"".join(map(frame_record, records)))

    assert len(data) < 50_000
    assert (records, None) == read(data)


BOMB_PROGRAM = """
import io, resource, sys
from tfrec.wire import open_records

reader = open_records(io.BytesIO(sys.stdin.buffer.read()), path="x")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for record in reader:
    pass
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(reader.num_records, (after - before) // 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures memory as Linux does")
def test_a_gzip_bomb_costs_no_memory():
    """300 MB of records in 300 KB, a thousand times smaller."""
    bomb = io.BytesIO()
    record = frame_record(bytes(3_000_000))
    with gzip.GzipFile(fileobj=bomb, mode="wb", compresslevel=9) as stream:
        for _ in range(100):
            stream.write(record)

    done = subprocess.run(
        [sys.executable, "-c", BOMB_PROGRAM], input=bomb.getvalue(), capture_output=True, check=True
    )

    num_records, growth_in_mib = map(int, done.stdout.split())
    assert len(bomb.getvalue()) < 500_000
    assert num_records == 100
    assert growth_in_mib < 20


def test_a_hostile_length_in_a_gzip_stream_is_too_large():
    packed = struct.pack("<Q", 2**40)
    data = gzip_bytes(packed + struct.pack("<I", masked_crc32c(packed)) + bytes(100))

    _, fault = read(data)

    assert type(fault) is RecordTooLargeError
    assert (fault.length, fault.limit) == (2**40, 2**30)
