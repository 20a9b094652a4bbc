"""Specs applied to a batch of records."""

import numpy as np
import pytest

from tfrec.errors import ConfigError, ExampleError
from tfrec.example import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedBatch,
    VarLenFeature,
    encode_example,
    parse_example,
)


def sequence(shape, dtype, default_value=None):
    return FixedLenSequenceFeature(shape, dtype, allow_missing=True, default_value=default_value)


ROWS = [
    encode_example({"i": 1, "f": [0.5, 1.5], "s": b"x", "v": [1, 2, 3, 4]}),
    encode_example({"i": 300, "f": [2.5, 3.5], "s": b"yy"}),
    encode_example({"i": -1, "f": [4.5, 5.5], "s": b"", "v": [5, 6]}),
]


def assert_same(expected, array):
    assert (expected.dtype, expected.shape) == (array.dtype, array.shape)
    assert expected.tolist() == array.tolist()


@pytest.mark.parametrize(
    ("key", "spec", "expected"),
    [
        ("i", FixedLenFeature([], "int64"), np.array([1, 300, -1])),
        ("f", FixedLenFeature([2], "float32"), np.float32([[0.5, 1.5], [2.5, 3.5], [4.5, 5.5]])),
        ("s", FixedLenFeature([], "string"), np.array([b"x", b"yy", b""], object)),
        ("s", FixedLenFeature([1], "string"), np.array([[b"x"], [b"yy"], [b""]], object)),
        ("none", FixedLenFeature([2], "int64", [7, 8]), np.array([[7, 8]] * 3)),
        ("v", sequence([], "int64"), np.array([[1, 2, 3, 4], [0, 0, 0, 0], [5, 6, 0, 0]])),
        ("v", sequence([2], "int64", -1), np.array([[[1, 2], [3, 4]], [[-1, -1], [-1, -1]], [[5, 6], [-1, -1]]])),
        ("none", sequence([2], "float32"), np.zeros((3, 0, 2), np.float32)),
        ("s", sequence([], "string", "-"), np.array([[b"x"], [b"yy"], [b""]], object)),
        ("none", sequence([], "string"), np.zeros((3, 0), object)),
    ],
)  # fmt: skip
def test_a_spec_gives_an_array_of_the_batch(key, spec, expected):
    assert_same(expected, parse_example(ROWS, {key: spec})[key])


def test_defaults_stand_in_row_by_row():
    rows = [encode_example({"a": 1}), encode_example({}), encode_example({"a": 3})]

    parsed = parse_example(rows, {"a": FixedLenFeature([], "int64", 9)})

    assert_same(np.array([1, 9, 3]), parsed["a"])


def test_var_len_gives_values_and_row_lengths():
    values, row_lengths = parse_example(ROWS, {"v": VarLenFeature("int64")})["v"]

    assert_same(np.array([1, 2, 3, 4, 5, 6]), values)
    assert_same(np.array([4, 0, 2]), row_lengths)


def test_ragged_rows_can_be_padded():
    batch = parse_example(ROWS, {"v": VarLenFeature("int64")})["v"]

    assert_same(np.array([[1, 2, 3, 4], [0, 0, 0, 0], [5, 6, 0, 0]]), batch.padded())
    assert_same(np.array([[1, 2, 3, 4], [-1] * 4, [5, 6, -1, -1]]), batch.padded(-1))


def test_ragged_strings_are_padded_with_empty_ones():
    batch = RaggedBatch(np.array([b"a", b"b", b"c"], object), np.array([1, 2]))

    assert_same(np.array([[b"a", b""], [b"b", b"c"]], object), batch.padded())
    assert_same(np.array([[b"a", b"-"], [b"b", b"c"]], object), batch.padded(b"-"))


@pytest.mark.parametrize("padding", [0.5, "0", b"0"])
def test_padding_of_another_kind_is_refused(padding):
    with pytest.raises(TypeError, match="cannot pad values of int64"):
        RaggedBatch(np.array([1]), np.array([1])).padded(padding)


def test_an_empty_batch_has_the_shapes_of_its_specs():
    specs = {
        "f": FixedLenFeature([2, 3], "float32"),
        "v": VarLenFeature("string"),
        "q": sequence([4], "int64"),
    }

    parsed = parse_example([], specs)

    assert_same(np.zeros((0, 2, 3), np.float32), parsed["f"])
    assert_same(np.zeros((0,), object), parsed["v"].values)
    assert_same(np.zeros((0,), np.int64), parsed["v"].row_lengths)
    assert_same(np.zeros((0, 0, 4), np.int64), parsed["q"])


def test_a_bad_row_is_named_by_its_index():
    rows = [*ROWS, b"\xff\xff\xff"]

    with pytest.raises(ExampleError, match=r"^record 3: not a tf\.train\.Example$") as caught:
        parse_example(rows, {"i": FixedLenFeature([], "int64")})

    assert caught.value.index == 3


def test_a_bad_row_is_named_by_its_name_too():
    rows = [encode_example({"a": 1}), encode_example({"b": 1})]

    with pytest.raises(ExampleError, match=r"^second\.jpg, record 1, feature 'a': required"):
        parse_example(rows, {"a": FixedLenFeature([], "int64")}, ["first.jpg", "second.jpg"])


def test_there_is_a_name_for_each_row():
    with pytest.raises(ConfigError, match="1 example names were given for 3 records"):
        parse_example(ROWS, {"i": FixedLenFeature([], "int64")}, example_names=["one"])


def test_one_record_is_no_batch():
    with pytest.raises(TypeError, match="parse_single_example"):
        parse_example(ROWS[0], {"i": FixedLenFeature([], "int64")})


def test_an_array_of_records_is_a_batch():
    parsed = parse_example(np.array(ROWS, object), {"i": FixedLenFeature([], "int64")})

    assert_same(np.array([1, 300, -1]), parsed["i"])
