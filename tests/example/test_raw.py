"""decode_raw: exact values in each dtype and byte order, and the lengths refused."""

import numpy as np
import pytest

from tfrec.errors import ConfigError
from tfrec.example import decode_raw

EIGHT = bytes([1, 2, 3, 4, 5, 6, 7, 8])


@pytest.mark.parametrize(
    ("dtype", "little", "big"),
    [
        ("uint8", [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]),
        ("int8", [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]),
        ("bool", [True] * 8, [True] * 8),
        ("uint16", [0x0201, 0x0403, 0x0605, 0x0807], [0x0102, 0x0304, 0x0506, 0x0708]),
        ("int16", [0x0201, 0x0403, 0x0605, 0x0807], [0x0102, 0x0304, 0x0506, 0x0708]),
        ("uint32", [0x04030201, 0x08070605], [0x01020304, 0x05060708]),
        ("int32", [0x04030201, 0x08070605], [0x01020304, 0x05060708]),
        ("uint64", [0x0807060504030201], [0x0102030405060708]),
        ("int64", [0x0807060504030201], [0x0102030405060708]),
    ],
)
def test_integers_are_read_in_either_order(dtype, little, big):
    for values, little_endian in ((little, True), (big, False)):
        array = decode_raw(EIGHT, dtype, little_endian)

        assert (np.dtype(dtype), values) == (array.dtype, array.tolist())


@pytest.mark.parametrize(
    ("dtype", "data", "value"),
    [
        ("float16", "003e", 1.5),
        ("float32", "0000c03f", 1.5),
        ("float64", "000000000000f83f", 1.5),
        ("complex64", "0000c03f00000040", 1.5 + 2j),
        ("complex128", "000000000000f83f0000000000000040", 1.5 + 2j),
    ],
)
def test_floats_are_read_in_little_endian_order(dtype, data, value):
    array = decode_raw(bytes.fromhex(data), dtype)

    assert (np.dtype(dtype), [value]) == (array.dtype, array.tolist())


@pytest.mark.parametrize(
    ("dtype", "data", "value"),
    [
        ("float32", "3fc00000", 1.5),
        ("complex64", "3fc0000040000000", 1.5 + 2j),
        ("complex128", "3ff80000000000004000000000000000", 1.5 + 2j),
    ],
)
def test_big_endian_order_swaps_each_half_of_a_complex(dtype, data, value):
    array = decode_raw(bytes.fromhex(data), dtype, little_endian=False)

    assert (np.dtype(dtype), [value]) == (array.dtype, array.tolist())


def test_any_byte_but_zero_is_true():
    assert [False, True, True, True] == decode_raw(b"\x00\x01\x02\xff", bool).tolist()


@pytest.mark.parametrize("data", [EIGHT, bytearray(EIGHT), memoryview(EIGHT), np.bytes_(EIGHT)])
def test_the_array_is_fresh_and_writable(data):
    array = decode_raw(data, np.uint8)
    array[0] = 9

    assert EIGHT == bytes(data)


@pytest.mark.parametrize("data", [bytes(range(8)), memoryview(bytes(range(8)))])
def test_without_a_copy_the_array_is_a_view(data):
    values = decode_raw(data, "<u2", copy=False)

    assert [0x0100, 0x0302, 0x0504, 0x0706] == values.tolist()
    assert np.shares_memory(values, np.frombuffer(data, np.uint8))
    assert not values.flags.writeable


@pytest.mark.parametrize(
    ("data", "options", "expected"),
    [
        (b"\x01\x02", {"little_endian": False}, [0x0102]),
        ([b"\x01\x00", b"\x02\x00"], {}, [[1], [2]]),
        (memoryview(b"\x01\x00\x02\x00")[:2], {"fixed_length": 4}, [1, 0]),
        (memoryview(bytearray(b"\x01\x00")), {}, [1]),
        (memoryview(b"\x01\xff\x00\xff")[::2], {}, [1]),
        (memoryview(b"\x01\x00\x02\x00").cast("H"), {}, [1, 2]),
    ],
)
def test_without_a_copy_the_values_are_the_same(data, options, expected):
    assert expected == decode_raw(data, "uint16", **options).tolist()
    assert expected == decode_raw(data, "uint16", **options, copy=False).tolist()


def test_bytes_that_may_change_are_copied_always():
    data = bytearray(b"\x01")
    values = decode_raw(memoryview(data), "uint8", copy=False)

    data[0] = 2

    assert [1] == values.tolist()


def test_no_bytes_give_no_values():
    assert (0,) == decode_raw(b"", np.int32).shape


def test_a_length_that_is_no_multiple_names_both_numbers():
    with pytest.raises(ValueError, match="7 bytes are not a multiple of the 4 bytes of int32"):
        decode_raw(EIGHT[:7], np.int32)


@pytest.mark.parametrize(
    ("strings", "expected"),
    [
        ([b"\1\0", b"\2\0"], [[1], [2]]),
        ([[b"\1\0"], [b"\2\0"]], [[[1]], [[2]]]),
        (np.array([b"\1\0\2\0"], object), [[1, 2]]),
        ([b"", b""], [[], []]),
    ],
)
def test_several_strings_add_their_dimensions_in_front(strings, expected):
    assert expected == decode_raw(strings, np.int16).tolist()


def test_no_strings_give_no_rows():
    assert (0, 0) == decode_raw([], np.int16).shape


def test_strings_of_several_lengths_are_refused():
    with pytest.raises(ValueError, match="strings of 2 and of 4 bytes"):
        decode_raw([b"ab", b"abcd"], np.int16)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\1\0\2\0\3\0", [1, 2]),
        (b"\1\0\2", [1, 2]),
        (b"\1", [1, 0]),
        (b"", [0, 0]),
        ([b"\1", b"\1\0\2\0\3\0"], [[1, 0], [1, 2]]),
    ],
)
def test_fixed_length_cuts_and_pads(data, expected):
    assert expected == decode_raw(data, np.int16, fixed_length=4).tolist()


@pytest.mark.parametrize("fixed_length", [3, 0, -2])
def test_fixed_length_is_a_positive_multiple(fixed_length):
    with pytest.raises(ConfigError, match=f"fixed_length {fixed_length} is not a positive"):
        decode_raw(b"", np.int16, fixed_length=fixed_length)


@pytest.mark.parametrize("dtype", [None, "string", object, "M8[s]", "nonsense", ">i4"])
def test_other_dtypes_are_refused(dtype):
    with pytest.raises(ConfigError, match="is none of: uint8, int8, bool"):
        decode_raw(EIGHT, dtype)


@pytest.mark.parametrize("data", ["text", ["text"], np.arange(3)])
def test_only_bytes_are_raw_data(data):
    with pytest.raises(TypeError, match="raw data is bytes, not"):
        decode_raw(data, np.uint8)
