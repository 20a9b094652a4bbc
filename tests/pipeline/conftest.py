"""Threads of tests: how they are started, watched, and seen to have ended."""

import threading
from concurrent.futures import Future

import pytest

GRACE_SECS = 5


@pytest.fixture(autouse=True)
def _no_thread_is_left():
    before = set(threading.enumerate())
    yield
    started = set(threading.enumerate()) - before
    started = {thread for thread in started if thread.ident is not None}  # `start` interrupted
    for thread in started:
        thread.join(GRACE_SECS)

    assert [] == [thread.name for thread in started if thread.is_alive()]


class Call(threading.Thread):
    """A call in a thread of its own."""

    def __init__(self, function, *args, **kwargs):
        super().__init__(daemon=True)
        self._future = Future()
        self._call = lambda: function(*args, **kwargs)

    def run(self):
        try:
            self._future.set_result(self._call())
        except BaseException as error:
            self._future.set_exception(error)

    def result(self):
        """Return what the call returned, or raise what it raised."""
        return self._future.result(GRACE_SECS)


@pytest.fixture
def start():
    """Start a call in a thread of its own."""

    def start_call(function, *args, **kwargs):
        call = Call(function, *args, **kwargs)
        call.start()
        return call

    return start_call


@pytest.fixture
def start_blocked(start, monkeypatch):
    """Start a call of a queue's method in a thread, and return when it stands in its line."""

    def start_call(method, *args, **kwargs):
        blocked = threading.Semaphore(0)
        monkeypatch.setattr(method.__self__, "_before_waiting", blocked.release)
        call = start(method, *args, **kwargs)
        assert blocked.acquire(timeout=GRACE_SECS), "the call did not block"
        return call

    return start_call


class Gate:
    """A place where threads wait until the test opens it; `arrived` says that one is there."""

    def __init__(self):
        self.arrived = threading.Event()
        self._opened = threading.Event()

    def __call__(self, *_):
        self.arrived.set()
        assert self._opened.wait(GRACE_SECS), "nobody opened the gate"

    def wait_for_arrival(self):
        assert self.arrived.wait(GRACE_SECS), "nobody came to the gate"

    def open(self):
        self._opened.set()


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open()
