"""Files of this machine and at URLs, side by side: what every operation uses by default."""

from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

from tfrec.storage.base import Entry, FileInfo, Storage
from tfrec.storage.local import LocalStorage
from tfrec.storage.urls import join_path, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfrec.storage.remote import RemoteStorage


class AnyStorage:
    """Asks, for each path, the storage that has it: `resolve` says which."""

    def __reduce__(self) -> tuple[type["AnyStorage"], tuple[()]]:
        return AnyStorage, ()

    def resolve(self, path: str) -> Storage:
        """Return the storage that has the file of a path or URL."""
        return self._local if scheme_of(path) is None else self._remote

    @cached_property
    def _local(self) -> LocalStorage:
        return LocalStorage()

    @cached_property
    def _remote(self) -> "RemoteStorage":
        from tfrec.storage.remote import RemoteStorage

        return RemoteStorage()

    def open_read(self, path: str) -> BinaryIO:
        """Open a file for buffered reading."""
        return self.resolve(path).open_read(path)

    def open_write(self, path: str) -> BinaryIO:
        """Create or empty a file and open it for buffered writing."""
        return self.resolve(path).open_write(path)

    def open_scratch(self, path: str) -> BinaryIO:
        """Open a nameless file, which is gone when it is closed."""
        return self.resolve(path).open_scratch(path)

    def publish(self, path: str) -> AbstractContextManager[BinaryIO]:
        """Write a file that appears at `path` whole, when the block ends, or never."""
        return self.resolve(path).publish(path)

    def publish_directory(self, path: str, *, replace: bool = False) -> AbstractContextManager[str]:
        """Fill a directory that appears at `path` whole, when the block ends, or never."""
        return self.resolve(path).publish_directory(path, replace=replace)

    def write(self, path: str, content: bytes) -> None:
        """Write a file in a directory that is being filled."""
        self.resolve(path).write(path, content)

    def exclusive(self, path: str) -> AbstractContextManager[None]:
        """Keep others from writing a dataset at `path` until the block ends."""
        return self.resolve(path).exclusive(path)

    def scan(self, path: str) -> "Iterator[Entry]":
        """List one directory, in no particular order."""
        return self.resolve(path).scan(path)

    def info(self, path: str) -> FileInfo | None:
        """Say what is at `path`; None where nothing is."""
        return self.resolve(path).info(path)

    def append(self, path: str, data: bytes) -> None:
        """Add bytes to the end of a file."""
        self.resolve(path).append(path, data)

    def rename(self, path: str, new_path: str) -> None:
        """Give a file another path in the same directory."""
        self.resolve(path).rename(path, new_path)

    def free_space(self, path: str) -> int | None:
        """Return how many bytes are free where `path` is or would be."""
        return self.resolve(path).free_space(path)

    def remove(self, path: str) -> None:
        """Remove one file."""
        self.resolve(path).remove(path)

    def discard(self, path: str) -> None:
        """Remove a file or an empty directory, and what killed writers of the file have left."""
        self.resolve(path).discard(path)

    def contains(self, directory: str, path: str) -> bool:
        """Say whether `path` is `directory` or below it."""
        storage = self.resolve(directory)
        return storage is self.resolve(path) and storage.contains(directory, path)

    def join(self, directory: str, *names: str) -> str:
        """Return the path of a file below `directory`."""
        return join_path(directory, *names)
