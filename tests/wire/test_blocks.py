"""Records read in blocks: the same records and faults as of a pipe, which is read one by one."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import DataLossError
from tfrec.wire import RecordReader, RecordWriter
from tfrec.wire.block import split_block
from tfrec.wire.crc32c import mask_all

_BLOCK = 1 << 18


def write(records):
    stream = io.BytesIO()
    with RecordWriter(stream) as writer:
        for record in records:
            writer.write(record)
    return stream.getvalue()


def read_until_fault(stream, **options):
    """Return what was delivered, where the reader stands, and the fault's kind, place and words."""
    reader = RecordReader(stream, path="x", **options)
    records = []
    try:
        for record in reader:
            records.append((record.offset, record.data))
            assert reader.num_records == len(records)
    except DataLossError as fault:
        return records, reader.offset, (type(fault), str(fault), fault.index, fault.offset)
    return records, reader.offset, None


SIZES = st.lists(st.sampled_from([0, 1, 10, 150, 16384, 16385, 300_000]), max_size=12)


@given(sizes=SIZES, cut=st.floats(0, 1), where=st.floats(0, 1), verify=st.booleans())
def test_damaged_files_are_read_as_pipes_are(pipe_type, sizes, cut, where, verify):
    whole = bytearray(write([bytes([size % 251]) * size for size in sizes]))
    if whole:
        whole[int(where * (len(whole) - 1))] ^= 16
    data = bytes(whole[: int(cut * len(whole))])

    in_blocks = read_until_fault(io.BytesIO(data), verify=verify)
    # The size is given, so that the words for a file cut short are the same.
    one_by_one = read_until_fault(pipe_type(data), verify=verify, size=len(data))

    assert one_by_one == in_blocks


def test_a_record_may_lie_over_the_border_of_blocks():
    records = [b"%06d" % number for number in range(3 * _BLOCK // 22)]

    assert records == [record.data for record in RecordReader(io.BytesIO(write(records)), path="x")]


def test_batches_hold_every_record_once():
    records = [b"%06d" % number for number in range(_BLOCK // 20)]
    reader = RecordReader(io.BytesIO(write(records)), path="x")
    first = next(reader)

    batches = list(reader.batches())

    assert records == [first.data, *(record.data for batch in batches for record in batch)]
    assert len(batches) < 5


def test_batches_end_with_the_fault():
    data = write([b"a", b"b", b"c"])
    batches = RecordReader(io.BytesIO(data[:-1]), path="x").batches()

    delivered = []
    with pytest.raises(DataLossError):
        for batch in batches:
            delivered += [record.data for record in batch]

    assert [b"a", b"b"] == delivered


class FailingDisk(io.BytesIO):
    """A file of which no byte from `limit` on can be read."""

    limit = 0

    def read(self, size=-1, /):
        if self.tell() + size > self.limit:
            raise OSError(5, "Input/output error")
        return super().read(size)


def test_all_records_before_a_bad_place_of_the_disk_are_delivered():
    records = [b"%06d" % number for number in range(1000)]
    disk = FailingDisk(write(records))
    disk.limit = 700 * 22
    reader = RecordReader(disk, path="x")

    delivered = []
    with pytest.raises(OSError, match="Input/output"):
        delivered.extend(record.data for record in reader)
    with pytest.raises(OSError, match="Input/output"):
        next(reader)

    assert 700 == reader.num_records


def test_what_is_left_out_of_a_block_starts_at_the_returned_size():
    data = write([b"one", b"two"])
    damaged = bytearray(data)
    damaged[19 + 12] ^= 1  # the first byte of the second payload

    assert ([0], [b"one"], 19) == split_block(bytes(damaged), verify=True)
    assert ([0, 19], [b"one", b"uwo"], 38) == split_block(bytes(damaged), verify=False)
    assert ([0], [b"one"], 19) == split_block(data[:37], verify=True)


@given(crcs=st.lists(st.integers(0, 2**32 - 1)))
def test_many_crcs_are_masked_as_each_is(crcs):
    expected = [((crc >> 15 | crc << 17) + 0xA282EAD8) % (1 << 32) for crc in crcs]
    assert expected == mask_all(np.array(crcs, np.uint32)).tolist()
