"""Finding headers in bytes."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from tfrec.wire import masked_crc32c
from tfrec.wire.search import find_headers


def header(length):
    head = struct.pack("<Q", length)
    return head + struct.pack("<I", masked_crc32c(head))


def slow_find(data, max_length):
    """The same by its definition."""
    return [
        position
        for position in range(len(data) - 11)
        if (length := struct.unpack_from("<Q", data, position)[0]) <= max_length
        and header(length) == data[position : position + 12]
    ]


@given(
    parts=st.lists(
        st.one_of(st.binary(max_size=20), st.integers(0, 2**64 - 1).map(header)), max_size=8
    ),
    max_length=st.integers(0, 2**64 - 1),
)
def test_headers_are_found_where_they_stand(parts, max_length):
    data = b"".join(parts)

    assert slow_find(data, max_length) == find_headers(data, max_length=max_length)


def test_a_length_of_the_limit_is_found():
    for length in (0, 1, 255, 256, 65535, 1 << 40):
        data = b"abc" + header(length)

        assert [3] == find_headers(data, max_length=length)
        assert [] == find_headers(data, max_length=length - 1)


def test_fewer_bytes_than_a_header_have_none():
    assert [] == find_headers(header(5)[:11], max_length=100)
    assert [] == find_headers(b"", max_length=100)
