"""Threads that fill a queue: who closes it, who hears of errors, and the collection."""

import gc
import logging
import threading

import pytest

from tfrec.errors import CancelledError, OutOfRangeError
from tfrec.pipeline import (
    Coordinator,
    FIFOQueue,
    QueueRunner,
    QueueRunners,
    add_queue_runner,
    batch,
    range_input_producer,
    start_queue_runners,
)
from tfrec.pipeline.collection import DEFAULT_COLLECTION


def counting(queue, limit):
    """An operation that enqueues 0 to limit - 1, then ends."""
    numbers = iter(range(limit))

    def count():
        number = next(numbers, None)
        if number is None:
            raise OutOfRangeError("all counted")
        queue.enqueue(number)

    return count


def raising(error):
    def fail():
        raise error

    return fail


def run_to_end(runner, coord=None):
    for thread in runner.create_threads(coord, start=True):
        if not thread.name.endswith("close_on_stop"):
            thread.join()


@pytest.fixture
def hooked(monkeypatch):
    """Errors that came to `threading.excepthook`."""
    errors = []
    monkeypatch.setattr(threading, "excepthook", lambda args: errors.append(args.exc_value))
    return errors


# Construction


@pytest.mark.parametrize(
    ("queue", "ops"), [(None, [int]), (FIFOQueue(1), []), (FIFOQueue(1), None)]
)
def test_queue_and_operations_are_needed(queue, ops):
    with pytest.raises(ValueError):
        QueueRunner(queue, ops)


@pytest.mark.parametrize("types", [[OutOfRangeError], (), OutOfRangeError, (int,), (1,)])
def test_closed_types_are_a_tuple_of_exception_classes(types):
    with pytest.raises(TypeError):
        QueueRunner(FIFOQueue(1), [int], queue_closed_exception_types=types)


def test_properties_and_defaults():
    queue = FIFOQueue(1, name="numbers")
    runner = QueueRunner(queue, [int])

    assert queue is runner.queue
    assert [int] == runner.enqueue_ops
    assert (OutOfRangeError,) == runner.queue_closed_exception_types
    assert ("numbers", []) == (runner.name, runner.exceptions_raised)
    runner.close_op()
    runner.cancel_op()
    assert queue.is_closed()


# Threads


def test_one_thread_per_operation_and_one_that_cancels():
    queue = FIFOQueue(1, name="q")
    runner = QueueRunner(queue, [int, int], op_names=["first", "second"])
    coord = Coordinator()
    threads = runner.create_threads(coord, daemon=True)

    assert [
        "QueueRunnerThread-q-first",
        "QueueRunnerThread-q-second",
        "QueueRunnerThread-q-close_on_stop",
    ] == [thread.name for thread in threads]
    assert [True] * 3 == [thread.daemon for thread in threads]
    assert [None] * 3 == [thread.ident for thread in threads]


def test_without_coordinator_no_thread_cancels():
    assert 1 == len(QueueRunner(FIFOQueue(1), [int]).create_threads())


def test_threads_are_no_daemons_by_default():
    assert not QueueRunner(FIFOQueue(1), [int]).create_threads()[0].daemon


def test_threads_are_registered(start):
    queue = FIFOQueue(1)
    coord = Coordinator()
    threads = QueueRunner(queue, [counting(queue, 100)]).create_threads(coord, start=True)
    coord.request_stop()
    coord.join()

    assert [False, False] == [thread.is_alive() for thread in threads]


def test_created_threads_are_outstanding_even_if_never_started():
    runner = QueueRunner(FIFOQueue(1), [int])
    runner.create_threads()

    assert [] == runner.create_threads()


def test_when_all_have_ended_a_new_call_starts_afresh(hooked):
    runner = QueueRunner(FIFOQueue(1), [raising(ValueError("x"))])
    run_to_end(runner)
    first = runner.exceptions_raised
    threads = runner.create_threads()

    assert (1, 1, []) == (len(first), len(threads), runner.exceptions_raised)


def test_same_operation_twice_is_two_threads(gate):
    queue = FIFOQueue(2)
    barrier = threading.Barrier(2)

    def meet():
        barrier.wait(5)
        raise OutOfRangeError("both came")

    run_to_end(QueueRunner(queue, [meet, meet]))

    assert queue.is_closed()


# Ends


def test_last_thread_closes_the_queue_once():
    queue = FIFOQueue(-1)
    closes = []
    ops = [counting(queue, 3), counting(queue, 5), counting(queue, 0)]
    run_to_end(QueueRunner(queue, ops, close_op=lambda: closes.append(queue.size())))

    assert [8] == closes


def test_queue_stays_open_until_the_last_thread_ends(gate):
    queue = FIFOQueue(-1)

    def wait():
        gate()
        raise OutOfRangeError("end")

    threads = QueueRunner(queue, [counting(queue, 1), wait]).create_threads(start=True)
    gate.wait_for_arrival()
    threads[0].join()
    was_closed = queue.is_closed()
    gate.open()
    threads[1].join()

    assert (False, True) == (was_closed, queue.is_closed())


def test_failing_close_is_ignored():
    run_to_end(QueueRunner(FIFOQueue(1), [counting(None, 0)], close_op=raising(ValueError("x"))))


def test_other_closed_types_end_the_thread_too():
    queue = FIFOQueue(1)
    run_to_end(
        QueueRunner(
            queue,
            [raising(CancelledError("source"))],
            queue_closed_exception_types=(OutOfRangeError, CancelledError),
        )
    )

    assert queue.is_closed()


def test_normal_end_does_not_stop_the_coordinator():
    queue = FIFOQueue(-1)
    coord = Coordinator()
    run_to_end(QueueRunner(queue, [counting(queue, 2)]), coord)
    was_stopped = coord.should_stop()
    coord.request_stop()
    coord.join()

    assert not was_stopped
    assert [0, 1] == list(queue)


# Failures


def test_error_goes_to_the_coordinator_and_cancels_the_queue():
    queue = FIFOQueue(4)
    coord = Coordinator()
    error = ValueError("x")
    runner = QueueRunner(queue, [raising(error)])
    runner.create_threads(coord, start=True)
    with pytest.raises(OutOfRangeError):
        queue.dequeue()
    with pytest.raises(ValueError, match="x") as caught:
        coord.join()

    assert error is caught.value
    assert [] == runner.exceptions_raised


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3)])
def test_without_coordinator_the_error_is_kept_and_hooked(hooked, error):
    runner = QueueRunner(FIFOQueue(4), [raising(error)])
    run_to_end(runner)

    assert [error] == runner.exceptions_raised
    assert [error] == hooked or isinstance(error, SystemExit)


def test_exit_of_an_operation_is_an_error_like_others():
    coord = Coordinator()
    run_to_end(QueueRunner(FIFOQueue(4), [raising(SystemExit(3))]), coord)

    with pytest.raises(SystemExit):
        coord.join()


def test_last_failure_without_coordinator_leaves_the_queue_open(hooked):
    queue = FIFOQueue(4)
    run_to_end(QueueRunner(queue, [raising(ValueError("x"))]))

    assert not queue.is_closed()


def test_last_normal_end_after_a_failure_closes_the_queue(hooked, gate):
    queue = FIFOQueue(4)

    def end_later():
        gate()
        raise OutOfRangeError("end")

    threads = QueueRunner(queue, [raising(ValueError("x")), end_later]).create_threads(start=True)
    threads[0].join()
    gate.open()
    threads[1].join()

    assert queue.is_closed()


def test_stop_ends_a_blocked_producer_cleanly():
    """A producer of 1000 elements, a consumer of three, then a stop."""
    queue = FIFOQueue(2)
    coord = Coordinator()
    threads = QueueRunner(queue, [counting(queue, 1000)]).create_threads(coord, start=True)
    elements = [queue.dequeue() for _ in range(3)]
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=5)

    assert [0, 1, 2] == elements
    assert [False, False] == [thread.is_alive() for thread in threads]


def test_stopped_coordinator_means_no_work():
    coord = Coordinator()
    coord.request_stop()
    calls = []
    queue = FIFOQueue(1)
    run_to_end(QueueRunner(queue, [lambda: calls.append(1)]), coord)
    coord.join()

    assert [] == calls
    assert queue.is_closed()


def test_failing_cancel_is_ignored():
    coord = Coordinator()
    runner = QueueRunner(FIFOQueue(1), [counting(None, 0)], cancel_op=raising(ValueError("x")))
    runner.create_threads(coord, start=True)
    coord.request_stop()

    assert coord.join() is None


# The collection


def test_all_collected_runners_are_started_as_daemons():
    collection = QueueRunners()
    coord = Coordinator()
    queues = [FIFOQueue(-1), FIFOQueue(-1)]
    for queue in queues:
        add_queue_runner(QueueRunner(queue, [counting(queue, 2)]), collection)
    threads = start_queue_runners(coord, collection=collection)
    elements = [list(queue) for queue in queues]
    coord.request_stop()
    coord.join(threads)

    assert [[0, 1], [0, 1]] == elements
    assert [True] * 4 == [thread.daemon for thread in threads]


def test_collection_of_the_process_is_the_default():
    queue = FIFOQueue(-1)
    coord = Coordinator()
    add_queue_runner(QueueRunner(queue, [counting(queue, 2)]))
    try:
        threads = start_queue_runners(coord)
    finally:
        DEFAULT_COLLECTION.clear()
    elements = list(queue)
    coord.request_stop()
    coord.join(threads)

    assert [0, 1] == elements


def test_nothing_collected_warns(caplog):
    assert [] == QueueRunners().start()
    assert [logging.WARNING] == [record.levelno for record in caplog.records]


def test_threads_need_not_be_started():
    collection = QueueRunners()
    collection.add(QueueRunner(FIFOQueue(1), [int]))
    threads = collection.start(daemon=False, start=False)

    assert [(None, False)] == [(thread.ident, thread.daemon) for thread in threads]


def test_stages_that_nobody_keeps_leave_the_collection():
    collection = QueueRunners()
    batch(range_input_producer(3, collection=collection), 2, collection=collection)
    gc.collect()

    assert [] == collection.start()


def test_runners_of_another_coordinator_are_not_started():
    collection = QueueRunners()
    with Coordinator():
        numbers = range_input_producer(3, collection=collection)
    other = Coordinator()

    assert [] == collection.start(other)
    assert numbers.size() == 0


def test_explicit_start_in_a_block_prefetches_without_a_request():
    collection = QueueRunners()
    with Coordinator() as coord:
        numbers = range_input_producer(8, num_epochs=1, collection=collection)
        start_queue_runners(collection=collection)
        closed = threading.Event()
        numbers.when_closed(closed.set)
        was_filled = closed.wait(5)

    assert was_filled
    assert (8, True) == (numbers.size(), coord.joined)


def test_a_worker_that_waits_ends_where_no_thread_can_cancel_its_queue(monkeypatch):
    start = threading.Thread.start

    def refuse_one(thread):
        if thread.name.endswith("close_on_stop"):
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse_one)
    queue = FIFOQueue(1)
    coord = Coordinator()

    with pytest.raises(RuntimeError, match="can't start"):
        QueueRunner(queue, [lambda: queue.enqueue(0)]).create_threads(
            coord, daemon=True, start=True
        )

    with pytest.raises(RuntimeError, match="can't start"):
        coord.join(stop_grace_period_secs=10)
    assert queue.is_closed()
