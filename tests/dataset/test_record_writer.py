"""Writing records to a file by its path."""

import gzip
import subprocess
import sys
import threading
import zlib

import pytest

from tfrec.dataset.record_writer import TFRecordOptions, TFRecordWriter
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record, open_records

# The frame of b"hello": length 5, its checksum, the bytes, their checksum.
HELLO = bytes.fromhex("0500000000000000 eab2043e 68656c6c6f bb1f1c19")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "x.tfrecord")


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


@pytest.mark.parametrize(
    ("options", "inflate"),
    [
        (None, bytes),
        ("", bytes),
        ("GZIP", gzip.decompress),
        ("ZLIB", zlib.decompress),
        (TFRecordOptions("GZIP", 9), gzip.decompress),
    ],
)
def test_records_are_framed_and_compressed(path, options, inflate):
    with TFRecordWriter(path, options) as writer:
        writer.write(b"hello")
        writer.write(bytearray(b"hello"))

    assert HELLO * 2 == inflate(read(path))


@pytest.mark.parametrize("options", ["gzip", "zlib", "NONE", "BZIP2", 1])
def test_another_compression_is_refused_before_the_file_is_touched(path, options):
    with open(path, "wb") as stream:
        stream.write(b"former")

    with pytest.raises(ValueError, match="compression type"):
        TFRecordWriter(path, options)

    assert b"former" == read(path)


def test_an_unknown_level_is_refused():
    with pytest.raises(ValueError, match="compression level 10"):
        TFRecordOptions("GZIP", 10)


def test_a_former_file_is_emptied(path):
    for record in (b"one", b"hello"):
        with TFRecordWriter(path) as writer:
            writer.write(record)

    assert HELLO == read(path)


def test_text_is_refused_and_nothing_written(path):
    with TFRecordWriter(path) as writer, pytest.raises(TypeError, match="bytes, not str"):
        writer.write("text")

    assert b"" == read(path)


READER = """
import sys
from tfrec.wire import open_records
print([record.data for record in open_records(open(sys.argv[1], "rb"), path="x")])
"""


def test_flushed_records_are_read_by_another_process(path):
    writer = TFRecordWriter(path)
    for record in (b"0", b"1", b"2"):
        writer.write(record)
    writer.flush()

    found = subprocess.run([sys.executable, "-c", READER, path], capture_output=True, check=True)

    assert b"[b'0', b'1', b'2']" == found.stdout.strip()
    writer.close()


@pytest.mark.parametrize("options", [None, "GZIP"])
def test_closing_twice_is_harmless_and_then_nothing_is_taken(path, options):
    writer = TFRecordWriter(path, options)
    writer.write(b"hello")
    writer.close()
    closed = read(path)
    writer.close()

    for use in (lambda: writer.write(b"late"), writer.flush):
        with pytest.raises(ValueError, match="closed"):
            use()
    assert closed == read(path)


def test_an_exception_keeps_what_was_written(path):
    with pytest.raises(RuntimeError), TFRecordWriter(path, "GZIP") as writer:
        writer.write(b"hello")
        raise RuntimeError

    assert HELLO == gzip.decompress(read(path))


def test_no_records_are_an_empty_file(path):
    TFRecordWriter(path).close()

    assert b"" == read(path)


def test_a_directory_is_named(tmp_path):
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        TFRecordWriter(str(tmp_path))


def test_records_of_several_threads_are_never_torn(path):
    records = [bytes([number]) * 10_000 for number in range(8)]

    def write_all(record):
        for _ in range(50):
            writer.write(record)

    with TFRecordWriter(path) as writer:
        threads = [threading.Thread(target=write_all, args=(record,)) for record in records]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    with open(path, "rb") as stream:
        found = sorted(record.data for record in open_records(stream, path=path))
    assert [record for record in records for _ in range(50)] == found


def test_another_storage_may_hold_the_file():
    storage = MemoryStorage()
    with TFRecordWriter("d/x", storage=storage) as writer:
        writer.write(b"a")

    assert frame_record(b"a") == storage.files["d/x"]
