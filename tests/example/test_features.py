"""Encoding features, and decoding them back: exact bytes, kinds and refusals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import ExampleError
from tfrec.example import BytesList, FloatList, Int64List, decode_example, encode_example

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

feature_values = st.one_of(
    st.builds(BytesList, st.lists(st.binary()).map(tuple)),
    st.builds(FloatList, st.lists(st.floats(width=32, allow_nan=False)).map(tuple)),
    st.builds(Int64List, st.lists(st.integers(INT64_MIN, INT64_MAX)).map(tuple)),
)
feature_dicts = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), feature_values)


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({}, "0a00"),
        ({"a": 1}, "0a0c 0a0a 0a0161 1205 1a03 0a0101"),
        ({"a": -1}, "0a15 0a13 0a0161 120e 1a0c 0a0a ffffffffffffffffff01"),
        ({"a": [1, 300]}, "0a0e 0a0c 0a0161 1207 1a05 0a03 01ac02"),
        ({"a": b"xy"}, "0a0d 0a0b 0a0161 1206 0a04 0a027879"),
        ({"a": [b"", b"x"]}, "0a0e 0a0c 0a0161 1207 0a05 0a00 0a0178"),
        ({"a": 1.5}, "0a0f 0a0d 0a0161 1208 1206 0a04 0000c03f"),
        ({"a": BytesList(())}, "0a09 0a07 0a0161 1202 0a00"),
        ({"a": FloatList(())}, "0a09 0a07 0a0161 1202 1200"),
        ({"a": Int64List(())}, "0a09 0a07 0a0161 1202 1a00"),
        ({"": 0}, "0a0b 0a09 0a00 1205 1a03 0a0100"),
    ],
)
def test_encoded_bytes_are_those_of_the_wire_format(features, expected):
    assert bytes.fromhex(expected) == encode_example(features)


def test_lengths_above_127_take_two_bytes():
    expected = b"\x0a\x8f\x02\x0a\x8c\x02\x0a\x01a\x12\x86\x02\x0a\x83\x02\x0a\x80\x02" + bytes(256)

    assert expected == encode_example({"a": bytes(256)})


def test_entries_are_sorted_by_the_utf8_bytes_of_the_key():
    features = {"é": 1, "ab": 1, "a": 1, "\uffff": 1, "\U0001f600": 1, "": 1, "Z": 1}

    expected = ["", "Z", "a", "ab", "é", "\uffff", "\U0001f600"]

    assert expected == list(decode_example(encode_example(features)))


def test_insertion_order_does_not_show():
    assert encode_example({"b": 1, "a": 2}) == encode_example({"a": 2, "b": 1})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int32(7), Int64List((7,))),
        (np.float64(0.5), FloatList((0.5,))),
        (np.arange(6, dtype=np.uint8).reshape(2, 3), Int64List((0, 1, 2, 3, 4, 5))),
        (np.array([[1, 2], [3, 4]]).T, Int64List((1, 3, 2, 4))),
        (np.array([], np.int64), Int64List(())),
        (np.array([0.5, 1e300]), FloatList((0.5, math.inf))),
        (np.array([1.5], ">f4"), FloatList((1.5,))),
        (np.array([b"a", b"bc"]), BytesList((b"a", b"bc"))),
        (np.array([b"a\0", b"b"], object), BytesList((b"a\0", b"b"))),
        ([np.int64(1), 2], Int64List((1, 2))),
        ((0.5, np.float32(2)), FloatList((0.5, 2.0))),
        (bytearray(b"ab"), BytesList((b"ab",))),
        (memoryview(np.arange(3, dtype="<u2")), BytesList((b"\0\0\1\0\2\0",))),
        (FloatList((1, 2)), FloatList((1.0, 2.0))),
        (1e300, FloatList((math.inf,))),
        (0.1, FloatList((0.10000000149011612,))),
    ],
)
def test_a_value_tells_its_kind(value, expected):
    assert {"a": expected} == decode_example(encode_example({"a": value}))


@pytest.mark.parametrize(
    "value",
    [
        "text",
        ["text"],
        True,
        [1, True],
        [1, 1.0],
        [b"a", 1],
        [],
        (),
        None,
        [[1]],
        {1},
        1j,
        np.array([True]),
        np.array(["a"]),
        np.bool_(True),
        np.timedelta64(1, "s"),
        Int64List((1.0,)),
        Int64List((True,)),
        Int64List(("1",)),
        Int64List(np.array([1.0])),
        FloatList(("1",)),
        FloatList((True,)),
        BytesList((1,)),
        BytesList(("a",)),
    ],
    ids=repr,
)
def test_no_value_is_coerced(value):
    with pytest.raises(TypeError, match="feature 'a'"):
        encode_example({"a": value})


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, [0, 2**64], np.uint64(2**63)])
def test_an_integer_outside_int64_is_refused(value):
    with pytest.raises(ValueError, match=r"feature 'a': -?[0-9]+ is outside int64"):
        encode_example({"a": value})


def test_a_key_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match="b'a'"):
        encode_example({b"a": 1})


@given(feature_dicts)
def test_features_survive_a_round_trip(features):
    assert features == decode_example(encode_example(features))


def test_large_bytes_are_views_of_the_record_where_no_copy_is_asked_for():
    encoded = encode_example({"image": b"x" * 5000, "name": b"y", "label": 3})

    features = decode_example(encoded, copy=False)
    (image,) = features["image"].values

    assert decode_example(encoded) == features
    assert encoded is image.obj
    assert BytesList((b"y",)) == features["name"]
    assert bytes is type(features["name"].values[0])


@given(feature_dicts, st.data())
def test_every_proper_prefix_is_refused(features, data):
    encoded = encode_example(features)
    cut = data.draw(st.integers(1, len(encoded) - 1))

    with pytest.raises(ExampleError, match=r"not a tf\.train\."):
        decode_example(encoded[:cut])


@given(st.binary(max_size=60))
def test_random_bytes_give_features_or_an_example_error(data):
    try:
        features = decode_example(data)
    except ExampleError:
        return

    assert isinstance(features, dict)
