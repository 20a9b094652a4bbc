"""Every spelling of an Example that is not the plain one: what it means, or that it is refused.

The bytes are built by hand from the protobuf encoding: tag = field << 3 | wire type.
"""

import struct
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from google.protobuf.internal import api_implementation
from hypothesis import given, settings
from hypothesis import strategies as st

from tfrec.errors import ExampleError
from tfrec.example import (
    BytesList,
    FloatList,
    Int64List,
    VarLenFeature,
    decode_example,
    kinds,
    parse_single_example,
    scanner,
)

reads_padded_tags = pytest.mark.skipif(
    api_implementation.Type() == "python",
    reason="protobuf in pure Python takes a padded tag for an unknown field",
)

VARINT, EIGHT, LENGTH, GROUP, END_GROUP, FOUR = range(6)


def varint(value, padding=0):
    """Return a varint, with `padding` needless bytes."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    for _ in range(padding):
        encoded[-1] |= 0x80
        encoded.append(0)
    return bytes(encoded)


def field(number, content, wire_type=LENGTH):
    """Return one field; `content` is an int for a varint."""
    head = varint(number << 3 | wire_type)
    if wire_type == VARINT:
        return head + varint(content)
    return head + varint(len(content)) + content if wire_type == LENGTH else head + content


def packed(*values):
    return field(1, b"".join(map(varint, values)))


def floats(*values):
    return field(1, struct.pack(f"<{len(values)}f", *values))


def entry(key, feature):
    return field(1, field(1, key) + field(2, feature))


def example(*entries):
    return field(1, b"".join(entries))


def ints_feature(*values):
    return field(3, packed(*values))


def of_feature(feature):
    """Return what an Example with the one feature `a` decodes to at `a`."""
    return decode_example(example(entry(b"a", feature))).get("a")


UNKNOWN = {
    "varint": field(9, 1, VARINT),
    "eight bytes": field(9, bytes(8), EIGHT),
    "length-delimited": field(9, b"xy"),
    "four bytes": field(9, bytes(4), FOUR),
    "group": field(9, field(1, 1, VARINT), GROUP) + field(9, b"", END_GROUP),
}
FIVE = entry(b"a", ints_feature(5))


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        (field(3, field(1, 5, VARINT) + field(1, 300, VARINT)), Int64List((5, 300))),
        (field(2, field(1, struct.pack("<f", 0.5), FOUR)), FloatList((0.5,))),
        (field(3, packed(1, 2) + field(1, 3, VARINT)), Int64List((1, 2, 3))),
        (field(3, packed(1) + packed(2, 3)), Int64List((1, 2, 3))),
        (field(3, field(1, 1, VARINT) + packed(2)), Int64List((1, 2))),
        (field(2, floats(1) + floats(2)), FloatList((1.0, 2.0))),
        (field(2, floats(1) + field(1, struct.pack("<f", 2), FOUR)), FloatList((1.0, 2.0))),
        (field(3, packed(1)) + field(3, packed(2)), Int64List((1, 2))),
        (field(1, field(1, b"x")) + field(1, field(1, b"y")), BytesList((b"x", b"y"))),
        (field(3, packed(1)) + field(1, field(1, b"x")), BytesList((b"x",))),
        (field(1, field(1, b"x")) + field(3, packed(1)), Int64List((1,))),
        (field(1, b""), BytesList(())),
        (field(2, b""), FloatList(())),
        (field(2, field(1, b"")), FloatList(())),
        (field(3, field(1, b"")), Int64List(())),
        (b"", None),
        (field(3, field(1, varint(2**64 - 1))), Int64List((-1,))),
        (field(3, field(1, varint(5, padding=8))), Int64List((5,))),
        (field(3, field(1, b"\x80" * 9 + b"\x7f")), Int64List((-(2**63),))),
        pytest.param(
            b"\x9a\x00" + field(3, packed(5))[1:], Int64List((5,)), marks=reads_padded_tags
        ),
        (field(3, field(1, b"x" * 4, FOUR)), Int64List(())),
        (field(1, field(1, 5, VARINT)), BytesList(())),
        (field(3, 5, VARINT), None),
    ],
    ids=[
        "unpacked ints",
        "unpacked float",
        "packed then unpacked",
        "two packed blocks",
        "unpacked then packed",
        "two packed blocks of floats",
        "packed then unpacked floats",
        "same kind twice",
        "bytes twice",
        "two kinds, last bytes",
        "two kinds, last ints",
        "empty bytes list",
        "empty float list",
        "empty block of floats",
        "empty block of ints",
        "no kind",
        "minus one",
        "padded varint",
        "bits above 64",
        "padded tag",
        "int list of four bytes",
        "bytes list of varint",
        "list of varint",
    ],
)
def test_a_feature_in_any_spelling_means_what_protobuf_says(feature, expected):
    assert expected == of_feature(feature)


@pytest.mark.parametrize("unknown", UNKNOWN.values(), ids=UNKNOWN)
@pytest.mark.parametrize(
    "place",
    [
        lambda unknown: unknown + example(FIVE),
        lambda unknown: example(FIVE) + unknown,
        lambda unknown: example(unknown, FIVE),
        lambda unknown: example(FIVE, unknown),
        lambda unknown: example(field(1, unknown + FIVE[2:])),
        lambda unknown: example(entry(b"a", unknown + ints_feature(5))),
        lambda unknown: example(entry(b"a", ints_feature(5) + unknown)),
        lambda unknown: example(entry(b"a", field(3, unknown + packed(5)))),
        lambda unknown: example(entry(b"a", field(3, packed(5) + unknown))),
    ],
    ids=[
        *("before features", "after features", "first in Features", "last in Features"),
        *("in an entry", "first in Feature", "last in Feature", "first in list", "last in list"),
    ],
)
def test_unknown_fields_are_skipped_everywhere(unknown, place):
    assert {"a": Int64List((5,))} == decode_example(place(unknown))


def test_an_unknown_field_in_a_bytes_list_is_skipped():
    bytes_list = field(1, b"x") + field(2, b"y") + field(1, b"z")

    assert BytesList((b"x", b"z")) == of_feature(field(1, bytes_list))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", {}),
        (field(1, b""), {}),
        (example(field(1, field(2, ints_feature(5)) + field(1, b"a"))), {"a": Int64List((5,))}),
        (example(field(1, field(2, ints_feature(5)))), {"": Int64List((5,))}),
        (example(field(1, field(1, b"a"))), {}),
        (example(field(1, b"")), {}),
        (example(entry(b"a", b"")), {}),
        (example(FIVE) + example(entry(b"b", ints_feature(6))), {"a": 5, "b": 6}),
        (example(FIVE, entry(b"a", ints_feature(6))), {"a": 6}),
        (example(FIVE) + example(entry(b"a", ints_feature(6))), {"a": 6}),
        (example(FIVE, entry(b"a", field(1, field(1, b"x")))), {"a": BytesList((b"x",))}),
        (example(FIVE, entry(b"a", b"")), {}),
        (example(FIVE) + example(entry(b"a", b"")), {}),
        (example(entry("ключ🔑".encode(), ints_feature(5))), {"ключ🔑": 5}),
        (b"\x0a" + varint(len(FIVE), padding=3) + FIVE, {"a": 5}),
        pytest.param(b"\x8a\x00" + example(FIVE)[1:], {"a": 5}, marks=reads_padded_tags),
        (field(1, 5, VARINT), {}),
        (example(field(1, 5, VARINT)), {}),
        (example(field(1, field(1, b"a") + field(2, 5, VARINT))), {}),
        (example(field(1, field(1, 5, VARINT) + field(2, ints_feature(5)))), {"": 5}),
    ],
    ids=[
        *("empty Example", "empty Features", "value before key", "no key", "no value"),
        *("empty entry", "no kind", "concatenated", "duplicate key", "duplicate across"),
        *("duplicate of another kind", "duplicate without kind", "the same across"),
        *("any UTF-8 key", "padded length", "padded tag", "features a varint"),
        *("an entry a varint", "a value a varint", "a key a varint"),
    ],
)
def test_an_example_in_any_spelling_means_what_protobuf_says(data, expected):
    expected = {
        key: Int64List((value,)) if isinstance(value, int) else value
        for key, value in expected.items()
    }

    assert expected == decode_example(data)


def test_the_parts_of_one_value_are_merged():
    parts = field(1, b"a") + field(2, ints_feature(5)) + field(2, ints_feature(6))

    assert {"a": Int64List((5, 6))} == decode_example(example(field(1, parts)))


DAMAGED = {
    "floats not a multiple of 4": example(entry(b"a", field(2, field(1, bytes(6))))),
    "a block past its list": example(entry(b"a", b"\x1a\x02\x0a\x05")),
    "a list past its Feature": example(entry(b"a", b"\x1a\x05\x0a\x01\x05")),
    "a value past its list": example(entry(b"a", b"\x0a\x03\x0a\x05x")),
    "a float cut short": example(entry(b"a", b"\x12\x03\x0d\x00\x00")),
    "a Feature past its entry": example(b"\x0a\x05\x0a\x01a\x12\x07"),
    "a key past its entry": example(b"\x0a\x03\x0a\x07a"),
    "an entry past its Features": example(FIVE, b"\x0a\x7f"),
    "Features past its Example": b"\x0a\x7f" + FIVE,
    "an unknown field past the end": example(FIVE) + b"\x4a\x7fx",
    "field number 0": example(FIVE) + b"\x02\x01x",
    "field number 0 within": example(entry(b"a", b"\x02\x01x")),
    "a length above 2^32": b"\x0a" + varint(2**32 + len(FIVE)) + FIVE,
    "a length of 2^63": b"\x0a" + varint(2**63) + FIVE,
    "an int of 11 bytes": example(entry(b"a", field(3, field(1, b"\x80" * 10 + b"\x00")))),
    "an int cut short": example(entry(b"a", field(3, field(1, b"\x80")))),
    "a tag of 11 bytes": b"\x8a" + b"\x80" * 9 + b"\x00\x00",
    "wire type 6": field(1, b"", 6),
    "wire type 7": field(1, b"", 7),
    "a lone group end": example(FIVE) + field(1, b"", END_GROUP),
    "a group without end": example(FIVE) + field(9, b"", GROUP),
    "a last byte 0xff": example(FIVE) + b"\xff",
    "a last byte 0x00": example(FIVE) + b"\x00",
    "a text": b"not an Example at all\n",
    "no UTF-8 key": example(entry(b"\xff\xfe", ints_feature(5))),
    "half a surrogate pair as key": example(entry(b"\xed\xa0\x80", ints_feature(5))),
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_damage_is_an_example_error(data):
    with pytest.raises(ExampleError, match=r"not a tf\.train\."):
        decode_example(data)


def test_a_cut_at_the_boundary_of_an_entry_is_an_example_error():
    data = example(FIVE, entry(b"b", ints_feature(6)))

    with pytest.raises(ExampleError, match=r"not a tf\.train\.Example"):
        decode_example(data[: 2 + len(FIVE)])


def test_damage_in_a_feature_names_its_key():
    with pytest.raises(ExampleError, match=r"feature 'a': not a tf\.train\.Feature"):
        decode_example(example(entry(b"a", b"\xff")))


def test_features_not_asked_for_are_not_examined():
    data = example(entry(b"broken", b"\xff\xff\xff"), FIVE)

    parsed = parse_single_example(data, {"a": VarLenFeature("int64")})

    assert np.array_equal([5], parsed["a"])


def test_deeply_nested_groups_are_refused_or_skipped():
    """Hostile nesting reaches protobuf's limit, not Python's."""
    depth = 100_000
    data = field(9, b"", GROUP) * depth + field(9, b"", END_GROUP) * depth

    with pytest.raises(ExampleError, match=r"not a tf\.train\.Example"):
        decode_example(data)


@st.composite
def nearly_plain(draw):
    """Wire bytes near the plain layout: right tags, lengths mostly right."""
    spoiled = st.sampled_from([b"", b"", b"", b"", b"\x00", b"\xff", b"\x08\x05", b"\x0a\x00"])
    blocks = st.one_of(
        st.lists(st.integers(0, 2**64 - 1), max_size=3).map(lambda values: packed(*values)),
        st.binary(max_size=12).map(lambda content: field(1, content)),
        st.integers(0, 300).map(lambda value: field(1, value, VARINT)),
    )
    lists = st.lists(blocks, max_size=2).map(b"".join)
    feature = st.tuples(st.integers(1, 3), lists, spoiled).map(
        lambda parts: field(parts[0], parts[1]) + parts[2]
    )
    key = st.sampled_from([b"a", b"b", b""])
    entries = draw(st.lists(st.tuples(key, feature, spoiled), max_size=3))
    body = b"".join(entry(key, feature) + spoil for key, feature, spoil in entries)
    data = bytearray(field(1, body) + draw(spoiled))
    if draw(st.booleans()):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data)


@given(nearly_plain())
def test_the_plain_way_agrees_with_protobuf(data):
    """Whatever is read without protobuf is what protobuf reads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "_split_plain", lambda data: None)
        patch.setattr(scanner, "_parse_plain", lambda feature, copy: None)
        expected = decoded_or_none(data)

    assert expected == decoded_or_none(data)


@given(nearly_plain())
def test_a_plain_example_is_one_by_its_fields_too(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kinds, "is_plain_example", lambda data: False)
        expected = kinds.detect_kind(data)

    assert expected == kinds.detect_kind(data)


@pytest.mark.fuzz
@settings(max_examples=10_000, deadline=None)
@given(st.one_of(nearly_plain(), st.binary(max_size=100)))
def test_no_bytes_give_another_error(data):
    specs = {"a": VarLenFeature("int64"), "b": VarLenFeature("string")}
    for read in (decode_example, partial(parse_single_example, features=specs)):
        with suppress(ExampleError):
            read(data)


def decoded_or_none(data):
    """Return the features in a form in which NaN equals itself, or None where they are refused."""
    try:
        features = decode_example(data)
    except ExampleError:
        return None
    return {key: repr(feature) for key, feature in features.items()}
