"""Producers: epochs, order, shuffling, ends."""

import os
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tfrec.errors import ConfigError, OutOfRangeError
from tfrec.pipeline import (
    Coordinator,
    input_producer,
    limit_epochs,
    match_filenames,
    range_input_producer,
    slice_input_producer,
    string_input_producer,
)
from tfrec.pipeline.shuffling import shuffled

NAMES = ["a", "b", "c", "d", "e"]


# The stable shuffle


@pytest.mark.parametrize(
    ("draws", "expected"),
    [
        # By hand: last = 3, 2, 1 change places with int(draw * (last + 1)).
        ([0.0, 0.0, 0.0], [1, 2, 3, 0]),
        ([0.99, 0.99, 0.99], [0, 1, 2, 3]),
        ([0.5, 0.0, 0.6], [3, 1, 0, 2]),
    ],
)
def test_shuffle_changes_places_from_the_end(draws, expected):
    assert expected == shuffled(range(4), iter(draws).__next__)


def test_order_for_a_seed_is_fixed_for_ever():
    """Users keep these orders; a change of this test is a change of their data.

    The numbers come from NumPy's Mersenne Twister, `RandomState([42]).random_sample`.
    """
    queue = range_input_producer(10, num_epochs=2, seed=42)

    assert [9, 7, 8, 5, 3, 4, 1, 2, 0, 6, 7, 5, 6, 2, 3, 8, 9, 4, 1, 0] == list(queue)


def test_shuffle_is_uniform():
    # 6000 shuffles of three, six orders: 1000 each, standard deviation 29.
    orders = Counter(tuple(shuffled(range(3), Random(seed).random)) for seed in range(6000))

    assert 6 == len(orders)
    assert all(850 < count < 1150 for count in orders.values())


# Epochs


@pytest.mark.parametrize("capacity", [1, 3, 32, -1])
def test_epochs_in_order_never_mix(capacity):
    queue = string_input_producer(NAMES, num_epochs=3, shuffle=False, capacity=capacity)

    assert NAMES * 3 == list(queue)


@pytest.mark.parametrize("capacity", [1, 3, 32])
def test_shuffled_epochs_never_mix_and_differ(capacity):
    elements = list(range_input_producer(20, num_epochs=3, seed=5, capacity=capacity))
    epochs = [elements[start : start + 20] for start in (0, 20, 40)]

    assert [list(range(20))] * 3 == [sorted(epoch) for epoch in epochs]
    assert 3 == len({tuple(epoch) for epoch in epochs})


def test_shuffling_is_the_default():
    elements = list(string_input_producer(map(str, range(100)), num_epochs=1))

    assert list(map(str, range(100))) != elements


def test_same_seed_gives_the_same_order_and_another_another():
    orders = [list(range_input_producer(50, num_epochs=2, seed=seed)) for seed in (1, 1, 2)]

    assert orders[0] == orders[1]
    assert orders[0] != orders[2]


def test_without_a_seed_orders_differ():
    orders = [list(range_input_producer(50, num_epochs=1)) for _ in range(2)]

    assert orders[0] != orders[1]


def test_without_a_number_epochs_do_not_end():
    with Coordinator():
        queue = string_input_producer(NAMES, shuffle=False)
        elements = [queue.dequeue() for _ in range(52)]

    assert (NAMES * 11)[:52] == elements


def test_end_is_for_ever_and_no_stop_of_the_coordinator():
    with Coordinator() as coord:
        queue = string_input_producer(NAMES, num_epochs=1)
        taken = [queue.dequeue() for _ in NAMES]
        for _ in range(3):
            with pytest.raises(OutOfRangeError):
                queue.dequeue()
        was_stopped = coord.should_stop()

    assert NAMES == sorted(taken)
    assert not was_stopped


@pytest.mark.parametrize("num_epochs", [0, -1, 1.5, "2"])
def test_epochs_are_none_or_an_integer_from_one_on(num_epochs):
    with pytest.raises(ValueError):
        string_input_producer(NAMES, num_epochs=num_epochs)


@pytest.mark.parametrize("num_epochs", [np.int64(2), 2])
def test_numpy_integers_count(num_epochs):
    assert 10 == len(list(string_input_producer(NAMES, num_epochs=num_epochs)))


def test_capacity_zero_is_refused():
    with pytest.raises(ConfigError):
        string_input_producer(NAMES, capacity=0)


def test_unbounded_without_end_is_refused():
    with pytest.raises(ConfigError, match="fill the memory"):
        string_input_producer(NAMES, capacity=-1)


# Empty inputs


@pytest.mark.parametrize(
    "produce",
    [
        lambda: string_input_producer([]),
        lambda: string_input_producer(iter([])),
        lambda: input_producer([]),
        lambda: input_producer(np.zeros((0, 3))),
        lambda: range_input_producer(0),
        lambda: range_input_producer(-3),
        lambda: slice_input_producer([]),
        lambda: slice_input_producer([[], []]),
    ],
)
def test_empty_input_is_refused_at_once(produce):
    with pytest.raises(ValueError):
        produce()


def test_empty_list_is_named():
    with pytest.raises(ValueError, match=r"\[\]"):
        string_input_producer([])


def test_pattern_that_matches_nothing_is_named(tmp_path):
    pattern = os.fspath(tmp_path / "none-*.tfrecords")
    with pytest.raises(ValueError, match=r"none-\*\.tfrecords"):
        string_input_producer(pattern)


def test_pattern_gives_the_files_sorted(tmp_path):
    for name in ("b.txt", "a.txt", "c.png"):
        (tmp_path / name).touch()
    pattern = os.fspath(tmp_path / "*.txt")
    expected = [os.fspath(tmp_path / name) for name in ("a.txt", "b.txt")]

    assert expected == match_filenames(pattern)
    assert expected == list(string_input_producer(pattern, num_epochs=1, shuffle=False))


# Kinds


def test_strings_come_as_they_were_given():
    names = ["text", b"bytes", Path("path")]

    assert names == list(string_input_producer(names, num_epochs=1, shuffle=False))


def test_range_counts_from_zero():
    assert [0, 1, 2] == list(range_input_producer(3, num_epochs=1, shuffle=False))


def test_rows_of_numbers_come_as_arrays():
    with Coordinator():
        queue = input_producer([[1, 2], [3, 4], [5, 6]], num_epochs=1, shuffle=False)
        batch = queue.dequeue_many(3)

    assert [[1, 2], [3, 4], [5, 6]] == batch.tolist()


def test_rows_are_shuffled_whole():
    rows = np.arange(20).reshape(10, 2)
    found = np.array(list(input_producer(rows, num_epochs=1, seed=1)))

    assert rows.tolist() == sorted(found.tolist())
    assert rows.tolist() != found.tolist()


def test_rows_of_strings_come_as_they_were_given():
    assert ["a", "b"] == list(input_producer(["a", "b"], num_epochs=1, shuffle=False))


@pytest.mark.parametrize("rows", [5, "text", [[1, 2], [3]]])
def test_rows_have_a_rank_and_one_shape(rows):
    with pytest.raises(ValueError):
        input_producer(rows)


def test_element_shape_is_checked():
    with pytest.raises(ValueError, match=r"\(2,\), expected \(3,\)"):
        input_producer([[1, 2]], element_shape=(3,))


def test_slices_keep_the_columns_together():
    stage = slice_input_producer([NAMES, range(5), np.arange(5) * 2], num_epochs=2, seed=3)
    rows = list(stage)

    assert sorted([name, position, position * 2] for position, name in enumerate(NAMES)) == (
        sorted(rows[:5])
    )
    assert 10 == len(rows)


def test_unequal_columns_are_named():
    with pytest.raises(ValueError, match=r"\[2, 3\]"):
        slice_input_producer([[1, 2], [1, 2, 3]])


# limit_epochs


def test_limited_value_comes_that_often_then_ends_for_ever():
    take = limit_epochs("value", 2)
    values = [take(), take()]

    assert ["value", "value"] == values
    for _ in range(3):
        with pytest.raises(OutOfRangeError):
            take()


def test_unlimited_value_comes_again_and_again():
    take = limit_epochs("value")

    assert ["value"] * 100 == [take() for _ in range(100)]


@pytest.mark.parametrize("num_epochs", [0, -1, 1.5])
def test_wrong_limit_is_refused(num_epochs):
    with pytest.raises(ValueError):
        limit_epochs("value", num_epochs)


# Starting


def test_dequeue_of_a_producer_that_nobody_started_times_out():
    with pytest.raises(TimeoutError, match="never started.* call `start_queue_runners`"):
        string_input_producer(NAMES).dequeue(timeout=0.05)


def test_dequeue_starts_the_producer_inside_a_block():
    with Coordinator():
        queue = string_input_producer(NAMES, num_epochs=1, shuffle=False)

        assert "a" == queue.dequeue(timeout=5)
        assert ["b", "c"] == queue.dequeue_many(2, timeout=5)
