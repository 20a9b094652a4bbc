"""Batches read by NumPy: the same values and errors as one by one, whatever the records."""

import pytest
from hypothesis import given, settings
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
    "z": FixedLenFeature([0], "float32", []),
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
        "z": st.just(FloatList(())),
        "unknown": st.builds(BytesList, st.lists(strings, max_size=2).map(tuple)),
        "s": st.just(BytesList((b"", b""))),
        "f": st.sampled_from([FloatList((1.0,)), Int64List((1,)), FloatList(())]),
        "i": st.sampled_from([Int64List(()), Int64List((1, 2))]),
    }
    rare = st.integers(0, 30)
    for key, values in more.items():
        if draw(rare) < (15 if len(key) > 1 or key in "vqdz" else 1):
            features[key] = draw(values)
    return encode_example(features)


@settings(deadline=None)
@given(st.lists(records(), max_size=6))
def test_batches_are_read_as_one_by_one(batch):
    assert read_one_by_one(SPECS, batch) == result_of(ExampleParser(SPECS), batch)


@settings(deadline=None)
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


@settings(deadline=None)
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
    lengths = [10, 200, 20, 20_000, 300]
    batch = [record(string=bytes(length)) for length in lengths]
    parser = ExampleParser({"s": SPECS["s"]})

    assert lengths == [len(string) for string in parser.parse_batch(batch)["s"].ravel()]
    assert num_left(parser, batch[:3]) == 0


def test_lengths_of_two_bytes_share_a_layout(monkeypatch):
    monkeypatch.setattr(columnar, "_MAX_LAYOUTS", 1)
    batch = [record(string=bytes(length)) for length in (130, 255, 256, 300, 16_000)]

    assert num_left(ExampleParser({"s": SPECS["s"]}), batch) == 0


def hand_made(list_bytes):
    """Return an Example of one int64 feature `i`."""
    feature = bytes([0x1A, len(list_bytes)]) + list_bytes
    entry = b"\x0a\x01i\x12" + bytes([len(feature)]) + feature
    return bytes([0x0A, len(entry) + 2, 0x0A, len(entry)]) + entry


@pytest.mark.parametrize(
    "list_bytes",
    [
        b"\x0a\x00",
        b"\x0a\x02\x05\x05",
        b"\x0a\x01\x85",
        b"\x0a\x0b" + b"\x80" * 10 + b"\x01",
        b"\x0a\x0c" + b"\x80" * 11 + b"\x01",
        b"\x0a\x02\x05",
    ],
    ids=["none", "two", "cut", "11 bytes", "12 bytes", "past the end"],
)
def test_what_is_not_one_varint_is_an_error(list_bytes):
    batch = [hand_made(b"\x0a\x01\x05"), hand_made(list_bytes)]

    with pytest.raises(ExampleError, match="record 1, feature 'i'"):
        ExampleParser({"i": SPECS["i"]}).parse_batch(batch)


def test_a_length_short_by_128_does_not_pass_for_one_of_two_bytes():
    good = encode_example({"s": bytes(100)})
    # The sizes would be 137, 135, 130 and 128; the bytes are their low seven bits
    bad = bytes.fromhex("0a09 0a07 0a0173 1202 0a00 0a7e") + bytes(126)

    with pytest.raises(ExampleError, match="record 1"):
        ExampleParser({"s": SPECS["s"]}).parse_batch([good, bad])


def test_long_records_are_not_joined():
    batch = [record(string=bytes(10_000))] * 3

    assert num_left(ExampleParser({"i": SPECS["i"]}), batch) == 3


def test_blocks_wider_than_the_room_behind_the_records_are_read():
    wide = FixedLenFeature([2000], "float32", [0] * 2000)
    batch = [encode_example({"f": [1.5] * 2000}), *[encode_example({})] * 3]

    parsed = ExampleParser({"f": wide}).parse_batch(batch)["f"]

    assert [1.5, 0, 0, 0] == parsed.mean(axis=1).tolist()


def test_few_rows_are_not_worth_a_layout(monkeypatch):
    monkeypatch.setattr(columnar, "_MIN_ROWS", 12)
    parser = ExampleParser({"i": SPECS["i"]})

    assert (11, 0) == (num_left(parser, [record()] * 11), num_left(parser, [record()] * 12))


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

    assert all(parsed[key].flags.writeable for key in "ifsqdz")
