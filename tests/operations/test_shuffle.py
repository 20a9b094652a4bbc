"""Random orders in bounded memory."""

import io
import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.operations.shuffle import Shuffler


class Scratch:
    """Opens scratch files and counts them."""

    def __init__(self):
        self.files = []

    def __call__(self):
        self.files.append(io.BytesIO())
        return self.files[-1]


def shuffle(records, *, seed=0, max_bytes=1 << 30, scratch=None):
    shuffler = Shuffler(seed=seed, max_bytes=max_bytes, open_scratch=scratch or Scratch())
    for record in records:
        shuffler.add(record)
    return list(shuffler.drain())


@given(
    records=st.lists(st.binary(max_size=30), max_size=200),
    seed=st.integers(),
    max_bytes=st.integers(0, 5000),
)
def test_the_order_is_the_same_with_any_memory(records, seed, max_bytes):
    found = shuffle(records, seed=seed, max_bytes=max_bytes)

    assert Counter(records) == Counter(found)
    assert shuffle(records, seed=seed) == found


def test_seeds_give_orders():
    records = [b"%d" % number for number in range(100)]

    orders = [shuffle(records, seed=seed) for seed in (1, 2)]

    assert orders[0] != orders[1]
    assert records not in orders
    assert shuffle(records, seed=1) == orders[0]


def test_every_order_is_as_likely():
    found = Counter(
        b"".join(shuffle([b"a", b"b", b"c"], seed=seed, max_bytes=200)) for seed in range(6000)
    )

    # Each of the 6 orders is expected 1,000 times, with a standard deviation of 29.
    assert {"".join(order).encode() for order in itertools.permutations("abc")} == set(found)
    assert all(850 < number < 1150 for number in found.values())


def test_what_fits_needs_no_file():
    scratch = Scratch()

    shuffle([b"a", b"b"], scratch=scratch)

    assert [] == scratch.files


def test_what_does_not_fit_goes_to_files_that_are_closed():
    scratch = Scratch()

    shuffle([bytes(100)] * 1000, max_bytes=10_000, scratch=scratch)

    # 1,000 records of 260 bytes are 26 times too many; 32 files hold about 8,100 bytes each.
    assert len(scratch.files) >= 32
    assert all(file.closed for file in scratch.files)


def test_files_are_closed_when_nobody_reads_on():
    scratch = Scratch()
    shuffler = Shuffler(seed=0, max_bytes=1000, open_scratch=scratch)
    for _ in range(100):
        shuffler.add(bytes(100))
    records = shuffler.drain()
    next(records)
    records.close()

    assert all(file.closed for file in scratch.files)


def test_a_record_larger_than_the_memory_is_held_alone():
    records = [bytes([number]) * 5000 for number in range(20)]

    assert sorted(records) == sorted(shuffle(records, max_bytes=100))


@pytest.mark.parametrize("num_records", [0, 1])
def test_few_records_have_one_order(num_records):
    assert [b"a"] * num_records == shuffle([b"a"] * num_records)
