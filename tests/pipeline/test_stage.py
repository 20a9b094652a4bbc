"""Stages: who starts them, who stops them, how ends and errors reach the consumer."""

import itertools
import threading
import time

import pytest

from tfrec.errors import CancelledError, OutOfRangeError
from tfrec.pipeline import (
    Coordinator,
    FIFOQueue,
    QueueRunners,
    batch,
    batch_join,
    current_coordinator,
    range_input_producer,
    start_queue_runners,
    string_input_producer,
)


def failing_after(number, error):
    """A source that gives 0 to number - 1, then raises `error`."""
    numbers = itertools.count()

    def take():
        found = next(numbers)
        if found >= number:
            raise error
        return found

    return take


def pipeline_threads():
    return [thread for thread in threading.enumerate() if "QueueRunner" in thread.name]


# Starting


def test_nothing_runs_before_the_first_request():
    called = []
    stage = batch(lambda: called.append(1), 1)
    before = list(called)
    stage.get()
    stage.close()

    assert [] == before
    assert called


def test_first_request_starts_every_stage_before_it_too():
    names = string_input_producer(["a"] * 8, num_epochs=1, shuffle=False)
    stage = batch(batch(names, 2), 2)

    assert [["a", "a"], ["a", "a"]] == stage.get()
    stage.close()


def test_threads_are_daemons_with_telling_names():
    with Coordinator():
        stage = batch(itertools.count(), 1)
        stage.get()
        threads = pipeline_threads()

    assert [f"QueueRunnerThread-{stage.queue.name}-enqueue_0"] == [t.name for t in threads]
    assert all(thread.daemon for thread in threads)


def test_ended_stage_is_not_started_again():
    calls = []

    def take():
        calls.append(1)
        raise OutOfRangeError("end")

    stage = batch(take, 1)
    for _ in range(3):
        with pytest.raises(OutOfRangeError):
            stage.get()
        assert [] == list(stage)

    assert [1] == calls


# Which coordinator


def test_given_coordinator_is_used():
    coord = Coordinator()
    stage = batch(itertools.count(), 1, coord=coord)
    stage.get()
    coord.request_stop()
    coord.join()

    assert coord is stage.queue.coord
    assert [] == pipeline_threads()


def test_innermost_block_of_the_creating_thread_is_the_default():
    with Coordinator(), Coordinator() as inner:
        stage = batch(itertools.count(), 1)

    assert inner is stage.runner.coord


def test_private_coordinator_is_shared_with_the_stages_before():
    names = string_input_producer(["a"], num_epochs=1)
    first = batch(names, 1)
    second = batch(first, 1)
    list(second)

    assert names.coord is first.queue.coord is second.queue.coord is not None


def test_threads_of_a_stage_know_their_coordinator():
    with Coordinator() as coord:
        assert [coord] == batch(current_coordinator, 1).get()


# Ends


def test_iteration_ends_and_stays_ended():
    stage = batch(iter(range(2)), 1)

    assert [0, 1] == [int(found[0]) for found in stage]
    assert [] == list(stage)
    assert [] == pipeline_threads()


def test_get_raises_out_of_range_at_the_end():
    stage = batch(iter(range(2)), 2)
    stage.get()
    for _ in range(2):
        with pytest.raises(OutOfRangeError):
            stage.get()


def test_end_is_no_stop_of_the_coordinator():
    with Coordinator() as coord:
        list(batch(iter(range(2)), 1))
        was_stopped = coord.should_stop()

    assert not was_stopped


def test_end_passes_through_a_generator():
    def images():
        yield from batch(iter(range(3)), 1)

    assert 3 == len(list(images()))


def test_end_of_one_of_two_readers_leaves_the_other_its_elements():
    numbers = range_input_producer(200, num_epochs=1)
    stages = [batch(numbers, 1), batch(numbers, 1)]
    first = [int(found[0]) for found in itertools.islice(stages[0], 3)]
    found = [int(found[0]) for stage in stages for found in stage]

    assert list(range(200)) == sorted(first + found)


def test_stage_that_ended_on_its_own_is_still_a_source():
    ended = batch(iter(range(2)), 1)
    list(ended)

    assert [[7], [8]] == [found.tolist() for found in batch_join([ended, iter([7, 8])], 1)]


def test_stages_that_ran_on_their_own_may_be_joined():
    stages = [batch(iter(range(start, start + 50)), 1) for start in (0, 50)]
    first = [int(next(stage)[0]) for stage in stages]
    rest = [int(found[0, 0]) for found in batch_join(stages, 1)]

    assert list(range(100)) == sorted(first + rest)
    assert [] == pipeline_threads()


# Stops


def test_stop_ends_the_consumer_without_an_error():
    with Coordinator() as coord:
        numbers = []
        for found in batch(itertools.count(), 1, capacity=2):
            numbers.append(int(found[0]))
            if len(numbers) == 3:
                coord.request_stop()

    assert [0, 1, 2] == numbers[:3]
    assert len(numbers) <= 3 + 2


def test_stopped_coordinator_gives_an_ended_stage():
    coord = Coordinator()
    coord.request_stop()

    assert [] == list(batch(itertools.count(), 1, coord=coord))


def test_stop_wakes_a_reader_of_a_foreign_queue():
    queue = FIFOQueue(1)
    with Coordinator() as coord:
        stage = batch(queue, 1)
        stage.runner.start()
        coord.request_stop()

    assert queue.is_closed()


def test_stop_wakes_those_who_wait_for_their_turn_at_an_iterator(gate):
    def generate():
        gate()
        yield 1

    with Coordinator() as coord:
        stage = batch(generate(), 1, num_threads=4)
        stage.runner.start()
        gate.wait_for_arrival()
        coord.request_stop()
        deadline = time.monotonic() + 0.5
        while len(pipeline_threads()) > 1 and time.monotonic() < deadline:
            pipeline_threads()[-1].join(0.01)
        num_alive = len(pipeline_threads())
        gate.open()

    assert 1 == num_alive


# Leaving early


def test_breaking_out_of_a_block_ends_all_threads():
    with Coordinator():
        names = string_input_producer(["a", "b"])
        for _ in batch(names, 2, num_threads=3):
            break

    assert [] == pipeline_threads()


def test_closing_ends_all_threads_of_a_private_pipeline():
    names = string_input_producer(["a", "b"])
    stage = batch(batch(names, 2, num_threads=3), 2)
    stage.get()
    stage.close()
    stage.close()

    assert [] == pipeline_threads()
    assert [] == [found for found in stage if found is None]


def test_leaving_the_block_of_a_stage_closes_it():
    with pytest.raises(KeyError), batch(itertools.count(), 2) as stage:
        stage.get()
        raise KeyError

    assert [] == pipeline_threads()


def test_closing_a_stage_does_not_stop_its_coordinator():
    with Coordinator() as coord:
        with batch(itertools.count(), 2) as stage:
            stage.get()
        threads = pipeline_threads()
        was_stopped = coord.should_stop()
        other = batch(itertools.count(), 2).get()

    assert ([], False) == (threads, was_stopped)
    assert [0, 1] == other.tolist()


def test_stage_closed_before_its_start_takes_nothing():
    called = []
    stage = batch(lambda: called.append(1), 1)
    stage.close()

    assert [] == list(stage)
    assert [] == called


# Failures


def iterate(stage):
    for _ in stage:
        pass


@pytest.mark.parametrize("num_threads", [1, 4])
def test_iteration_raises_the_very_error(num_threads):
    error = ValueError("broken image")
    with pytest.raises(ValueError, match="broken image") as caught:
        iterate(batch(failing_after(10, error), 2, num_threads=num_threads))

    assert error is caught.value


def test_error_says_which_stage_and_operation():
    stage = batch(failing_after(0, ValueError("x")), 2)
    with pytest.raises(ValueError, match="x") as caught:
        iterate(stage)

    assert [f"in stage {stage.queue.name!r}, operation 'enqueue_0'"] == caught.value.__notes__


def test_failure_in_a_chain_names_the_stage_where_it_happened():
    first = batch(failing_after(0, ValueError("x")), 2)
    with pytest.raises(ValueError, match="x") as caught:
        iterate(batch(first, 2))

    assert [f"in stage {first.queue.name!r}, operation 'enqueue_0'"] == caught.value.__notes__


def test_element_that_does_not_fit_names_its_stage():
    stage = batch(iter([1, "a"]), 2)
    with pytest.raises(TypeError) as caught:
        iterate(stage)

    assert [f"in stage {stage.queue.name!r}, operation 'enqueue_0'"] == caught.value.__notes__


def test_error_leaves_the_block_once():
    error = ValueError("x")
    with pytest.raises(ValueError, match="x") as caught, Coordinator():
        iterate(batch(failing_after(5, error), 2))

    assert error is caught.value
    assert error.__context__ is None


def test_iterating_again_raises_again():
    stage = batch(failing_after(0, ValueError("x")), 1)
    for _ in range(2):
        with pytest.raises(ValueError, match="x"):
            next(stage)


def test_cancelled_operation_of_a_source_is_a_failure():
    other = FIFOQueue(1)
    other.cancel()
    with pytest.raises(CancelledError):
        iterate(batch(lambda: other.enqueue(1), 1))


def test_system_without_threads_is_an_error_and_no_hang(monkeypatch):
    start = threading.Thread.start
    starts = iter([start, start])

    def start_two(thread):
        try:
            next(starts)(thread)
        except StopIteration:
            raise RuntimeError("can't start new thread") from None

    monkeypatch.setattr(threading.Thread, "start", start_two)
    stage = batch(iter(range(10)), 20, num_threads=3)
    with pytest.raises(RuntimeError, match="can't start"):
        stage.get()
    with pytest.raises(RuntimeError, match="can't start"):
        iterate(stage)


def test_get_after_a_failure_is_out_of_range_and_join_has_the_error():
    coord = Coordinator()
    stage = batch(failing_after(0, ValueError("x")), 1, coord=coord)
    with pytest.raises(OutOfRangeError):
        stage.get()
    with pytest.raises(ValueError, match="x"):
        coord.join()


def test_batches_that_were_complete_may_come_first_in_order():
    found = []
    with pytest.raises(ValueError, match="x"):
        for numbers in batch(failing_after(9, ValueError("x")), 2):
            found += numbers.tolist()

    assert list(range(len(found))) == found
    assert len(found) <= 8


def test_failure_of_an_earlier_stage_comes_out_of_the_last():
    error = ValueError("x")
    stage = batch(batch(failing_after(3, error), 1), 2)
    with pytest.raises(ValueError, match="x") as caught:
        iterate(stage)

    assert error is caught.value


def test_failure_of_a_stage_of_another_coordinator_is_no_end():
    error = ValueError("x")
    other = Coordinator()
    first = batch(failing_after(3, error), 1, coord=other)
    first.get()
    with pytest.raises(ValueError, match="x") as caught:
        iterate(batch(first, 1, coord=Coordinator()))
    with pytest.raises(ValueError, match="x"):
        other.join()

    assert error is caught.value


def test_failure_of_a_hidden_producer_reaches_the_consumer():
    error = ValueError("x")
    with pytest.raises(ValueError, match="x") as caught, Coordinator():
        first = batch(failing_after(3, error), 1)
        iterate(batch(first.get, 1))

    assert error is caught.value


def test_error_that_iteration_did_not_raise_comes_out_of_close():
    error = ValueError("x")
    stage = batch(failing_after(1, error), 1)
    stage.get()
    with pytest.raises(OutOfRangeError):
        stage.get()
    with pytest.raises(ValueError, match="x") as caught:
        stage.close()
    stage.close()

    assert error is caught.value


def test_stop_iteration_is_never_an_error():
    def take():
        raise StopIteration

    with Coordinator():
        assert [] == list(batch(take, 1))


@pytest.mark.parametrize("private", [True, False])
def test_failure_reaches_the_consumer_while_others_are_in_their_source(gate, private):
    def block():
        gate()
        return 1

    def fail():
        gate.wait_for_arrival()
        times.append(time.monotonic())
        raise ValueError("x")

    times = []
    coord = None if private else Coordinator()
    stage = batch_join([block, fail], 1, coord=coord)
    with pytest.raises(ValueError, match="x"):
        next(stage)
    delay = time.monotonic() - times[0]
    gate.open()

    assert delay < 0.05 + 0.05  # the promise, and what a busy machine adds
    if coord is not None:
        with pytest.raises(ValueError, match="x"):
            coord.join()


# The classic form


def test_classic_form_works_unchanged():
    collection = QueueRunners()
    coord = Coordinator()
    names = string_input_producer(["a", "b", "c"], 2, False, collection=collection)
    batches = batch(names.dequeue, 2, num_threads=1, collection=collection)
    threads = start_queue_runners(coord=coord, collection=collection)
    found = []
    try:
        while not coord.should_stop():
            found += batches.get()
    except OutOfRangeError:
        pass
    finally:
        coord.request_stop()
        coord.join(threads)

    assert ["a", "b", "c"] * 2 == found
    assert [False] * 4 == [thread.is_alive() for thread in threads]


def test_classic_form_raises_the_error_at_join():
    collection = QueueRunners()
    coord = Coordinator()
    error = ValueError("x")
    batches = batch(failing_after(4, error), 2, collection=collection)
    threads = start_queue_runners(coord=coord, collection=collection)
    with pytest.raises(OutOfRangeError):
        while True:
            batches.get()
    with pytest.raises(ValueError, match="x") as caught:
        coord.join(threads)

    assert error is caught.value


def test_iteration_after_an_explicit_start_does_not_start_again():
    collection = QueueRunners()
    coord = Coordinator()
    calls = []
    stage = batch(lambda: calls.append(threading.get_ident()), 1, collection=collection)
    threads = start_queue_runners(coord=coord, collection=collection)
    next(stage)
    coord.request_stop()
    coord.join(threads)

    assert 1 == len(set(calls))


def test_explicit_start_without_a_coordinator_has_a_private_one():
    collection = QueueRunners()
    error = ValueError("x")
    stage = batch(failing_after(2, error), 2, collection=collection)
    start_queue_runners(collection=collection)
    with pytest.raises(ValueError, match="x") as caught:
        iterate(stage)

    assert error is caught.value
