"""Queues of untyped elements: order, waiting, closing, cancelling, giving back."""

import time

import pytest

from tfrec.errors import CancelledError, ConfigError, OutOfRangeError
from tfrec.pipeline import Coordinator, FIFOQueue, PaddingFIFOQueue, QueueRunner, RandomShuffleQueue


def fill(queue, *elements):
    for element in elements:
        queue.enqueue(element)
    return queue


def drain(queue):
    """Take what a closed queue holds."""
    elements = []
    while True:
        try:
            elements.append(queue.dequeue())
        except OutOfRangeError:
            return elements


# Construction


@pytest.mark.parametrize("kind", [FIFOQueue, lambda capacity: RandomShuffleQueue(capacity, 0)])
def test_capacity_zero_is_refused(kind):
    with pytest.raises(ConfigError, match="capacity is 0"):
        kind(0)


def test_negative_capacity_is_unbounded():
    queue = FIFOQueue(-1)
    queue.enqueue_many(range(10_000))

    assert 10_000 == queue.size()


def test_names_and_capacity_can_be_read():
    queue = FIFOQueue(7, name="files")

    assert ("files", 7) == (queue.name, queue.capacity)


def test_default_names_say_the_kind_and_differ():
    names = [FIFOQueue(1).name, FIFOQueue(1).name, RandomShuffleQueue(2, 1).name]

    assert 3 == len(set(names))
    assert ["FIFOQueue", "FIFOQueue", "RandomShuffleQueue"] == [n.split("-")[0] for n in names]


@pytest.mark.parametrize("arguments", [{"shapes": [()]}, {"names": ["a"]}])
def test_shapes_or_names_without_dtypes_are_refused(arguments):
    with pytest.raises(ConfigError):
        FIFOQueue(1, **arguments)


def test_padding_queue_needs_dtypes_and_shapes():
    with pytest.raises(ConfigError):
        PaddingFIFOQueue(1, ["int64"])


# Order and objects


@pytest.mark.parametrize("element", [None, 0, (), [], {}, (1, 2), [1, 2], {"a": 1}, "text"])
def test_untyped_element_comes_out_as_the_same_object(element):
    queue = fill(FIFOQueue(1), element)

    assert element is queue.dequeue()


def test_elements_come_out_in_order():
    queue = fill(FIFOQueue(4), 1, 2)
    queue.enqueue_many([3, 4])

    assert [1, [2, 3], 4] == [queue.dequeue(), queue.dequeue_many(2), queue.dequeue()]


def test_enqueue_many_takes_a_copy():
    queue = FIFOQueue(4)
    elements = [1, 2]
    queue.enqueue_many(elements)
    elements.append(3)

    assert 2 == queue.size()


def test_blocked_producers_get_in_in_the_order_they_came(start_blocked):
    queue = fill(FIFOQueue(1), 0)
    calls = [start_blocked(queue.enqueue, element) for element in range(1, 6)]
    elements = [queue.dequeue() for _ in range(6)]

    assert [0, 1, 2, 3, 4, 5] == elements
    assert [None] * 5 == [call.result() for call in calls]


def test_blocked_consumers_are_served_in_the_order_they_came(start_blocked):
    queue = FIFOQueue(8)
    calls = [start_blocked(queue.dequeue) for _ in range(5)]
    queue.enqueue_many(range(5))

    assert [0, 1, 2, 3, 4] == [call.result() for call in calls]


def test_smaller_request_does_not_overtake(start_blocked):
    queue = FIFOQueue(8)
    large = start_blocked(queue.dequeue_many, 3)
    small = start_blocked(queue.dequeue)
    queue.enqueue_many([1, 2])
    was_waiting = small.is_alive()
    queue.enqueue_many([3, 4])

    assert was_waiting
    assert ([1, 2, 3], 4) == (large.result(), small.result())


def test_enqueue_does_not_overtake_a_blocked_enqueue_many(start_blocked):
    queue = fill(FIFOQueue(2), 0)
    many = start_blocked(queue.enqueue_many, [1, 2, 3])
    one = start_blocked(queue.enqueue, 4)
    elements = queue.dequeue_many(5)

    assert [0, 1, 2, 3, 4] == elements
    assert [None, None] == [many.result(), one.result()]


def test_two_enqueue_many_never_interleave(start_blocked):
    queue = FIFOQueue(2)
    calls = [start_blocked(queue.enqueue_many, [letter] * 5) for letter in "ab"]
    elements = [queue.dequeue() for _ in range(10)]

    assert list("aaaaabbbbb") == elements
    assert [None, None] == [call.result() for call in calls]


def test_requests_may_exceed_the_capacity(start_blocked):
    queue = FIFOQueue(2)
    call = start_blocked(queue.enqueue_many, list(range(10)))

    assert list(range(10)) == queue.dequeue_many(10)
    assert call.result() is None


def test_waiting_dequeue_many_holds_what_it_took(start_blocked):
    queue = FIFOQueue(2)
    call = start_blocked(queue.dequeue_many, 3)
    queue.enqueue(1)
    size_with_one_held = queue.size()
    queue.enqueue_many([2, 3])

    assert (0, [1, 2, 3]) == (size_with_one_held, call.result())


def test_open_dequeue_up_to_waits_for_all(start_blocked):
    queue = fill(FIFOQueue(4), 1)
    call = start_blocked(queue.dequeue_up_to, 3)
    queue.enqueue_many([2, 3, 4])

    assert ([1, 2, 3], 1) == (call.result(), queue.size())


@pytest.mark.parametrize("method", ["dequeue_many", "dequeue_up_to"])
def test_nothing_asked_for_is_an_empty_batch_at_once(method):
    queue = FIFOQueue(1)
    queue.close()

    assert [] == getattr(queue, method)(0)


@pytest.mark.parametrize("method", ["dequeue_many", "dequeue_up_to"])
def test_negative_number_is_refused(method):
    with pytest.raises(ValueError, match="-1"):
        getattr(FIFOQueue(1), method)(-1)


# Plain closing


def test_closed_queue_refuses_gives_what_is_left_and_ends_for_ever():
    queue = fill(FIFOQueue(4, name="files"), 1, 2, 3)
    queue.close()

    assert queue.is_closed()
    with pytest.raises(CancelledError, match="closed"):
        queue.enqueue(4)
    with pytest.raises(CancelledError, match="closed"):
        queue.enqueue_many([4])
    with pytest.raises(OutOfRangeError, match=r"'files' is closed.* 4 asked for, 3 there"):
        queue.dequeue_many(4)
    assert 3 == queue.size()
    assert [1, 2, 3] == queue.dequeue_up_to(4)
    for _ in range(3):
        with pytest.raises(OutOfRangeError, match=r"'files' is closed.* 1 asked for, 0 there"):
            queue.dequeue()
        with pytest.raises(OutOfRangeError):
            queue.dequeue_up_to(2)


def test_closing_again_is_harmless():
    queue = fill(FIFOQueue(2), 1)
    queue.close()
    queue.close()
    queue.cancel()
    queue.cancel()
    queue.close()

    assert [1] == drain(queue)


def test_enqueue_many_of_nothing_returns_even_closed():
    queue = FIFOQueue(1)
    queue.close()

    assert queue.enqueue_many([]) is None


def test_close_waits_behind_blocked_enqueues(start_blocked):
    queue = fill(FIFOQueue(1), 1)
    blocked = start_blocked(queue.enqueue, 2)
    close = start_blocked(queue.close)
    late = start_blocked(queue.enqueue, 3)
    was_closed = queue.is_closed()
    first = queue.dequeue()
    close.result()

    assert (False, 1, True) == (was_closed, first, queue.is_closed())
    assert blocked.result() is None
    with pytest.raises(CancelledError, match="closed"):
        late.result()
    assert [2] == drain(queue)


def test_two_waiting_closes_both_return(start_blocked):
    queue = fill(FIFOQueue(1), 1)
    blocked = start_blocked(queue.enqueue, 2)
    closes = [start_blocked(queue.close) for _ in range(2)]

    assert [1, 2] == queue.dequeue_many(2)
    assert [None] * 3 == [call.result() for call in [blocked, *closes]]


def five_in_line(start_blocked):
    """A queue for two that holds 1, 2, with 3, 4, 5 and a close waiting."""
    queue = fill(FIFOQueue(2), 1, 2)
    return queue, [start_blocked(queue.enqueue_many, [3, 4, 5]), start_blocked(queue.close)]


def test_elements_waiting_before_the_close_get_in(start_blocked):
    queue, calls = five_in_line(start_blocked)

    assert [1, 2, 3, 4, 5] == queue.dequeue_up_to(10)
    assert [None, None] == [call.result() for call in calls]


def test_too_large_request_gives_all_back_in_order(start_blocked):
    queue, calls = five_in_line(start_blocked)
    with pytest.raises(OutOfRangeError, match="10 asked for, 5 there"):
        queue.dequeue_many(10)

    assert [None, None] == [call.result() for call in calls]
    assert [1, 2, 3, 4, 5] == drain(queue)


def test_given_back_elements_serve_the_next_consumer(start_blocked):
    queue = fill(FIFOQueue(4), 1, 2)
    large = start_blocked(queue.dequeue_many, 5)
    small = start_blocked(queue.dequeue_many, 2)
    queue.close()

    with pytest.raises(OutOfRangeError):
        large.result()
    assert [1, 2] == small.result()


def test_close_ends_waiting_consumers(start_blocked):
    queue = FIFOQueue(4)
    calls = [
        start_blocked(queue.dequeue),
        start_blocked(queue.dequeue_many, 2),
        start_blocked(queue.dequeue_up_to, 2),
    ]
    queue.close()

    for call in calls:
        with pytest.raises(OutOfRangeError):
            call.result()


def test_close_completes_a_waiting_dequeue_up_to(start_blocked):
    queue = fill(FIFOQueue(4), 1, 2)
    call = start_blocked(queue.dequeue_up_to, 3)
    queue.close()

    assert [1, 2] == call.result()


# Cancelling


def test_cancel_fails_every_waiting_enqueue_and_close_and_keeps_the_store(start_blocked):
    queue = fill(FIFOQueue(1), 1)
    calls = [
        start_blocked(queue.enqueue, 2),
        start_blocked(queue.enqueue_many, [3, 4]),
        start_blocked(queue.close),
    ]
    queue.close(cancel_pending_enqueues=True)

    assert queue.is_closed()
    for call in calls:
        with pytest.raises(CancelledError, match="cancelled"):
            call.result()
    assert [1] == drain(queue)


def test_rows_already_in_stay_in_when_the_rest_is_cancelled(start_blocked):
    queue = FIFOQueue(2)
    call = start_blocked(queue.enqueue_many, [1, 2, 3])
    queue.cancel()

    with pytest.raises(CancelledError):
        call.result()
    assert [1, 2] == drain(queue)


def test_cancel_ends_waiting_consumers(start_blocked):
    queue = FIFOQueue(2)
    call = start_blocked(queue.dequeue)
    queue.cancel()

    with pytest.raises(OutOfRangeError):
        call.result()


def test_enqueue_after_a_cancel_finds_the_queue_closed():
    queue = FIFOQueue(2)
    queue.cancel()

    with pytest.raises(CancelledError, match="closed"):
        queue.enqueue(1)


# Timeouts


@pytest.mark.parametrize("timeout", [-1, 0, 0.02])
def test_dequeue_times_out(timeout):
    begin = time.monotonic()
    with pytest.raises(TimeoutError, match="1 elements asked for, 0 there"):
        FIFOQueue(1).dequeue(timeout=timeout)

    assert timeout <= time.monotonic() - begin < 1


def test_endless_timeouts_are_no_timeouts(start_blocked):
    queue = FIFOQueue(1)
    call = start_blocked(queue.dequeue, timeout=float("inf"))
    queue.enqueue(1)

    assert 1 == call.result()


def test_enqueue_times_out_and_leaves_the_line():
    queue = fill(FIFOQueue(1), 1)
    with pytest.raises(TimeoutError):
        queue.enqueue(2, timeout=0)
    queue.close()

    assert [1] == drain(queue)


def test_enqueue_many_that_times_out_says_what_is_in():
    queue = FIFOQueue(2)
    with pytest.raises(TimeoutError, match="enqueued 2 of 5 elements"):
        queue.enqueue_many(range(5), timeout=0.01)
    queue.close()

    assert [0, 1] == drain(queue)


@pytest.mark.parametrize("method", ["dequeue_many", "dequeue_up_to"])
def test_timeout_gives_back_what_was_taken_to_the_next_in_line(start_blocked, method):
    queue = fill(FIFOQueue(4), 1, 2)
    large = start_blocked(getattr(queue, method), 5, timeout=0.1)
    small = start_blocked(queue.dequeue_many, 2)

    with pytest.raises(TimeoutError):
        large.result()
    assert [1, 2] == small.result()


def test_served_in_time_is_no_timeout():
    queue = fill(FIFOQueue(1), 1)

    assert 1 == queue.dequeue(timeout=0)
    assert queue.enqueue(2, timeout=0) is None


# Exceptions on the way


class Interrupted(BaseException):
    """As a KeyboardInterrupt would come, at a place of the test's choice."""


def interrupt(*_):
    raise Interrupted


def test_interrupt_in_a_wait_gives_back_and_leaves_the_line(monkeypatch):
    queue = fill(FIFOQueue(4), 1, 2)
    with monkeypatch.context() as patch:
        patch.setattr(queue, "_before_waiting", interrupt)
        with pytest.raises(Interrupted):
            queue.dequeue_many(3)
    queue.close()

    assert [1, 2] == drain(queue)


def test_interrupt_while_a_batch_is_made_gives_back(monkeypatch):
    queue = fill(FIFOQueue(4), 1, 2)
    with monkeypatch.context() as patch:
        patch.setattr(queue._layout, "stack", interrupt)
        with pytest.raises(Interrupted):
            queue.dequeue_many(2)

    assert [1, 2] == queue.dequeue_many(2)


def test_interrupt_of_a_waiting_enqueue_lets_the_next_one_in(start_blocked, monkeypatch):
    queue = fill(FIFOQueue(1), 1)
    with monkeypatch.context() as patch:
        patch.setattr(queue, "_before_waiting", interrupt)
        with pytest.raises(Interrupted):
            queue.enqueue(2)
    call = start_blocked(queue.enqueue, 3)

    assert [1, 3] == queue.dequeue_many(2)
    assert call.result() is None


# Iterating


def test_iteration_ends_with_the_queue():
    queue = fill(FIFOQueue(3), 1, 2, 3)
    queue.close()

    assert [1, 2, 3] == list(queue)


def test_iteration_raises_the_error_of_the_coordinator(start):
    queue = FIFOQueue(3)
    coord = Coordinator()
    error = ValueError("of the producer")

    def fail():
        raise error

    QueueRunner(queue, [fail]).create_threads(coord, start=True)
    with pytest.raises(ValueError, match="of the producer") as caught:
        list(queue)

    assert error is caught.value
    assert error is pytest.raises(ValueError, coord.join).value


# Hooks


def test_hook_runs_once_when_the_queue_closes():
    queue = FIFOQueue(1)
    calls = []
    queue.when_closed(lambda: calls.append(queue.is_closed()))
    queue.close()
    queue.cancel()

    assert [True] == calls


def test_hook_of_a_closed_queue_runs_now():
    queue = FIFOQueue(1)
    queue.close()
    calls = []
    queue.when_closed(lambda: calls.append(1))

    assert [1] == calls


# Random shuffle


@pytest.mark.parametrize("minimum", [-1, 4, 5])
def test_minimum_is_from_zero_to_less_than_the_capacity(minimum):
    with pytest.raises(ConfigError, match=f"min_after_dequeue is {minimum}, capacity 4"):
        RandomShuffleQueue(4, minimum)


def test_shuffle_gives_each_element_once():
    queue = RandomShuffleQueue(100, 0, seed=1)
    queue.enqueue_many(range(100))
    elements = queue.dequeue_many(100)

    assert list(range(100)) == sorted(elements)
    assert list(range(100)) != elements


def test_shuffle_draws_uniformly():
    # 3000 draws of the first of three: 1000 each, standard deviation 26; 150 is nearly 6 of them.
    counts = [0, 0, 0]
    for seed in range(3000):
        queue = RandomShuffleQueue(3, 0, seed=seed)
        queue.enqueue_many(range(3))
        counts[queue.dequeue()] += 1

    assert all(850 < count < 1150 for count in counts)


def test_same_seed_and_operations_give_the_same_order():
    def run():
        queue = RandomShuffleQueue(20, 3, seed=7)
        queue.enqueue_many(range(20))
        first = queue.dequeue_many(8)
        queue.enqueue_many(range(20, 24))
        queue.close()
        return [*first, *drain(queue)]

    assert run() == run()


def test_open_shuffle_queue_keeps_its_minimum(start_blocked):
    queue = RandomShuffleQueue(10, 3)
    queue.enqueue_many(range(4))
    queue.dequeue()
    call = start_blocked(queue.dequeue)
    size = queue.size()
    queue.enqueue(4)

    assert (3, True, 3) == (size, call.result() in range(5), queue.size())


def test_dequeue_many_takes_what_it_may_and_waits(start_blocked):
    queue = RandomShuffleQueue(10, 3)
    queue.enqueue_many(range(5))
    call = start_blocked(queue.dequeue_many, 4)
    size = queue.size()
    queue.enqueue_many([5, 6])

    assert (3, 4, 3) == (size, len(call.result()), queue.size())


def test_closing_lifts_the_minimum_for_waiting_calls_too(start_blocked):
    queue = RandomShuffleQueue(10, 3)
    queue.enqueue_many(range(3))
    call = start_blocked(queue.dequeue_many, 3)
    queue.close()

    assert [0, 1, 2] == sorted(call.result())


def test_closed_shuffle_queue_gives_back_to_the_pool():
    queue = RandomShuffleQueue(10, 3)
    queue.enqueue_many(range(5))
    queue.close()
    with pytest.raises(OutOfRangeError, match="9 asked for, 5 there"):
        queue.dequeue_many(9)

    assert [0, 1, 2, 3, 4] == sorted(queue.dequeue_up_to(9))


def test_waiting_enqueue_is_not_drawn_before_there_was_room(start_blocked):
    queue = RandomShuffleQueue(2, 0)
    queue.enqueue_many(["first", "second"])
    call = start_blocked(queue.enqueue, "waiting")

    assert queue.dequeue() != "waiting"
    assert call.result() is None
    assert 2 == queue.size()


def test_buffer_as_large_as_the_data_mixes_a_sorted_file():
    queue = RandomShuffleQueue(100, 99, seed=3)
    queue.enqueue_many([0] * 50 + [1] * 50)
    queue.close()
    labels = queue.dequeue_many(100)

    assert 50 == sum(labels)
    assert {0, 1} == set(labels[:50])
