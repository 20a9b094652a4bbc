"""Executors, and the ways to map over them."""

import itertools
import os
import threading
from concurrent.futures import CancelledError, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from tfrec.engine import (
    EXECUTORS,
    SerialExecutor,
    default_num_workers,
    map_completed,
    map_ordered,
    shares_memory,
    until_stopped,
)


def square(number):
    return number * number


class TestMapOrdered:
    def test_results_come_in_the_order_of_the_items(self):
        with ThreadPoolExecutor(4) as executor:
            assert [0, 1, 4, 9] == list(map_ordered(executor, square, range(4), window=3))

    def test_no_more_items_are_taken_than_the_window_has(self):
        taken = []

        def items():
            for number in range(10):
                taken.append(number)
                yield number

        results = map_ordered(SerialExecutor(), square, items(), window=3)
        next(results)

        assert [0, 1, 2] == taken
        results.close()

    def test_an_error_comes_in_the_turn_of_its_item(self):
        results = map_ordered(SerialExecutor(), lambda number: 1 // number, [1, 0], window=2)

        assert 1 == next(results)
        with pytest.raises(ZeroDivisionError):
            next(results)

    def test_what_has_begun_is_finished_before_an_error_is_raised(self):
        began, ended = threading.Event(), []

        def run(number):
            if number == 0:
                began.wait(10)
                raise KeyError
            began.set()
            threading.Event().wait(0.05)
            ended.append(number)

        with ThreadPoolExecutor(2) as executor:
            with pytest.raises(KeyError):
                list(map_ordered(executor, run, [0, 1], window=2))

            assert [1] == ended

    def test_a_window_of_nothing_is_refused(self):
        with pytest.raises(ValueError, match="window is 0"):
            next(map_ordered(SerialExecutor(), square, [1], window=0))


class TestMapCompleted:
    def test_each_result_comes_with_its_item(self):
        with ThreadPoolExecutor(4) as executor:
            found = dict(map_completed(executor, square, range(10), window=3))

        assert {number: number * number for number in range(10)} == found

    def test_a_slow_item_does_not_hold_up_others(self):
        may_end = threading.Event()

        def run(number):
            if number == 0:
                may_end.wait()
            return number

        with ThreadPoolExecutor(2) as executor:
            results = map_completed(executor, run, range(3), window=2)
            first = next(results)
            may_end.set()
            others = set(results)

        assert (1, 1) == first
        assert {(0, 0), (2, 2)} == others

    def test_an_error_ends_it(self):
        with ThreadPoolExecutor(1) as executor, pytest.raises(ZeroDivisionError):
            list(map_completed(executor, lambda number: 1 // number, [0, 1], window=1))


def count_for_good():
    for _ in until_stopped(itertools.count()):
        pass


def test_an_error_of_the_block_stops_a_long_task_of_a_process():
    with pytest.raises(ZeroDivisionError), EXECUTORS["processes"](2) as executor:
        executor.submit(square, 2).result()  # the workers are there
        endless = executor.submit(count_for_good)
        raise ZeroDivisionError

    with pytest.raises(CancelledError):
        endless.result()


class TestSerialExecutor:
    def test_tasks_run_in_the_caller(self):
        future = SerialExecutor().submit(threading.get_ident)

        assert threading.get_ident() == future.result()

    def test_nothing_runs_once_it_is_to_stop(self):
        with pytest.raises(CancelledError):
            SerialExecutor(lambda: True).submit(square, 1)

    def test_errors_are_handed_on(self):
        with pytest.raises(ZeroDivisionError):
            SerialExecutor().submit(lambda: 1 // 0).result()


@pytest.mark.parametrize(
    ("executor", "expected"),
    [(SerialExecutor(), True), (ThreadPoolExecutor(1), True), (ProcessPoolExecutor(1), False)],
)
def test_threads_share_memory_and_processes_do_not(executor, expected):
    with executor:
        assert expected == shares_memory(executor)


def test_there_is_a_worker_for_each_core_at_most():
    assert 1 <= default_num_workers() <= os.cpu_count()


def test_an_error_of_the_items_comes_after_the_results_before_it():
    def items():
        yield 1
        yield 2
        raise OSError("no more")

    with ThreadPoolExecutor(2) as executor:
        results = map_ordered(executor, lambda item: item * 10, items(), window=8)
        found = [next(results), next(results)]
        with pytest.raises(OSError, match="no more"):
            next(results)

    assert [10, 20] == found
