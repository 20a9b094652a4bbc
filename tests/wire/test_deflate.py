"""Compressed streams: what is written is read, by the standard library too."""

import gzip
import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import ConfigError
from tfrec.wire import RecordWriter, open_records
from tfrec.wire.deflate import compress, gzip_member

INFLATE = {
    "none": bytes,
    "gzip": gzip.decompress,
    "zlib": zlib.decompress,
}
every_compression = pytest.mark.parametrize("compression", INFLATE)


def write(compression, pieces, **options):
    stream = io.BytesIO()
    with compress(stream, compression, **options) as output:
        for piece in pieces:
            output.write(piece)
    return stream.getvalue()


@every_compression
@given(pieces=st.lists(st.binary(max_size=300), max_size=5), level=st.integers(0, 9))
def test_what_is_written_is_read(compression, pieces, level):
    written = write(compression, pieces, level=level)

    assert b"".join(pieces) == INFLATE[compression](written)


def test_a_gzip_header_has_no_time_no_name_and_unix():
    # RFC 1952: ID1 ID2 CM FLG MTIME(4) XFL OS.
    expected = bytes.fromhex("1f8b 08 00 00000000 00 03")

    assert expected == write("gzip", [b"abc"])[:10]
    assert expected == write("gzip", [], level=9)[:10]
    assert expected == gzip_member(b"abc", level=1)[:10]


def test_nothing_written_is_an_empty_stream():
    assert b"" == write("none", [])
    assert b"" == gzip.decompress(write("gzip", []))
    assert zlib.compress(b"") == write("zlib", [])


def test_a_higher_level_is_smaller():
    data = bytes(range(256)) * 20 + b"some words " * 500

    stored, smallest = (len(write("gzip", [data], level=level)) for level in (0, 9))

    assert stored > len(data) > smallest


@pytest.mark.parametrize("level", [-1, 10])
def test_a_level_that_zlib_has_not_is_refused(level):
    with pytest.raises(ConfigError, match=f"compression level {level}"):
        compress(io.BytesIO(), "gzip", level=level)


def test_an_unknown_compression_is_refused():
    with pytest.raises(
        ConfigError, match="compression 'lz4': must be one of 'none', 'gzip', 'zlib'"
    ):
        compress(io.BytesIO(), "lz4")


@pytest.mark.parametrize("compression", ["gzip", "zlib"])
def test_flushed_bytes_can_be_read_before_the_end(compression):
    stream = io.BytesIO()
    output = compress(stream, compression)
    output.write(b"first")
    output.flush()
    inflater = zlib.decompressobj({"gzip": 31, "zlib": 15}[compression])

    assert b"first" == inflater.decompress(stream.getvalue())


def test_a_second_flush_adds_nothing():
    stream = io.BytesIO()
    output = compress(stream, "gzip")
    output.write(b"first")
    output.flush()
    size = len(stream.getvalue())
    output.flush()

    assert size == len(stream.getvalue())


@pytest.mark.parametrize("compression", ["gzip", "zlib"])
def test_closing_twice_is_harmless_and_writing_then_refused(compression):
    stream = io.BytesIO()
    output = compress(stream, compression)
    output.close()
    size = len(stream.getvalue())
    output.close()

    assert size == len(stream.getvalue())
    with pytest.raises(ValueError, match="closed"):
        output.write(b"late")


def test_the_stream_below_stays_open():
    stream = io.BytesIO()
    with compress(stream, "gzip"):
        pass

    assert not stream.closed


@given(blocks=st.lists(st.binary(max_size=300), min_size=1, max_size=5))
def test_joined_members_are_one_file(blocks):
    assert b"".join(blocks) == gzip.decompress(b"".join(map(gzip_member, blocks)))


@pytest.mark.parametrize("compression", ["none", "gzip", "zlib"])
def test_records_survive_a_round_trip(compression):
    stream = io.BytesIO()
    with compress(stream, compression) as output, RecordWriter(output) as writer:
        for record in (b"first", b"", b"third"):
            writer.write(record)
    stream.seek(0)

    reader = open_records(stream, path="x")

    assert [b"first", b"", b"third"] == [record.data for record in reader]
