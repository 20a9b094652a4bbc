"""Specs applied to one record: what each gives, and what each refuses."""

import numpy as np
import pytest

from tfrec.errors import ConfigError, ExampleError
from tfrec.example import (
    BytesList,
    ExampleParser,
    FixedLenFeature,
    FixedLenSequenceFeature,
    FloatList,
    Int64List,
    VarLenFeature,
    encode_example,
    parse_single_example,
)

RECORD = encode_example(
    {
        "label": 5,
        "box": [0.5, 1.5, 2.5, 3.5],
        "names": [b"a", b"\0\xff", b""],
        "image": b"pixels",
        "empty": Int64List(()),
        "no_kind": FloatList(()),
    }
)
WITHOUT_KIND = bytes.fromhex("0a07 0a05 0a0161 1200")


def sequence(shape, dtype, default_value=None):
    return FixedLenSequenceFeature(shape, dtype, allow_missing=True, default_value=default_value)


def parse(spec, key="a", record=RECORD):
    return parse_single_example(record, {key: spec})[key]


def assert_same(expected, array):
    """Arrays are equal in values, shape and dtype; `expected` is an array."""
    assert (expected.dtype, expected.shape) == (array.dtype, array.shape)
    assert expected.tolist() == array.tolist()


@pytest.mark.parametrize(
    ("key", "spec", "expected"),
    [
        ("label", FixedLenFeature([1], "int64"), np.array([5])),
        ("label", FixedLenFeature([1, 1], np.int64), np.array([[5]])),
        ("label", VarLenFeature("int64"), np.array([5])),
        ("label", sequence([], "int64"), np.array([5])),
        ("label", sequence([1], "int64"), np.array([[5]])),
        ("box", FixedLenFeature((2, 2), "float32"), np.float32([[0.5, 1.5], [2.5, 3.5]])),
        ("box", VarLenFeature(np.float32), np.float32([0.5, 1.5, 2.5, 3.5])),
        ("box", sequence([2], "float32"), np.float32([[0.5, 1.5], [2.5, 3.5]])),
        ("names", FixedLenFeature([3], "string"), np.array([b"a", b"\0\xff", b""], object)),
        ("names", VarLenFeature(bytes), np.array([b"a", b"\0\xff", b""], object)),
        ("empty", FixedLenFeature([0], "int64"), np.array([], np.int64)),
        ("empty", FixedLenFeature([2, 0], "int64"), np.zeros((2, 0), np.int64)),
        ("empty", VarLenFeature("int64"), np.array([], np.int64)),
        ("empty", sequence([2, 3], "int64"), np.zeros((0, 2, 3), np.int64)),
        ("absent", VarLenFeature("string"), np.array([], object)),
        ("absent", VarLenFeature("float32"), np.array([], np.float32)),
        ("absent", sequence([2], "float32"), np.zeros((0, 2), np.float32)),
        ("absent", FixedLenFeature([2], "int64", [1, 2]), np.array([1, 2])),
        ("absent", FixedLenFeature([1, 2], "float32", (1, 2.5)), np.float32([[1, 2.5]])),
        ("absent", FixedLenFeature([2, 1], "int64", [[1], [2]]), np.array([[1], [2]])),
        ("absent", FixedLenFeature([2], "string", ["é", b"\xff"]), np.array(["é".encode(), b"\xff"], object)),
        ("absent", FixedLenFeature([2], "int64", np.int32([1, 2])), np.array([1, 2])),
        ("label", FixedLenFeature([1], "int64", [9]), np.array([5])),
    ],
)  # fmt: skip
def test_a_spec_gives_an_array(key, spec, expected):
    assert_same(expected, parse(spec, key))


@pytest.mark.parametrize(
    ("key", "spec", "expected"),
    [
        ("label", FixedLenFeature([], "int64"), np.int64(5)),
        ("absent", FixedLenFeature([], "int64", 7), np.int64(7)),
        ("absent", FixedLenFeature([], "int64", [7]), np.int64(7)),
        ("absent", FixedLenFeature([], "float32", 7), np.float32(7)),
        ("absent", FixedLenFeature([], "float32", 1e300), np.float32(np.inf)),
        ("image", FixedLenFeature([], "string"), b"pixels"),
        ("absent", FixedLenFeature([], "string", "é"), b"\xc3\xa9"),
    ],
)
def test_a_scalar_is_a_numpy_scalar_or_bytes(key, spec, expected):
    value = parse(spec, key)

    assert (type(expected), expected) == (type(value), value)


def test_the_result_has_the_keys_asked_for_in_their_order():
    specs = {"label": VarLenFeature("int64"), "box": VarLenFeature("float32")}

    assert ["label", "box"] == list(parse_single_example(RECORD, specs))


def test_arrays_are_fresh_and_writable():
    parser = ExampleParser({"absent": FixedLenFeature([1], "int64", [1])})
    parser.parse(RECORD)["absent"][0] = 2

    assert parser.parse(RECORD)["absent"][0] == 1
    assert parse(VarLenFeature("float32"), "box").flags.writeable


@pytest.mark.parametrize("record", [bytearray(RECORD), memoryview(RECORD), np.bytes_(RECORD)])
def test_a_record_may_be_any_bytes_like(record):
    assert parse(FixedLenFeature([], "int64"), "label", record) == 5


def test_without_a_copy_a_large_scalar_string_is_a_view_of_its_record():
    record = encode_example({"image": bytes(5000), "label": 7, "name": b"cat"})
    specs = {
        "image": FixedLenFeature([], "string"),
        "label": FixedLenFeature([], "int64"),
        "name": FixedLenFeature([], "string"),
    }

    parsed = ExampleParser(specs, copy=False).parse(record)

    assert isinstance(parsed["image"], memoryview)
    assert parsed["image"].obj is record
    assert (bytes(5000), 7, b"cat") == (bytes(parsed["image"]), parsed["label"], parsed["name"])
    assert isinstance(parsed["name"], bytes)


@pytest.mark.parametrize(
    "spec",
    [FixedLenFeature([1], "string"), VarLenFeature("string")],
)
def test_strings_in_arrays_are_bytes_always(spec):
    record = encode_example({"image": bytes(5000)})
    parser = ExampleParser({"image": spec}, copy=False)

    assert [bytes(5000)] == parser.parse(record)["image"].tolist()
    scalar = ExampleParser({"image": FixedLenFeature([], "string")}, copy=False)
    assert [bytes(5000)] * 2 == scalar.parse_batch([record] * 2)["image"].tolist()


def test_a_record_that_is_no_bytes_is_a_type_error():
    with pytest.raises(TypeError, match="bytes, not str"):
        parse(VarLenFeature("int64"), record="text")


ANY_SPEC = {
    "fixed": FixedLenFeature([], "float32"),
    "fixed with default": FixedLenFeature([], "float32", 1.0),
    "var len": VarLenFeature("float32"),
    "sequence": sequence([], "float32"),
}


@pytest.mark.parametrize("spec", ANY_SPEC.values(), ids=ANY_SPEC)
@pytest.mark.parametrize(("key", "shape"), [("label", "(1,)"), ("empty", "(0,)")])
def test_another_kind_is_an_error_even_when_empty(spec, key, shape):
    with pytest.raises(ExampleError) as caught:
        parse(spec, key)

    assert (key, f"int64 of shape {shape}") == (caught.value.key, caught.value.found)
    assert caught.value.expected.startswith("float of ")


def test_the_error_of_another_kind_says_what_was_found_and_expected():
    with pytest.raises(ExampleError) as caught:
        parse(FixedLenFeature([], "float32"), "label")

    expected = "feature 'label': holds another kind (found int64 of shape (1,), expected float of shape ())"
    assert expected == str(caught.value)


@pytest.mark.parametrize("default", [None, [9, 9, 9]])
@pytest.mark.parametrize(("key", "number"), [("box", 4), ("no_kind", 0)])
def test_a_default_never_repairs_another_number_of_values(key, number, default):
    with pytest.raises(ExampleError) as caught:
        parse(FixedLenFeature([3], "float32", default), key)

    found, expected = f"float of shape ({number},)", "float of shape (3,)"
    assert (key, found, expected) == (caught.value.key, caught.value.found, caught.value.expected)


def test_a_sequence_needs_whole_blocks():
    with pytest.raises(ExampleError) as caught:
        parse(sequence([3], "float32"), "box")

    found, expected = "float of shape (4,)", "float of shape (any, 3)"
    assert (found, expected) == (caught.value.found, caught.value.expected)


def test_a_missing_feature_is_named_beside_the_keys_present():
    record = encode_example({"label": 1, "img_raw": b""})

    with pytest.raises(ExampleError) as caught:
        parse(FixedLenFeature([], "int64"), "lable", record)

    reason = (
        "required, but missing; the keys present are: 'img_raw', 'label'; did you mean 'label'?"
    )
    assert ("lable", reason) == (caught.value.key, caught.value.reason)


@pytest.mark.parametrize("shape", [[], [0], [2]])
def test_an_absent_feature_without_default_is_an_error(shape):
    with pytest.raises(ExampleError, match="the keys present are: none"):
        parse(FixedLenFeature(shape, "int64"), record=b"")


def test_a_feature_without_kind_is_absent():
    assert parse(FixedLenFeature([], "int64", 3), record=WITHOUT_KIND) == 3
    assert parse(VarLenFeature("int64"), record=WITHOUT_KIND).shape == (0,)
    with pytest.raises(ExampleError, match="'a': has no value"):
        parse(FixedLenFeature([], "int64"), record=WITHOUT_KIND)


def test_what_is_no_example_says_so():
    with pytest.raises(ExampleError, match=r"not a tf\.train\.Example"):
        parse(VarLenFeature("int64"), record=b"\xff\xff\xff")


FAULTY = {
    "no spec": "int64",
    "no dtype": VarLenFeature(None),
    "float64": VarLenFeature("float64"),
    "int32": VarLenFeature(np.int32),
    "big-endian": VarLenFeature(">i8"),
    "str": VarLenFeature(str),
    "bytes of a size": VarLenFeature("S5"),
    "no such dtype": VarLenFeature("int65"),
    "shape None": FixedLenFeature(None, "int64"),
    "shape a number": FixedLenFeature(3, "int64"),
    "unknown size": FixedLenFeature([2, None], "int64"),
    "size of -1": FixedLenFeature([-1], "int64"),
    "size a float": FixedLenFeature([1.0], "int64"),
    "sequence shape None": sequence(None, "int64"),
    "sequence of no size": sequence([2, 0], "int64"),
    "sequence not allowed to miss": FixedLenSequenceFeature([], "int64"),
    "scalar default for two": FixedLenFeature([2], "int64", 1),
    "default too long": FixedLenFeature([], "int64", [1, 2]),
    "default too short": FixedLenFeature([3], "string", ["a", "b"]),
    "default outside int64": FixedLenFeature([], "int64", 2**63),
    "padding of two": sequence([], "int64", [1, 2]),
}


@pytest.mark.parametrize("spec", FAULTY.values(), ids=FAULTY)
def test_a_faulty_spec_is_refused_whatever_the_record(spec):
    with pytest.raises(ConfigError, match="feature 'label'"):
        parse(spec, "label")


@pytest.mark.parametrize(
    "spec",
    [
        FixedLenFeature([], "int64", 1.0),
        FixedLenFeature([], "int64", "1"),
        FixedLenFeature([], "int64", True),
        FixedLenFeature([], "float32", "1"),
        FixedLenFeature([], "string", 1),
        FixedLenFeature([2], "string", ["a", 1]),
        sequence([], "int64", 1.5),
        sequence([], "string", 0),
    ],
)
def test_a_default_of_another_type_is_refused_whatever_the_record(spec):
    with pytest.raises(TypeError, match="feature 'label': default"):
        parse(spec, "label")


@pytest.mark.parametrize("features", [{}, None, [], ["label"]])
def test_features_must_be_a_mapping_that_asks_for_something(features):
    with pytest.raises(ConfigError, match="features must map keys to specs"):
        parse_single_example(RECORD, features)


def test_a_key_must_be_text():
    with pytest.raises(ConfigError, match="key is text, not bytes"):
        parse_single_example(RECORD, {b"label": VarLenFeature("int64")})


def test_values_are_exact():
    values = [2**63 - 1, -(2**63), 0, 127, 128]
    record = encode_example({"a": values, "b": BytesList((bytes(range(256)),))})

    assert values == parse(VarLenFeature("int64"), record=record).tolist()
    assert bytes(range(256)) == parse(FixedLenFeature([], "string"), "b", record)
