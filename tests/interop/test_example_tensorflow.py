"""Examples side by side with TensorFlow: the same bytes, the same values, the same refusals."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfrec.errors import ExampleError
from tfrec.example import (
    BytesList,
    FixedLenFeature,
    FixedLenSequenceFeature,
    FloatList,
    Int64List,
    VarLenFeature,
    columnar,
    decode_example,
    decode_raw,
    encode_example,
    parse_example,
    parse_single_example,
)

pytestmark = pytest.mark.interop

tf = pytest.importorskip("tensorflow")

DTYPES = {"int64": tf.int64, "float32": tf.float32, "string": tf.string}

values = st.one_of(
    st.builds(BytesList, st.lists(st.binary(max_size=5), max_size=4).map(tuple)),
    st.builds(FloatList, st.lists(st.floats(width=32, allow_nan=False), max_size=4).map(tuple)),
    st.builds(Int64List, st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4).map(tuple)),
)
dtypes = st.sampled_from(sorted(DTYPES))


@pytest.fixture(autouse=True)
def _small_batches_are_read_by_numpy_too(monkeypatch):
    monkeypatch.setattr(columnar, "_MIN_ROWS", 1)


def theirs(features):
    """Return the features as TensorFlow's message."""
    fields = {BytesList: "bytes_list", FloatList: "float_list", Int64List: "int64_list"}
    lists = {
        BytesList: tf.train.BytesList,
        FloatList: tf.train.FloatList,
        Int64List: tf.train.Int64List,
    }
    feature = {
        key: tf.train.Feature(**{fields[type(value)]: lists[type(value)](value=value.values)})
        for key, value in features.items()
    }
    return tf.train.Example(features=tf.train.Features(feature=feature))


def their_spec(spec):
    dtype = DTYPES[spec.dtype]
    if isinstance(spec, VarLenFeature):
        return tf.io.VarLenFeature(dtype)
    if isinstance(spec, FixedLenFeature):
        return tf.io.FixedLenFeature(spec.shape, dtype, spec.default_value)
    return tf.io.FixedLenSequenceFeature(
        spec.shape, dtype, spec.allow_missing, default_value=spec.default_value
    )


def plain(value):
    """Return a result of either library in one comparable form; sparse rows lose their padding."""
    if isinstance(value, tf.sparse.SparseTensor):
        num_rows = value.dense_shape.numpy()[0] if value.dense_shape.shape[0] == 2 else None
        if num_rows is None:
            return value.values.numpy().tolist()
        lengths = np.bincount(value.indices.numpy()[:, 0], minlength=num_rows)
        return value.values.numpy().tolist(), lengths.tolist()
    if isinstance(value, tuple):
        return tuple(part.tolist() for part in value)
    if isinstance(value, tf.Tensor):
        value = value.numpy()
    return value if isinstance(value, bytes) else (value.shape, value.tolist())


def plain_one(value):
    """Return a result for one record; a dense list of a VarLenFeature is flat in both."""
    if isinstance(value, tf.sparse.SparseTensor):
        return (value.values.shape, value.values.numpy().tolist())
    return plain(value)


@settings(deadline=None)
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), values))
def test_encoded_bytes_are_those_of_tensorflow(features):
    """Keys that begin one another are left out: protobuf's runtimes order them differently."""
    keys = sorted(features, key=str.encode)
    for first, second in pairwise(keys):
        if second.encode().startswith(first.encode()):
            del features[first]
    expected = theirs(features).SerializeToString(deterministic=True)

    assert expected == encode_example(features)
    assert features == decode_example(expected)


@settings(deadline=None)
@given(st.floats(), st.integers(-(2**63), 2**63 - 1))
def test_doubles_are_rounded_as_tensorflow_rounds_them(number, integer):
    features = {"f": FloatList((number,)), "i": FloatList((integer,))}

    assert theirs(features).SerializeToString(deterministic=True) == encode_example(features)


@st.composite
def specs(draw):
    dtype = draw(dtypes)
    shape = draw(st.sampled_from([(), (1,), (2,), (0,), (1, 2)]))
    defaults = {"int64": 7, "float32": 1.5, "string": b"d"}
    kind = draw(st.sampled_from(["fixed", "default", "var", "sequence"]))
    if kind == "var":
        return VarLenFeature(dtype)
    if kind == "sequence":
        shape = shape if 0 not in shape else ()
        default = draw(st.sampled_from([None, defaults[dtype]]))
        return FixedLenSequenceFeature(shape, dtype, allow_missing=True, default_value=default)
    default = None
    if kind == "default" and 0 not in shape:  # TensorFlow takes an empty default for none
        default = np.full(shape, defaults[dtype], object).tolist()
    return FixedLenFeature(shape, dtype, default)


records = st.dictionaries(st.sampled_from("abc"), values, max_size=3)


@settings(deadline=None, max_examples=300)
@given(records, st.dictionaries(st.sampled_from("abcd"), specs(), min_size=1, max_size=3))
def test_one_record_gives_the_same_values_or_errors(features, wanted):
    record = encode_example(features)
    try:
        parsed = tf.io.parse_single_example(
            record, {key: their_spec(spec) for key, spec in wanted.items()}
        )
    except tf.errors.InvalidArgumentError:
        with pytest.raises(ExampleError):
            parse_single_example(record, wanted)
        return
    expected = {key: plain_one(value) for key, value in parsed.items()}

    found = {key: plain_one(value) for key, value in parse_single_example(record, wanted).items()}
    assert expected == found


@settings(deadline=None, max_examples=300)
@given(
    st.lists(records, max_size=4),
    st.dictionaries(st.sampled_from("abcd"), specs(), min_size=1, max_size=3),
)
def test_a_batch_gives_the_same_values_or_errors(batch, wanted):
    serialized = [encode_example(features) for features in batch]
    try:
        parsed = tf.io.parse_example(
            tf.constant(serialized, tf.string, [len(serialized)]),
            {key: their_spec(spec) for key, spec in wanted.items()},
        )
    except tf.errors.InvalidArgumentError:
        with pytest.raises(ExampleError):
            parse_example(serialized, wanted)
        return
    expected = {key: plain(value) for key, value in parsed.items()}

    found = {key: plain(value) for key, value in parse_example(serialized, wanted).items()}
    assert expected == found


def test_ragged_rows_are_padded_as_a_sparse_tensor_is():
    batch = [encode_example({"a": row}) for row in ([1, 2], Int64List(()), [3])]
    sparse = tf.io.parse_example(batch, {"a": tf.io.VarLenFeature(tf.int64)})["a"]
    expected = tf.sparse.to_dense(sparse, -1).numpy()

    ragged = parse_example(batch, {"a": VarLenFeature("int64")})["a"]
    assert expected.tolist() == ragged.padded(-1).tolist()


@pytest.mark.parametrize("little_endian", [True, False])
@pytest.mark.parametrize(
    "dtype",
    [
        *("uint8", "int8", "bool", "uint16", "int16", "float16", "int32", "float32"),
        *("int64", "float64", "complex64", "complex128"),
    ],
)
def test_raw_values_are_the_same(dtype, little_endian):
    data = bytes(range(0, 240, 5)) if dtype != "bool" else b"\x00\x01" * 8
    expected = tf.io.decode_raw(data, tf.as_dtype(dtype), little_endian).numpy()

    array = decode_raw(data, dtype, little_endian)
    assert (expected.dtype, expected.tobytes()) == (array.dtype, array.tobytes())


@pytest.mark.parametrize("strings", [b"\1\2\3", [b"\1\2\3\4\5\6", b"\7"], [b""], []])
def test_raw_values_of_fixed_length_are_the_same(strings):
    tensor = tf.constant(strings, tf.string, [] if isinstance(strings, bytes) else [len(strings)])
    expected = tf.io.decode_raw(tensor, tf.int16, fixed_length=4).numpy()

    assert expected.tolist() == decode_raw(strings, np.int16, fixed_length=4).tolist()


PROGRAM = """
import {first}
import {second}
from tfrec.example import decode_example, encode_example, Int64List
import tensorflow
example = tensorflow.train.Example.FromString(encode_example({{"a": 1}}))
assert [1] == list(example.features.feature["a"].int64_list.value)
assert {{"a": Int64List((1,))}} == decode_example(example.SerializeToString())
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [("tensorflow", "tfrec.example.messages"), ("tfrec.example.messages", "tensorflow")],
)
def test_both_live_in_one_process_in_either_order(first, second):
    program = PROGRAM.format(first=first, second=second)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert run.returncode == 0, run.stderr.decode()
