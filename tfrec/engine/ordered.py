"""Map a function over items in an executor, in order, with a bounded number in flight."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future, wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_ordered(
    executor: Executor, function: Callable[[Item], Result], items: Iterable[Item], *, window: int
) -> Generator[Result, None, None]:
    """Yield `function(item)` for each item, in the order of `items`.

    At most `window` items are in flight: submitted, and their result not yet yielded. The next item
    is taken only then, so `items` may be endless. An exception of the function is raised in the
    turn of its item, and one of `items` after the results of all items before it; items that have
    begun are finished first. Whatever ends the iteration, items that have not begun are cancelled.
    """
    if window < 1:
        raise ValueError(f"window is {window}, at least 1 item has to be in flight")
    pending: deque[Future[Result]] = deque()
    end: Exception | None = None
    remaining = iter(items)
    try:
        while True:
            try:
                item = next(remaining)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001 (it is raised in its turn)
                end = error
                break
            pending.append(executor.submit(function, item))
            if len(pending) >= window:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
        if end is not None:
            raise end
    except Exception:
        wait([future for future in pending if not future.cancel()])
        raise
    finally:
        for future in pending:
            future.cancel()
