"""Files that grow, in stores whose objects can't: several objects below the file's path.

    <path>/<number>-<writer>     numbered from 0, each the next bytes

The last object is written anew with each addition until it has `PART_SIZE`; so an addition sends
half of that on average, and a million of them make 20,000 objects and not a million.
"""

import contextlib
import re
import secrets
import threading

from tfrec.storage.drivers import open_driver
from tfrec.storage.remote_errors import naming
from tfrec.storage.urls import join_path

PART_SIZE = 16 << 10
_PART = re.compile(r"(\d{8})-[0-9a-f]{8}")


class AppendedObjects:
    """What this process appends, and what others have appended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._writer = secrets.token_hex(4)
        self._last: dict[str, tuple[int, bytes]] = {}

    def append(self, url: str, data: bytes) -> None:
        """Add bytes to the end of the file; it is written when this returns."""
        with self._lock:
            if url not in self._last:
                self._last[url] = len(self._list_parts(url)), b""
            number, content = self._last[url]
            if content and len(content) + len(data) > PART_SIZE:
                number, content = number + 1, b""
            content += data
            driver, key = open_driver(join_path(url, f"{number:08}-{self._writer}"))
            with naming(url):
                driver.pipe_file(key, content)
            self._last[url] = number, content

    def read(self, url: str) -> bytes | None:
        """Return the whole content; None where the path is a directory of something else."""
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
            self._last.pop(url, None)
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
