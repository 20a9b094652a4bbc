"""Files in the memory of this process: for tests, those of users too."""

import contextlib
import errno
import io
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from tfrec.storage.base import Entry, FileInfo


class MemoryStorage:
    """Files in a dict from path to bytes; `/` separates directories, which exist through files."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.files: dict[str, bytes] = dict(files or {})
        self._lock = threading.Lock()
        self._locked: set[str] = set()

    def open_read(self, path: str) -> BinaryIO:
        """Open a file for reading."""
        with self._lock:
            content = self.files.get(path)
        if content is None:
            raise _error(errno.ENOENT if self.info(path) is None else errno.EISDIR, path)
        return io.BytesIO(content)

    def open_write(self, path: str) -> BinaryIO:
        """Create or empty a file and open it for writing; others see what is flushed."""
        found = self.info(path)
        if found is not None and found.kind == "directory":
            raise _error(errno.EISDIR, path)
        stream = _GrowingFile(self, path)
        stream.flush()
        return stream

    def open_scratch(self, path: str) -> BinaryIO:  # noqa: ARG002 (all memory is one place)
        """Open a nameless file for writing and reading, which is gone when it is closed."""
        return io.BytesIO()

    @contextlib.contextmanager
    def publish(self, path: str) -> Iterator[BinaryIO]:
        """Write a file that appears at `path` whole, when the block ends, or never."""
        found = self.info(path)
        if found is not None and found.kind == "directory":
            raise _error(errno.EISDIR, path)
        with io.BytesIO() as stream:
            yield stream
            content = stream.getvalue()
        with self._lock:
            self.files[path] = content

    @contextlib.contextmanager
    def publish_directory(self, path: str, *, replace: bool = False) -> Iterator[str]:
        """Fill a directory that appears at `path` whole, when the block ends, or never."""
        found = self.info(path)
        if found is not None and not replace:
            raise _error(errno.EEXIST, path)
        if found is not None and found.kind != "directory":
            raise _error(errno.ENOTDIR, path)
        temporary = f"{path.rstrip('/')}.{secrets.token_hex(6)}.tfrec-tmp"
        try:
            yield temporary
        except BaseException:
            self._rename_below(temporary, None)
            raise
        if replace:
            self._rename_below(path, None)
        self._rename_below(temporary, path)

    def _rename_below(self, path: str, target: str | None) -> None:
        """Move the files below `path` to `target`, or drop them."""
        prefix = _as_prefix(path)
        with self._lock:
            for file in [file for file in self.files if file.startswith(prefix)]:
                content = self.files.pop(file)
                if target is not None:
                    self.files[self.join(target, file.removeprefix(prefix))] = content

    def write(self, path: str, content: bytes) -> None:
        """Write a file in a directory that is being filled."""
        with self._lock:
            if path in self.files:
                raise _error(errno.EEXIST, path)
            self.files[path] = bytes(content)

    @contextlib.contextmanager
    def exclusive(self, path: str) -> Iterator[None]:
        """Keep others from writing a dataset at `path` until the block ends."""
        with self._lock:
            if path in self._locked:
                raise BlockingIOError(errno.EAGAIN, "another tfrec is writing it", path)
            self._locked.add(path)
        try:
            yield
        finally:
            with self._lock:
                self._locked.discard(path)

    def scan(self, path: str) -> Iterator[Entry]:
        """List one directory, in the order in which its files were made."""
        prefix = _as_prefix(path)
        with self._lock:
            below = [file.removeprefix(prefix) for file in self.files if file.startswith(prefix)]
        if not below and prefix:
            raise _error(errno.ENOENT if self.info(path) is None else errno.ENOTDIR, path)
        names = dict.fromkeys(name.partition("/")[:2] for name in below)
        for name, separator in names:
            yield Entry(name, "directory" if separator else "file", is_link=False)

    def info(self, path: str) -> FileInfo | None:
        """Say what is at `path`; None where nothing is."""
        with self._lock:
            content = self.files.get(path)
            if content is not None:
                return FileInfo("file", len(content), path)
            prefix = _as_prefix(path)
            if any(file.startswith(prefix) for file in self.files):
                return FileInfo("directory", 0, path)
            return None

    def append(self, path: str, data: bytes) -> None:
        """Add bytes to the end of a file, which is made where it is missing."""
        with self._lock:
            self.files[path] = self.files.get(path, b"") + data

    def rename(self, path: str, new_path: str) -> None:
        """Give a file another path, in place of what is there."""
        with self._lock:
            if path not in self.files:
                raise _error(errno.ENOENT, path)
            self.files[new_path] = self.files.pop(path)

    def free_space(self, path: str) -> int | None:  # noqa: ARG002 (the protocol's signature)
        """Return None: memory has no set end."""
        return None

    def remove(self, path: str) -> None:
        """Remove one file."""
        with self._lock:
            if self.files.pop(path, None) is None:
                raise _error(errno.ENOENT, path)

    def discard(self, path: str) -> None:
        """Remove a file where it is there; directories go with their last file."""
        with self._lock:
            self.files.pop(path, None)

    def contains(self, directory: str, path: str) -> bool:
        """Say whether `path` is `directory` or below it."""
        return _as_prefix(path).startswith(_as_prefix(directory))

    def join(self, directory: str, *names: str) -> str:
        """Return the path of a file below `directory`."""
        return "/".join(filter(None, (directory.rstrip("/"), *names)))


class _GrowingFile(io.BytesIO):
    """A file that is in its storage as far as it was flushed."""

    def __init__(self, storage: MemoryStorage, path: str) -> None:
        super().__init__()
        self._storage = storage
        self._path = path

    def flush(self) -> None:
        if not self.closed:
            self._storage.files[self._path] = self.getvalue()
        super().flush()

    def close(self) -> None:
        self.flush()
        super().close()


def _as_prefix(path: str) -> str:
    stripped = path.rstrip("/")
    return f"{stripped}/" if stripped not in ("", ".") else ""


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)  # of the subclass that has this number
