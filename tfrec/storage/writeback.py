"""Files whose bytes go to the disk while more are written, so that the last flush finds few left.

Linux alone can start that without waiting for its end (`sync_file_range`). Else the system begins
when it likes, often with the flush before the file gets its name: 0.1 s for 200 MB.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from tfrec.storage.named_file import NamedFile

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STEP = 1 << 24  # bytes
_SYNC_FILE_RANGE_WRITE = 2  # start, and wait for nothing (linux/fs.h)


class EarlyFlushedFile(NamedFile):
    """A raw file that is written from its start on."""

    _num_written = 0
    _num_started = 0

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write, and every 16 MiB have what is new sent to the disk."""
        num_bytes = super().write(data)
        self._num_written += num_bytes
        num_new = self._num_written - self._num_started
        if num_new >= _STEP:
            start_writeback(self.fileno(), self._num_started, num_new)
            self._num_started = self._num_written
        return num_bytes


def start_writeback(descriptor: int, offset: int, size: int) -> None:
    """Have the system send a part of a file to the disk; it is a hint, which can't fail."""
    function = _load_function()
    if function is not None:
        function(descriptor, offset, size, _SYNC_FILE_RANGE_WRITE)


@functools.cache
def _load_function() -> Callable[[int, int, int, int], int] | None:
    import ctypes  # here, for small files need it not

    try:
        function = ctypes.CDLL(None).sync_file_range
    except (AttributeError, OSError, TypeError):
        return None  # macOS, or Windows, whose CDLL needs a name
    function.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    found: Callable[[int, int, int, int], int] = function
    return found
