"""Batches read by NumPy: the same values and errors as one by one, whatever the records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import ExampleError
from tfrec.example import (
    BytesList,
    ExampleParser,
    FixedLenFeature,
    FixedLenSequenceFeature,
    FloatList,
    Int64List,
    VarLenFeature,
    columnar,
    encode_example,
)

SPECS = {
    "i": FixedLenFeature([], "int64"),
    "f": FixedLenFeature([2], "float32"),
    "s": FixedLenFeature([1, 1], "string"),
    "v": VarLenFeature("int64"),
    "q": FixedLenSequenceFeature([], "string", allow_missing=True),
    "d": FixedLenFeature([2], "int64", [8, 9]),
}
INTEGERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.sampled_from([0, 127, 128, 2**62, 2**63 - 1, -1])
)


@pytest.fixture(autouse=True)
def _few_rows_are_enough(monkeypatch):
    monkeypatch.setattr(columnar, "_MIN_ROWS", 1)


def read_one_by_one(specs, records):
    """Return the result, or the error's text, without layouts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columnar, "_MIN_ROWS", 1 << 60)
        return result_of(ExampleParser(specs), records)


def result_of(parser, records):
    """Return what a batch gives in a form in which NaN equals itself."""
    try:
        parsed = parser.parse_batch(records)
    except ExampleError as error:
        return str(error)
    return {
        key: [(part.dtype, part.shape, repr(part.tolist())) for part in parts]
        for key, value in parsed.items()
        for parts in [value if isinstance(value, tuple) else (value,)]
    }


def num_left(parser, records):
    """Return how many rows no layout took."""
    return len(parser._columnar.read(records)[1])


@st.composite
def records(draw):
    """Draw an Example that the specs mostly fit, with payloads of sizes around a varint's steps."""
    size = st.sampled_from([0, 1, 2, 100, 110, 118, 119, 120, 126, 127, 128, 129, 300])
    strings = size.map(lambda number: bytes(range(256))[:number] * (1 + (number > 256)))
    features = {
        "i": Int64List((draw(INTEGERS),)),
        "f": FloatList(draw(st.tuples(*[st.floats(width=32)] * 2))),
        "s": BytesList((draw(strings),)),
    }
    more = {
        "v": st.builds(Int64List, st.lists(INTEGERS, max_size=3).map(tuple)),
        "q": st.builds(BytesList, st.lists(strings, max_size=2).map(tuple)),
        "d": st.just(Int64List((1, 2))),
        "unknown": st.builds(BytesList, st.lists(strings, max_size=2).map(tuple)),
        "s": st.just(BytesList((b"", b""))),
        "f": st.sampled_from([FloatList((1.0,)), Int64List((1,)), FloatList(())]),
        "i": st.sampled_from([Int64List(()), Int64List((1, 2))]),
    }
    rare = st.integers(0, 30)
    for key, values in more.items():
        if draw(rare) < (15 if len(key) > 1 or key in "vqd" else 1):
            features[key] = draw(values)
    return encode_example(features)


@given(st.lists(records(), max_size=6))
def test_batches_are_read_as_one_by_one(batch):
    assert read_one_by_one(SPECS, batch) == result_of(ExampleParser(SPECS), batch)


@given(st.lists(records(), min_size=2, max_size=4), st.data())
def test_damage_is_read_as_one_by_one(batch, data):
    """Any byte may be another, any record cut or longer."""
    row = data.draw(st.integers(0, len(batch) - 1))
    record = bytearray(batch[row])
    at = data.draw(st.integers(0, len(record) - 1))
    record[at] = data.draw(st.one_of(st.integers(0, 255), st.just(record[at] ^ 0x80)))
    cut = data.draw(st.sampled_from([len(record), at, len(record) - 1]))
    batch[row] = bytes(record[:cut]) + data.draw(st.sampled_from([b"", b"", b"\0", b"\x0a\0"]))

    assert read_one_by_one(SPECS, batch) == result_of(ExampleParser(SPECS), batch)


@given(st.lists(st.lists(records(), max_size=4), max_size=4))
def test_layouts_of_earlier_batches_change_nothing(batches):
    parser = ExampleParser(SPECS)

    for batch in batches:
        assert read_one_by_one(SPECS, batch) == result_of(parser, batch)


def record(integer=1, string=b"abc"):
    return encode_example({"i": integer, "f": [0.5, 1.5], "s": string, "other": [1, 2, 3]})


def test_records_that_differ_in_their_payloads_share_one_layout():
    batch = [record(integer, bytes(integer % 90)) for integer in range(0, 2**20, 4099)]
    parser = ExampleParser({key: SPECS[key] for key in "ifsd"})
    parsed = parser.parse_batch(batch)

    assert list(range(0, 2**20, 4099)) == parsed["i"].tolist()
    assert [[0.5, 1.5]] * len(batch) == parsed["f"].tolist()
    assert [[[bytes(integer % 90)]] for integer in range(0, 2**20, 4099)] == parsed["s"].tolist()
    assert [[8, 9]] * len(batch) == parsed["d"].tolist()
    assert num_left(parser, batch) == 0


def test_lengths_of_another_number_of_bytes_are_another_layout():
    batch = [record(string=bytes(length)) for length in (10, 200, 20, 20_000, 30)]
    parser = ExampleParser({"s": SPECS["s"]})

    assert [10, 200, 20, 20_000, 30] == [
        len(string) for string in parser.parse_batch(batch)["s"].ravel()
    ]
    assert num_left(parser, batch[:3]) == 0


def test_long_records_are_not_joined():
    batch = [record(string=bytes(10_000))] * 3

    assert num_left(ExampleParser({"i": SPECS["i"]}), batch) == 3


def test_few_rows_are_not_worth_a_layout(monkeypatch):
    monkeypatch.setattr(columnar, "_MIN_ROWS", 24)
    parser = ExampleParser({"i": SPECS["i"]})

    assert (23, 0) == (num_left(parser, [record()] * 23), num_left(parser, [record()] * 24))


def test_rows_of_no_layout_stand_in_their_places():
    unpacked = bytes.fromhex("0a0b 0a09 0a0169 1204 1a02 0805")
    batch = [encode_example({"i": 1}), unpacked, encode_example({"i": 3}), unpacked]

    assert [1, 5, 3, 5] == ExampleParser({"i": SPECS["i"]}).parse_batch(batch)["i"].tolist()


def test_the_first_bad_row_is_the_one_named():
    batch = [record(), encode_example({"i": 1.5}), record(), b"\xff"]

    with pytest.raises(ExampleError, match="record 1, feature 'i': holds another kind"):
        ExampleParser({"i": SPECS["i"]}).parse_batch(batch)


def test_arrays_are_fresh_and_writable():
    parsed = ExampleParser(SPECS).parse_batch([record()] * 3)

    writable = [parsed[key].flags.writeable for key in "ifsqd"]
    assert [True] * 5 == writable
    assert np.float32 == parsed["f"].dtype.newbyteorder("=")
