"""Telling messages apart, by bytes written by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.example import BytesList, Int64List, encode_example
from tfrec.example.kinds import MESSAGE_KINDS, count_summary_values, detect_kind
from tfrec.example.sequence import decode_sequence_example

CONTEXT = "0a0c 0a0a 0a0163 1205 1a03 0a0105"  # field 1: `c` = int64 5
LISTS = "120e 0a0c 0a0166 1207 0a05 0a03 0a0178"  # field 2: `f` = one step, bytes `x`
TIME = "09 0000000000000840"  # field 1: a double


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("", "Example"),
        ("0a00", "Example"),
        (CONTEXT, "Example"),
        (CONTEXT + CONTEXT, "Example"),
        ("0a09 0a07 0a0161 1202 1a00", "Example"),  # an empty list
        (LISTS, "SequenceExample"),
        (CONTEXT + LISTS, "SequenceExample"),
        (TIME, "Event"),
        (TIME + "1005", "Event"),  # and a step
        (TIME + "1a05 627261696e", "Event"),  # and a file version
        (TIME + "2a00", "Event"),  # and a summary
        (TIME + "7801", "proto"),  # and field 15
        ("0801", "proto"),
        ("0a02 0801", "proto"),  # field 1 is no map
        ("0a0a 0a08 0a02 fffe 1202 1a00", "proto"),  # the key is no text
        ("ffffff", "bytes"),
        ("0a05 61", "bytes"),  # longer than the record
        ("00", "bytes"),  # field 0
        ("0b", "bytes"),  # a group
        ("776f726473", "bytes"),  # words
    ],
)
def test_a_message_is_known_by_its_fields(message, kind):
    assert kind == detect_kind(bytes.fromhex(message))


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])),
        st.one_of(
            st.lists(st.integers(-(2**63), 2**63 - 1)).map(Int64List),
            st.lists(st.binary()).map(BytesList),
        ),
    )
)
def test_every_example_is_one(features):
    assert "Example" == detect_kind(encode_example(features))


@given(st.binary(max_size=100))
def test_any_bytes_are_of_some_kind(data):
    assert detect_kind(data) in MESSAGE_KINDS


def test_deep_nesting_costs_nothing():
    message = b""
    for _ in range(10_000):
        message = b"\x0a" + _varint(len(message)) + message

    assert "proto" == detect_kind(message)


def _varint(number):
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def test_values_of_a_summary_are_counted():
    # Summary: two values, one with a tag and a float (field 2), one with a tensor (field 8).
    summary = bytes.fromhex("0a08 0a0161 15 0000803f 0a05 0a0162 4200")
    event = bytes.fromhex(TIME) + b"\x2a" + bytes([len(summary)]) + summary

    assert {"simple_value": 1, "tensor": 1} == count_summary_values(event)


def test_a_sequence_has_a_context_and_lists():
    features = decode_sequence_example(bytes.fromhex(CONTEXT + LISTS))

    assert {"c": Int64List((5,))} == features.context
    assert {"f": [BytesList((b"x",))]} == features.lists
