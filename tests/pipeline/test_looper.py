"""Repeated calls under a coordinator."""

import time

import pytest

from tfrec.errors import OutOfRangeError
from tfrec.pipeline import Coordinator, LooperThread


class Recorder(LooperThread):
    """Records its hooks; stops its coordinator in call number `num_calls`."""

    def __init__(self, coord, interval, num_calls):
        super().__init__(coord, interval)
        self.coord = coord
        self.num_calls = num_calls
        self.events = []

    def start_loop(self):
        self.events.append("start")

    def run_loop(self):
        self.events.append("run")
        if self.events.count("run") == self.num_calls:
            self.coord.request_stop()

    def stop_loop(self):
        self.events.append("stop")


@pytest.mark.parametrize("interval", [None, 0, 0.001])
def test_hooks_run_in_order(interval):
    coord = Coordinator()
    looper = Recorder(coord, interval, 3)
    looper.start()
    coord.join()

    assert ["start", "run", "run", "run", "stop"] == looper.events


def test_looper_is_a_daemon_that_registers_and_is_not_started():
    coord = Coordinator()
    looper = LooperThread(coord, None)
    not_started = looper.ident is None
    looper.start()
    coord.request_stop()
    coord.join()

    assert (True, True, False) == (looper.daemon, not_started, looper.is_alive())


def test_after_a_stop_nothing_is_called():
    coord = Coordinator()
    coord.request_stop()
    looper = Recorder(coord, 10, 1)
    looper.start()
    coord.join()

    assert ["start", "stop"] == looper.events


def test_target_gets_its_arguments():
    coord = Coordinator()
    calls = []

    def target(*args, **kwargs):
        calls.append((args, kwargs))
        coord.request_stop()

    LooperThread.loop(coord, None, target, args=(1, 2), kwargs={"key": 3})
    coord.join()

    assert [((1, 2), {"key": 3})] == calls


def test_error_is_reported_and_skips_stop_loop():
    coord = Coordinator()
    looper = Recorder(coord, None, 0)
    error = ValueError("x")

    def fail():
        raise error

    looper.run_loop = fail
    looper.start()
    with pytest.raises(ValueError, match="x") as caught:
        coord.join()

    assert error is caught.value
    assert ["start"] == looper.events


def test_clean_exception_stops_cleanly():
    coord = Coordinator()

    def end():
        raise OutOfRangeError("end")

    LooperThread.loop(coord, 0.001, end)
    coord.join()

    assert coord.should_stop()


def test_missed_ticks_are_made_up_back_to_back():
    coord = Coordinator()
    times = []

    def slow_at_first():
        times.append(time.monotonic())
        if len(times) == 1:
            coord.wait_for_stop(0.2)
        if len(times) == 6:
            coord.request_stop()

    LooperThread.loop(coord, 0.05, slow_at_first)
    coord.join()

    # The calls due at 0.05, 0.1, 0.15 and 0.2 follow the slow one; that of 0.25 is in time again.
    assert times[4] - times[0] < 0.25
    assert times[5] - times[0] >= 0.25


def test_stop_ends_the_longest_wait_at_once():
    coord = Coordinator()
    looper = LooperThread.loop(coord, 1000, int)
    begin = time.monotonic()
    coord.request_stop()
    coord.join()

    assert not looper.is_alive()
    assert time.monotonic() - begin < 0.5


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (("no coordinator", 1), {}),
        ((Coordinator(), 1), {"args": (1,)}),
        ((Coordinator(), 1), {"kwargs": {"a": 1}}),
        ((Coordinator(), -0.1), {}),
    ],
)
def test_wrong_arguments_are_refused(args, kwargs):
    with pytest.raises(ValueError):
        LooperThread(*args, **kwargs)
