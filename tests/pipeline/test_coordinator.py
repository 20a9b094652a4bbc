"""Stopping, recording, joining: what threads and their owner may rely on."""

import logging
import signal
import sys
import threading
import time
import traceback

import pytest

from tfrec.errors import OutOfRangeError, StragglerError
from tfrec.pipeline import Coordinator
from tfrec.pipeline.coordinator import current_coordinator


class QuietError(Exception):
    """An exception whose truth value is false."""

    def __bool__(self):
        return False


def raised_by(function, *args, **kwargs):
    with pytest.raises(BaseException) as caught:
        function(*args, **kwargs)
    return caught.value


# Stopping


def test_should_stop_is_true_from_the_first_stop_on():
    coord = Coordinator()
    before = coord.should_stop()
    coord.request_stop()

    assert (False, True) == (before, coord.should_stop())


def test_one_stop_wakes_all_waiters(start):
    coord = Coordinator()
    waiters = [start(coord.wait_for_stop) for _ in range(8)]
    coord.request_stop()

    assert [True] * 8 == [waiter.result() for waiter in waiters]


def test_wait_for_stop_is_false_after_the_timeout():
    start = time.monotonic()
    stopped = Coordinator().wait_for_stop(0.05)

    assert not stopped
    assert time.monotonic() - start >= 0.05


def test_wait_for_stop_returns_at_once_when_stopped():
    coord = Coordinator()
    coord.request_stop()

    assert coord.wait_for_stop(0)


@pytest.mark.parametrize("timeout", [-1, 0])
def test_no_time_to_wait_asks_once(timeout):
    assert not Coordinator().wait_for_stop(timeout)


# The first stop wins


def test_recorded_error_is_the_very_object_that_was_given():
    coord = Coordinator()
    error = ValueError("first")
    coord.request_stop(error)

    assert error is raised_by(coord.join)


def test_error_given_inside_a_handler_of_another_is_the_one_recorded():
    coord = Coordinator()
    error = ValueError("given")
    try:
        raise KeyError("handled")
    except KeyError:
        coord.request_stop(error)

    assert error is raised_by(coord.join)


def test_error_that_is_false_is_recorded():
    coord = Coordinator()
    error = QuietError()
    coord.request_stop(error)

    assert error is raised_by(coord.join)


def test_error_after_a_plain_stop_is_dropped_and_logged(caplog):
    caplog.set_level(logging.INFO)
    coord = Coordinator()
    coord.request_stop()
    coord.request_stop(ValueError("late"))
    coord.join()

    assert ["error after the stop, dropped: ValueError: late"] == caplog.messages


def test_error_after_a_clean_stop_is_dropped():
    coord = Coordinator()
    coord.request_stop(OutOfRangeError("end"))
    coord.request_stop(ValueError("late"))

    assert coord.join() is None


def test_error_stays_when_plain_stops_follow():
    coord = Coordinator()
    error = ValueError("first")
    for ex in (error, None, OutOfRangeError("end"), ValueError("second")):
        coord.request_stop(ex)

    assert error is raised_by(coord.join)


def test_of_many_simultaneous_errors_one_is_kept(start):
    coord = Coordinator()
    barrier = threading.Barrier(16)
    errors = [ValueError(number) for number in range(16)]

    def stop(error):
        barrier.wait()
        coord.request_stop(error)

    for call in [start(stop, error) for error in errors]:
        call.result()

    assert raised_by(coord.join) in errors


def test_error_is_logged_once(caplog):
    caplog.set_level(logging.INFO)
    coord = Coordinator()
    coord.request_stop(ValueError("first"))

    assert ["stop requested by ValueError: first"] == caplog.messages


# Clean types


@pytest.mark.parametrize(
    ("types", "error", "is_clean"),
    [
        (None, OutOfRangeError("end"), True),
        (None, StopIteration(), False),
        ((StopIteration,), StopIteration(), True),
        ((StopIteration,), OutOfRangeError("end"), False),
        ((), OutOfRangeError("end"), False),
        ([LookupError], KeyError("a subclass"), True),
        (iter([LookupError]), KeyError("a subclass"), True),
    ],
)
def test_clean_types_replace_the_default(types, error, is_clean):
    coord = Coordinator(types)
    coord.request_stop(error)

    assert coord.should_stop()
    if is_clean:
        assert coord.join() is None
    else:
        assert error is raised_by(coord.join)


def test_bare_class_of_clean_types_is_refused():
    with pytest.raises(TypeError):
        Coordinator(OutOfRangeError)


# Triples and other arguments


def test_triple_gives_exception_and_traceback():
    coord = Coordinator()
    try:
        raise ValueError("in a triple")
    except ValueError:
        triple = sys.exc_info()
    triple[1].__traceback__ = None
    coord.request_stop(triple)
    error = raised_by(coord.join)

    assert triple[1] is error
    assert "in a triple" in traceback.format_tb(error.__traceback__)[-1]


@pytest.mark.parametrize("ex", [(None, None, None), ValueError, "words", (1, 2), 0])
def test_what_holds_no_exception_stops_and_is_recorded_as_a_value_error(ex):
    coord = Coordinator()
    coord.request_stop(ex)

    assert coord.should_stop()
    with pytest.raises(ValueError, match="neither an exception nor a triple"):
        coord.join()


# Tracebacks


def fail_deep_inside():
    raise ValueError("deep")


def test_recorded_error_shows_the_frames_of_its_thread(start):
    coord = Coordinator()

    def work():
        with coord.stop_on_exception():
            fail_deep_inside()

    start(work).result()
    error = raised_by(coord.join)

    assert "fail_deep_inside" in "".join(traceback.format_tb(error.__traceback__))


def test_raising_again_does_not_lengthen_the_traceback():
    coord = Coordinator()
    with coord.stop_on_exception():
        fail_deep_inside()
    lengths = {
        len(traceback.extract_tb(raised_by(coord.raise_requested_exception).__traceback__))
        for _ in range(5)
    }

    assert 1 == len(lengths)


def test_raising_changes_nothing():
    coord = Coordinator()
    error = ValueError("kept")
    coord.request_stop(error)

    assert [error] * 3 == [
        raised_by(coord.raise_requested_exception),
        raised_by(coord.join),
        raised_by(coord.raise_requested_exception),
    ]


def test_nothing_recorded_raises_nothing():
    assert Coordinator().raise_requested_exception() is None


# stop_on_exception


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_stop_on_exception_swallows_and_reports_everything(kind):
    coord = Coordinator()
    error = kind("x")
    with coord.stop_on_exception():
        raise error

    assert error is raised_by(coord.join)


def test_stop_on_exception_reports_a_stop_iteration_that_is_not_clean():
    coord = Coordinator()
    error = StopIteration("x")
    with coord.stop_on_exception():
        raise error

    assert error is raised_by(coord.join)


def test_stop_on_exception_without_exception_does_nothing():
    coord = Coordinator()
    with coord.stop_on_exception():
        pass

    assert not coord.should_stop()


def test_after_join_the_exception_comes_out_of_stop_on_exception():
    coord = Coordinator()
    coord.request_stop()
    coord.join()
    with pytest.raises(ValueError, match="too late"), coord.stop_on_exception():
        raise ValueError("too late")


# After join


def test_stop_with_an_error_after_join_raises_it_in_the_caller():
    coord = Coordinator()
    coord.join()
    error = ValueError("late")

    assert error is raised_by(coord.request_stop, error)
    assert not coord.should_stop()
    assert coord.raise_requested_exception() is None


@pytest.mark.parametrize("ex", [None, OutOfRangeError("end")])
def test_plain_stop_after_join_sets_the_flag(ex):
    coord = Coordinator()
    coord.join()
    coord.request_stop(ex)

    assert coord.should_stop()


def test_clear_stop_makes_the_coordinator_anew():
    coord = Coordinator()
    coord.request_stop(ValueError("forgotten"))
    raised_by(coord.join)
    coord.clear_stop()

    assert (False, False) == (coord.should_stop(), coord.joined)
    assert coord.join() is None


def test_clear_stop_keeps_threads_and_callbacks(start, gate):
    coord = Coordinator()
    called = []
    coord.call_on_stop(lambda: called.append("callback"))
    coord.register_thread(start(gate))
    coord.clear_stop()
    coord.request_stop()
    with pytest.raises(StragglerError):
        coord.join(stop_grace_period_secs=0)

    assert ["callback"] == called


# join


def test_join_returns_when_all_threads_have_ended_without_a_stop(start, gate):
    coord = Coordinator()
    registered, given = start(gate), start(gate)
    coord.register_thread(registered)
    coord.register_thread(registered)
    join = start(coord.join, [given])
    gate.open()

    assert join.result() is None
    assert coord.joined
    assert not coord.should_stop()


def test_join_notices_a_natural_end_at_once(start, gate):
    coord = Coordinator()
    coord.register_thread(start(gate))
    join = start(coord.join)
    gate.wait_for_arrival()
    gate.open()
    begin = time.monotonic()
    join.result()

    assert time.monotonic() - begin < 0.05


def test_join_without_a_stop_does_not_count_the_grace(start, gate):
    coord = Coordinator()
    coord.register_thread(start(gate))
    join = start(coord.join, stop_grace_period_secs=0.01)
    join.join(0.2)
    was_waiting = join.is_alive()
    gate.open()

    assert was_waiting
    assert join.result() is None


def test_stop_during_join_starts_the_grace(start, gate):
    coord = Coordinator()
    coord.register_thread(start(gate))
    join = start(coord.join, stop_grace_period_secs=0.05)
    gate.wait_for_arrival()
    coord.request_stop()

    assert isinstance(raised_by(join.result), StragglerError)


def test_join_takes_an_iterator_of_threads(start):
    coord = Coordinator()
    calls = [start(int) for _ in range(3)]

    assert coord.join(iter(calls)) is None
    assert [False] * 3 == [call.is_alive() for call in calls]


def test_thread_that_was_not_started_counts_as_ended():
    coord = Coordinator()
    coord.register_thread(threading.Thread())

    assert coord.join([threading.Thread()]) is None


def test_thread_does_not_wait_for_itself():
    coord = Coordinator()
    coord.register_thread(threading.current_thread())

    assert coord.join() is None


def test_thread_registered_during_join_is_not_waited_for(start, gate):
    coord = Coordinator()
    first = start(gate)
    coord.register_thread(first)
    join = start(coord.join)
    gate.wait_for_arrival()
    late_gate = threading.Event()
    late = start(late_gate.wait)
    coord.register_thread(late)
    gate.open()
    join.result()
    was_alive = late.is_alive()
    late_gate.set()

    assert was_alive


@pytest.mark.parametrize("grace_secs", [-1, 0, 0.05])
def test_stragglers_are_named_after_the_grace(start, gate, grace_secs):
    coord = Coordinator()
    threads = [start(gate) for _ in range(2)]
    for thread, name in zip(threads, ["Slow-b", "Slow-a"], strict=True):
        thread.name = name
        coord.register_thread(thread)
    coord.request_stop()
    begin = time.monotonic()
    error = raised_by(coord.join, stop_grace_period_secs=grace_secs)

    assert isinstance(error, StragglerError)
    assert isinstance(error, RuntimeError)
    assert "threads still running: Slow-a Slow-b" == str(error)
    assert grace_secs <= time.monotonic() - begin < 1


def test_grace_of_the_constructor_is_the_default(start, gate):
    coord = Coordinator(stop_grace_period_secs=0.01)
    coord.register_thread(start(gate))
    coord.request_stop()

    assert isinstance(raised_by(coord.join), StragglerError)


def test_ignored_stragglers_are_logged(start, gate, caplog):
    caplog.set_level(logging.INFO)
    coord = Coordinator()
    thread = start(gate)
    thread.name = "Slow"
    coord.request_stop()

    assert coord.join([thread], 0.01, ignore_live_threads=True) is None
    assert ["threads still running: Slow"] == caplog.messages


def test_recorded_error_outranks_stragglers(start, gate):
    coord = Coordinator()
    coord.register_thread(start(gate))
    error = ValueError("first")
    coord.request_stop(error)

    assert error is raised_by(coord.join, stop_grace_period_secs=0.01)


def test_second_join_forgets_stragglers_and_repeats_the_error(start, gate):
    stopped, failed = Coordinator(), Coordinator()
    stopped.register_thread(start(gate))
    stopped.request_stop()
    raised_by(stopped.join, stop_grace_period_secs=0)
    error = ValueError("x")
    failed.request_stop(error)
    raised_by(failed.join)

    assert stopped.join() is None
    assert stopped.joined
    assert error is raised_by(failed.join)


def test_joined_is_true_after_a_join_that_raised():
    coord = Coordinator()
    coord.request_stop(ValueError("x"))
    raised_by(coord.join)

    assert coord.joined


# Callbacks


def test_callback_runs_once_in_the_stopping_thread_before_the_stop_returns(start):
    coord = Coordinator()
    seen = []
    coord.call_on_stop(lambda: seen.append((threading.current_thread(), coord.should_stop())))
    call = start(coord.request_stop)
    call.result()
    coord.request_stop()

    assert [(call, True)] == seen


def test_callback_registered_after_the_stop_runs_at_once():
    coord = Coordinator()
    coord.request_stop()
    called = []
    coord.call_on_stop(lambda: called.append(1))

    assert [1] == called


def test_removed_callback_does_not_run():
    coord = Coordinator()
    called = []
    remove = coord.call_on_stop(lambda: called.append("removed"))
    coord.call_on_stop(lambda: called.append("kept"))
    remove()
    remove()
    coord.request_stop()

    assert ["kept"] == called


def test_callback_runs_without_a_lock(start):
    coord = Coordinator()
    results = []
    coord.call_on_stop(lambda: results.append(start(coord.wait_for_stop).result()))
    coord.request_stop()

    assert [True] == results


def test_failing_callback_is_recorded_and_the_others_run():
    coord = Coordinator()
    error = ValueError("callback")
    called = []

    def fail():
        raise error

    coord.call_on_stop(fail)
    coord.call_on_stop(lambda: called.append(1))
    coord.request_stop()

    assert [1] == called
    assert error is raised_by(coord.join)


def test_failing_callback_does_not_replace_a_recorded_error(caplog):
    caplog.set_level(logging.INFO)
    coord = Coordinator()
    error = ValueError("first")
    coord.call_on_stop(lambda: 1 / 0)
    coord.request_stop(error)

    assert error is raised_by(coord.join)
    assert any("division by zero" in message for message in caplog.messages)


def test_interrupted_callback_keeps_nobody_waiting(start):
    coord = Coordinator()
    called = []

    def interrupt():
        raise KeyboardInterrupt

    waiter = start(coord.wait_for_stop)
    coord.call_on_stop(interrupt)
    coord.call_on_stop(lambda: called.append(1))

    assert isinstance(raised_by(coord.request_stop), KeyboardInterrupt)
    assert [1] == called
    assert waiter.result()


class InterruptingLock:
    """A lock whose release is interrupted once, as by Ctrl-C right after it."""

    def __init__(self, lock):
        self._lock = lock
        self.interrupts = True

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *error):
        self._lock.__exit__(*error)
        if self.interrupts:
            self.interrupts = False
            raise KeyboardInterrupt


def test_stop_that_was_cut_short_is_made_up_by_the_next(start):
    coord = Coordinator()
    called = []
    waiter = start(coord.wait_for_stop)
    coord.call_on_stop(lambda: called.append(1))
    coord._lock = InterruptingLock(coord._lock)
    interrupted = raised_by(coord.request_stop)
    coord.request_stop()

    assert isinstance(interrupted, KeyboardInterrupt)
    assert [1] == called
    assert waiter.result()


# Signals


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGALRM")
def test_signal_handler_may_stop_in_the_middle_of_any_method():
    coord = Coordinator()
    previous = signal.signal(signal.SIGALRM, lambda *_: coord.request_stop())
    try:
        for _ in range(300):
            signal.setitimer(signal.ITIMER_REAL, 0.0002)
            while not coord.should_stop():
                coord.call_on_stop(int)()
                coord.register_thread(threading.current_thread())
                coord.wait_for_stop(0)
            coord.join()
            coord.clear_stop()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)

    assert not coord.should_stop()


# The with form


def test_leaving_the_block_stops_and_joins(start):
    with Coordinator() as coord:
        thread = start(coord.wait_for_stop)
        coord.register_thread(thread)

    assert coord.joined
    assert not thread.is_alive()


def test_recorded_error_leaves_a_block_that_ended_normally():
    error = ValueError("of a thread")

    def block():
        with Coordinator() as coord:
            coord.request_stop(error)

    assert error is raised_by(block)


@pytest.mark.parametrize("own", [OutOfRangeError("end"), KeyError("own")])
def test_recorded_error_leaves_the_block_with_the_blocks_own_as_its_context(own):
    error = ValueError("of a thread")

    def block():
        with Coordinator() as coord:
            coord.request_stop(error)
            raise own

    assert error is raised_by(block)
    assert own is error.__context__


def test_recorded_error_raised_in_the_block_comes_out_once():
    error = ValueError("of a thread")

    def block():
        with Coordinator() as coord:
            coord.request_stop(error)
            coord.raise_requested_exception()

    assert error is raised_by(block)
    assert error.__context__ is None


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_error_of_the_block_stops_the_threads_and_comes_out(start, kind):
    error = kind("own")
    threads = []

    def block():
        with Coordinator() as coord:
            threads.append(start(coord.wait_for_stop))
            raise error

    assert error is raised_by(block)
    assert threads[0].result()


def test_clean_end_of_the_block_is_swallowed():
    with Coordinator() as coord:
        raise OutOfRangeError("end")

    assert coord.should_stop()


def test_error_of_the_block_after_a_plain_stop_comes_out():
    error = ValueError("own")

    def block():
        with Coordinator() as coord:
            coord.request_stop()
            raise error

    assert error is raised_by(block)


def test_error_of_the_block_after_a_join_in_the_block_comes_out():
    error = ValueError("own")

    def block():
        with Coordinator() as coord:
            coord.request_stop()
            coord.join()
            raise error

    assert error is raised_by(block)


def test_stragglers_become_a_note_on_the_blocks_error(start, gate):
    def block():
        with Coordinator(stop_grace_period_secs=0.01) as coord:
            thread = start(gate)
            thread.name = "Slow"
            coord.register_thread(thread)
            coord.request_stop()
            raise ValueError("own")

    error = raised_by(block)

    assert ("own", ["threads still running: Slow"]) == (str(error), error.__notes__)


@pytest.mark.parametrize("end", [None, OutOfRangeError("end")])
def test_stragglers_alone_are_raised(start, gate, end):
    def block():
        with Coordinator(stop_grace_period_secs=0.01) as coord:
            coord.register_thread(start(gate))
            if end is not None:
                raise end

    assert isinstance(raised_by(block), StragglerError)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot signal one thread")
def test_second_interrupt_during_the_join_leaves_at_once(start, gate):
    def block():
        with Coordinator() as coord:
            coord.register_thread(start(gate))
            main = threading.main_thread().ident
            threading.Timer(0.05, signal.pthread_kill, [main, signal.SIGINT]).start()
            raise ValueError("own")

    begin = time.monotonic()

    assert isinstance(raised_by(block), KeyboardInterrupt)
    assert time.monotonic() - begin < 2


def test_block_makes_the_coordinator_current_in_its_thread_only(start):
    with Coordinator() as outer:
        with Coordinator() as inner:
            seen = [current_coordinator(), start(current_coordinator).result()]
        seen.append(current_coordinator())

    assert [inner, None, outer, None] == [*seen, current_coordinator()]
