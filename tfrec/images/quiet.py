"""Keep the chatter of Pillow and of the libraries below it off the user's stderr.

`warnings.catch_warnings` swaps a list of the whole process and is not safe between threads. A
filter for good on the module `PIL` would also hide the user's own. So one filter is added, which
matches only in a thread that is inside `quiet_pillow`: nobody else can tell that it is there. It
also keeps `-W error` from turning a good image with odd metadata into a bad one.
"""

import contextlib
import ctypes
import functools
import logging
import threading
import warnings
from collections.abc import Iterator
from typing import Any, cast

from PIL import Image


class _DecodingThreads(threading.local):
    """Stands where a filter has a pattern of the module's name; `warnings` calls its `match`."""

    depth = 0

    def match(self, _module: str) -> bool:
        return self.depth > 0


# Pillow logs as errors what it then raises; without any handler, `logging` would print it. The
# user's own handlers still get it.
logging.getLogger("PIL").addHandler(logging.NullHandler())

_THREADS = _DecodingThreads()
_FILTER = ("ignore", None, Warning, _THREADS, 0)


@contextlib.contextmanager
def quiet_pillow() -> Iterator[None]:
    """Drop every warning that this thread gives inside the block."""
    # Others may have replaced the list since (`catch_warnings`, `resetwarnings`).
    filters = cast("list[Any]", warnings.filters)
    if not filters or filters[0] is not _FILTER:
        with contextlib.suppress(ValueError):
            filters.remove(_FILTER)
        filters.insert(0, _FILTER)
    _THREADS.depth += 1
    try:
        yield
    finally:
        _THREADS.depth -= 1


@functools.cache
def silence_libtiff() -> None:
    """Stop libtiff from writing its errors to file descriptor 2.

    Pillow turns off libtiff's warnings only. The errors lack the file's name and come as an OSError
    all the same. Redirecting the descriptor would swallow what other threads write meanwhile;
    libtiff's own switch does not. Where Pillow hides libtiff's symbols, nothing happens.
    """
    try:
        ctypes.CDLL(Image.core.__file__).TIFFSetErrorHandler(None)  # type: ignore[attr-defined]
    except (AttributeError, OSError):
        return
