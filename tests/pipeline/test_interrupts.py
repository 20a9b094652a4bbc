"""Ctrl-C and signal handlers, at any point of any call of the main thread."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial

import pytest

from tfrec.errors import CancelledError, OutOfRangeError
from tfrec.pipeline import Coordinator, FIFOQueue, RandomShuffleQueue, batch

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals to one thread"),
    # An interrupt that strikes in a weak reference's callback is reported and dropped by Python.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

NUM_ELEMENTS = 3000


class Interrupted(BaseException):
    """What the storm raises."""


class Storm:
    """Signals to the main thread at random moments; the handler acts only while `armed`.

    They come from a thread: the timer of the process belongs to the time limit of the tests.
    """

    def __init__(self, act):
        self.armed = False
        self.num_hits = 0
        self._act = act
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)

    def __enter__(self):
        self._previous = signal.signal(signal.SIGUSR1, self._handle)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.armed = False
        self._is_over.set()
        self._thread.join()
        signal.signal(signal.SIGUSR1, self._previous)

    def _send(self):
        moments = random.Random(1)
        while not self._is_over.wait(moments.uniform(10e-6, 150e-6)):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)

    def _handle(self, *_):
        if self.armed:
            self.armed = False
            self.num_hits += 1
            self._act()


def interrupt():
    raise Interrupted


def produce(queue):
    for number in range(NUM_ELEMENTS):
        queue.enqueue(number)
    queue.close()


def consume(storm, take):
    """Take until the end, and go on after each interrupt."""
    elements = []
    while True:
        try:
            storm.armed = True
            found = take()
            storm.armed = False  # no call since the return: no interrupt either
            elements.append(found)
        except Interrupted:
            continue
        except OutOfRangeError:
            storm.armed = False
            return elements


@pytest.mark.parametrize("capacity", [1, 8])
def test_interrupted_dequeue_loses_and_repeats_nothing(start, capacity):
    with Storm(interrupt) as storm:
        while storm.num_hits < 20:
            queue = FIFOQueue(capacity)
            producer = start(produce, queue)
            elements = consume(storm, queue.dequeue)
            producer.result()

            assert list(range(NUM_ELEMENTS)) == elements


@pytest.mark.parametrize("number", [1, 3, 20])
def test_interrupted_dequeue_many_loses_and_repeats_nothing(start, number):
    queue = FIFOQueue(8)

    def produce_fives():
        for number in range(0, 2000, 5):
            queue.enqueue_many(range(number, number + 5))
        queue.close()

    with Storm(interrupt) as storm:
        start(produce_fives)
        batches = consume(storm, lambda: queue.dequeue_many(number))

    elements = [element for found in batches for element in found]
    assert list(range(2000 // number * number)) == elements


def test_interrupted_draws_lose_and_repeat_nothing(start):
    queue = RandomShuffleQueue(16, 4)
    with Storm(interrupt) as storm:
        start(produce, queue)
        elements = consume(storm, queue.dequeue)

    assert list(range(NUM_ELEMENTS)) == sorted(elements)


@pytest.mark.parametrize("capacity", [1, 8])
def test_interrupted_enqueue_wakes_every_consumer_and_repeats_nothing(start, capacity):
    queue = FIFOQueue(capacity)
    consumers = [start(lambda: list(queue)) for _ in range(3)]
    put = []
    with Storm(interrupt) as storm:
        for number in range(NUM_ELEMENTS):
            try:
                storm.armed = True
                queue.enqueue(number)
                storm.armed = False
                put.append(number)
            except Interrupted:
                continue
    queue.close()
    taken = sorted(number for consumer in consumers for number in consumer.result())

    assert len(set(taken)) == len(taken)
    assert set(put) <= set(taken)


@pytest.mark.parametrize("operation", ["enqueue", "dequeue"])
def test_handler_may_stop_in_the_middle_of_any_call(start, operation):
    """The stop cancels the queue whose method it has interrupted; nobody stays blocked."""
    for _ in range(150):
        coord = Coordinator()
        queue = FIFOQueue(2)
        coord.call_on_stop(queue.cancel)
        if operation == "enqueue":
            others = [start(list, queue) for _ in range(2)]
            call = partial(queue.enqueue, 1)
        else:
            others = [start(queue.enqueue_many, range(100_000)) for _ in range(2)]
            call = queue.dequeue
        with Storm(coord.request_stop) as storm:
            storm.armed = True
            with pytest.raises((CancelledError, OutOfRangeError)):
                while True:
                    call()
        for other in others:
            other.join(5)

        assert [False, False] == [other.is_alive() for other in others]


def test_interrupted_stop_leaves_nobody_waiting(start):
    for _ in range(150):
        coord = Coordinator()
        waiters = [start(coord.wait_for_stop) for _ in range(3)]
        with Storm(interrupt) as storm:
            try:
                while not coord.should_stop():
                    storm.armed = True
                    coord.call_on_stop(int)
                    coord.request_stop()
                    storm.armed = False
            except Interrupted:
                coord.request_stop()

        assert [True] * 3 == [waiter.result() for waiter in waiters]


def test_interrupted_stage_ends_its_threads_in_its_block():
    for _ in range(50):
        with suppress(Interrupted), Storm(interrupt) as storm, Coordinator():
            storm.armed = True
            for _ in batch(lambda: 1, 4, num_threads=3):
                if not storm.armed:  # it struck in a weak reference's callback, which drops it
                    break

    # A thread whose `start` was interrupted may stand in the list without ever having run.
    assert [] == [
        thread.name
        for thread in threading.enumerate()
        if "QueueRunner" in thread.name and thread.is_alive()
    ]


# Whole programs


PROGRAMS = {
    "waiting for a queue that nobody fills": """
        queue = FIFOQueue(1)
        print("ready", flush=True)
        queue.dequeue()
    """,
    "endless pipeline": """
        with Coordinator():
            for number, _ in enumerate(batch(lambda: 1, 4, num_threads=4)):
                if number == 0:
                    print("ready", flush=True)
    """,
    "endless private pipeline": """
        for number, _ in enumerate(batch(lambda: 1, 4, num_threads=4)):
            if number == 0:
                print("ready", flush=True)
    """,
    "classic form": """
        coord = Coordinator()
        queue = FIFOQueue(2)
        add_queue_runner(QueueRunner(queue, [lambda: queue.enqueue(1)] * 3))
        threads = start_queue_runners(coord)
        try:
            print("ready", flush=True)
            while not coord.should_stop():
                queue.dequeue()
        finally:
            coord.request_stop()
            coord.join(threads)
    """,
    "join without a stop": """
        coord = Coordinator()
        LooperThread.loop(coord, 1000, int)
        print("ready", flush=True)
        coord.join()
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_ctrl_c_ends_the_program_at_once(program):
    lines = program.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    code = "\n".join(
        [
            "from tfrec.pipeline import *",
            *(line[indent:] for line in lines),
        ]
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        first_line = process.stdout.readline()
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
        delay = time.monotonic() - begin

    assert ("ready\n", -signal.SIGINT) == (first_line, process.returncode), errors
    assert "KeyboardInterrupt" in errors
    assert delay < 2
