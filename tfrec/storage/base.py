"""What the rest of the package asks of a place where files are.

Paths are strings; names that are no UTF-8 carry surrogate escapes (`os.fsencode` gives their bytes
back). Every failure is an `OSError` that names its file.
"""

import errno
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, Literal, NamedTuple, Protocol

EntryKind = Literal["file", "directory", "broken link", "other"]


_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def is_shortage(error: OSError) -> bool:
    """Say whether a file wasn't opened because this system or process has too much open already.

    That says nothing of the file, which can't be taken for a bad one.
    """
    return error.errno in _SHORTAGES


class Entry(NamedTuple):
    """One name in a directory; `kind` is that of a link's target, `is_link` says it is one."""

    name: str
    kind: EntryKind
    is_link: bool


class FileInfo(NamedTuple):
    """What is at a path.

    Attributes:
        kind: file, directory or something else.
        size: in bytes.
        identity: equal for two paths that lead to the same file.
        modified: when a file was last written, in nanoseconds of its own clock; None where that
            isn't known.
    """

    kind: EntryKind
    size: int
    identity: Hashable
    modified: int | None = None


class Storage(Protocol):
    """Files by path. Implementations are safe to use from several threads."""

    def open_read(self, path: str) -> BinaryIO:
        """Open a file for buffered reading."""
        ...

    def open_write(self, path: str) -> BinaryIO:
        """Create or empty a file and open it for buffered writing; others see it grow."""
        ...

    def open_scratch(self, path: str) -> BinaryIO:
        """Open a nameless file for writing and reading, which is gone when it is closed.

        Its bytes lie where those of a file at `path` would.
        """
        ...

    def publish(self, path: str) -> AbstractContextManager[BinaryIO]:
        """Write a file that appears at `path` whole, when the block ends, or never.

        Leaving the block by an exception leaves nothing. Missing parent directories are made.
        """
        ...

    def publish_directory(self, path: str, *, replace: bool = False) -> AbstractContextManager[str]:
        """Fill a directory that appears at `path` whole, when the block ends, or never.

        The block gets the path of the directory to fill, with `write`. Unless `replace` is set,
        there must be nothing at `path`, or an empty directory.

        Raises:
            FileExistsError: there is something at `path`.
            NotADirectoryError: `replace` is set, and a file is at `path`.
        """
        ...

    def write(self, path: str, content: bytes) -> None:
        """Write a file in a directory that is being filled; missing parents are made.

        Raises:
            FileExistsError: the file exists.
        """
        ...

    def exclusive(self, path: str) -> AbstractContextManager[None]:
        """Keep others from writing a dataset at `path` until the block ends.

        Raises:
            BlockingIOError: another process is writing there.
        """
        ...

    def scan(self, path: str) -> Iterator[Entry]:
        """List one directory, in no particular order."""
        ...

    def info(self, path: str) -> FileInfo | None:
        """Say what is at `path`, following links; None where nothing is."""
        ...

    def append(self, path: str, data: bytes) -> None:
        """Add bytes to the end of a file, which is made where it is missing, and flush them."""
        ...

    def rename(self, path: str, new_path: str) -> None:
        """Give a file another path in the same directory, in place of what is there."""
        ...

    def free_space(self, path: str) -> int | None:
        """Return how many bytes are free where `path` is or would be; None where nobody can say."""
        ...

    def remove(self, path: str) -> None:
        """Remove one file."""
        ...

    def discard(self, path: str) -> None:
        """Remove a file or an empty directory where it is there.

        What killed writers of the file have left is removed too.
        """
        ...

    def contains(self, directory: str, path: str) -> bool:
        """Say whether `path` leads to `directory` or below it; neither has to exist."""
        ...

    def join(self, directory: str, *names: str) -> str:
        """Return the path of a file below `directory`."""
        ...
