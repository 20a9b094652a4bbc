"""Map a function over items in an executor, in the order in which the results come."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import NoReturn, TypeVar

from tfrec.engine.ray import LostTaskError

Item = TypeVar("Item")
Result = TypeVar("Result")


def raise_lost(_item: object, error: LostTaskError) -> NoReturn:
    """Raise the error: a task that has no result ends the whole."""
    raise error


def map_completed(
    executor: Executor,
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    window: int,
    replace_lost: Callable[[Item, LostTaskError], Result] = raise_lost,
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its `function(item)`, as soon as it is known.

    At most `window` items are submitted and not finished. An exception of the function is raised
    when it comes; `replace_lost` gives the result of an item whose worker died again and again, or
    raises. Whatever ends the iteration, items that have not begun are cancelled.
    """
    finished: SimpleQueue[Future[Result]] = SimpleQueue()
    pending: dict[Future[Result], Item] = {}
    try:
        for item in items:
            future = executor.submit(function, item)
            pending[future] = item
            # `concurrent.futures.wait` looks at all that is pending, thousands on a cluster, for
            # each one that has finished.
            future.add_done_callback(finished.put)
            if len(pending) >= window:
                yield from _take_finished(pending, finished, replace_lost)
        while pending:
            yield from _take_finished(pending, finished, replace_lost)
    finally:
        for future in pending:
            future.cancel()


def _take_finished(
    pending: dict[Future[Result], Item],
    finished: "SimpleQueue[Future[Result]]",
    replace_lost: Callable[[Item, LostTaskError], Result],
) -> Iterator[tuple[Item, Result]]:
    taken = {finished.get()}
    while not finished.empty():
        taken.add(finished.get())
    # In the order of submission, so that of two errors at once the same one is raised each time.
    for future in taken if len(taken) == 1 else [one for one in pending if one in taken]:
        item = pending.pop(future)
        try:
            result = future.result()
        except LostTaskError as error:
            result = replace_lost(item, error)
        yield item, result
