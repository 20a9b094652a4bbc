"""What an Example is beside its values, beside protobuf's reading of records that have the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import ExampleError
from tfrec.example import BytesList, FloatList, Int64List, decode_example, encode_example
from tfrec.example.skeleton import find_skeleton

FEATURES = st.dictionaries(
    st.sampled_from(["label", "img_raw", "a", "ab"]),
    st.one_of(
        st.lists(st.binary(max_size=200), max_size=3).map(BytesList),
        st.lists(st.floats(width=32), max_size=3).map(FloatList),
        st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3).map(Int64List),
        st.lists(st.integers(0, 200), max_size=3).map(Int64List),
    ),
    min_size=1,
)


def kinds_of(record):
    return {key: type(value) for key, value in decode_example(record).items()}


def test_records_that_differ_in_values_alone_have_one_skeleton():
    record = encode_example({"label": 3, "img_raw": bytes(300), "x": [1.5], "name": b"cat"})
    other = encode_example({"label": 9, "img_raw": b"\xff" * 300, "x": [0.5], "name": b"dog"})

    assert find_skeleton(record).fits(other)


@pytest.mark.parametrize(
    "features",
    [
        {"label": 3, "img_raw": bytes(301)},  # another length
        {"label": 300, "img_raw": bytes(299)},  # the same, but divided otherwise
        {"labex": 3, "img_raw": bytes(300)},
        {"label": b"\x03", "img_raw": bytes(300)},
    ],
)
def test_another_record_has_another_skeleton(features):
    record = encode_example({"label": 3, "img_raw": bytes(300)})

    assert not find_skeleton(record).fits(encode_example(features))


def test_a_varint_without_an_end_fits_no_skeleton():
    record = encode_example({"label": 3})

    assert not find_skeleton(record).fits(record[:-1] + b"\x80")


def test_features_are_found_in_each_record_that_fits():
    record = encode_example({"label": 3, "name": b"cat"})
    start, end = find_skeleton(record).features["label"]

    assert bytes.fromhex("1a 03 0a 01 03") == record[start:end]


@pytest.mark.parametrize(
    "record",
    [
        # Integers one by one, each with its tag.
        bytes.fromhex("0a0f 0a0d 0a05 6c6162656c 1204 1a02 0803"),
        # A second value of the same entry, which overrides the first.
        bytes.fromhex("0a14 0a12 0a01 61 1205 1a03 0a01 03 1206 0a04 0a02 6869"),
        encode_example({"labels": [1] * 10}),
    ],
)
def test_other_spellings_and_long_lists_have_no_skeleton(record):
    assert decode_example(record)
    assert find_skeleton(record) is None


@given(FEATURES, FEATURES)
def test_what_fits_has_features_of_the_same_kinds(features, others):
    record, other = encode_example(features), encode_example(others)
    skeleton = find_skeleton(record)

    assert skeleton is None or skeleton.fits(record)
    if skeleton is not None and skeleton.fits(other):
        assert kinds_of(record) == kinds_of(other)


@given(FEATURES, st.data())
def test_a_changed_record_that_fits_is_still_an_example_of_the_same_kinds(features, data):
    record = encode_example(features)
    skeleton = find_skeleton(record)
    changed = bytearray(record)
    for position in data.draw(st.lists(st.integers(0, len(record) - 1), max_size=4)):
        changed[position] = data.draw(st.integers(0, 255))
    if skeleton is None or not skeleton.fits(bytes(changed)):
        return
    try:
        assert kinds_of(record) == kinds_of(bytes(changed))
    except ExampleError as error:
        pytest.fail(f"no Example: {error}")
