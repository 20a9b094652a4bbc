"""A nameless file in memory, for code that wants a descriptor."""

import contextlib
import io
import os
import sys
from typing import BinaryIO, cast


def open_memory_file() -> BinaryIO:
    """Open a file in memory for writing and reading, unbuffered; it is gone when it is closed.

    It has a descriptor where the system has such files and gives one (Linux), else none.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # forbidden, or too many descriptors
            return cast("BinaryIO", io.FileIO(os.memfd_create("tfrec"), "r+b"))
    return io.BytesIO()
