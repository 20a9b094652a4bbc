"""What a record costs, counted and not timed, so that a busy machine breaks nothing.

The limits are what the present code needs, rounded up a little: whoever exceeds one has made every
record dearer, and either finds another way or raises the limit knowingly.
"""

import io
import sys
import tracemalloc

import numpy as np
import pytest

from tfrec import FixedLenFeature, TFRecordFile, decode_example, encode_example, parse_example
from tfrec.dataset.description import RecordFile
from tfrec.dataset.reading import PlacedRecord, decode_sample
from tfrec.wire import Record, RecordReader, RecordWriter

PIXELS = bytes(256 * 256 * 3)


class CountingStream(io.BytesIO):
    """Counts the calls that a file would answer with system calls."""

    num_calls = 0

    def read(self, size=-1, /):
        self.num_calls += 1
        return super().read(size)

    def write(self, data, /):
        self.num_calls += 1
        return super().write(data)


def write(records):
    stream = io.BytesIO()
    with RecordWriter(stream) as writer:
        for record in records:
            writer.write(record)
    return stream.getvalue()


def count_calls(work):
    """Return how many functions `work` calls, of Python and of C."""
    counts = {"call": 0, "c_call": 0}

    def count(_frame, event, _argument):
        if event in counts:
            counts[event] += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return sum(counts.values())


def peak_of(work):
    """Return the most bytes that `work` holds at once, above those that were held before."""
    work()  # what is made once is made now
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def calls_a_record(work, num_records):
    """Return the calls for each further record: those of the first are left out."""
    work(num_records)
    return (count_calls(lambda: work(2 * num_records)) - count_calls(lambda: work(num_records))) / (
        num_records
    )


def test_a_record_is_one_write():
    stream = CountingStream()

    with RecordWriter(stream) as writer:
        for _ in range(10):
            writer.write(PIXELS)

    assert 10 == stream.num_calls


def test_a_large_record_is_three_reads():
    stream = CountingStream(write([PIXELS] * 10))

    assert 10 == sum(1 for _ in RecordReader(stream, path="x"))
    assert 3 * 10 + 1 == stream.num_calls


def test_small_records_are_read_in_blocks():
    data = write([bytes(150)] * 10_000)
    stream = CountingStream(data)

    assert 10_000 == sum(1 for _ in RecordReader(stream, path="x"))
    # The first record by itself, blocks of 256 KiB, and the end.
    assert stream.num_calls <= 3 + len(data) / 2**18 + 2


def test_calls_for_a_small_record_that_is_read():
    data = write([bytes([number % 256]) * 150 for number in range(20_000)])

    def read(num_records):
        reader = RecordReader(io.BytesIO(data[: num_records * 166]), path="x")
        assert num_records == sum(map(len, reader.batches()))

    # Its header's length is looked up, its checksum computed, its record made; offsets and
    # payloads are appended.
    assert calls_a_record(read, 5000) <= 8


def test_calls_for_a_large_record_that_is_read():
    data = write([PIXELS] * 20)

    def read(num_records):
        stream = io.BytesIO(data[: num_records * (len(PIXELS) + 16)])
        assert num_records == sum(1 for _ in RecordReader(stream, path="x"))

    # Three reads, two checksums, and the checks of the header, the room and the payload; no NumPy.
    assert calls_a_record(read, 10) <= 40


def test_calls_for_a_small_record_that_is_parsed():
    features = {"id": FixedLenFeature([], "int64"), "vector": FixedLenFeature([20], "float32")}
    records = [
        encode_example({"id": number, "vector": np.arange(20, dtype="f4")}) for number in range(512)
    ]

    def parse(num_records):
        for _ in range(num_records // 256):
            parse_example(records[:256], features)

    assert calls_a_record(parse, 512) <= 8


@pytest.mark.parametrize(
    ("work", "num_copies"),
    [
        (lambda: encode_example({"img_raw": PIXELS, "label": 3}), 1),
        (lambda: RecordWriter(io.BytesIO()), 0),
        (lambda: decode_example(RECORD), 1),
        (lambda: decode_sample(PLACED), 0),
        (lambda: next(RecordReader(io.BytesIO(FILE), path="x")), 1),
    ],
    ids=["encode", "start a writer", "decode", "decode an image", "read"],
)
def test_pixels_are_copied_no_more_than_needed(work, num_copies):
    assert peak_of(work) < num_copies * len(PIXELS) + 20_000


def test_a_large_record_is_copied_from_its_file_once(tmp_path):
    path = tmp_path / "x.tfrecord"
    path.write_bytes(FILE)

    with TFRecordFile(str(path)) as file:
        assert peak_of(lambda: file[0]) < len(PIXELS) + 20_000


def test_a_written_record_is_joined_once():
    class Sink:
        def write(self, data):
            return len(data)

        def flush(self):
            pass

    writer = RecordWriter(Sink())

    assert peak_of(lambda: writer.write(PIXELS)) < len(PIXELS) + 20_000


RECORD = encode_example({"img_raw": PIXELS, "label": 3})
FILE = write([RECORD])
PLACED = PlacedRecord(RecordFile("x"), 0, Record(0, RECORD))
