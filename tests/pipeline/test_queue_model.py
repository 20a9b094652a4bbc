"""FIFOQueue against a model that can be checked by eye: two lists whose heads are served."""

import threading
from concurrent.futures import Future

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tfrec.errors import CancelledError, OutOfRangeError
from tfrec.pipeline import FIFOQueue


class Waiting:
    """A call in the model: `result` is a value, or the class of an error, once it has one."""

    def __init__(self, kind, amount=None, rows=()):
        self.kind = kind
        self.amount = amount
        self.rows = list(rows)
        self.held = []
        self.result = None


class Model:
    def __init__(self, capacity):
        self.capacity = capacity
        self.store = []
        self.is_closed = False
        self.enqueues = []
        self.dequeues = []

    def serve(self):
        before = None
        while before != (before := self.state()):
            while self.enqueues and self.serve_enqueue(self.enqueues[0]):
                self.enqueues.pop(0)
            while self.dequeues and self.serve_dequeue(self.dequeues[0]):
                self.dequeues.pop(0)

    def state(self):
        lines = [(len(call.rows), len(call.held)) for call in self.enqueues + self.dequeues]
        return list(self.store), self.is_closed, lines

    def serve_enqueue(self, call):
        if call.kind == "close":
            self.is_closed = True
            call.result = "done"
        elif self.is_closed:
            call.result = CancelledError
        else:
            while call.rows and len(self.store) < self.capacity:
                self.store.append(call.rows.pop(0))
            call.result = None if call.rows else "done"
        return call.result is not None

    def serve_dequeue(self, call):
        while self.store and len(call.held) < call.amount:
            call.held.append(self.store.pop(0))
        if len(call.held) == call.amount or (self.is_closed and call.kind == "up_to" and call.held):
            call.result = call.held
        elif self.is_closed:
            self.store[:0] = call.held
            call.result = OutOfRangeError
        return call.result is not None

    def cancel(self):
        self.is_closed = True
        for call in self.enqueues:
            call.result = CancelledError
        self.enqueues = []


class QueueMachine(RuleBasedStateMachine):
    """Starts each call in a thread, until it has returned or stands in its line."""

    @initialize(capacity=st.integers(1, 4))
    def create(self, capacity):
        self.queue = FIFOQueue(capacity)
        self.model = Model(capacity)
        self.next_row = 0
        self.open_calls = []
        self.settled = threading.Semaphore(0)
        self.queue._before_waiting = self.settled.release

    def run(self, line, call, method, *args):
        future = Future()

        def work():
            try:
                future.set_result(method(*args))
            except (CancelledError, OutOfRangeError) as error:
                future.set_result(type(error))
            self.settled.release()

        line.append(call)
        self.model.serve()
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        assert self.settled.acquire(timeout=5)
        self.open_calls.append((call, future, thread))

    def rows(self, number):
        start = self.next_row
        self.next_row += number
        return list(range(start, self.next_row))

    @rule()
    def enqueue(self):
        rows = self.rows(1)
        self.run(self.model.enqueues, Waiting("put", rows=rows), self.queue.enqueue, rows[0])

    @rule(number=st.integers(1, 6))
    def enqueue_many(self, number):
        rows = self.rows(number)
        self.run(self.model.enqueues, Waiting("put", rows=rows), self.queue.enqueue_many, rows)

    @rule()
    def dequeue(self):
        self.run(self.model.dequeues, Waiting("take", 1), lambda: [self.queue.dequeue()])

    @rule(number=st.integers(1, 6))
    def dequeue_many(self, number):
        self.run(self.model.dequeues, Waiting("take", number), self.queue.dequeue_many, number)

    @rule(number=st.integers(1, 6))
    def dequeue_up_to(self, number):
        self.run(self.model.dequeues, Waiting("up_to", number), self.queue.dequeue_up_to, number)

    @precondition(lambda self: not self.model.is_closed)
    @rule()
    def close(self):
        self.run(self.model.enqueues, Waiting("close"), self.queue.close)

    @rule()
    def cancel(self):
        self.model.cancel()
        self.model.serve()
        self.queue.cancel()

    @invariant()
    def agree(self):
        for call, future, thread in list(self.open_calls):
            if call.result is not None:
                expected = None if call.result == "done" else call.result
                assert expected == future.result(5)
                thread.join(5)
                self.open_calls.remove((call, future, thread))
                while self.settled.acquire(blocking=False):
                    continue

        assert self.model.store == list(self.queue._store)
        assert self.model.is_closed == self.queue.is_closed()
        assert len(self.model.enqueues) == len(self.queue._enqueues)
        assert len(self.model.dequeues) == len(self.queue._dequeues)

    def teardown(self):
        if hasattr(self, "queue"):
            self.queue.cancel()
            self.queue.cancel()
            for _, _, thread in self.open_calls:
                thread.join(5)


QueueMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestQueueModel = QueueMachine.TestCase
