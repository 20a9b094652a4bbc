"""A shuffle whose order is part of what users store: it may never change.

Fisher and Yates from the end: for `last` = n-1 down to 1, the elements at `last` and at
`int(random() * (last + 1))` change places, where `random()` is the next number of
`random.Random(seed)`. Python documents that sequence as the same in all its versions for an integer
seed; `random.shuffle`, which it does not, is not used.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def shuffled(elements: Sequence[T], random: Callable[[], float]) -> list[T]:
    """Return the elements in an order drawn from `random`, which gives numbers in [0, 1)."""
    order = list(elements)
    for last in range(len(order) - 1, 0, -1):
        drawn = int(random() * (last + 1))
        order[last], order[drawn] = order[drawn], order[last]
    return order
