"""What waits in the two lines of a queue: attempts to enqueue, to close and to dequeue."""

import enum
from collections.abc import Sequence
from typing import Generic, TypeVar

from tfrec.pipeline.wakeup import Wakeup

Row = TypeVar("Row")


class Outcome(enum.Enum):
    """How an attempt ended."""

    DONE = "done"
    CLOSED = "closed"  # an enqueue that came after the close
    CANCELLED = "cancelled"  # an enqueue or close that a cancelling close ended
    EXHAUSTED = "exhausted"  # a dequeue of more than a closed queue has left


class Attempt(Wakeup):
    """One call that waits its turn; `outcome` is None until the queue has dealt with it."""

    __slots__ = ("outcome",)

    def __init__(self) -> None:
        super().__init__()
        self.outcome: Outcome | None = None


class Close(Attempt):
    """A plain close, which waits behind the enqueues before it."""

    __slots__ = ()


class Enqueue(Attempt, Generic[Row]):
    """Puts `rows` in; the first `num_done` are in already."""

    __slots__ = ("num_done", "rows")

    def __init__(self, rows: Sequence[Row]) -> None:
        super().__init__()
        self.rows = rows
        self.num_done = 0


class Dequeue(Attempt, Generic[Row]):
    """Takes `num_wanted` rows, or what a closed queue has left with `takes_fewer`.

    `held` are the rows taken so far; `num_left` is how many a closed queue had.
    """

    __slots__ = ("held", "num_left", "num_wanted", "takes_fewer")

    def __init__(self, num_wanted: int, *, takes_fewer: bool = False) -> None:
        super().__init__()
        self.num_wanted = num_wanted
        self.takes_fewer = takes_fewer
        self.held: list[Row] = []
        self.num_left = 0
