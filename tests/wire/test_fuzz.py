"""Damaged streams of every kind: a reader gives original records or a fault, and nothing else."""

import gzip
import io
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfrec.errors import DataLossError
from tfrec.wire import frame_record, open_records

RECORDS = [bytes([number]) * (number * 37 % 300 + 1) for number in range(12)]
PLAIN = b"".join(map(frame_record, RECORDS))
STREAMS = {
    "plain": PLAIN,
    "gzip": gzip.compress(PLAIN, mtime=0),
    "members": gzip.compress(PLAIN[:700], mtime=0) + gzip.compress(PLAIN[700:], mtime=0),
    "zlib": zlib.compress(PLAIN),
}


@st.composite
def damaged_streams(draw):
    """Take one stream; overwrite, insert, remove or repeat some of its bytes, several times."""
    data = bytearray(STREAMS[draw(st.sampled_from(sorted(STREAMS)))])
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 40)))
        kind = draw(st.sampled_from(["overwrite", "insert", "remove", "repeat", "cut"]))
        if kind == "cut":
            del data[start:]
        elif kind == "repeat":
            data[start:start] = data[start:end]
        else:
            new = b"" if kind == "remove" else draw(st.binary(min_size=1, max_size=20))
            data[start : start if kind == "insert" else end] = new
    return bytes(data)


def check(data, pipe_type):
    for stream in (io.BytesIO(data), pipe_type(data)):
        payloads = []
        try:
            payloads.extend(record.data for record in open_records(stream, path="x"))
        except DataLossError as fault:
            assert fault.index == len(payloads)
            assert fault.offset <= sum(len(payload) + 16 for payload in payloads) + 12
        assert set(payloads) <= set(RECORDS)


@given(data=damaged_streams())
def test_damage_gives_original_records_or_a_fault(pipe_type, data):
    check(data, pipe_type)


@pytest.mark.fuzz
@settings(max_examples=100_000)
@given(data=damaged_streams())
def test_much_damage_gives_original_records_or_a_fault(pipe_type, data):
    check(data, pipe_type)
