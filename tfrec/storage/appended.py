"""Files that grow, in stores whose objects can't: several objects below the file's path.

    <path>/<number>-<writer>     numbered from 0, each the next bytes

The last object is written anew with each addition until it has `PART_SIZE`; so an addition sends
half of that on average, and a million of them make 20,000 objects and not a million. What comes
within a second after a request waits for the next addition: a request takes 30 ms, and thousands of
files may be finished in a second. A killed process loses what waits, and nothing before it.
"""

import contextlib
import re
import secrets
import threading
import time
from dataclasses import dataclass

from tfrec.storage.drivers import open_driver
from tfrec.storage.remote_errors import naming
from tfrec.storage.urls import join_path

PART_SIZE = 16 << 10
WAIT_SECONDS = 1.0
_PART = re.compile(r"(\d{8})-[0-9a-f]{8}")


@dataclass
class _Tail:
    """The last object of a file, and what is to be added to it."""

    number: int
    written: bytes = b""
    waiting: bytes = b""
    next_time: float = 0.0


class AppendedObjects:
    """What this process appends, and what others have appended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._writer = secrets.token_hex(4)
        self._tails: dict[str, _Tail] = {}

    def append(self, url: str, data: bytes) -> None:
        """Add bytes to the end of the file; the first ones are written when this returns."""
        with self._lock:
            if url not in self._tails:
                self._tails[url] = _Tail(number=len(self._list_parts(url)))
            tail = self._tails[url]
            tail.waiting += data
            if time.monotonic() >= tail.next_time:
                self._write(url, tail)

    def _write(self, url: str, tail: "_Tail") -> None:
        if tail.written and len(tail.written) + len(tail.waiting) > PART_SIZE:
            tail.number, tail.written = tail.number + 1, b""
        driver, key = open_driver(join_path(url, f"{tail.number:08}-{self._writer}"))
        with naming(url):
            driver.pipe_file(key, tail.written + tail.waiting)
        tail.written, tail.waiting = tail.written + tail.waiting, b""
        tail.next_time = time.monotonic() + WAIT_SECONDS

    def read(self, url: str) -> bytes | None:
        """Return the whole content; None where the path is a directory of something else."""
        with self._lock:
            tail = self._tails.get(url)
            if tail is not None and tail.waiting:
                self._write(url, tail)
        parts = self._list_parts(url)
        if not parts:
            return None
        driver, _ = open_driver(url)
        with naming(url):
            contents = driver.cat(parts)
        return b"".join(contents[part] for part in parts)

    def remove(self, url: str) -> None:
        """Remove all objects of the file."""
        driver, _ = open_driver(url)
        with self._lock:
            self._tails.pop(url, None)
            for part in self._list_parts(url):
                with contextlib.suppress(FileNotFoundError), naming(url):
                    driver.rm_file(part)

    def _list_parts(self, url: str) -> list[str]:
        driver, key = open_driver(url)
        try:
            with naming(url):
                found = driver.ls(key, detail=False)
        except FileNotFoundError:
            return []
        return sorted(name for name in found if _PART.fullmatch(name.rpartition("/")[2]))
