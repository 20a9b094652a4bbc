"""Where records start, and the text that says it."""

import io
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import ChecksumError, TruncatedRecordError
from tfrec.wire import frame_record
from tfrec.wire.index import FileStamp, read_index, scan_index

FILE = frame_record(b"first") + frame_record(b"") + frame_record(b"the third")


def scan(content, **options):
    return scan_index(io.BytesIO(content), path="x", size=len(content), **options)


def test_records_start_where_the_former_end():
    assert [0, 21, 37, 62] == list(scan(FILE).offsets)


def test_the_text_is_that_of_dali():
    assert b"0 21\n21 16\n37 25\n" == b"".join(scan(FILE).to_text())


def test_a_last_line_tells_which_file_was_indexed():
    text = b"".join(scan(FILE[:21], stamp=FileStamp(21, 123456789)).to_text())

    assert b"0 21\n# 21 123456789\n" == text


def test_an_empty_file_has_no_records():
    assert 0 == len(scan(b""))
    assert 0 == len(read_index(io.BytesIO(b"")))


@given(records=st.lists(st.binary(max_size=50), max_size=8), stamped=st.booleans())
def test_an_index_is_read_as_it_was_written(records, stamped):
    content = b"".join(map(frame_record, records))
    index = scan(content, stamp=FileStamp(len(content), 5) if stamped else None)

    assert index == read_index(io.BytesIO(b"".join(index.to_text())))
    assert len(records) == len(index)
    assert [len(record) + 16 for record in records] == [
        index.frame_size(number) for number in range(len(index))
    ]


@pytest.mark.parametrize(
    "text",
    [
        b"some text\n",
        b"0 21\n22 16\n",  # a gap
        b"5 21\n",
        b"0 15\n",  # less than a frame
        b"0 21",  # cut short
        b"0 21 3\n",
        b"-1 21\n",
        b"# 21 5\n0 21\n",
        b"\x80\x04\x95",  # a pickle
    ],
)
def test_another_text_is_no_index(text):
    assert read_index(io.BytesIO(text)) is None


SIZES = [*[150] * 3000, 40_000, 40_000, *range(2000), 20_000, 5]  # of several blocks


def test_small_records_are_found_in_blocks():
    content = b"".join(frame_record(bytes(size)) for size in SIZES)

    assert list(accumulate((size + 16 for size in SIZES), initial=0)) == list(scan(content).offsets)


@pytest.mark.parametrize("number", [1, 2900, 3001, 4000])
def test_damage_behind_many_records_has_its_place(number):
    content = bytearray(b"".join(frame_record(bytes(size)) for size in SIZES))
    offset = sum(size + 16 for size in SIZES[:number])
    content[offset] ^= 1

    with pytest.raises(ChecksumError, match=f"x: record {number} at offset {offset}: "):
        scan(bytes(content))
    with pytest.raises(TruncatedRecordError, match=f"x: record {number} at offset {offset}: "):
        scan(bytes(content)[: offset + 3])


def test_a_damaged_length_has_its_place():
    with pytest.raises(ChecksumError, match="x: record 1 at offset 21: "):
        scan(FILE[:21] + b"\1" + FILE[22:])


@pytest.mark.parametrize("left", [3, 12, 15])
def test_a_file_that_is_cut_has_no_index(left):
    with pytest.raises(TruncatedRecordError, match="x: record 1 at offset 21: "):
        scan(FILE[: 21 + left])


def test_payloads_are_not_looked_at():
    assert 3 == len(scan(FILE[:14] + b"?" + FILE[15:]))
