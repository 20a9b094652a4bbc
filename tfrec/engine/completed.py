"""Map a function over items in an executor, in the order in which the results come."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
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
    pending: dict[Future[Result], Item] = {}
    try:
        for item in items:
            pending[executor.submit(function, item)] = item
            if len(pending) >= window:
                yield from _take_finished(pending, replace_lost)
        while pending:
            yield from _take_finished(pending, replace_lost)
    finally:
        for future in pending:
            future.cancel()


def _take_finished(
    pending: dict[Future[Result], Item], replace_lost: Callable[[Item, LostTaskError], Result]
) -> Iterator[tuple[Item, Result]]:
    finished, _ = wait(pending, return_when=FIRST_COMPLETED)
    # In the order of submission, so that of two errors at once the same one is raised each time.
    for future in [future for future in pending if future in finished]:
        item = pending.pop(future)
        try:
            result = future.result()
        except LostTaskError as error:
            result = replace_lost(item, error)
        yield item, result
