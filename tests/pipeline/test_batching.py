"""Batches: structure, order, sizes, shuffling, faults in arguments."""

import itertools
import threading

import numpy as np
import pytest

from tfrec.errors import OutOfRangeError
from tfrec.pipeline import (
    FIFOQueue,
    RandomShuffleQueue,
    batch,
    batch_join,
    range_input_producer,
    shuffle_batch,
    shuffle_batch_join,
    slice_input_producer,
)


def sizes(stage):
    return [len(found) for found in stage]


def flat(stage):
    return [element for found in stage for element in np.asarray(found).tolist()]


def count_to(limit):
    """A source that threads may share: 0 to limit - 1."""
    numbers = itertools.count()

    def count():
        number = next(numbers)
        if number >= limit:
            raise OutOfRangeError("all counted")
        return number

    return count


# Structure


def test_numbers_become_an_array_with_a_leading_dimension():
    stage = batch(iter([np.ones((2, 3), np.uint8)] * 2), 2)
    found = next(stage)

    assert ((2, 2, 3), np.uint8) == (found.shape, found.dtype)
    stage.close()


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ([1, 2], [1, 2]),
        ([0.5, 1.5], [0.5, 1.5]),
        ([True, False], [True, False]),
        ([[1], [2]], [1, 2]),
        ([[[1, 2]], [[3, 4]]], [[1, 2], [3, 4]]),
    ],
)
def test_numbers_of_all_kinds_are_stacked(elements, expected):
    (found,) = batch(iter(elements), 2)

    assert isinstance(found, np.ndarray)
    assert expected == found.tolist()


@pytest.mark.parametrize("elements", [["a", "b"], [b"a", b"b"], [None, object()]])
def test_other_objects_become_lists_of_the_same_objects(elements):
    (found,) = batch(iter(elements), 2)

    assert elements == found


@pytest.mark.parametrize("kind", [list, tuple])
def test_list_in_list_out(kind):
    (found,) = batch(iter([kind([1, "a"]), kind([2, "b"])]), 2)

    assert [1, 2] == found[0].tolist()
    assert ["a", "b"] == found[1]


@pytest.mark.parametrize("keys", [["label"], ["label", "again"]])
def test_dict_in_dict_out(keys):
    (found,) = batch(iter([dict.fromkeys(keys, number) for number in (1, 2)]), 2)

    assert {key: [1, 2] for key in keys} == {key: value.tolist() for key, value in found.items()}


def test_declared_types_convert():
    (found,) = batch(iter([[1, "a"], [2, "b"]]), 2, dtypes=["float32", "string"])

    assert (np.float32, [b"a", b"b"]) == (found[0].dtype, found[1])


def test_types_of_a_dict_are_declared_by_name():
    (found,) = batch(iter([{"x": 1, "y": 2}]), 1, dtypes={"x": "float32"})

    assert (np.float32, np.int64) == (found["x"].dtype, found["y"].dtype)


@pytest.mark.parametrize(
    ("elements", "error", "message"),
    [
        ([np.zeros(2), np.zeros(3)], ValueError, r"component 0: found the shape \(3,\).* \(2,\)"),
        ([1, 1.5], TypeError, "component 0: found float64, expected int64"),
        ([{"a": 1}, {"b": 1}], ValueError, "same keys"),
        ([{"a": 1}, {"a": 1, "b": 1}], ValueError, "same keys"),
        ([[1, 2], [1, 2, 3]], ValueError, "found 3 components, expected 2"),
        ([[1, 2], {"a": 1}], ValueError, "without names"),
    ],
)
def test_elements_that_do_not_fit_are_an_error(elements, error, message):
    with pytest.raises(error, match=message):
        list(batch(iter(elements), 2))


def test_declared_shape_is_held_to():
    with pytest.raises(ValueError, match=r"\(2,\), expected \(3,\)"):
        list(batch(iter([np.zeros(2)]), 1, shapes=[(3,)]))


# Order and sizes


@pytest.mark.parametrize("capacity", [1, 3, 32, -1])
def test_one_thread_keeps_the_order(capacity):
    assert list(range(20)) == flat(batch(iter(range(20)), 4, capacity=capacity))


def test_one_thread_keeps_the_order_every_time():
    orders = [flat(batch(count_to(20), 5)) for _ in range(10)]

    assert [list(range(20))] * 10 == orders


@pytest.mark.parametrize("source", [iter(range(500)), count_to(500)])
def test_many_threads_deliver_each_element_once(source):
    found = flat(batch(source, 7, num_threads=8, capacity=5, allow_smaller_final_batch=True))

    assert list(range(500)) == sorted(found)


def test_last_short_batch_is_dropped_by_default():
    assert [4, 4] == sizes(batch(iter(range(11)), 4))


@pytest.mark.parametrize(
    ("num_elements", "expected"), [(11, [4, 4, 3]), (8, [4, 4]), (1, [1]), (0, [])]
)
def test_last_short_batch_is_allowed_but_never_empty(num_elements, expected):
    assert expected == sizes(batch(iter(range(num_elements)), 4, allow_smaller_final_batch=True))


def test_batches_run_across_epochs():
    numbers = range_input_producer(10, num_epochs=3, shuffle=False)
    found = list(batch(numbers, 4, allow_smaller_final_batch=True))

    assert [4] * 7 + [2] == [len(numbers) for numbers in found]
    assert list(range(10)) * 3 == [number for numbers in found for number in numbers]


def test_batch_may_exceed_the_capacity():
    assert [10, 10] == sizes(batch(iter(range(20)), 10, capacity=2))


def test_capacity_and_hands_bound_what_is_ahead(gate):
    taken = []

    def take():
        taken.append(len(taken))
        if len(taken) == 3 + 1 + 1:  # the batch, and the element that waits
            raise AssertionError("too far ahead")
        return taken[-1]

    queue_is_full = threading.Event()
    stage = batch(take, 1, capacity=3)
    stage.queue._before_waiting = queue_is_full.set
    stage.runner.start()
    assert queue_is_full.wait(5)
    ahead = len(taken)
    stage.close()

    assert 3 + 1 == ahead


# enqueue_many


def test_rows_are_batched_anew():
    rows = iter([np.arange(0), np.arange(3), np.arange(3, 4), np.arange(0), np.arange(4, 8)])
    stage = batch(rows, 2, enqueue_many=True)

    assert [[0, 1], [2, 3], [4, 5], [6, 7]] == [found.tolist() for found in stage]


@pytest.mark.parametrize("rows", [[0, 1, 2], ["abc", "de"], 5, "text"])
def test_single_values_are_no_sequences_of_rows(rows):
    with pytest.raises(ValueError, match="expected a sequence of rows"):
        list(batch(iter([rows]), 2, enqueue_many=True))


def test_rows_of_several_components_are_batched_anew():
    source = iter([(np.arange(3), ["a", "b", "c"]), (np.arange(3, 4), ["d"])])
    found = [(labels.tolist(), keys) for labels, keys in batch(source, 2, enqueue_many=True)]

    assert [([0, 1], ["a", "b"]), ([2, 3], ["c", "d"])] == found


# Padding


def test_dynamic_padding_learns_the_rank_from_the_first_element():
    source = iter([np.arange(1, 2), np.arange(1, 4), np.arange(1, 3), np.arange(1, 1)])
    found = [found.tolist() for found in batch(source, 2, dynamic_pad=True)]

    assert [[[1, 0, 0], [1, 2, 3]], [[1, 2], [0, 0]]] == found


def test_dynamic_padding_keeps_declared_dimensions():
    source = iter([np.ones((1, 2)), np.ones((1, 3))])
    with pytest.raises(ValueError, match=r"found the shape \(1, 3\), expected \(None, 2\)"):
        list(batch(source, 2, shapes=[(None, 2)], dynamic_pad=True))


@pytest.mark.parametrize("shapes", [(2, 3), [5]])
def test_shapes_are_sequences(shapes):
    with pytest.raises(ValueError, match="one shape, a sequence, per component"):
        batch(iter([]), 2, shapes=shapes)


def test_undefined_shapes_need_dynamic_padding():
    with pytest.raises(ValueError, match="dynamic_pad"):
        batch(iter([]), 2, shapes=[(None,)])


# Joins


def test_each_source_keeps_its_own_order():
    found = flat(batch_join([iter(range(100)), iter(range(1000, 1100))], 4))

    assert list(range(100)) == [number for number in found if number < 1000]
    assert list(range(1000, 1100)) == [number for number in found if number >= 1000]


def test_join_ends_with_its_last_source():
    stage = batch_join([iter([]), iter(range(6)), iter([100])], 1)

    assert [*range(6), 100] == sorted(flat(stage))


def test_sources_may_be_the_same_iterator():
    numbers = iter(range(100))

    assert list(range(100)) == sorted(flat(batch_join([numbers, numbers, numbers], 4)))


@pytest.mark.parametrize(
    ("sources", "error"),
    [
        ([[1], [1.5]], TypeError),
        ([[np.zeros(2)], [np.zeros(3)]], ValueError),
        ([[{"a": 1}], [{"b": 1}]], ValueError),
        ([[[1, 2]], [[1, 2, 3]]], ValueError),
    ],
)
@pytest.mark.parametrize("join", [batch_join, lambda s, n: shuffle_batch_join(s, n, 10, 1)])
def test_joined_sources_must_be_alike(sources, error, join):
    first, second = sources
    both = [itertools.repeat(*first), itertools.repeat(*second)]
    with pytest.raises(error):
        list(itertools.islice(join(both, 2), 1000))


# Shuffling


def test_shuffled_elements_come_once_and_the_rest_at_the_end():
    stage = shuffle_batch(iter(range(20)), 6, 16, 10, allow_smaller_final_batch=True)
    found = list(stage)

    assert [6, 6, 6, 2] == [len(numbers) for numbers in found]
    assert list(range(20)) == sorted(number for numbers in found for number in numbers.tolist())


def test_minimum_above_the_number_of_elements_lets_them_out_at_the_end():
    assert [4, 4] == sizes(shuffle_batch(iter(range(10)), 4, 20, 15))


def test_no_element_comes_earlier_than_the_capacity_allows():
    found = flat(shuffle_batch(iter(range(1000)), 1, 20, 10, seed=1))

    assert all(number <= position + 20 + 1 for position, number in enumerate(found))
    assert list(range(1000)) != found


def test_first_half_of_a_sorted_file_has_both_labels():
    def labels():
        stage = shuffle_batch(iter([0] * 50 + [1] * 50), 50, 100, 99, seed=11)
        return [found.tolist() for found in stage]

    first, second = labels()

    assert {0, 1} == set(first)
    assert [0] * 50 + [1] * 50 == sorted(first + second)
    assert [first, second] == labels()


def test_shuffled_joins_deliver_each_element_once():
    stage = shuffle_batch_join([iter(range(30)), iter(range(30, 60))], 4, 20, 10)

    assert list(range(60)) == sorted(flat(stage))


# Arguments


@pytest.mark.parametrize("batch_size", [0, -1])
@pytest.mark.parametrize(
    "make",
    [
        lambda size: batch(iter([1]), size),
        lambda size: batch_join([iter([1])], size),
        lambda size: shuffle_batch(iter([1]), size, 10, 5),
        lambda size: shuffle_batch_join([iter([1])], size, 10, 5),
    ],
)
def test_batch_size_is_at_least_one(make, batch_size):
    with pytest.raises(ValueError, match="batch_size"):
        make(batch_size)


@pytest.mark.parametrize("num_threads", [0, -1])
def test_at_least_one_thread(num_threads):
    with pytest.raises(ValueError, match="num_threads"):
        batch(iter([1]), 1, num_threads=num_threads)
    with pytest.raises(ValueError, match="num_threads"):
        shuffle_batch(iter([1]), 1, 10, 5, num_threads=num_threads)


@pytest.mark.parametrize("make", [batch_join, lambda s, n: shuffle_batch_join(s, n, 10, 5)])
def test_sources_are_needed(make):
    with pytest.raises(ValueError, match="sources"):
        make([], 1)


@pytest.mark.parametrize("minimum", [5, 10])
@pytest.mark.parametrize("make", [shuffle_batch, shuffle_batch_join])
def test_capacity_exceeds_the_minimum(make, minimum):
    with pytest.raises(ValueError, match="min_after_dequeue"):
        make([iter([1])], 2, 5, minimum)


@pytest.mark.parametrize("source", [[1, 2], "text", 5, None])
def test_what_is_no_source_is_refused(source):
    with pytest.raises(TypeError, match="no source"):
        batch(source, 1)


# Sources


def test_queue_is_a_source():
    queue = FIFOQueue(-1)
    queue.enqueue_many(range(4))
    queue.close()

    assert [0, 1, 2, 3] == flat(batch(queue, 2))


def test_stage_is_a_source():
    rows = slice_input_producer([list("abcd"), range(4)], num_epochs=1, shuffle=False)
    found = [(names, numbers.tolist()) for names, numbers in batch(rows, 2)]

    assert [(["a", "b"], [0, 1]), (["c", "d"], [2, 3])] == found


def test_stages_chain():
    pairs = batch(iter(range(8)), 2)

    assert [[[0, 1], [2, 3]], [[4, 5], [6, 7]]] == [found.tolist() for found in batch(pairs, 2)]


def test_generator_is_advanced_by_one_thread_at_a_time():
    inside = threading.Lock()

    def generate():
        for number in range(300):
            assert inside.acquire(blocking=False)
            inside.release()
            yield number

    assert list(range(300)) == sorted(flat(batch(generate(), 3, num_threads=8)))


def test_parts_of_one_element_stay_together():
    source = count_to(300)

    def pair():
        number = source()
        return number, str(number)

    for numbers, texts in batch(pair, 5, num_threads=6):
        assert [str(number) for number in numbers] == texts


def test_source_that_raises_stop_iteration_ends():
    numbers = iter(range(4))

    assert [0, 1, 2, 3] == flat(batch(lambda: next(numbers), 2))


def test_queue_is_of_the_kind_its_batches_need():
    kinds = [
        type(stage.queue).__name__
        for stage in (
            batch(iter([]), 1),
            batch(iter([]), 1, dynamic_pad=True),
            shuffle_batch(iter([]), 1, 4, 2),
        )
    ]

    assert ["FIFOQueue", "PaddingFIFOQueue", RandomShuffleQueue.__name__] == kinds
