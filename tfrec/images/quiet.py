"""Keep Pillow's Python warnings from the process while an image is decoded.

`warnings.catch_warnings` swaps a list of the whole process and is not safe between threads. A
filter for good on the module `PIL` would also hide the user's own. So one filter is added, which
matches only in a thread that is inside `quiet_pillow`: nobody else can tell that it is there. It
also keeps `-W error` from turning a good image with odd metadata into a bad one.
"""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast


class _DecodingThreads(threading.local):
    """Stands where a filter has a pattern of the module's name; `warnings` calls its `match`."""

    depth = 0

    def match(self, _module: str) -> bool:
        return self.depth > 0


_THREADS = _DecodingThreads()
_FILTER = ("ignore", None, Warning, _THREADS, 0)


@contextmanager
def quiet_pillow() -> Iterator[None]:
    """Drop every warning that this thread gives inside the block."""
    # Others may have replaced the list since (`catch_warnings`, `resetwarnings`).
    filters = cast("list[Any]", warnings.filters)
    if not filters or filters[0] is not _FILTER:
        filters.insert(0, _FILTER)
    _THREADS.depth += 1
    try:
        yield
    finally:
        _THREADS.depth -= 1
