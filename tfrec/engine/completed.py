"""Map a function over items in an executor, in the order in which the results come."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_completed(
    executor: Executor, function: Callable[[Item], Result], items: Iterable[Item], *, window: int
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its `function(item)`, as soon as it is known.

    At most `window` items are submitted and not finished. An exception of the function is raised
    when it comes. Whatever ends the iteration, items that have not begun are cancelled.
    """
    pending: dict[Future[Result], Item] = {}
    try:
        for item in items:
            pending[executor.submit(function, item)] = item
            if len(pending) >= window:
                yield from _take_finished(pending)
        while pending:
            yield from _take_finished(pending)
    finally:
        for future in pending:
            future.cancel()


def _take_finished(pending: dict[Future[Result], Item]) -> Iterator[tuple[Item, Result]]:
    finished, _ = wait(pending, return_when=FIRST_COMPLETED)
    # In the order of submission, so that of two errors at once the same one is raised each time.
    for future in [future for future in pending if future in finished]:
        yield pending.pop(future), future.result()
